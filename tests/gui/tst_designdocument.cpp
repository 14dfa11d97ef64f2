// The edited design: text is the truth, undo restores bytes, saving is all or nothing.
#include "widgets/design/document.h"
#include "core/base/index.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QFile>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

using namespace fabricscope;
using namespace Qt::Literals::StringLiterals;

namespace {

const std::string kDesign = "# A small pod\n"
                            "fabricscope: 1\n"
                            "name: Pod   # kept\n"
                            "platform:\n"
                            "  dimensions:\n"
                            "    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}   # inner\n"
                            "    - {shape: switch, size: 2, bandwidth: 25 GB/s, latency: 2.5 us}\n"
                            "workload:\n"
                            "  {collective: all_reduce, size: 1 MiB}\n";

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
}

QString written(const QTemporaryDir& folder, const QString& name, const std::string& text)
{
    const QString path = folder.filePath(name);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write(text.data(), static_cast<qint64>(text.size()));
    return path;
}

std::function<Status(YamlDocument&)> setting(const char* path, const std::string& value)
{
    return [=](YamlDocument& yaml) { return yaml.set(path, value); };
}

} // namespace

class tst_designdocument : public QObject
{
    Q_OBJECT
private slots:
    void aNewDocumentIsEmptyUnmodifiedAndHasADesign()
    {
        DesignDocument document;
        QVERIFY(document.design() && document.design()->platform && document.design()->workload);
        QVERIFY(!document.isModified() && !document.hasFile() && !document.platform() && document.issues().empty());
        QVERIFY(!document.displayName().isEmpty());
    }

    void openingReadsDesignAndPlatform()
    {
        QTemporaryDir folder;
        DesignDocument document;
        QSignalSpy replaced(&document, &DesignDocument::replaced);
        QSignalSpy changed(&document, &DesignDocument::changed);
        QVERIFY(document.open(written(folder, u"pod.yaml"_s, kDesign)));
        QCOMPARE(document.text(), kDesign);
        QCOMPARE(document.platform()->npuCount(), 8);
        QCOMPARE(document.design()->name, std::string("Pod"));
        QCOMPARE(document.displayName(), QStringLiteral("pod.yaml"));
        QCOMPARE(document.folder(), folder.path());
        QVERIFY(!document.isModified() && !document.hasErrors());
        QCOMPARE(replaced.count(), 1);
        QCOMPARE(changed.count(), 1);
    }

