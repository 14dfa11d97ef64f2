// Names from inputs do nothing in what is printed and written, and programs still read the true ones from JSON.
#include "core/base/csvtext.h"
#include "core/base/index.h"
#include "core/base/shownlines.h"
#include "core/draw/svg.h"
#include "core/report/jsonwriter.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

namespace {

struct Attack {
    const char* what;
    std::string name;
};

/// What a name can do to a terminal, a table, a page or a reader.
const std::vector<Attack>& attacks()
{
    using namespace std::string_literals;
    static const std::vector<Attack> list{
        {"clears the screen", "a\x1b[2J\x1b[Hb"},
        {"sets the title", "\x1b]0;owned\x07"},
        {"C1 control", "a\xc2\x9b" "31mb"},
        {"raw C1 byte", "a\x9b" "31mb"},
        {"begins another line", "ok\nerror: forged"},
        {"returns", "real\rfake"},
        {"NUL", "a\0b"s},
        {"backspaces", "good\b\b\b\bevil"},
        {"override", "abc\xe2\x80\xae" "gpj.exe"},
        {"isolates", "\xe2\x81\xa7" "abc\xe2\x81\xa9"},
        {"zero width", "pay\xe2\x80\x8bpal"},
        {"line separator", "a\xe2\x80\xa8" "b"},
        {"tag", "a\xf3\xa0\x81\x81" "b"},
        {"not UTF-8", "a\xff\xfe\xc0\x80z"},
        {"formula", "=cmd|' /C calc'!A0"},
        {"formula behind a blank", " =1+1"},
        {"formula behind a tab", "\t=1+1"},
        {"plus", "+1"},
        {"minus", "-2+3"},
        {"at", "@SUM(A1)"},
        {"wide equals", "\xef\xbc\x9d" "1+1"},
        {"quotes and commas", "a\",\"b;c"},
        {"markup", "</title></text><script>alert(1)</script>&amp;"},
        {"attribute", "\" onload=\"alert(1)"},
        {"plain", "matmul 7"},
        {"letters", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe2\x82\xac \xf0\x9f\x98\x80"},
    };
    return list;
}

/// No character that a terminal acts on, and UTF-8 throughout. Ends of lines are for the text to make.
bool isHarmless(const QByteArray& text)
{
    const QString read = QString::fromUtf8(text);
    if (read.toUtf8() != text || text.contains(QByteArray("\xEF\xBF\xBD")))
        return false;
    for (const QChar c : read) {
        const ushort u = c.unicode();
        if ((u < 0x20 && u != '\n' && u != '\t') || (u >= 0x7f && u <= 0x9f) || (u >= 0x200b && u <= 0x200f && u != 0x200c && u != 0x200d) || (u >= 0x2028 && u <= 0x202e) || (u >= 0x2060 && u <= 0x206f) || u == 0xdb40)
            return false;
    }
    return true;
}

/// The fields of one record, as RFC 4180 has them.
QList<QByteArray> fieldsOf(const QByteArray& record)
{
    QList<QByteArray> fields{QByteArray()};
    bool quoted = false;
    for (qsizetype i = 0; i < record.size(); ++i) {
        const char c = record[i];
        if (quoted && c == '"' && i + 1 < record.size() && record[i + 1] == '"')
            fields.back() += record[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.append(QByteArray());
        else
            fields.back() += c;
    }
    return fields;
}

bool isValidUtf8(const std::string& text)
{
    return QString::fromUtf8(QByteArray::fromStdString(text)).toUtf8().toStdString() == text;
}

/// A Chakra trace of one rank whose computation has this name.
bool writeRun(const QTemporaryDir& folder, const std::string& name)
{
    EtNode node = computeNode(1, 1000, 1000);
    node.name = name;
    return writeFile(folder.filePath(QStringLiteral("net.yml")), "topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n")
        && writeFile(folder.filePath(QStringLiteral("sys.json")), "{\"preferred-dataset-splits\": 1, \"local-mem-bw\": 1600, \"peak-perf\": 100, \"roofline-enabled\": 1}")
        && writeFile(folder.filePath(QStringLiteral("t.0.et")), traceBytes({node, collectiveNode(2, 0, 1 << 10, {1})}))
        && writeFile(folder.filePath(QStringLiteral("t.1.et")), traceBytes({node, collectiveNode(2, 0, 1 << 10, {1})}));
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
}

} // namespace

class TestShownNames : public QObject {
    Q_OBJECT

private slots:
    void tablesKeepANameOnItsLine_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("shown");
        QTest::newRow("compare, models") << QStringList{QStringLiteral("compare"), QStringLiteral("d.yaml"), QStringLiteral("--models"), QStringLiteral("ideal,links")} << QByteArray("ok\\nerror: forged");
        QTest::newRow("compare, designs") << QStringList{QStringLiteral("compare"), QStringLiteral("d.yaml"), QStringLiteral("e.yaml")} << QByteArray("ok\\nerror: forged");
        QTest::newRow("synthesize") << QStringLiteral("synthesize --topology Ring(4) --bandwidth 50 --latency 500 --size 1MiB --out").split(QLatin1Char(' ')) + QStringList{QStringLiteral("ok\nerror: forged.json")}
                                    << QByteArray("ok\\nerror: forged.json");
    }

    void tablesKeepANameOnItsLine()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, shown);
        const QTemporaryDir folder;
        const QByteArray design = "fabricscope: 1\nname: \"ok\\nerror: forged\"\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 500 ns}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        QVERIFY(writeFile(folder.filePath(QStringLiteral("d.yaml")), design) && writeFile(folder.filePath(QStringLiteral("e.yaml")), QByteArray(design).replace("1 MiB", "2 MiB")));

