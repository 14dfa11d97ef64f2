// Nodes and links edited in the text of a design: comments and all else stay, and the text says what was meant.
#include "core/base/index.h"
#include "core/design/edits/graphedits.h"
#include "core/design/file/readdesign.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <random>
#include <set>

using namespace fabricscope;

namespace {

const std::string kDrawnHead = "fabricscope: 1   # ours\nplatform:\n";
const std::string kDrawnTail = "workload: {collective: all_reduce, size: 1 MiB}   # one\n";

/// Two NPUs on a switch; one remark on every line that an edit could lose.
const std::string kDrawnPair = kDrawnHead
    + "  # the parts\n"
      "  nodes:\n"
      "    - {name: npu0}   # first\n"
      "    - name: npu1     # second\n"
      "      forwards: false\n"
      "    - {name: switch0, kind: switch, at: [0, -128]}   # over both\n"
      "  links:\n"
      "    - {between: [npu0, switch0], bandwidth: 50 GB/s, latency: 1 us}   # left\n"
      "    - {from: npu1, to: switch0, bandwidth: 25 GB/s, latency: 1 us}   # right, up\n"
      "    - {from: switch0, to: npu1, bandwidth: 25 GB/s, latency: 1 us}   # right, down\n"
      "  overrides:\n"
      "    links: [{link: npu0>switch0, bandwidth: 10 GB/s}]\n"
      "    npus: [{npu: 0, speed: 0.5}, {npu: 1, speed: 0.9}]\n"
    + kDrawnTail;

YamlDocument drawnText(const std::string& text)
{
    auto document = YamlDocument::parse(text, "design.yaml");
    if (!document)
        qFatal("%s", document.error().text().c_str());
    return std::move(document).value();
}

GraphText::Node drawnNpu(const std::string& name, std::int32_t x, std::int32_t y) { return {name, NodeKind::Npu, DrawnAt{x, y}}; }
GraphText::Link drawnWire(const std::string& from, const std::string& to) { return {from, to, true, "400 Gbit/s", "1 us"}; }

/// Eight NPUs on two leaves, which two links join, and whatever else the design says of them.
std::string namedParts(const std::string& overrides, const std::string& rest)
{
    std::string text = "fabricscope: 1\nplatform:\n  nodes:\n";
    for (int i = 0; i < 8; ++i)
        text += "    - {name: npu" + std::to_string(i) + "}\n";
    text += "    - {name: leaf0, kind: switch}\n    - {name: leaf1, kind: switch}\n  links:\n";
    for (int i = 0; i < 8; ++i)
        text += "    - {between: [npu" + std::to_string(i) + ", leaf" + std::to_string(i / 4) + "], bandwidth: 50 GB/s, latency: 1 us}\n";
    for (int i = 0; i < 3; ++i)
        text += "    - {between: [leaf0, leaf1], bandwidth: " + std::to_string(10 * (i + 1)) + " GB/s, latency: 1 us}\n";
    return text + overrides + "workload: {collective: all_reduce, size: 1 MiB}\n" + rest;
}

/// The same text but for these words.
std::string withWords(std::string text, const std::vector<std::pair<std::string, std::string>>& words)
{
    for (const auto& [from, to] : words)
        text.replace(text.find(from), from.size(), to);
    return text;
}

std::string errorOfDesign(const YamlDocument& yaml)
{
    for (const Diagnostic& found : inspectDesign(yaml).diagnostics) {
        if (found.severity == Severity::Error)
            return found.message;
    }
    return {};
}

std::string spliceError(const Status& status) { return status ? std::string() : status.error().text(); }

} // namespace

class GraphEditsTest : public QObject
{
    Q_OBJECT
private slots:
    void whatATextSaysItsFabricIs()
    {
        QVERIFY(fabricText(drawnText("fabricscope: 1\n")) == FabricText::None);
        QVERIFY(fabricText(drawnText("platform:\n  nodes: []\n")) == FabricText::None);
        QVERIFY(fabricText(drawnText(kDrawnPair)) == FabricText::Graph);
        QVERIFY(fabricText(drawnText("platform: {preset: dgx1}\n")) == FabricText::Other);
        QVERIFY(fabricText(drawnText("platform: {topology: Ring(4)}\n")) == FabricText::Other);
    }

    void nodesAndLinksAreReadAsWritten()
    {
        const GraphText graph = graphText(drawnText(kDrawnPair));
        QCOMPARE(graph.nodes.size(), std::size_t{3});
        QCOMPARE(graph.nodes[1].name, std::string("npu1"));
        QVERIFY(graph.nodes[2].kind == NodeKind::Switch && graph.nodes[2].at == (DrawnAt{0, -128}) && !graph.nodes[0].at);
        QCOMPARE(graph.links.size(), std::size_t{3});
        QVERIFY(graph.links[0].eachWay && !graph.links[1].eachWay);
        QCOMPARE(graph.links[1].bandwidth, std::string("25 GB/s"));
        // What is wrong in the text has its number all the same.
        const GraphText broken = graphText(drawnText("platform:\n  nodes: [{name: a}, 3, {name: b, at: [1]}, {name: c, at: [1, far]}]\n  links: [nothing, {between: [a, x]}]\n"));
        QCOMPARE(broken.nodes.size(), std::size_t{4});
        QVERIFY(!broken.nodes[2].at && !broken.nodes[3].at);
        QCOMPARE(broken.links.size(), std::size_t{2});
        QCOMPARE(broken.links[1].to, std::string("x"));
    }

