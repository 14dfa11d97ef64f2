#include "core/yaml/fieldplaces.h"
#include "core/yaml/tree.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <random>
#include <set>

using namespace fabricscope;

namespace {

// Not a raw string: moc takes its lines that begin with # for directives.
const char* const kByHand =
    "# A design with remarks.\n"
    "fabricscope: 1   # the format\n"
    "name: \"Two-level \\\"HGX\\\" pod\"\n"
    "platform:\n"
    "  # inside the box\n"
    "  dimensions:\n"
    "    - {shape: fully_connected, size: 8, npu_bandwidth: 450 GB/s, latency: 700 ns}  # NVLink\n"
    "    # between the boxes\n"
    "    - shape: switch\n"
    "      size: 4        # boxes\n"
    "      bandwidth: 50 GB/s\n"
    "      latency: 2.5 us\n"
    "  npu: {peak: 989 TFLOP/s,\n"
    "        memory: 80 GiB,   # HBM3\n"
    "       }\n"
    "workload:\n"
    "  steps:\n"
    "  - compute: 1 ms\n"
    "  - - nested\n"
    "    - 'it''s'\n"
    "notes: |\n"
    "  First line: with a colon\n"
    "    indented\n"
    "\n"
    "  last line\n"
    "empty:\n"
    "tail: plain text over\n"
    "  two lines\n";

YamlDocument parsed(const std::string& text)
{
    auto document = YamlDocument::parse(text, "design.yaml");
    if (!document)
        qFatal("%s", document.error().text().c_str());
    return std::move(document).value();
}

std::string scalarAt(const YamlDocument& document, const char* path)
{
    const YamlNode* node = document.find(path);
    return node && node->isScalar() ? node->text : "(none)";
}

std::multiset<std::string> linesOf(const std::string& text)
{
    std::multiset<std::string> lines;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        lines.insert(text.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

std::string withWindowsLineEnds(const std::string& text)
{
    std::string out;
    for (const char c : text)
        out += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return out;
}

/// Paths of all scalars and nulls, and of all collections.
void collect(const YamlNode& node, const YamlPath& path, std::vector<YamlPath>& leaves, std::vector<YamlPath>& collections)
{
    if (node.isScalar() || node.isNull())
        leaves.push_back(path);
    else
        collections.push_back(path);
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        YamlPath inner = path;
        inner.push_back(std::to_string(i));
        collect(node.items[i], inner, leaves, collections);
    }
    for (const YamlEntry& entry : node.entries) {
        YamlPath inner = path;
        inner.push_back(entry.key);
        collect(entry.value, inner, leaves, collections);
    }
}

} // namespace

class YamlTreeTest : public QObject {
    Q_OBJECT

private slots:
    void givesTheTextBackAsItWas()
    {
        for (const std::string& text : {std::string(kByHand), withWindowsLineEnds(kByHand), std::string("\xef\xbb\xbf") + kByHand})
            QCOMPARE(parsed(text).text(), text);
    }

    void knowsValuesAndPlaces()
    {
        const auto document = parsed(kByHand);

        QCOMPARE(scalarAt(document, "name"), std::string("Two-level \"HGX\" pod"));
        QCOMPARE(scalarAt(document, "platform.dimensions.1.latency"), std::string("2.5 us"));
        QCOMPARE(scalarAt(document, "platform.dimensions[0].size"), std::string("8"));
        QCOMPARE(scalarAt(document, "workload.steps.1.1"), std::string("it's"));
        QCOMPARE(scalarAt(document, "notes"), std::string("First line: with a colon\n  indented\n\nlast line\n"));
        QCOMPARE(scalarAt(document, "tail"), std::string("plain text over two lines"));
        QVERIFY(document.find("empty")->isNull());
        QVERIFY(!document.find("platform.dimensions.2"));
        const YamlNode* size = document.find("platform.dimensions.1.size");
        QCOMPARE(document.place(*size).text(), std::string("design.yaml:10:13"));
    }