        const CliResult result = runCli(arguments, folder.path());

        QVERIFY2(result.exit == 0, result.err);
        QVERIFY2(result.out.contains(shown) && !result.out.contains("\nerror:"), result.out);
    }

    void jsonKeepsTheNameAndIsHarmless()
    {
        for (const Attack& attack : attacks()) {
            const std::string text = jsonString(attack.name);
            const json read = json::parse(text, nullptr, false);
            QVERIFY2(read.is_string(), attack.what);
            if (isValidUtf8(attack.name)) {
                QVERIFY2(read.get<std::string>() == attack.name, attack.what);
                QVERIFY2(isHarmless(QByteArray::fromStdString(text)), attack.what);
            }
        }
    }

    void cellsAreTextInEverySpreadsheet()
    {
        for (const Attack& attack : attacks()) {
            const QByteArray cell = QByteArray::fromStdString(csvCell(attack.name));
            QVERIFY2(isHarmless(cell) && !cell.contains('\n'), attack.what);
            const QList<QByteArray> fields = fieldsOf("1," + cell + ",2");
            QVERIFY2(fields.size() == 3 && fields[0] == "1" && fields[2] == "2", attack.what);
            const QString shown = QString::fromUtf8(fields[1]).trimmed();
            QVERIFY2(shown.isEmpty() || !QStringLiteral("=+-@\uff1d\uff0b\uff0d\uff20").contains(shown[0]), attack.what);
        }
        QCOMPARE(csvCell("matmul 7"), std::string("matmul 7"));
        QCOMPARE(csvCell("=1+1"), std::string("'=1+1"));
        QCOMPARE(csvCell("a,b"), std::string("\"a,b\""));
        QCOMPARE(csvCell("it's"), std::string("it's"));
        QCOMPARE(csvCell("'quoted'"), std::string("''quoted'"));
    }

    void picturesHoldTheNameAsText()
    {
        for (const Attack& attack : attacks()) {
            Drawing drawing;
            drawing.size = SizeF(10, 10);
            drawing.title = attack.name;
            drawing.description = attack.name;
            const QByteArray svg = QByteArray::fromStdString(svgText(drawing, {false, true}));
            QVERIFY2(isHarmless(svg), attack.what);
            QXmlStreamReader reader(svg);
            QString title;
            while (!reader.atEnd()) {
                if (reader.readNext() == QXmlStreamReader::StartElement) {
                    QVERIFY2(reader.name() != QStringLiteral("script"), attack.what);
                    if (reader.name() == QStringLiteral("title"))
                        title = reader.readElementText();
                }
            }
            QVERIFY2(!reader.hasError(), qPrintable(QString::fromUtf8(attack.what) + reader.errorString()));
            QVERIFY2(title == QString::fromStdString(shownLines(attack.name)), attack.what);
        }
    }

    void everyOutputOfARunIsHarmless_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < attacks().size(); ++i)
            QTest::newRow(attacks()[i].what) << static_cast<int>(i);
    }

    void everyOutputOfARunIsHarmless()
    {
        QFETCH(int, index);
        const std::string& name = attacks()[at(index)].name;
        QTemporaryDir folder;
        QVERIFY(writeRun(folder, name));
        const QStringList command = QStringLiteral("simulate --network net.yml --system sys.json --workload t --model links").split(QLatin1Char(' '));
        const CliResult text = runCli(command + QStringLiteral("--timeline t.json --report r.html --ranks all").split(QLatin1Char(' ')), folder.path());
        if (text.exit == 2) { // Names that are not UTF-8 may be refused, in words that do nothing.
            QVERIFY2(isHarmless(text.err), text.err.constData());
            return;
        }
        QVERIFY2(text.exit == 0, text.err.constData());
        QVERIFY2(isHarmless(text.out) && isHarmless(text.err), (text.out + text.err).constData());
        QVERIFY(!text.out.contains("\nerror: forged") && !text.err.contains("\nerror: forged"));
        const json timeline = json::parse(contentOf(folder.filePath(QStringLiteral("t.json"))).toStdString(), nullptr, false);
        QVERIFY(timeline.is_object());
        bool found = false;
        for (const json& event : timeline["traceEvents"])
            found = found || event["name"] == name;
        QVERIFY(found || !isValidUtf8(name));
        const QByteArray page = contentOf(folder.filePath(QStringLiteral("r.html")));
        QVERIFY(isHarmless(page));
        QVERIFY(!page.contains("<script>alert") && !page.contains("\" onload=\"alert"));
        const CliResult asJson = runCli(command + QStringLiteral("--json --timeline t.csv").split(QLatin1Char(' ')), folder.path());
        QVERIFY(jsonOf(asJson).is_object());
        const QByteArray csv = contentOf(folder.filePath(QStringLiteral("t.csv")));
        QVERIFY(isHarmless(csv));
        const QList<QByteArray> lines = csv.trimmed().split('\n');
        for (const QByteArray& line : lines)
            QCOMPARE(fieldsOf(line).size(), fieldsOf(lines.front()).size());
    }

    void theNameOfADesignDoesNothingEither()
    {
        for (const Attack& attack : attacks()) {
            if (!isValidUtf8(attack.name))
                continue;
            QTemporaryDir folder;
            QVERIFY(writeFile(folder.filePath(QStringLiteral("d.yaml")),
                              QByteArray::fromStdString("fabricscope: 1\nname: " + json(attack.name).dump(-1, ' ', true)
                                                        + "\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 500 ns}\nworkload: {collective: all_reduce, size: 1 MiB}\n")));
            const CliResult run = runCli(QStringLiteral("simulate d.yaml --report r.html").split(QLatin1Char(' ')), folder.path());
            QVERIFY2(run.exit == 0 || run.exit == 2, run.err.constData());
            QVERIFY2(isHarmless(run.out) && isHarmless(run.err), attack.what);
            QVERIFY2(!run.out.contains("\nerror: forged"), run.out.constData());
            if (run.exit == 0)
                QVERIFY2(isHarmless(contentOf(folder.filePath(QStringLiteral("r.html")))), attack.what);
        }
    }
};

FABRICSCOPE_TEST(TestShownNames)
#include "tst_cli_names.moc"