    /// A line for each, NPUs behind the last NPU; all that was written stays as it was.
    void whatIsAddedTakesALineAndNothingElseChanges()
    {
        YamlDocument yaml = drawnText(kDrawnPair);
        GraphItems items{{nodeItem({"switch1", NodeKind::Switch, DrawnAt{8, -256}}), nodeItem(drawnNpu("npu2", 96, 0))}, {linkItem(drawnWire("npu2", "switch0"))}};
        QCOMPARE(spliceError(edits::addToGraph(yaml, items, {{0, {-96, 0}}, {1, {-8, 16}}})), std::string());
        std::string expected = kDrawnPair;
        const auto exchange = [&](const std::string& from, const std::string& to) { expected.replace(expected.find(from), from.size(), to); };
        exchange("{name: npu0}", "{name: npu0, at: [-96, 0]}");
        exchange("      forwards: false\n", "      forwards: false\n      at: [-8, 16]\n    - {name: npu2, at: [96, 0]}\n");
        exchange("# over both\n", "# over both\n    - {name: switch1, kind: switch, at: [8, -256]}\n");
        exchange("# right, down\n", "# right, down\n    - {between: [npu2, switch0], bandwidth: 400 Gbit/s, latency: 1 us}\n");
        QCOMPARE(QString::fromStdString(yaml.text()), QString::fromStdString(expected));
        const LoadedDesign read = inspectDesign(yaml);
        QVERIFY(read.diagnostics.empty());
        QVERIFY(graphText(yaml).nodes[2].at == (DrawnAt{96, 0}));
    }