    void everyValueEndsWhereItEnds()
    {
        const auto document = parsed(kByHand);
        const auto source = [&](const char* path) {
            const YamlNode* node = document.find(path);
            return document.text().substr(node->valueBegin, node->end - node->valueBegin);
        };

        QCOMPARE(source("fabricscope"), std::string("1"));
        QCOMPARE(source("name"), std::string("\"Two-level \\\"HGX\\\" pod\""));
        QCOMPARE(source("platform.dimensions.1"), std::string("shape: switch\n      size: 4        # boxes\n      bandwidth: 50 GB/s\n      latency: 2.5 us"));
        QCOMPARE(source("platform.npu"), std::string("{peak: 989 TFLOP/s,\n        memory: 80 GiB,   # HBM3\n       }"));
        QCOMPARE(source("notes"), std::string("|\n  First line: with a colon\n    indented\n\n  last line"));
        QCOMPARE(source("tail"), std::string("plain text over\n  two lines"));
        QCOMPARE(source("empty"), std::string());
    }

    void editsOneValueAndNothingElse_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        const auto row = [](const char* name, const char* path, const char* value, const char* before, const char* after) {
            QTest::newRow(name) << QString(path) << QString(value) << QString(before) << QString(after);
        };
        row("block", "a.b", "2", "a:\n  b: 1  # why\n  c: 3\n", "a:\n  b: 2  # why\n  c: 3\n");
        row("flow", "a.b", "2", "a: {b: 1, c: 3} # why\n", "a: {b: 2, c: 3} # why\n");
        row("needs quotes", "a", "x: y", "a: b\n", "a: \"x: y\"\n");
        row("comma in flow", "a.b", "1,2", "a: {b: 1}\n", "a: {b: \"1,2\"}\n");
        row("comma in block", "a", "1,2", "a: 1\n", "a: 1,2\n");
        row("null word", "a", "null", "a: 1\n", "a: \"null\"\n");
        row("empty text", "a", "", "a: 1\n", "a: \"\"\n");
        row("several lines", "a", "x\ny", "a: 1\n", "a: \"x\\ny\"\n");
        row("value not written", "a", "1", "a:   # nothing yet\nb: 2\n", "a: 1   # nothing yet\nb: 2\n");
        row("missing key, block", "a.x", "1", "a:\n    b: 2 # two\nc: 3\n", "a:\n    b: 2 # two\n    x: 1\nc: 3\n");
        row("missing key, flow", "a.x", "1", "a: {b: 2}\n", "a: {b: 2, x: 1}\n");
        row("missing key, empty flow", "a.x", "1", "a: {}\n", "a: {x: 1}\n");
        row("missing mapping", "a.x.y", "1 GB/s", "a:\n  b: 2\n", "a:\n  b: 2\n  x: {y: 1 GB/s}\n");
        row("missing list", "a.0.y", "1", "b: 2\n", "b: 2\na: [{y: 1}]\n");
        row("under a null", "a.x", "1", "a:\nb: 2\n", "a: {x: 1}\nb: 2\n");
        row("empty file", "a.x", "1", "# only a remark\n", "# only a remark\na: {x: 1}\n");
        row("no line end", "b", "1", "a: 2", "a: 2\nb: 1");
        row("append, block", "a.2", "x", "a:\n  - p\n  - q # last\nb: 1\n", "a:\n  - p\n  - q # last\n  - x\nb: 1\n");
        row("append, unindented", "a.1", "x", "a:\n- p\nb: 1\n", "a:\n- p\n- x\nb: 1\n");
        row("append, flow", "a.1", "x", "a: [p]\n", "a: [p, x]\n");
        row("append to items", "a.0.c", "3", "a:\n  - b: 2\n", "a:\n  - b: 2\n    c: 3\n");
        row("block collection by a value", "a", "1", "a:\n  b: 2\n  c: 3\nd: 4\n", "a: 1\nd: 4\n");
        row("block text", "a", "1", "a: |\n  one\n  two\nb: 2\n", "a: 1\nb: 2\n");
        row("quoted", "a", "1", "a: 'it''s' # x\n", "a: 1 # x\n");
        row("json", "a", "2", "{\"a\":1}\n", "{\"a\": 2}\n");
        row("windows line ends", "a.c", "2", "a:\r\n  b: 1 # x\r\nd: 4\r\n", "a:\r\n  b: 1 # x\r\n  c: 2\r\nd: 4\r\n");
        row("anchor nobody uses", "a", "2", "a: &x 1\n", "a: &x 2\n");
        row("list item that is null", "a.0", "1", "a:\n  -\n  - 2\n", "a:\n  - 1\n  - 2\n");
    }
    void editsOneValueAndNothingElse()
    {
        QFETCH(QString, path);
        QFETCH(QString, value);
        QFETCH(QString, before);
        QFETCH(QString, after);
        auto document = parsed(before.toStdString());

        const Status status = document.set(path.toStdString(), value.toStdString());

        QVERIFY2(bool(status), status ? "" : status.error().text().c_str());
        QCOMPARE(QString::fromStdString(document.text()), after);
        QCOMPARE(document.find(path.toStdString())->text, value.toStdString());
    }