    void F4_whatIsNoDesignIsRefusedWithItsLineAndNothingChanges_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<int>("line");
        QTest::newRow("broken YAML") << QByteArray("fabricscope: 1\nname: [a\nplatform: {\n") << -1;
        QTest::newRow("duplicate key") << QByteArray("name: a\nname: b\n") << 2;
        QTest::newRow("a list") << QByteArray("- 1\n- 2\n") << 1;
        QTest::newRow("empty") << QByteArray() << -1;
        QTest::newRow("no UTF-8") << QByteArray("name: \xff\xfe\n") << -1;
        QTest::newRow("binary") << QByteArray("\0\1\2\3", 4) << -1;
    }
    void F4_whatIsNoDesignIsRefusedWithItsLineAndNothingChanges()
    {
        QFETCH(QByteArray, content);
        QFETCH(int, line);
        QTemporaryDir folder;
        DesignDocument document;
        QVERIFY(document.open(written(folder, u"good.yaml"_s, kDesign)));
        QVERIFY(document.edit(u"Rename"_s, setting("name", "Other")));
        const std::string before = document.text();
        const auto design = document.design();
        QSignalSpy changed(&document, &DesignDocument::changed);
        const QString bad = written(folder, u"bad.yaml"_s, content.toStdString());
        const Status status = document.open(bad);
        QVERIFY(!status);
        QCOMPARE(QString::fromStdString(status.error().place.file), bad);
        if (line > 0)
            QCOMPARE(status.error().place.line, line);
        QCOMPARE(document.text(), before);
        QCOMPARE(document.design(), design);
        QCOMPARE(document.displayName(), QStringLiteral("good.yaml"));
        QCOMPARE(document.undoStack().count(), 1);
        QVERIFY(document.isModified());
        QCOMPARE(changed.count(), 0);
        QVERIFY(!document.open(folder.filePath(u"missing.yaml"_s)));
        QVERIFY(!document.open(folder.path()));
        QCOMPARE(document.text(), before);
    }

    void aFieldErrorOpensWithOneIssueAtItsLine()
    {
        std::string text = kDesign;
        text.replace(text.find("25 GB/s"), 7, "25 parsecs");
        DesignDocument document;
        QVERIFY(document.setText(text, u"x.yaml"_s));
        QVERIFY(document.hasErrors());
        QCOMPARE(document.issues().size(), std::size_t{1});
        QCOMPARE(document.issues().front().place.field, std::string("platform.dimensions[1].bandwidth"));
        QCOMPARE(document.issues().front().place.line, 7);
    }

    void theLastReadablePlatformStaysWhileTheTextHasErrors()
    {
        DesignDocument document;
        QVERIFY(document.setText(kDesign, u"x.yaml"_s));
        QVERIFY(document.edit(u"Bad size"_s, setting("platform.dimensions[0].size", "lots")));
        QVERIFY(document.hasErrors());
        QCOMPARE(document.platform()->npuCount(), 8);
        QVERIFY(document.editText(u"Typing"_s, "platform: ["));
        QVERIFY(!document.yaml());
        QVERIFY(document.hasErrors());
        QCOMPARE(document.platform()->npuCount(), 8);
        QVERIFY(document.design()->platform);
        QVERIFY(!document.edit(u"No tree"_s, setting("name", "x")));
        document.undoStack().undo();
        document.undoStack().undo();
        QVERIFY(!document.hasErrors());
        QVERIFY(document.edit(u"Good size"_s, setting("platform.dimensions[0].size", "16")));
        QCOMPARE(document.platform()->npuCount(), 32);
    }

    void anEditKeepsEveryOtherByteAndAFailingOneChangesNothing()
    {
        DesignDocument document;
        QVERIFY(document.setText(kDesign, u"x.yaml"_s));
        QVERIFY(document.edit(u"D0 bandwidth"_s, setting("platform.dimensions[0].bandwidth", "100 GB/s")));
        std::string expected = kDesign;
        expected.replace(expected.find("50 GB/s"), 7, "100 GB/s");
        QCOMPARE(document.text(), expected);
        QCOMPARE(document.undoStack().undoText(), QStringLiteral("D0 bandwidth"));
        QSignalSpy changed(&document, &DesignDocument::changed);
        QVERIFY(!document.edit(u"Half"_s, [](YamlDocument& yaml) {
            if (Status status = yaml.set("name", "half done"); !status)
                return status;
            return yaml.set("platform.dimensions[9].size", "4");
        }));
        QCOMPARE(document.text(), expected);
        QCOMPARE(document.undoStack().count(), 1);
        QCOMPARE(changed.count(), 0);
        QVERIFY(document.edit(u"Same"_s, setting("platform.dimensions[0].bandwidth", "100 GB/s")));
        QCOMPARE(document.undoStack().count(), 1);
    }

    void changesWithOneKeyAreOneStepUntilTheMergeEnds()
    {
        DesignDocument document;
        QVERIFY(document.setText(kDesign, u"x.yaml"_s));
        for (const char* value : {"30 GB/s", "3 GB/s", "3.25 GB/s", "400 GB/s"})
            QVERIFY(document.edit(u"Drag"_s, setting("platform.dimensions[1].bandwidth", value), u"d1.bandwidth"_s));
        QCOMPARE(document.undoStack().count(), 1);
        document.endMerge();
        QVERIFY(document.edit(u"Drag"_s, setting("platform.dimensions[1].bandwidth", "1 GB/s"), u"d1.bandwidth"_s));
        QVERIFY(document.edit(u"Other"_s, setting("platform.dimensions[1].latency", "1 ns"), u"d1.latency"_s));
        QCOMPARE(document.undoStack().count(), 3);
        document.undoStack().undo();
        document.undoStack().undo();
        QCOMPARE(document.design()->platform->dimensions[1].bandwidth.text(), std::string("400 GB/s"));
        // After an undo the same key starts a new step.
        QVERIFY(document.edit(u"Drag"_s, setting("platform.dimensions[1].bandwidth", "2 GB/s"), u"d1.bandwidth"_s));
        QCOMPARE(document.undoStack().count(), 2);
        document.undoStack().setIndex(0);
        QCOMPARE(document.text(), kDesign);
    }

    void aDragBackToItsStartLeavesNoStep()
    {
        DesignDocument document;
        QVERIFY(document.setText(kDesign, u"x.yaml"_s));
        QVERIFY(document.edit(u"First"_s, setting("name", "Pod two")));
        const std::string start = document.text();
        QVERIFY(document.edit(u"Drag"_s, setting("platform.dimensions[0].bandwidth", "60 GB/s"), u"k"_s));
        QVERIFY(document.edit(u"Drag"_s, setting("platform.dimensions[0].bandwidth", "50 GB/s"), u"k"_s));
        QCOMPARE(document.text(), start);
        QCOMPARE(document.undoStack().undoText(), QStringLiteral("First"));
        document.undoStack().undo();
        QCOMPARE(document.text(), kDesign);
    }

    void modifiedFollowsTheSavedText()
    {
        QTemporaryDir folder;
        DesignDocument document;
        QVERIFY(document.open(written(folder, u"pod.yaml"_s, kDesign)));
        QSignalSpy modified(&document, &DesignDocument::modifiedChanged);
        QVERIFY(document.edit(u"Rename"_s, setting("name", "B")));
        QVERIFY(document.isModified());
        document.undoStack().undo();
        QVERIFY(!document.isModified());
        document.undoStack().redo();
        QVERIFY(document.save());
        QVERIFY(!document.isModified());
        document.undoStack().undo();
        QVERIFY(document.isModified());
        // Typed back by hand: the same text is the same state.
        QVERIFY(document.edit(u"Rename again"_s, setting("name", "B")));
        QVERIFY(!document.isModified());
        QCOMPARE(modified.count(), 6);
        QVERIFY(document.setText(kDesign, u"new.yaml"_s, {}, true));
        QVERIFY(document.isModified());
        QVERIFY(!document.hasFile());
    }

    void E2_undoToTheStartEqualsTheLoadedFile()
    {
        QTemporaryDir folder;
        std::string windows;
        for (const char c : kDesign)
            windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
        QRandomGenerator random(20240817);
        for (const std::string& start : {kDesign, windows}) {
            for (int run = 0; run < test::cases(20); ++run) {
                const QString path = written(folder, u"pod.yaml"_s, start);
                DesignDocument document;
                QVERIFY(document.open(path));
                std::vector<std::string> states{document.text()};
                for (int i = 0; i < 40; ++i) {
                    const std::string number = std::to_string(1 + random.bounded(900));
                    const QString merge = random.bounded(3) == 0 ? QStringLiteral("k%1").arg(random.bounded(2)) : QString();
                    const int count = document.undoStack().index();
                    switch (random.bounded(5)) {
                    case 0:
                        QVERIFY(document.edit(u"b"_s, setting("platform.dimensions[0].bandwidth", number + " GB/s"), merge));
                        break;
                    case 1:
                        QVERIFY(document.edit(u"l"_s, setting("platform.dimensions[1].latency", number + " ns"), merge));
                        break;
                    case 2:
                        QVERIFY(document.edit(u"n"_s, setting("notes", "note " + number), merge));
                        break;
                    case 3:
                        QVERIFY(document.editText(u"t"_s, document.text() + "# " + number + "\n", merge));
                        break;
                    default:
                        if (document.undoStack().canUndo()) {
                            document.undoStack().undo();
                            QCOMPARE(document.text(), states[at(document.undoStack().index())]);
                        }
                        continue;
                    }
                    const int index = document.undoStack().index();
                    QVERIFY(index == count || index == count + 1 || index == count - 1);
                    states.resize(static_cast<std::size_t>(index));
                    states.push_back(document.text());
                }
                const int top = document.undoStack().index();
                document.undoStack().setIndex(0);
                QCOMPARE(document.text(), start);
                QVERIFY(!document.isModified());
                QCOMPARE(QByteArray::fromStdString(document.text()), bytesOf(path));
                for (int i = 0; i <= top; ++i) {
                    document.undoStack().setIndex(i);
                    QCOMPARE(document.text(), states[at(i)]);
                }
            }
        }
    }

    void F2_savingKeepsCommentsAndPermissionsAndLeavesNoOtherFile()
    {
        QTemporaryDir folder;
        const QString path = written(folder, u"pod.yaml"_s, kDesign);
        QCOMPARE(::chmod(path.toLocal8Bit().constData(), 0640), 0);
        DesignDocument document;
        QVERIFY(document.open(path));
        QVERIFY(document.edit(u"Rename"_s, setting("name", "B")));
        QVERIFY(document.save());
        QVERIFY(bytesOf(path).contains("name: B   # kept"));
        QVERIFY(bytesOf(path).startsWith("# A small pod\n"));
        struct stat info {};
        QCOMPARE(::stat(path.toLocal8Bit().constData(), &info), 0);
        QCOMPARE(info.st_mode & 0777U, 0640U);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{u"pod.yaml"_s});
    }

    void F2_aFailingSaveLeavesFileAndDocumentAsTheyWere()
    {
        QTemporaryDir folder;
        const QString path = written(folder, u"pod.yaml"_s, kDesign);
        DesignDocument document;
        QVERIFY(document.open(path));
        QVERIFY(document.edit(u"Rename"_s, setting("name", "B")));
        const std::string edited = document.text();
        QSignalSpy fileChanged(&document, &DesignDocument::fileChanged);
        // These fail for every user, also for root: a parent that is a file, a missing folder, a folder in the place of the file.
        for (const QString& target : {path + u"/below.yaml"_s, folder.filePath(u"missing/pod.yaml"_s), folder.path()}) {
            const Status status = document.saveAs(target);
            QVERIFY(!status);
            QCOMPARE(status.error().code, ErrorCode::NotWritable);
        }
        QCOMPARE(bytesOf(path), QByteArray::fromStdString(kDesign));
        QCOMPARE(document.file(), path);
        QCOMPARE(document.text(), edited);
        QVERIFY(document.isModified());
        QCOMPARE(fileChanged.count(), 0);
        QVERIFY(document.save());
        QCOMPARE(bytesOf(path), QByteArray::fromStdString(edited));
        QVERIFY(!document.isModified());
    }

    void relativePathsStartAtTheFileOrTheGivenFolder()
    {
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkdir(u"sub"_s));
        written(folder, u"sub/net.yml"_s, "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n");
        const std::string text = "fabricscope: 1\nplatform: {file: net.yml, kind: astra-sim}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        DesignDocument document;
        QVERIFY(document.setText(text, u"a.yaml"_s));
        QVERIFY(document.hasErrors());
        QVERIFY(document.setText(text, u"a.yaml"_s, folder.filePath(u"sub"_s)));
        QVERIFY(!document.hasErrors());
        QCOMPARE(document.platform()->npuCount(), 4);
        QVERIFY(document.saveAs(folder.filePath(u"sub/a.yaml"_s)));
        QVERIFY(!document.hasErrors());
        QVERIFY(document.saveAs(folder.filePath(u"b.yaml"_s))); // there is no net.yml beside it
        QVERIFY(document.hasErrors());
    }

    /// What an edit of places keeps is what reading the whole text gives, also where lines move under a finding.
    void aMovedNodeIsReadAsTheWholeTextIs()
    {
        const std::string text = "fabricscope: 1\n"
                                 "platform:\n"
                                 "  nodes:\n"
                                 "    - {name: a, at: [0, 0]}\n"
                                 "    - name: b\n"
                                 "    - {name: c, at: [8, 8], kind: switch}\n"
                                 "  links:\n"
                                 "    - {between: [a, c], bandwidth: 50 GB/s, latency: 1 us}\n"
                                 "    - {between: [b, c], bandwidth: 50 GB/s, latncy: 1 us}\n"
                                 "workload: {collective: all_reduce, size: 1 MiB}\n";
        for (const bool wrong : {false, true}) {
            std::string given = text;
            if (!wrong)
                given.replace(given.find("latncy"), 6, "latency");
            DesignDocument document;
            QVERIFY(document.setText(given, u"x.yaml"_s));
            QCOMPARE(document.hasErrors(), wrong);
            const auto spec = document.design()->platform;
            // Along its line; a line more above the error; back.
            for (const auto& [path, value] : {std::pair{"platform.nodes.0.at", "[120, -7]"}, {"platform.nodes.1.at", "[3, 4]"}, {"platform.nodes.2.at", "[3, 4]"}}) {
                QVERIFY(document.edit(u"Move"_s, [&](YamlDocument& yaml) { return yaml.set(path, YamlDocument::parse(value).value().root()); }));
                QCOMPARE(document.design()->platform.get() == spec.get(), true);
                DesignDocument read;
                QVERIFY(read.setText(document.text(), u"x.yaml"_s));
                QCOMPARE(document.issues().size(), read.issues().size());
                for (std::size_t i = 0; i < read.issues().size(); ++i)
                    QCOMPARE(document.issues()[i].text(), read.issues()[i].text());
                for (const char* field : {"platform.nodes[2].kind", "platform.links[1].bandwidth", "workload.size"})
                    QCOMPARE(document.design()->place(field).text(), read.design()->place(field).text());
                QVERIFY(sameContent(document.yaml()->root(), read.yaml()->root()));
            }
            QVERIFY(document.edit(u"Move"_s, [&](YamlDocument& yaml) { return yaml.set("platform.nodes.0.at", YamlDocument::parse("[1.5, 0]").value().root()); }));
            QVERIFY(document.hasErrors());
            QVERIFY(document.edit(u"Move"_s, [&](YamlDocument& yaml) { return yaml.set("platform.nodes.0.at", YamlDocument::parse("[1, 0]").value().root()); }));
            QCOMPARE(document.hasErrors(), wrong);
        }
    }

    void anUnchangedPlatformStaysTheSameObject()
    {
        DesignDocument document;
        QVERIFY(document.setText(kDesign, u"x.yaml"_s));
        const PlatformSpec* spec = &document.platform()->spec();
        QVERIFY(document.edit(u"Rename"_s, setting("name", "Other name")));
        QCOMPARE(&document.platform()->spec(), spec);
    }
};

FABRICSCOPE_GUI_TEST(tst_designdocument)
#include "tst_designdocument.moc"