    void aDesignWithoutAFabricGetsOne_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("nothing of a platform") << QStringLiteral("fabricscope: 1\n");
        QTest::newRow("no value") << QStringLiteral("fabricscope: 1\nplatform:\n");
        QTest::newRow("an empty list") << QStringLiteral("fabricscope: 1\nplatform:\n  nodes: []   # none yet\nname: here\n");
        QTest::newRow("two empty lists") << QStringLiteral("fabricscope: 1\r\nplatform:\r\n  nodes: []\r\n  links: []\r\nname: here\r\n");
        QTest::newRow("with an NPU's figures") << QStringLiteral("fabricscope: 1\nplatform:\n  npu: {memory: 80 GiB}\n");
        QTest::newRow("no line break at the end") << QStringLiteral("fabricscope: 1\nplatform:\n  nodes: []");
    }

    void aDesignWithoutAFabricGetsOne()
    {
        QFETCH(QString, text);
        YamlDocument yaml = drawnText(text.toStdString());
        const GraphItems items{{nodeItem(drawnNpu("npu0", 0, 0)), nodeItem({"switch0", NodeKind::Switch, DrawnAt{0, -128}})}, {linkItem(drawnWire("npu0", "switch0"))}};
        QCOMPARE(spliceError(edits::addToGraph(yaml, items)), std::string());
        const LoadedDesign read = inspectDesign(yaml);
        QCOMPARE(read.design.platform->nodes.size(), std::size_t{2});
        QCOMPARE(read.design.platform->links.size(), std::size_t{2}); // One each way.
        QVERIFY(yaml.text().starts_with("fabricscope: 1"));
        QCOMPARE(QString::fromStdString(yaml.text()).contains(QStringLiteral("name: here")), text.contains(QStringLiteral("name: here")));
        // One at a time comes to the same.
        YamlDocument single = drawnText(text.toStdString());
        QCOMPARE(spliceError(edits::addToGraph(single, {{items.nodes[0]}, {}})), std::string());
        QCOMPARE(spliceError(edits::addToGraph(single, {{items.nodes[1]}, {}})), std::string());
        QCOMPARE(spliceError(edits::addToGraph(single, {{}, items.links})), std::string());
        QVERIFY(sameContent(single.find("platform")->find("nodes")->value, yaml.find("platform")->find("nodes")->value));
    }

    /// With a node go its links and what is said of it; NPUs behind it keep their overrides under their new numbers.
    void whatIsRemovedTakesItsLinksAndOverridesAlong()
    {
        YamlDocument yaml = drawnText(kDrawnPair);
        QCOMPARE(spliceError(edits::removeFromGraph(yaml, std::vector<std::size_t>{0}, {})), std::string());
        std::string expected = kDrawnPair;
        const auto cut = [&](const std::string& line) { expected.erase(expected.find(line), line.size()); };
        cut("    - {name: npu0}   # first\n");
        cut("    - {between: [npu0, switch0], bandwidth: 50 GB/s, latency: 1 us}   # left\n");
        expected.replace(expected.find("links: [{link"), std::string("links: [{link: npu0>switch0, bandwidth: 10 GB/s}]").size(), "links: []");
        cut("{npu: 0, speed: 0.5}, ");
        expected.replace(expected.find("npu: 1, speed"), 6, "npu: 0");
        QCOMPARE(QString::fromStdString(yaml.text()), QString::fromStdString(expected));
        // A link alone.
        yaml = drawnText(kDrawnPair);
        QCOMPARE(spliceError(edits::removeFromGraph(yaml, {}, std::vector<std::size_t>{1, 2})), std::string());
        QCOMPARE(graphText(yaml).links.size(), std::size_t{1});
        QCOMPARE(graphText(yaml).nodes.size(), std::size_t{3});
        // All.
        QCOMPARE(spliceError(edits::removeFromGraph(yaml, std::vector<std::size_t>{0, 1, 2}, {})), std::string());
        QVERIFY(fabricText(yaml) == FabricText::None);
        QVERIFY(QString::fromStdString(yaml.text()).endsWith(QString::fromStdString(kDrawnTail)));
    }

    void listsOnOneLineAreEdited()
    {
        YamlDocument yaml = drawnText("platform: {nodes: [{name: a}, {name: b}, {name: c}, {name: s, kind: switch}], links: [{between: [a, s], bandwidth: 1 GB/s, latency: 1 us}]}\n");
        QCOMPARE(spliceError(edits::removeFromGraph(yaml, std::vector<std::size_t>{0, 2}, {})), std::string());
        QCOMPARE(yaml.text(), std::string("platform: {nodes: [{name: b}, {name: s, kind: switch}], links: []}\n"));
        QCOMPARE(spliceError(edits::addToGraph(yaml, {{nodeItem(drawnNpu("npu0", 1, 2))}, {}}, {{1, {5, 6}}})), std::string());
        QCOMPARE(yaml.text(), std::string("platform: {nodes: [{name: b}, {name: npu0, at: [1, 2]}, {name: s, kind: switch, at: [5, 6]}], links: []}\n"));
    }

    /// Random removals from lists of either kind: what is left is what was not chosen.
    void randomRemovalsLeaveTheOthers()
    {
        for (const std::uint64_t seed : test::Seeds(20260815, 200, 20)) {
            std::mt19937_64 random(seed);
            const bool lines = random() % 2 == 0;
            const std::size_t count = 1 + random() % 8;
            std::string list;
            for (std::size_t i = 0; i < count; ++i)
                list += lines ? "\n    - {name: n" + std::to_string(i) + "}" + (random() % 2 == 0 ? "   # note" : "") : (i > 0 ? ", " : "") + std::string("{name: n") + std::to_string(i) + "}";
            YamlDocument yaml = drawnText("platform:\n  nodes:" + (lines ? list : " [" + list + "]") + (random() % 2 == 0 ? "\n" : "\nname: behind\n"));
            std::vector<std::size_t> gone;
            std::vector<std::string> left;
            for (std::size_t i = 0; i < count; ++i) {
                if (random() % 2 == 0)
                    gone.push_back(i);
                else
                    left.push_back("n" + std::to_string(i));
            }
            QCOMPARE(spliceError(edits::removeFromGraph(yaml, gone, {})), std::string());
            std::vector<std::string> names;
            for (const GraphText::Node& node : graphText(yaml).nodes)
                names.push_back(node.name);
            QCOMPARE(names, left);
        }
    }

    /// Every choice of four lines, of which the last has no line break.
    void linesAtTheEndOfAFileGoToo()
    {
        for (const std::string end : {"\n", "\r\n"}) {
            for (unsigned chosen = 0; chosen < 16; ++chosen) {
                std::string text = "platform:" + end + "  nodes:";
                std::string expected = text + (chosen == 15 ? " []" : "");
                std::vector<std::size_t> gone;
                for (std::size_t i = 0; i < 4; ++i) {
                    const std::string line = end + "    - {name: n" + std::to_string(i) + "}   # note";
                    text += line;
                    if ((chosen >> i & 1) != 0)
                        gone.push_back(i);
                    else
                        expected += line;
                }
                YamlDocument yaml = drawnText(text);
                QCOMPARE(spliceError(edits::removeFromGraph(yaml, gone, {})), std::string());
                QCOMPARE(yaml.text(), expected);
            }
        }
    }

    void copiesAreJoinedAsWhatTheyAreCopiesOf()
    {
        const YamlDocument yaml = drawnText(kDrawnPair);
        const GraphItems both = copiesOf(yaml, std::vector<std::size_t>{0, 2}, true, {24, 24}, {{0, 0}, {96, 0}, {5, 5}});
        QCOMPARE(both.nodes.size(), std::size_t{2});
        YamlDocument after = yaml;
        QCOMPARE(spliceError(edits::addToGraph(after, both)), std::string());
        const GraphText graph = graphText(after);
        QCOMPARE(graph.nodes[2].name, std::string("npu2"));
        QVERIFY(graph.nodes[2].at == (DrawnAt{24, 24})); // From where it was seen,
        QVERIFY(graph.nodes[4].at == (DrawnAt{24, -104})); // and from where the file put it.
        // npu0 - switch0 among the copies; both directions of npu1 to the copied switch.
        QCOMPARE(graph.links.size(), std::size_t{6});
        QVERIFY(graph.links[3].from == "npu2" && graph.links[3].to == "switch1" && graph.links[3].bandwidth == "50 GB/s");
        QVERIFY(graph.links[4].from == "npu1" && graph.links[4].to == "switch1" && !graph.links[4].eachWay);
        QCOMPARE(copiesOf(yaml, std::vector<std::size_t>{0, 2}, false, {}).links.size(), std::size_t{1});
    }

    void whatIsCopiedAsTextIsPastedAnywhere()
    {
        const YamlDocument yaml = drawnText(kDrawnPair);
        const std::string text = graphFragment(yaml, std::vector<std::size_t>{0, 2}, {{7, 7}, {}, {}});
        QCOMPARE(text, std::string("nodes:\n  - {name: npu0, at: [7, 7]}\n  - {name: switch0, kind: switch, at: [0, -128]}\nlinks:\n"
                                   "  - {between: [npu0, switch0], bandwidth: 50 GB/s, latency: 1 us}\n"));
        YamlDocument empty = drawnText("fabricscope: 1\n");
        const Result<GraphItems> items = readFragment(empty, text, {1, 1});
        QVERIFY(items);
        QCOMPARE(spliceError(edits::addToGraph(empty, items.value())), std::string());
        QCOMPARE(graphText(empty).links.size(), std::size_t{1});
        QVERIFY(graphText(empty).nodes[0].at == (DrawnAt{8, 8}));
        for (const char* wrong : {"", "npu0", "nodes: 3", "nodes: [1, 2]", "nodes: [{name: a}", "links: []"})
            QVERIFY2(!readFragment(empty, wrong, {}), wrong);
    }

    void figuresOfLinksAndNames()
    {
        YamlDocument yaml = drawnText(kDrawnPair);
        QCOMPARE(spliceError(edits::setLinkFigures(yaml, std::vector<std::size_t>{0, 2}, Quantity{100, "GB/s", Measure::Bandwidth}, std::nullopt)), std::string());
        const GraphText graph = graphText(yaml);
        QVERIFY(graph.links[0].bandwidth == "100 GB/s" && graph.links[1].bandwidth == "25 GB/s" && graph.links[2].bandwidth == "100 GB/s" && graph.links[2].latency == "1 us");
        QVERIFY(QString::fromStdString(yaml.text()).contains(QStringLiteral("# right, down\n")));
        yaml = drawnText(kDrawnPair);
        QCOMPARE(spliceError(edits::renameNode(yaml, 0, "gpu 7")), std::string());
        QVERIFY(graphText(yaml).nodes[0].name == "gpu 7" && graphText(yaml).links[0].from == "gpu 7");
        QCOMPARE(yaml.find("platform.overrides.links[0].link")->text, std::string("gpu 7>switch0"));
        QVERIFY(inspectDesign(yaml).diagnostics.empty());
        QVERIFY(!edits::renameNode(yaml, 1, "gpu 7"));
        QVERIFY(!edits::renameNode(yaml, 1, ""));
        QCOMPARE(freeNodeName("npu12", std::vector<std::string>{"npu0", "npu1", "switch0"}), std::string("npu2"));
    }

    /// Aliases say the same in two places, of which an edit would change both.
    void whatIsSharedIsRefusedAndStays()
    {
        YamlDocument yaml = drawnText("platform:\n  nodes:\n    - &n {name: a}\n    - {name: b}\nother: *n\n");
        const std::string before = yaml.text();
        QVERIFY(!edits::placeNodes(yaml, {{0, {1, 1}}}));
        QCOMPARE(yaml.text(), before);
    }

    void aPlaceDecidesNoResult()
    {
        YamlDocument yaml = drawnText(kDrawnPair);
        const Digest before = designHash(inspectDesign(yaml).design);
        QCOMPARE(spliceError(edits::placeNodes(yaml, {{0, {1000, -1000}}, {2, {3, 4}}})), std::string());
        const Design placed = inspectDesign(yaml).design;
        QVERIFY(designHash(placed) == before);
        QVERIFY(*placed.platform == *inspectDesign(drawnText(kDrawnPair)).design.platform); // No other machine.
        for (const char* wrong : {"3", "[1]", "[1, 2, 3]", "[1, 2.5]", "[1, x]", "[1, 1000001]", "{x: 1}"}) {
            YamlDocument bad = drawnText("fabricscope: 1\nplatform:\n  nodes: [{name: a, at: " + std::string(wrong) + "}]\nworkload: {collective: all_reduce, size: 1 MiB}\n");
            const LoadedDesign read = inspectDesign(bad);
            QVERIFY2(!read.diagnostics.empty() && read.diagnostics.front().place.field.starts_with("platform.nodes[0].at"), wrong);
        }
    }

    void aFabricInALineReplacesWhatThereWas()
    {
        YamlDocument yaml = drawnText(kDrawnPair);
        const std::string line = "npu x16 / leaf 24p 400G x8 / spine 2:1";
        QCOMPARE(spliceError(edits::setFabricLine(yaml, line)), std::string());
        QCOMPARE(yaml.find("platform.topology")->text, line);
        QVERIFY(!yaml.find("platform.nodes") && !yaml.find("platform.links") && !yaml.find("platform.overrides"));
        QCOMPARE(inspectDesign(yaml).design.platform->nodes.size() > 128, true); // 128 NPUs and their switches.
        QVERIFY(QString::fromStdString(yaml.text()).endsWith(QString::fromStdString(kDrawnTail)));
        const std::string before = yaml.text();
        QVERIFY(!edits::setFabricLine(yaml, "npu x16 / leaf 24p 400G x8 / spine 0:1"));
        QCOMPARE(yaml.text(), before);
        YamlDocument none = drawnText("fabricscope: 1\nplatform:\n  nodes: []\n");
        QCOMPARE(spliceError(edits::setFabricLine(none, line)), std::string());
        QCOMPARE(none.find("platform.topology")->text, line);
    }

    /// What names a part keeps naming it, under its new number or name.
    void whatNamesNpusAndLinksFollowsThoseThatAreRemoved()
    {
        const std::string overrides = "  overrides:\n"
                                      "    links:\n"
                                      "      - {link: leaf0>leaf1, bandwidth: 1 GB/s}   # the first\n"
                                      "      - {link: \"leaf0>leaf1#2\", bandwidth: 2 GB/s}\n"
                                      "      - {link: \"leaf0<>leaf1#3\", latency: 3 us}\n"
                                      "      - {link: npu*>leaf0, latency: 4 us}\n"
                                      "      - {link: npu1<>leaf0, latency: 5 us}\n"
                                      "    npus: [{npu: npu1, speed: 0.5}, {npu: npu5, speed: 0.6}, {npu: 6, speed: 0.7}, {npu: 1, memory: 1 GiB}]\n"
                                      "  placement:\n"
                                      "    jobs:\n"
                                      "      - {name: a, nodes: [4, 0, 5]}\n"
                                      "      - {name: b, ranks: 2, first_node: 6}\n";
        const std::string rest = "network:\n"
                                 "  routing: {policy: table, routes: [{from: npu1, to: npu0, via: [leaf0]}, {from: npu0, to: npu4, via: [leaf0, leaf1]}, {from: npu4, to: npu0, links: [npu4>leaf1, \"leaf1>leaf0#2\", leaf0>npu0]}],"
                                 " next_hops: [{to: npu1, link: npu5>leaf1}, {to: npu0, link: npu5>leaf1}]}\n"
                                 "  faults: [{npu: 1, at: 1 us, failed: true}, {npu: 5, at: 1 us, failed: true}, {link: leaf0>npu1, at: 1 us, failed: true}, {link: \"leaf0>leaf1#3\", at: 1 us, factor: 1/2}]\n";
        const std::string text = namedParts(overrides, rest);
        YamlDocument yaml = drawnText(text);
        QCOMPARE(spliceError(edits::removeFromGraph(yaml, std::vector<std::size_t>{1}, std::vector<std::size_t>{8})), std::string());
        const std::string expected = withWords(text, {{"    - {name: npu1}\n", ""},
                                                      {"    - {between: [npu1, leaf0], bandwidth: 50 GB/s, latency: 1 us}\n", ""},
                                                      {"    - {between: [leaf0, leaf1], bandwidth: 10 GB/s, latency: 1 us}\n", ""},
                                                      {"      - {link: leaf0>leaf1, bandwidth: 1 GB/s}   # the first\n", ""},
                                                      {"\"leaf0>leaf1#2\", bandwidth", "leaf0>leaf1, bandwidth"},
                                                      {"\"leaf0<>leaf1#3\"", "leaf0<>leaf1#2"},
                                                      {"      - {link: npu1<>leaf0, latency: 5 us}\n", ""},
                                                      {"{npu: npu1, speed: 0.5}, ", ""},
                                                      {"npu: 6, speed", "npu: 5, speed"},
                                                      {", {npu: 1, memory: 1 GiB}", ""},
                                                      {"[4, 0, 5]", "[3, 0, 4]"},
                                                      {"first_node: 6", "first_node: 5"},
                                                      {"{from: npu1, to: npu0, via: [leaf0]}, ", ""},
                                                      {"\"leaf1>leaf0#2\"", "leaf1>leaf0"},
                                                      {"{to: npu1, link: npu5>leaf1}, ", ""},
                                                      {"{npu: 1, at: 1 us, failed: true}, {npu: 5", "{npu: 4"},
                                                      {"{link: leaf0>npu1, at: 1 us, failed: true}, ", ""},
                                                      {"\"leaf0>leaf1#3\"", "leaf0>leaf1#2"}});
        QCOMPARE(QString::fromStdString(yaml.text()), QString::fromStdString(expected));
        const Status status = edits::removeFromGraph(yaml, {}, std::vector<std::size_t>{7, 8});
        QVERIFY(!status);
        QCOMPARE(status.error().place.field, std::string("network.routing.routes[0]"));
    }

    void whatCannotFollowIsNamedAndNothingChanges_data()
    {
        QTest::addColumn<QString>("overrides");
        QTest::addColumn<QString>("rest");
        QTest::addColumn<QString>("place");
        const auto placed = [](const char* job) { return QStringLiteral("  placement: {jobs: [%1]}\n").arg(QLatin1String(job)); };
        const auto network = [](const char* what) { return QStringLiteral("network: {%1}\n").arg(QLatin1String(what)); };
        QTest::newRow("a rank on it") << placed("{nodes: [0, 3, 1]}") << QString() << "platform.placement.jobs[0].nodes";
        QTest::newRow("a rank on it, by a stride") << placed("{ranks: 2, first_node: 1, stride: 2}") << QString() << "platform.placement.jobs[0]";
        QTest::newRow("no stride any more") << placed("{ranks: 4, first_node: 0, stride: 2}") << QString() << "platform.placement.jobs[0]";
        QTest::newRow("a way over it") << QString() << network("routing: {policy: table, routes: [{from: npu0, to: npu4, via: [leaf0, leaf1]}]}") << "network.routing.routes[0]";
        QTest::newRow("a way over its link") << QString() << network("routing: {policy: table, routes: [{from: npu0, to: npu4, links: [npu0>leaf0, leaf0>leaf1, leaf1>npu4]}]}") << "network.routing.routes[0]";
        QTest::newRow("the next link of a node that stays") << QString() << network("routing: {policy: table, next_hops: [{to: npu4, link: npu0>leaf0}]}") << "network.routing.next_hops[0]";
    }

    void whatCannotFollowIsNamedAndNothingChanges()
    {
        QFETCH(QString, overrides);
        QFETCH(QString, rest);
        QFETCH(QString, place);
        YamlDocument yaml = drawnText(namedParts(overrides.toStdString(), rest.toStdString()));
        QCOMPARE(errorOfDesign(yaml), std::string());
        const std::string before = yaml.text();
        const Status status = edits::removeFromGraph(yaml, std::vector<std::size_t>{3, 8}, {});
        QVERIFY(!status);
        QCOMPARE(QString::fromStdString(status.error().place.field), place);
        QCOMPARE(yaml.text(), before);
    }

    void jobsOfAWorkloadFollowToo()
    {
        const std::string text = withWords(namedParts({}, {}), {{"workload: {", "workload: {jobs: [{nodes: [7, 6], "}, {"1 MiB}", "1 MiB}, {ranks: 2, first_node: 2, stride: 3, collective: all_reduce, size: 1 MiB}]}"}});
        YamlDocument yaml = drawnText(text);
        QCOMPARE(errorOfDesign(yaml), std::string());
        QCOMPARE(spliceError(edits::removeFromGraph(yaml, std::vector<std::size_t>{0, 3}, {})), std::string());
        // 2 and 5 are 1 and 3 now.
        QVERIFY(yaml.text().find("{jobs: [{nodes: [5, 4], ") != std::string::npos);
        QVERIFY(yaml.text().find("first_node: 1, stride: 2") != std::string::npos);
    }

    /// Of two nodes with one name the first has the links, as where they are read; what has no name ends none.
    void aNodeWithoutANameOfItsOwnHasNoLinks()
    {
        const std::string text = "platform:\n  nodes: [{name: a}, {name: a}, {kind: npu}, {name: s, kind: switch}]\n  links: [{between: [a, s], bandwidth: 1 GB/s, latency: 1 us}, {from: s}]\n";
        YamlDocument yaml = drawnText(text);
        QCOMPARE(spliceError(edits::removeFromGraph(yaml, std::vector<std::size_t>{1, 2}, {})), std::string());
        QCOMPARE(yaml.text(), withWords(text, {{", {name: a}, {kind: npu}", ""}}));
        yaml = drawnText(text);
        QCOMPARE(spliceError(edits::renameNode(yaml, 1, "b")), std::string());
        QCOMPARE(yaml.text(), withWords(text, {{", {name: a}", ", {name: b}"}}));
        yaml = drawnText(text);
        QCOMPARE(spliceError(edits::removeFromGraph(yaml, std::vector<std::size_t>{0}, {})), std::string());
        QCOMPARE(yaml.text(), withWords(text, {{"{name: a}, ", ""}, {"{between: [a, s], bandwidth: 1 GB/s, latency: 1 us}, ", ""}}));
    }

    void aNewNameIsTakenOverWhereverTheOldOneStands()
    {
        const std::string overrides = "  overrides:\n"
                                      "    links: [{link: npu1<>leaf0, latency: 5 us}, {link: npu*>leaf1, latency: 4 us}]\n"
                                      "    npus: [{npu: npu1, speed: 0.5}]\n";
        const std::string rest = "network:\n"
                                 "  routing: {policy: table, routes: [{from: npu1, to: npu4, links: [npu1>leaf0, leaf0>leaf1, leaf1>npu4]}, {from: npu4, to: npu1, via: [leaf1, leaf0]}]}\n"
                                 "  faults: [{link: leaf0>npu1, at: 1 us, failed: true}]\n";
        const std::string text = namedParts(overrides, rest);
        YamlDocument yaml = drawnText(text);
        QCOMPARE(spliceError(edits::renameNode(yaml, 1, "gpu")), std::string());
        std::string expected = text;
        for (std::size_t found = expected.find("npu1"); found != std::string::npos; found = expected.find("npu1"))
            expected.replace(found, 4, "gpu");
        QCOMPARE(QString::fromStdString(yaml.text()), QString::fromStdString(expected));
        QCOMPARE(spliceError(edits::renameNode(yaml, 8, "tor")), std::string());
        QVERIFY(yaml.text().find("via: [leaf1, tor]") != std::string::npos && yaml.text().find("leaf0") == std::string::npos);
        // A name of digits alone would be a number there.
        QCOMPARE(spliceError(edits::renameNode(yaml, 1, "7")), std::string());
        QVERIFY(yaml.text().find("{npu: 1, speed: 0.5}") != std::string::npos);
        // "npu*" means four NPUs under leaf1: one that is called otherwise is no more among them.
        const Status status = edits::renameNode(yaml, 4, "other");
        QVERIFY(!status);
        QCOMPARE(status.error().place.field, std::string("platform.overrides.links[1].link"));
        for (const char* wrong : {"a>b", "a<b", "a#1", "npu*"})
            QVERIFY2(!edits::renameNode(yaml, 0, wrong), wrong);
    }

    /// "#" counts links only where a number is behind it at the end.
    void namesWithASharpKeepTheirOverrides()
    {
        const std::string text = withWords(namedParts("  overrides: {links: [{link: \"gpu#1>leaf0\", latency: 5 us}]}\n", {}), {{"{name: npu1}", "{name: \"gpu#1\"}"}, {"[npu1, leaf0]", "[\"gpu#1\", leaf0]"}});
        YamlDocument yaml = drawnText(text);
        QCOMPARE(errorOfDesign(yaml), std::string());
        QCOMPARE(spliceError(edits::renameNode(yaml, 1, "gpu")), std::string());
        QCOMPARE(yaml.find("platform.overrides.links[0].link")->text, std::string("gpu>leaf0"));
        yaml = drawnText(text);
        QCOMPARE(spliceError(edits::removeFromGraph(yaml, std::vector<std::size_t>{1}, {})), std::string());
        QVERIFY(yaml.text().find("overrides: {links: []}") != std::string::npos);
    }

    void remarksOfAListStayWhenItIsEmptied()
    {
        YamlDocument yaml = drawnText("platform:\n  nodes:   # parts\n    # the first\n    - {name: a}   # gone\n    # the second\n    - name: b\n  links: []\n");
        QCOMPARE(spliceError(edits::removeFromGraph(yaml, std::vector<std::size_t>{0, 1}, {})), std::string());
        QCOMPARE(yaml.text(), std::string("platform:\n  nodes: []   # parts\n    # the first\n    # the second\n  links: []\n"));
    }

    void listsInBracesAreFilled()
    {
        const GraphItems items{{nodeItem(drawnNpu("a", 1, 2)), nodeItem({"s", NodeKind::Switch, {}})}, {linkItem(drawnWire("a", "s"))}};
        const std::string nodes = "{name: a, at: [1, 2]}, {name: s, kind: switch}";
        const std::string links = "{between: [a, s], bandwidth: 400 Gbit/s, latency: 1 us}";
        for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
                 {"platform: {npu: {memory: 1 GiB}, nodes: [], links: [ ]}\n", "platform: {npu: {memory: 1 GiB}, nodes: [" + nodes + "], links: [" + links + " ]}\n"},
                 {"platform: {npu: {memory: 1 GiB}, nodes: }\n", "platform: {npu: {memory: 1 GiB}, nodes: [" + nodes + "], links: [" + links + "] }\n"},
                 {"platform: {npu: {memory: 1 GiB}}\n", "platform: {npu: {memory: 1 GiB}, nodes: [" + nodes + "], links: [" + links + "]}\n"},
                 {"{\"platform\": {\"nodes\": []}}\n", "{\"platform\": {\"nodes\": [" + nodes + "], links: [" + links + "]}}\n"},
                 {"platform: {nodes: []}\n", "platform:\n  nodes:\n    - {name: a, at: [1, 2]}\n    - {name: s, kind: switch}\n  links:\n    - " + links + "\n"}}) {
            YamlDocument yaml = drawnText(text);
            QCOMPARE(spliceError(edits::addToGraph(yaml, items)), std::string());
            QCOMPARE(QString::fromStdString(yaml.text()), QString::fromStdString(expected));
        }
    }

    /// A place that cannot be written holds nothing up but its own node.
    void whatCannotBePlacedStaysWithoutAPlace()
    {
        const std::string text = "platform:\n  nodes:\n    - &n {name: a}\n    - {name: b, at: }\n    - name: c\n      at:   # none\n    - name: d\n      at:\n        - 1\n        - x\nother: *n\n";
        YamlDocument yaml = drawnText(text);
        const NodePlaces places{{0, {1, 1}}, {1, {2, 2}}, {2, {3, 3}}, {3, {4, 4}}};
        QCOMPARE(spliceError(edits::addToGraph(yaml, {{nodeItem(drawnNpu("e", 5, 5))}, {}}, places)), std::string());
        const GraphText graph = graphText(yaml);
        QVERIFY(!graph.nodes[0].at && graph.nodes[1].at == (DrawnAt{2, 2}) && graph.nodes[2].at == (DrawnAt{3, 3}) && !graph.nodes[3].at && graph.nodes[4].name == "e");
        QVERIFY(yaml.text().find("at: [3, 3]   # none") != std::string::npos);
        yaml = drawnText(text);
        QCOMPARE(spliceError(edits::removeFromGraph(yaml, std::vector<std::size_t>{1}, {}, places)), std::string());
        yaml = drawnText(text);
        QCOMPARE(spliceError(edits::placeNodes(yaml, {places[1]}, {places[0], places[3]})), std::string());
        QVERIFY(graphText(yaml).nodes[1].at && !graphText(yaml).nodes[0].at);
        QVERIFY(!edits::placeNodes(yaml, places)); // What was to be placed is.
    }

    /// Random graphs with random names of links and NPUs in overrides: what these mean, as a design is read, is the same after parts were removed or renamed.
    void overridesMeanTheSamePartsAfterwards()
    {
        int compared = 0;
        for (const std::uint64_t seed : test::Seeds(20261002, 1000, 100)) {
            std::mt19937_64 random(seed);
            const auto draw = [&](std::size_t count) { return random() % count; };
            const std::size_t npus = 2 + draw(4);
            std::vector<std::string> names;
            for (std::size_t i = 0; i < npus; ++i)
                names.push_back((draw(4) == 0 ? "g#" : "npu") + std::to_string(i));
            names.insert(names.end(), {"sw0", "sw1"});
            std::string nodes;
            for (std::size_t i = 0; i < names.size(); ++i)
                nodes += (i > 0 ? ", {name: \"" : "{name: \"") + names[i] + (i < npus ? "\"}" : "\", kind: switch}");
            std::string links; // Each is told by its rate.
            std::size_t count = 0;
            std::vector<std::pair<std::string, std::string>> ends;
            const auto join = [&](std::size_t a, std::size_t b) {
                ends.emplace_back(names[a], names[b]);
                links += "    - {between: [\"" + names[a] + "\", \"" + names[b] + "\"], bandwidth: " + std::to_string(++count) + " GB/s, latency: 1 us}\n";
            };
            for (std::size_t i = 0; i < names.size() - 1; ++i)
                join(i, names.size() - 1);
            for (std::size_t i = draw(8); i > 0; --i)
                join(draw(npus), npus + draw(2));
            std::string said; // Of links that are there, by name or by what many names end or begin with.
            for (std::size_t i = 0; i < 2; ++i) {
                auto [a, b] = draw(2) == 0 ? std::pair(ends[draw(count)]) : std::pair(names[draw(npus)], names.back());
                for (std::string* end : {&a, &b})
                    *end = draw(4) > 0 ? *end : draw(2) == 0 ? end->substr(0, 2) + '*' : '*' + end->substr(end->size() - 1);
                said += "      - {link: \"" + a + (draw(3) > 0 ? ">" : "<>") + b + (draw(2) == 0 ? "" : "#" + std::to_string(1 + draw(2))) + "\", latency: " + std::to_string(i + 2) + " us}\n";
            }
            const std::string text = "fabricscope: 1\nplatform:\n  nodes: [" + nodes + "]\n  links:\n" + links + "  overrides:\n    npus: [{npu: " + std::to_string(draw(npus)) + ", speed: 0.5}, {npu: \""
                + names[draw(npus)] + "\", speed: 0.6}]\n    links:\n" + said + kDrawnTail;
            YamlDocument yaml = drawnText(text);
            const PlatformSpec before = *inspectDesign(yaml).design.platform;
            if (!Platform::create(before) || std::ranges::any_of(inspectDesign(yaml).diagnostics, [](const Diagnostic& found) { return found.severity == Severity::Error; }))
                continue; // A name of nothing.
            std::set<std::size_t> gone;
            const std::size_t renamed = draw(2) == 0 ? draw(names.size()) : names.size();
            if (renamed == names.size())
                gone = {draw(names.size()), draw(names.size())};
            const std::set<std::size_t> goneLinks{draw(count)};
            const Status status = renamed < names.size() ? edits::renameNode(yaml, renamed, "fresh")
                                                         : edits::removeFromGraph(yaml, std::vector<std::size_t>(gone.begin(), gone.end()), std::vector<std::size_t>(goneLinks.begin(), goneLinks.end()));
            const auto after = inspectDesign(yaml).design.platform;
            if (!status || after->nodes.count(NodeKind::Npu) == 0 || !Platform::create(*after))
                continue;
            const auto meant = [](const PlatformSpec& spec, const auto& name, const auto& stays) {
                std::multiset<std::vector<std::string>> out;
                for (const LinkOverride& change : spec.linkOverrides) {
                    const ExplicitLink link = spec.links[at(change.link)];
                    if (stays(link.from) && stays(link.to) && stays(link.bandwidth))
                        out.insert({name(link.from), name(link.to), link.bandwidth.text(), change.latency->text()});
                }
                for (const NpuOverride& change : spec.npuOverrides) {
                    if (stays(change.node))
                        out.insert({name(change.node), std::to_string(*change.speed)});
                }
                return out;
            };
            const auto nameNow = [&](NodeId node) { return static_cast<std::size_t>(node) == renamed ? std::string("fresh") : names[at(node)]; };
            const auto stays = [&](const auto& part) {
                if constexpr (std::is_same_v<std::decay_t<decltype(part)>, NodeId>)
                    return !gone.contains(static_cast<std::size_t>(part));
                else
                    return renamed < names.size() || !goneLinks.contains(static_cast<std::size_t>(part.value) - 1);
            };
            QVERIFY2(meant(*after, [&](NodeId node) { return after->nodes.name(static_cast<std::size_t>(node)); }, [](const auto&) { return true; }) == meant(before, nameNow, stays),
                     (text + "\n" + yaml.text()).c_str());
            ++compared;
        }
        QVERIFY(compared > 0);
    }
};

FABRICSCOPE_TEST(GraphEditsTest)
#include "tst_graphedits.moc"