    void insertsAndRemoves_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("insert"); // empty: remove
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        const auto row = [](const char* name, const char* path, const char* insert, const char* before, const char* after) {
            QTest::newRow(name) << QString(path) << QString(insert) << QString(before) << QString(after);
        };
        row("insert first, block", "a.0", "x", "a:\n  # p says\n  - p\n  - q\n", "a:\n  # p says\n  - x\n  - p\n  - q\n");
        row("insert, flow", "a.1", "x", "a: [p, q]\n", "a: [p, x, q]\n");
        row("insert into nothing", "a.0", "x", "b: 1\n", "b: 1\na: [x]\n");
        row("remove line", "a.c", "", "a:\n  b: 1 # one\n  c: 2 # two\n  d: 3 # three\n", "a:\n  b: 1 # one\n  d: 3 # three\n");
        row("remove first, on the dash", "a.0.b", "", "a:\n  - b: 1\n    c: 2\n", "a:\n  - c: 2\n");
        row("remove item", "a.0", "", "a:\n  - b: 1\n    c: 2\n  - d: 3\n", "a:\n  - d: 3\n");
        row("remove the only key", "a.b", "", "a:\n  b: 1\nc: 2\n", "a: {}\nc: 2\n");
        row("remove the only item", "a.0", "", "a:\n  - 1\nc: 2\n", "a: []\nc: 2\n");
        row("remove in flow, first", "a.0", "", "a: [1, 2, 3]\n", "a: [2, 3]\n");
        row("remove in flow, last", "a.2", "", "a: [1, 2, 3]\n", "a: [1, 2]\n");
        row("remove in flow, only", "a.b", "", "a: {b: 1}\n", "a: {}\n");
        row("remove block text", "a", "", "a: |\n  one\n  two\nb: 2\n", "b: 2\n");
        row("remove without line end", "b", "", "a: 1\nb: 2", "a: 1\n");
    }
    void insertsAndRemoves()
    {
        QFETCH(QString, path);
        QFETCH(QString, insert);
        QFETCH(QString, before);
        QFETCH(QString, after);
        auto document = parsed(before.toStdString());

        const Status status = insert.isEmpty() ? document.remove(path.toStdString())
                                               : document.insert(path.toStdString(), YamlNode::scalar(insert.toStdString()));

        QVERIFY2(bool(status), status ? "" : status.error().text().c_str());
        QCOMPARE(QString::fromStdString(document.text()), after);
    }

    void insertsWholeMappings()
    {
        YamlNode dimension = YamlDocument::parse("{shape: ring, size: 4, bandwidth: \"50 GB/s\", note: \"a, b\"}").value().root();
        auto block = parsed("dimensions:\n  # inner\n  - shape: switch\n    size: 2\n");
        auto flow = parsed("dimensions: [{shape: switch}]  # all\n");

        QVERIFY(block.insert("dimensions.1", dimension));
        QVERIFY(block.insert("dimensions.0", dimension));
        QVERIFY(flow.insert("dimensions.0", dimension));

        const std::string line = "{shape: ring, size: 4, bandwidth: 50 GB/s, note: \"a, b\"}";
        QCOMPARE(block.text(), "dimensions:\n  # inner\n  - " + line + "\n  - shape: switch\n    size: 2\n  - " + line + "\n");
        QCOMPARE(flow.text(), "dimensions: [" + line + ", {shape: switch}]  # all\n");
    }

    /// Thousands of random edits of a file written by hand: the value is there afterwards, every line the edit
    /// did not touch is there as before, and undoing by setting the old value gives the old text.
    void randomEditsTouchOneLine()
    {
        const std::vector<std::string> values{"1", "50 GB/s", "a: b", "# no remark", "x,y", "", "it's", "\"q\"", "- x", "é", "true", "[", "two\nlines", " s "};
        std::mt19937 random(test::seeded(20240611));
        for (const std::string& start : {std::string(kByHand), withWindowsLineEnds(kByHand)}) {
            for (int round = 0; round < test::cases(1500); ++round) {
                auto document = parsed(start);
                std::vector<YamlPath> leaves;
                std::vector<YamlPath> collections;
                collect(document.root(), {}, leaves, collections);
                const YamlPath& path = leaves[random() % leaves.size()];
                const std::string& value = values[random() % values.size()];
                const YamlNode* node = document.find(path);
                const std::string old = document.text().substr(node->valueBegin, node->end - node->valueBegin);

                const Status status = document.set(yamlPathText(path), value);

                QVERIFY2(bool(status), (yamlPathText(path) + " = " + value).c_str());
                QCOMPARE(document.find(path)->text, value);
                if (old.find('\n') == std::string::npos) {
                    std::vector<std::string> gone;
                    const auto linesBefore = linesOf(start);
                    const auto linesAfter = linesOf(document.text());
                    std::set_difference(linesBefore.begin(), linesBefore.end(), linesAfter.begin(), linesAfter.end(), std::back_inserter(gone));
                    QVERIFY(gone.size() <= 1);
                    QCOMPARE(linesBefore.size(), linesAfter.size());
                }
                auto reread = parsed(document.text());
                QVERIFY(sameContent(reread.root(), document.root()));
            }
        }
    }

    /// A chain of random edits of every kind stays readable and never loses a remark that stands on a line of its own.
    void chainsOfEditsStayReadable()
    {
        std::mt19937 random(test::seeded(77));
        int accepted = 0;
        int refused = 0;
        for (int chain = 0; chain < test::cases(60); ++chain) {
            auto document = parsed(kByHand);
            for (int step = 0; step < 25; ++step) {
                std::vector<YamlPath> leaves;
                std::vector<YamlPath> collections;
                collect(document.root(), {}, leaves, collections);
                if (leaves.empty())
                    break;
                YamlPath path = random() % 2 != 0 ? leaves[random() % leaves.size()] : collections[random() % collections.size()];
                const int kind = static_cast<int>(random() % 4);
                const YamlNode before = document.root();
                Status status;
                if (kind == 0 && !path.empty()) {
                    status = document.remove(yamlPathText(path));
                } else if (kind == 1 && document.find(path)->isSequence()) {
                    path.push_back(std::to_string(random() % (document.find(path)->items.size() + 1)));
                    status = document.insert(yamlPathText(path), YamlNode::scalar("new " + std::to_string(step)));
                } else if (kind == 2 && document.find(path)->isMap()) {
                    path.push_back("key" + std::to_string(step));
                    path.push_back("inner");
                    status = document.set(yamlPathText(path), "v");
                } else if (!path.empty()) {
                    status = document.set(yamlPathText(path), std::to_string(step));
                }
                ++(status ? accepted : refused);
                if (status)
                    QVERIFY(sameContent(parsed(document.text()).root(), document.root()));
                else
                    QVERIFY(sameContent(before, document.root())); // refused: nothing happened
            }
            QVERIFY(document.text().find("# A design with remarks.") != std::string::npos);
        }
        QVERIFY2(refused * 50 < accepted, qPrintable(QString("%1 of %2 refused").arg(refused).arg(refused + accepted)));
    }

    void refusesBrokenTexts_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const QString& text, const char* says) { QTest::newRow(name) << text << QString(says); };
        row("same key twice", "a: 1\nb: 2\na: 3\n", "x.yaml:3:1: the key \"a\" appears twice");
        row("same key twice in flow", "m: {a: 1, a: 2}", "x.yaml:1:11: the key \"a\" appears twice");
        row("two documents", "a: 1\n---\nb: 2\n", "x.yaml:2:1: a second document starts here");
        row("list as key", "? [a]\n: 1\n", "a key must be plain text");
        row("null as key", "~: 1\n", "a key must be plain text");
        row("open bracket", "a: [1, 2\n", "x.yaml:1:4: `[` is not closed");
        row("open mapping", "a: {b: 1, c: 2\n", "x.yaml:1:4: `{` is not closed");
        row("open mapping before others", "a: 1\nb:\n  - {c: 2, d: 3\ne: {f: 4}\n", "x.yaml:3:5: `{` is not closed");
        row("open mapping says where it ends at the latest", "a: 1\nb:\n  - {c: 2, d: 3\ne: {f: 4}\n", "`,` or `}` before line 4");
        row("open list at the end of the file", "x: 1\na: [1, 2", "x.yaml:2:4: `[` is not closed (expected `]` before the end of the file, line 2)");
        row("open list in the only line", "a: [1, 2", "x.yaml:1:4: `[` is not closed (expected `]` before the end of the file, line 1)");
        row("open mapping in the only line", "{a: 1", "x.yaml:1:1: `{` is not closed (expected `}` before the end of the file, line 1)");
        row("open list before the last line", "a: [1,\n  2\n", "x.yaml:1:4: `[` is not closed (expected `]` before the end of the file, line 2)");
        row("open mapping before remarks", "x: 1\na: [1, {b: 2\n\n# end\n  # of all\n", "x.yaml:2:8: `{` is not closed (expected `}` before the end of the file, line 5)");
        row("open list before a remark without an end", "a: [1\n# end", "x.yaml:1:4: `[` is not closed (expected `]` before the end of the file, line 2)");
        row("open list before a list", "a: [1\nb: [2]\n", "x.yaml:1:4: `[` is not closed (expected `,` or `]` before line 2");
        row("open list in a closed mapping", "a: {b: [1, 2}\n", "x.yaml:1:8: `[` is not closed");
        row("open mapping in a closed list", "a: [{b: 1]\n", "x.yaml:1:5: `{` is not closed");
        row("what looks like brackets", "a: x{y\nb: [{x: 'it''s }'}]  # {\nc: |\n  {\n\n  [\nd: [{e: \"\\\"}\", f: don't]\n", "x.yaml:7:5: `{` is not closed");
        row("stray bracket", "a: 1\nb: {c: 2}}\n", "`}` closes nothing");
        row("bracket behind a mark of the order of bytes", "\uFEFFa: {b: 1\n", "x.yaml:1:4: `{` is not closed");
        row("control character", QString("a: \x04\n"), "x.yaml:1:4: a byte that is no text");
        row("too deep", QString("[").repeated(70) + QString("]").repeated(70), "nested too deeply");
        row("self reference", "a: &x [*x]\n", "not complete");
        row("unknown alias", "a: *x\n", "not valid YAML");
    }
    void refusesBrokenTexts()
    {
        QFETCH(QString, text);
        QFETCH(QString, says);

        const auto document = YamlDocument::parse(text.toStdString(), "x.yaml");

        QVERIFY(!document);
        QVERIFY2(document.error().text().find(says.toStdString()) != std::string::npos, document.error().text().c_str());
    }

    void readsAliasesButDoesNotEditThroughThem()
    {
        auto document = parsed("a: &link {bandwidth: 50 GB/s}\nb: *link\nc: 1\n");
        const std::string text = document.text();

        QCOMPARE(scalarAt(document, "b.bandwidth"), std::string("50 GB/s"));
        const Status through = document.set("b.bandwidth", "1 GB/s");
        const Status anchored = document.set("a.bandwidth", "1 GB/s");
        QVERIFY(!through && !anchored);
        QVERIFY(through.error().message.find("anchor") != std::string::npos);
        QCOMPARE(document.text(), text);
        QVERIFY(document.set("c", "2"));
    }

    void refusesAliasesThatGrowWithoutBound()
    {
        std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
        for (int i = 1; i < 9; ++i) {
            const std::string last = "*a" + std::to_string(i - 1);
            text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
            for (int k = 0; k < 9; ++k)
                text += (k ? ", " : "") + last;
            text += "]\n";
        }

        const auto document = YamlDocument::parse(text);

        QVERIFY(!document);
        QVERIFY(document.error().message.find("aliases expand") != std::string::npos);
    }

    void overlayChangesTheTreeAlone()
    {
        auto document = parsed(kByHand);

        QVERIFY(document.overlay("platform.dimensions.0.size", "16", "--set"));
        QVERIFY(document.overlay("collectives.default.algorithm", "[ring, direct]", "--set"));

        QCOMPARE(document.text(), std::string(kByHand));
        QCOMPARE(scalarAt(document, "platform.dimensions.0.size"), std::string("16"));
        QCOMPARE(scalarAt(document, "collectives.default.algorithm.1"), std::string("direct"));
        QCOMPARE(document.place(*document.find("collectives.default.algorithm")).text(), std::string("--set"));
        QCOMPARE(document.place(*document.find("platform.dimensions.1.size")).line, 10);
    }

    void anOverlayChangesNoCopy()
    {
        auto document = parsed(kByHand);
        const YamlDocument copy = document;
        const auto tree = document.sharedRoot();
        QVERIFY(document.overlay("platform.dimensions.0.size", "16", "--set"));
        QCOMPARE(scalarAt(document, "platform.dimensions.0.size"), std::string("16"));
        QVERIFY(scalarAt(copy, "platform.dimensions.0.size") != "16");
        QVERIFY(&copy.root() == tree.get() && &document.root() != tree.get());
    }

    void fieldsAreFoundWhereTheyStand()
    {
        auto document = parsed("a:\n  b: 1\n  b.c: {d: 2}\nlist:\n  - x\n  - {y: 3}\n");
        QVERIFY(document.overlay("list.1.z", "4", "--set"));
        const FieldPlaces places(document);
        const auto line = [&](std::string_view field) { return places.find(field) ? places.find(field)->line : -1; };
        QCOMPARE(line("a"), 2);
        QCOMPARE(line("a.b"), 2);
        QCOMPARE(line("a.b.c"), 3);
        QCOMPARE(line("a.b.c.d"), 3);
        QCOMPARE(places.find("a.b.c.d")->column, 12);
        QCOMPARE(line("list[0]"), 5);
        QCOMPARE(line("list[1].y"), 6);
        QCOMPARE(places.find("list[1].z")->text(), std::string("--set"));
        for (const char* none : {"a.c", "ab", "a.b.d", "list[2]", "list[-1]", "list[0", "list[x]", "list[0].y", "list.0", "a[0]", ".a", "a.", "[0]"})
            QVERIFY2(!places.contains(none), none);

        QCOMPARE(places.nearest("list[1].w").line, 6);
        QCOMPARE(places.nearest("list[1].w").field, std::string("list[1].w"));
        QCOMPARE(places.nearest("list[7].w").line, 5);
        QCOMPARE(places.nearest("a.bc").line, 2);
        QCOMPARE(places.nearest("elsewhere").line, 0);
        QVERIFY(places.nearest("elsewhere").file.empty());
    }

    void pathsAreCheckedAgainstTheTree()
    {
        auto document = parsed("a: {b: 1}\nl: [1, 2]\n");

        QVERIFY(!document.set("a.b.c", "1"));
        QVERIFY(!document.set("l.3", "1"));
        QVERIFY(!document.set("l.x", "1"));
        QVERIFY(!document.set("", "1"));
        QVERIFY(!document.set("a..b", "1"));
        QVERIFY(!document.remove("a.x"));
        QCOMPARE(yamlPathText(parseYamlPath("a.0.b[2].c").value()), std::string("a[0].b[2].c"));
    }
};

FABRICSCOPE_TEST(YamlTreeTest)
#include "tst_yamltree.moc"
