// The floors of the house: what CONTRIBUTING says, what the build declares, and how large and how named the rooms are.
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QtTest/QtTest>

#include <algorithm>

namespace {

QString sourceText(const QString& name)
{
    QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/") + name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// First groups of all matches, in order.
QStringList all(const QString& text, const char* pattern)
{
    QStringList found;
    const QRegularExpression expression(QString::fromUtf8(pattern), QRegularExpression::MultilineOption);
    for (auto match = expression.globalMatch(text); match.hasNext();)
        found.push_back(match.next().captured(1));
    return found;
}

/// Files of ours below the folders of the house, relative to the repository.
QStringList sources(const QStringList& patterns)
{
    const QDir root(QStringLiteral(FABRICSCOPE_SOURCE_DIR));
    QStringList found;
    for (const char* const part : {"core", "app", "widgets", "tests"}) {
        QDirIterator files(root.filePath(QString::fromUtf8(part)), patterns, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext())
            found.push_back(root.relativeFilePath(files.next()));
    }
    found.sort();
    return found;
}

/// The floors a library declares.
QStringList declared(const QString& floor)
{
    const QStringList list = all(sourceText("core/" + floor + "/CMakeLists.txt"), "fabricscope_library\\(\\w+ (?:UNHURRIED )?DEPENDS ([a-z0-9 ]*[a-z0-9])");
    return list.isEmpty() ? QStringList() : list.front().split(' ');
}

QString floorOf(const QString& file)
{
    return file.section('/', 0, 1);
}

/// Without comments, texts and lines of the preprocessor.
QString bare(QString text)
{
    static const QRegularExpression noise(QStringLiteral("//[^\\n]*|\"(?:\\\\.|[^\"\\\\\\n])*\"|^#[^\\n]*"), QRegularExpression::MultilineOption);
    return text.replace(noise, QString());
}

/// Classes, structs, unions and enumerations that are defined outside of classes, bodies and namespaces without name, with their namespaces.
QStringList definedTypes(const QString& source)
{
    static const QRegularExpression named(QStringLiteral("\\bnamespace\\s+([\\w:]+)\\s*$"));
    static const QRegularExpression type(QStringLiteral("^\\s*(?:template\\s*<[^{]*>\\s*)?(?:struct|class|union|enum(?:\\s+class)?)\\s+(?:\\[\\[\\w+\\]\\]\\s*)?(\\w+)(?:\\s+final)?\\s*(?::[^:].*)?$"),
                                         QRegularExpression::DotMatchesEverythingOption);
    QStringList types;
    QStringList spaces;
    QString head;
    int depth = 0; // Below the innermost namespace with a name.
    for (const QChar c : bare(source)) {
        if (c == '{') {
            const auto space = named.match(head);
            const auto match = type.match(head);
            if (depth == 0 && space.hasMatch())
                spaces.push_back(space.captured(1));
            else if (depth++ == 0 && match.hasMatch())
                types.push_back((spaces + QStringList(match.captured(1))).join(QStringLiteral("::")));
        } else if (c == '}') {
            if (depth > 0)
                --depth;
            else if (!spaces.isEmpty())
                spaces.pop_back();
        }
        head = c == '{' || c == '}' || c == ';' ? QString() : depth == 0 ? head + c : head;
    }
    return types;
}

/// What a header declares outside of classes and bodies, one after another.
QStringList declarations(const QString& header)
{
    static const QRegularExpression opened(QStringLiteral("\\b(?:inline )?namespace [\\w:]* ?\\{"));
    const QString text = bare(header).replace(opened, QString());
    QString outside;
    int depth = 0;
    for (const QChar c : text) {
        depth += c == '{' ? 1 : 0;
        if (depth == 0)
            outside += c;
        if (c == '}' && depth > 0 && --depth == 0)
            outside += ';';
    }
    return outside.split(';');
}

/// "function" and "Class::function" that begin at the left edge of a source.
QStringList definitions(const QString& source)
{
    return all(bare(source), "^(?!(?:using|namespace|class|struct|enum|template|static|typedef|extern|return|else)\\b)(?:[A-Za-z_\\[][^=;(\\n]*[\\s&*>])?((?:\\w+::)*~?\\w+)\\([^\\n]*[^;\\n]$");
}

class TestFloors : public QObject {
    Q_OBJECT
private slots:
    void theTableOfContributingIsTheOrderOfTheBuild()
    {
        const QStringList built = all(sourceText("core/CMakeLists.txt"), "^add_subdirectory\\((\\w+)\\)");
        QVERIFY(built.size() > 20);
        QCOMPARE(all(sourceText("CONTRIBUTING.md"), "^\\| `core/(\\w+)` \\|"), built);
    }

    void everyFloorDeclaresOnlyFloorsAboveIt()
    {
        const QStringList built = all(sourceText("core/CMakeLists.txt"), "^add_subdirectory\\((\\w+)\\)");
        int edges = 0;
        for (qsizetype i = 0; i < built.size(); ++i) {
            for (const QString& floor : declared(built[i])) {
                ++edges;
                QVERIFY2(built.indexOf(floor) >= 0 && built.indexOf(floor) < i, qPrintable(built[i] + " declares " + floor));
            }
        }
        QVERIFY(edges > 50);
    }

    /// The build stops at an include that is not declared; what is declared for nothing it does not see.
    void everyFloorIncludesWhatItDeclaresAndNothingElse()
    {
        QHash<QString, QStringList> used;
        for (const QString& file : sources({"*.cpp", "*.h"})) {
            const QString floor = file.section('/', 1, 1);
            if (!file.startsWith("core/"))
                continue;
            for (const QString& other : all(sourceText(file), "^#include \"(\\w+/\\w+)/")) {
                QVERIFY2(other.startsWith("core/"), qPrintable(file + " includes " + other));
                const QString name = other.section('/', 1, 1);
                if (name != floor && !used[floor].contains(name))
                    used[floor].push_back(name);
            }
        }
        for (const QString& floor : all(sourceText("core/CMakeLists.txt"), "^add_subdirectory\\((\\w+)\\)")) {
            QStringList now = used[floor];
            QStringList said = declared(floor);
            now.sort();
            said.sort();
            QVERIFY2(now == said, qPrintable("core/" + floor + " includes " + now.join(' ') + " and declares " + said.join(' ')));
        }
    }

    /// Engines share what is in common, and know no room below their own; the table of engines (core/sim itself) knows all.
    void theEnginesIncludeNothingAboveThem()
    {
        const QHash<QString, QStringList> may = {{"common", {}},
                                                 {"events", {"common"}},
                                                 {"symmetry", {"common", "events"}},
                                                 {"sweep", {"common"}},
                                                 {"components", {"common", "events", "sweep"}},
                                                 {"direct", {"common", "events"}},
                                                 {"astra", {"common"}}};
        int edges = 0;
        for (const QString& file : sources({"*.cpp", "*.h"})) {
            const QString room = file.section('/', 2, 2);
            if (!file.startsWith("core/sim/") || file.count('/') == 2)
                continue;
            QVERIFY2(may.contains(room), qPrintable(file));
            for (const QString& header : all(sourceText(file), "^#include \"(core/sim/[^\"]+)\"")) {
                const QString other = header.count('/') == 2 ? header : header.section('/', 2, 2);
                edges += other == room ? 0 : 1;
                QVERIFY2(other == room || may.value(room).contains(other), qPrintable(file + " includes " + header));
            }
        }
        QVERIFY(edges > 10);
    }

    /// A header of the room says the name of the file, one of another room of the floor also its room: "families/rails.cpp". Apart from that: main(), and
    /// workspaces, of which workspace.h says that the folder NAME has NAMEWorkspace().
    void functionsAreInTheFileOfTheirHeaderOrTheHeaderSaysWhere()
    {
        QHash<QString, QString> ofRoom; // Texts of headers.
        QHash<QString, QString> ofFloor;
        for (const QString& header : sources({"*.h"})) {
            ofRoom[header.section('/', 0, -2)] += sourceText(header);
            ofFloor[header.section('/', 0, 1)] += sourceText(header);
        }
        int alone = 0;
        for (const QString& file : sources({"*.cpp"})) {
            if (file.startsWith("tests/") || QFile::exists(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/") + file.chopped(4) + ".h"))
                continue;
            const QString text = sourceText(file);
            if (text.contains("\nint main(") || text.contains("\nWorkspaceRow " + file.section('/', -2, -2) + "Workspace()"))
                continue;
            const QRegularExpression name("\\b" + QRegularExpression::escape(file.section('/', -1)));
            const QRegularExpression withRoom("\\b" + QRegularExpression::escape(file.section('/', -2)));
            const bool said = ofRoom.value(file.section('/', 0, -2)).contains(name) || ofFloor.value(file.section('/', 0, 1)).contains(withRoom);
            QVERIFY2(said, qPrintable(file + ": no header of its name, and none names it"));
            ++alone;
        }
        QVERIFY(alone > 100);
    }

    /// Function by function: declared in NAME.h, it is defined in NAME.cpp or in a file that NAME.h names; so are the functions of its classes.
    void everyFunctionIsInTheFileOfItsHeaderOrTheHeaderSaysWhere()
    {
        QHash<QString, QStringList> defining; // Free functions, with their floor: "core/yaml placeOf".
        QHash<QString, QStringList> declaring; // Classes, likewise: their headers.
        QHash<QString, QString> texts;
        for (const QString& header : sources({"*.h"})) {
            texts[header] = sourceText(header);
            for (const QString& name : all(texts[header], "^(?:class|struct) (?:\\[\\[\\w+\\]\\] )?(\\w+)(?: final)?(?: :[^;{]*)?\\s*\\{"))
                declaring[floorOf(header) + ' ' + name].push_back(header);
        }
        const auto says = [&](const QString& header, const QString& file) {
            return header.chopped(2) + ".cpp" == file || texts[header].contains(QRegularExpression("\\b" + QRegularExpression::escape(file.section('/', -1))));
        };
        int methods = 0;
        for (const QString& file : sources({"*.cpp"})) {
            if (file.startsWith("tests/"))
                continue;
            for (const QString& name : definitions(sourceText(file))) {
                if (!name.contains("::")) {
                    defining[floorOf(file) + ' ' + name].push_back(file);
                    continue;
                }
                const QStringList headers = declaring.value(floorOf(file) + ' ' + name.section("::", 0, 0));
                const bool found = headers.isEmpty() || std::any_of(headers.begin(), headers.end(), [&](const QString& header) { return says(header, file); });
                QVERIFY2(found, qPrintable(file + " defines " + name + ", and " + headers.join(' ') + " does not say so"));
                methods += headers.isEmpty() ? 0 : 1;
            }
        }
        static const QRegularExpression function(QStringLiteral("^(?!using|typedef|extern|friend|template|static_assert|class|struct|enum|inline|constexpr)[^=(]*[\\s&*>](\\w+)\\("));
        int functions = 0;
        for (auto header = texts.cbegin(); header != texts.cend(); ++header) {
            if (header.key().startsWith("tests/"))
                continue;
            for (const QString& declaration : declarations(header.value())) {
                const QString name = function.match(declaration.trimmed()).captured(1);
                const QStringList files = defining.value(floorOf(header.key()) + ' ' + name);
                const bool found = files.isEmpty() || std::any_of(files.begin(), files.end(), [&](const QString& file) { return says(header.key(), file); });
                QVERIFY2(found, qPrintable(header.key() + " declares " + name + ", which is in " + files.join(' ')));
                functions += files.isEmpty() ? 0 : 1;
            }
        }
        QVERIFY2(functions > 900 && methods > 2500, qPrintable(QStringLiteral("%1 functions, %2 of classes").arg(functions).arg(methods)));
    }

    /// What is neither an old favourite of a fast engine nor of automatic choice stands in its file and in the verifier alone, and is one row.
    void aNativeAlgorithmIsAFileARowAndACheck()
    {
        QStringList naming;
        QStringList listing;
        for (const QString& file : sources({"*.cpp", "*.h"})) {
            if (file.startsWith("tests/"))
                continue;
            const QString text = sourceText(file);
            if (text.contains("Algorithm::Bruck"))
                naming.push_back(file);
            if (text.contains("kBruckGather"))
                listing.push_back(file);
        }
        QCOMPARE(naming, QStringList({"core/program/bruckgather.cpp", "core/verify/phasecheck.cpp"}));
        QCOMPARE(listing, QStringList({"core/program/bruckgather.cpp", "core/program/nativerule.h"}));
    }

    void aNameIsOneType()
    {
        // Two types of one name are undefined behaviour that no compiler sees; the linker keeps the functions of one of them.
        QHash<QString, QString> places;
        for (const QString& file : sources({QStringLiteral("*.h"), QStringLiteral("*.cpp")})) {
            for (const QString& type : definedTypes(sourceText(file))) {
                QVERIFY2(!places.contains(type), qPrintable(type + " is defined in " + places.value(type) + " and in " + file));
                places.insert(type, file);
            }
        }
        QVERIFY2(places.size() > 800, qPrintable(QString::number(places.size())));
    }

    void filesThatHeadersNameAreThere()
    {
        QStringList names;
        for (const QString& file : sources({"*.cpp", "*.h"}))
            names.push_back(file.section('/', -1));
        int named = 0;
        for (const QString& header : sources({"*.h"})) {
            for (const QString& name : all(sourceText(header), "\\b([a-z0-9_]+\\.(?:cpp|h))[ ,.;:)]")) {
                QVERIFY2(names.contains(name), qPrintable(header + " names " + name));
                ++named;
            }
        }
        QVERIFY(named > 100);
    }

    void noMethodOfTheEventEngineIsLongerThanSixtyLines()
    {
        int methods = 0;
        for (const QString& file : sources({"*.cpp"})) {
            if (!file.startsWith("core/sim/events/"))
                continue;
            const QStringList lines = sourceText(file).split('\n');
            for (const QString& indent : {QString(), QStringLiteral("    ")}) { // Also those that stand in their class.
                qsizetype begin = -1;
                for (qsizetype i = 0; i < lines.size(); ++i) {
                    if (lines[i] == indent + "{")
                        begin = i;
                    if (lines[i] != indent + "}" || begin < 0)
                        continue;
                    ++methods;
                    QVERIFY2(i - begin - 1 <= 60, qPrintable(file + ": " + lines[begin - 1]));
                    begin = -1;
                }
            }
        }
        QVERIFY(methods > 150);
    }

    void aRoomHasAtMostSixtyFiles()
    {
        QHash<QString, int> files;
        for (const QString& file : sources({"*"}))
            ++files[file.section('/', 0, -2)];
        QVERIFY(files.size() > 40);
        for (auto folder = files.cbegin(); folder != files.cend(); ++folder)
            QVERIFY2(folder.value() <= 60, qPrintable(folder.key() + ": " + QString::number(folder.value())));
    }

    void noSourceIsLongerThanSixHundredLines()
    {
        for (const QString& file : sources({"*.cpp", "*.h"}))
            QVERIFY2(sourceText(file).count('\n') <= 600, qPrintable(file));
    }

    void namesOfSourcesAreUniqueAndLeaveOutWhatTheFolderSays()
    {
        QHash<QString, QString> seen;
        for (const QString& file : sources({"*.cpp"})) {
            const QString name = file.section('/', -1);
            QVERIFY2(!seen.contains(name), qPrintable(file + " is called as " + seen.value(name)));
            seen.insert(name, file);
            QString room = file.section('/', -2, -2);
            if (file.startsWith("tests/") || file.count('/') < (file.startsWith("widgets/") ? 2 : 3))
                continue;
            if (room.endsWith('s'))
                room.chop(1);
            QVERIFY2(name.section('.', 0, 0) == file.section('/', -2, -2) || !name.startsWith(room), qPrintable(file));
        }
        QVERIFY(seen.size() > 500);
    }
};

} // namespace

FABRICSCOPE_TEST(TestFloors)
#include "tst_floors.moc"
