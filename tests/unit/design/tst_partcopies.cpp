// Blueprints of a graph drawn by hand: parts that stand several times in the text are edited together, and comments and all else stay.
#include "core/design/design.h"
#include "core/design/edits/partcopies.h"
#include "core/design/file/readdesign.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <algorithm>
#include <random>
#include <set>

using namespace fabricscope;

namespace {

/// A host of two NPUs and a switch below a leaf; a remark on every line that an edit could lose.
const std::string kHostText = "fabricscope: 1   # ours\n"
                              "platform:\n"
                              "  nodes:\n"
                              "    - {name: gpu0, at: [0, 0]}   # first\n"
                              "    - {name: gpu1, at: [96, 0]}\n"
                              "    - {name: sw, kind: switch, at: [48, -128]}   # in it\n"
                              "    - {name: leaf, kind: switch, at: [48, -256]}   # above\n"
                              "  links:\n"
                              "    - {between: [gpu0, sw], bandwidth: 50 GB/s, latency: 1 us}   # left\n"
                              "    - {between: [gpu1, sw], bandwidth: 50 GB/s, latency: 1 us}\n"
                              "    - {between: [sw, leaf], bandwidth: 25 GB/s, latency: 1 us}   # up\n"
                              "  overrides:\n"
                              "    links: [{link: gpu1>sw, bandwidth: 10 GB/s}]   # slow\n"
                              "workload: {collective: all_reduce, size: 1 MiB}\n";

YamlDocument copiesText(const std::string& text)
{
    auto document = YamlDocument::parse(text, "design.yaml");
    if (!document)
        qFatal("%s", document.error().text().c_str());
    return std::move(document).value();
}

std::string problemOf(const Status& status) { return status ? std::string() : status.error().text(); }

std::string exchanged(std::string text, const std::vector<std::pair<std::string, std::string>>& words)
{
    for (const auto& [from, to] : words) {
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
    }
    return text;
}

QString firstIssue(const YamlDocument& yaml)
{
    const LoadedDesign read = inspectDesign(yaml);
    return read.diagnostics.empty() ? QString() : QString::fromStdString(read.diagnostics.front().message);
}

YamlDocument copiedHosts(std::int32_t count)
{
    YamlDocument yaml = copiesText(kHostText);
    const std::vector<std::size_t> nodes{0, 1, 2};
    std::string problem = problemOf(edits::groupParts(yaml, nodes, "host"));
    std::vector<DrawnAt> shifts;
    for (std::int32_t copy = 1; copy < count; ++copy)
        shifts.push_back({192 * copy, 0});
    if (problem.empty() && count > 1)
        problem = problemOf(edits::setCopies(yaml, 0, count, shifts));
    if (!problem.empty())
        qFatal("%s", problem.c_str());
    return yaml;
}

std::size_t numberOf(const YamlDocument& yaml, const std::string& name)
{
    const GraphText graph = graphText(yaml);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (graph.nodes[i].name == name)
            return i;
    }
    qFatal("no node %s", name.c_str());
}

/// A copy as names and ends say it, with nothing of the copy's number: by text alone.
std::multiset<std::string> shapeOf(const YamlDocument& yaml, const std::string& prefix)
{
    const GraphText graph = graphText(yaml);
    const auto bare = [&](const std::string& name) { return name.starts_with(prefix) ? "@" + name.substr(prefix.size()) : name; };
    std::multiset<std::string> shape;
    for (const GraphText::Node& node : graph.nodes) {
        if (node.name.starts_with(prefix))
            shape.insert(bare(node.name) + '/' + std::to_string(static_cast<int>(node.kind)));
    }
    for (const GraphText::Link& link : graph.links) {
        const bool between = link.from.starts_with("host") && link.to.starts_with("host") && link.from.substr(0, 6) != link.to.substr(0, 6); // Of one copy alone.
        if (!between && (link.from.starts_with(prefix) || link.to.starts_with(prefix)))
            shape.insert(bare(link.from) + (link.eachWay ? "=" : ">") + bare(link.to) + ' ' + link.bandwidth);
    }
    return shape;
}

} // namespace

class PartCopiesTest : public QObject
{
    Q_OBJECT
private slots:
    void groupingNamesPartsAndKeepsAllElse()
    {
        const YamlDocument yaml = copiedHosts(1);
        std::string expected = exchanged(kHostText, {{"gpu0", "host0.gpu0"}, {"gpu1", "host0.gpu1"}, {"name: sw", "name: host0.sw"}, {", sw]", ", host0.sw]"}, {"[sw,", "[host0.sw,"}, {">sw", ">host0.sw"}});
        const std::size_t end = expected.find("workload:");
        expected.insert(end, "  copies:\n    - {of: host, count: 1}\n");
        QCOMPARE(QString::fromStdString(yaml.text()), QString::fromStdString(expected));
        QCOMPARE(firstIssue(yaml), QString());
    }

    void ungroupingTakesTheEntryOnly()
    {
        YamlDocument yaml = copiedHosts(3);
        const std::string before = yaml.text();
        QCOMPARE(problemOf(edits::ungroupParts(yaml, 0)), std::string());
        QCOMPARE(yaml.text(), exchanged(before, {{"  copies:\n    - {of: host, count: 3}\n", ""}}));
    }

    /// Names, links to what is in no copy, places; and back to the text there was.
    void aCountMakesCopiesThatAreJoinedAsTheFirst()
    {
        YamlDocument yaml = copiedHosts(3);
        const GraphText graph = graphText(yaml);
        QCOMPARE(graph.nodes.size(), std::size_t{10});
        QCOMPARE(graph.nodes[4].name, std::string("host2.gpu0")); // NPUs first, copy after copy.
        QVERIFY(graph.nodes[numberOf(yaml, "host2.sw")].at == (DrawnAt{48 + 384, -128}));
        QCOMPARE(graph.links.size(), std::size_t{9});
        QCOMPARE(shapeOf(yaml, "host2."), shapeOf(yaml, "host0."));
        QCOMPARE(firstIssue(yaml), QString());
        QCOMPARE(inspectDesign(yaml).design.platform->nodes.size(), std::size_t{10});
        QCOMPARE(problemOf(edits::setCopies(yaml, 0, 1, {})), std::string());
        QCOMPARE(QString::fromStdString(yaml.text()), QString::fromStdString(copiedHosts(1).text()));
        QVERIFY(!problemOf(edits::setCopies(yaml, 0, 0, {})).empty());
        QVERIFY(!problemOf(edits::setCopies(yaml, 0, PartCopies::kMost + 1, {})).empty());
    }

    void whatIsAlike()
    {
        const YamlDocument yaml = copiedHosts(3);
        const GraphText graph = graphText(yaml);
        const CopiedParts copies(graph, partCopies(yaml));
        const auto named = [&](const std::vector<std::size_t>& nodes) {
            std::set<std::string> names;
            for (const std::size_t node : nodes)
                names.insert(graph.nodes[node].name);
            return names;
        };
        QCOMPARE(named(copies.alike(numberOf(yaml, "host1.gpu1"))), (std::set<std::string>{"host0.gpu1", "host1.gpu1", "host2.gpu1"}));
        QCOMPARE(named(copies.alike(numberOf(yaml, "leaf"))), std::set<std::string>{"leaf"});
        QCOMPARE(named(copies.nodesOf(0, 1)), (std::set<std::string>{"host1.gpu0", "host1.gpu1", "host1.sw"}));
        for (std::size_t link = 0; link < graph.links.size(); ++link)
            QCOMPARE(copies.alikeLinks(link).size(), std::size_t{3});
        // A whole copy means itself.
        const std::vector<std::size_t> one = copies.nodesOf(0, 1);
        QCOMPARE(copies.alikeAll({one.begin(), one.end()}).size(), std::size_t{3});
        QCOMPARE(copies.alikeAll({one.front()}).size(), std::size_t{3});
        // Parts that are named in several copies, beside a whole one: each brings all of its kind once, whatever comes first.
        std::set<std::size_t> several(one.begin(), one.end());
        several.insert({numberOf(yaml, "host0.gpu1"), numberOf(yaml, "host2.gpu1"), numberOf(yaml, "leaf")});
        const std::set<std::size_t> all = copies.alikeAll(several);
        QCOMPARE(named({all.begin(), all.end()}), (std::set<std::string>{"host0.gpu1", "host1.gpu0", "host1.gpu1", "host1.sw", "host2.gpu1", "leaf"}));
        // Names that only look alike are none.
        for (const char* name : {"host3.gpu0", "host01.gpu0", "host.gpu0", "host1", "host1.", "hostx1.gpu0", "host1gpu0"})
            QVERIFY2(!copies.placeOfName(name), name);
    }

    void whatGoesInOneGoesInAll()
    {
        YamlDocument yaml = copiedHosts(3);
        const std::vector<std::size_t> gpu{numberOf(yaml, "host2.gpu0")};
        QCOMPARE(problemOf(edits::removeParts(yaml, gpu, {})), std::string());
        QCOMPARE(graphText(yaml).nodes.size(), std::size_t{7});
        QCOMPARE(graphText(yaml).links.size(), std::size_t{6});
        QVERIFY(yaml.text().find("host0.gpu1>host0.sw") != std::string::npos);
        // A link, too.
        const std::vector<std::size_t> link{0};
        QCOMPARE(problemOf(edits::removeParts(yaml, {}, link)), std::string());
        QCOMPARE(graphText(yaml).links.size(), std::size_t{3});
        QVERIFY(yaml.text().find("overrides") == std::string::npos || yaml.text().find("gpu1>") == std::string::npos);
    }

    /// Those behind it are called as if it had never been; what names them follows.
    void aWholeCopyGoesAlone()
    {
        YamlDocument yaml = copiedHosts(3);
        QCOMPARE(problemOf(yaml.set("platform.overrides.links[1]", YamlDocument::parse("{link: \"host2.gpu0>host2.sw\", bandwidth: 5 GB/s}\n").value().root())), std::string());
        const CopiedParts copies(graphText(yaml), partCopies(yaml));
        QCOMPARE(problemOf(edits::removeParts(yaml, copies.nodesOf(0, 1), {})), std::string());
        QCOMPARE(partCopies(yaml), (std::vector<PartCopies>{{"host", 2}}));
        QVERIFY(yaml.text().find("host1.gpu0>host1.sw") != std::string::npos && yaml.text().find("host2") == std::string::npos);
        QCOMPARE(firstIssue(yaml), QString());
        QCOMPARE(shapeOf(yaml, "host1."), shapeOf(yaml, "host0."));
        // The last parts of a blueprint take it with them.
        const CopiedParts left(graphText(yaml), partCopies(yaml));
        std::vector<std::size_t> all = left.nodesOf(0, 0);
        std::ranges::copy(left.nodesOf(0, 1), std::back_inserter(all));
        QCOMPARE(problemOf(edits::removeParts(yaml, all, {})), std::string());
        QVERIFY(yaml.text().find("copies") == std::string::npos);
        QCOMPARE(graphText(yaml).nodes.size(), std::size_t{1});
    }

    void aNameIsThatOfEveryCopy()
    {
        YamlDocument yaml = copiedHosts(2);
        for (const char* name : {"left", "host1.left2"}) {
            const std::vector<std::pair<std::size_t, std::string>> names{{1 + 1, name}}; // host1.gpu0
            QCOMPARE(problemOf(edits::renameParts(yaml, names)), std::string());
        }
        QCOMPARE(graphText(yaml).nodes[0].name, std::string("host0.left2"));
        QCOMPARE(graphText(yaml).nodes[2].name, std::string("host1.left2"));
        QCOMPARE(problemOf(edits::renameBlueprint(yaml, 0, "box")), std::string());
        QVERIFY(yaml.text().find("host") == std::string::npos);
        QVERIFY(yaml.text().find("box0.gpu1>box0.sw") != std::string::npos);
        QCOMPARE(firstIssue(yaml), QString());
        for (const char* name : {"", "box1", "a.b", "a b", "7", "a*"})
            QVERIFY2(!problemOf(edits::renameBlueprint(yaml, 0, name)).empty(), name);
    }

    /// Names pass from one node to another at once.
    void nodesTakeNamesFromOneAnother()
    {
        YamlDocument yaml = copiesText(kHostText);
        const std::vector<std::pair<std::size_t, std::string>> names{{0, "gpu1"}, {1, "gpu0"}};
        QCOMPARE(problemOf(edits::renameNodes(yaml, names)), std::string());
        QCOMPARE(yaml.text(), exchanged(kHostText, {{"gpu0", "?"}, {"gpu1", "gpu0"}, {"?", "gpu1"}}));
        const std::vector<std::pair<std::size_t, std::string>> twice{{0, "sw"}};
        QVERIFY(!problemOf(edits::renameNodes(yaml, twice)).empty());
    }

    void whatIsAddedIsAddedToEveryCopy()
    {
        YamlDocument yaml = copiedHosts(2);
        const GraphItems items{{nodeItem({"memory0", NodeKind::Memory, DrawnAt{300, -64}})},
                               {linkItem({"memory0", "host1.sw", true, "64 GB/s", "1 us"}), linkItem({"memory0", "leaf", true, "8 GB/s", "1 us"})}};
        QCOMPARE(problemOf(edits::addToCopies(yaml, 0, 1, items, {}, {})), std::string());
        const GraphText graph = graphText(yaml);
        QVERIFY(graph.nodes[numberOf(yaml, "host1.memory0")].at == (DrawnAt{300, -64}));
        QVERIFY(graph.nodes[numberOf(yaml, "host0.memory0")].at == (DrawnAt{300 - 192, -64}));
        QCOMPARE(graph.links.size(), std::size_t{6 + 4});
        QCOMPARE(shapeOf(yaml, "host1."), shapeOf(yaml, "host0."));
        QCOMPARE(firstIssue(yaml), QString());
    }

    /// A link whose `between` is no pair has the ends it says otherwise.
    void aPastedLinkThatIsMalformedIsJoinedByItsOtherEnds()
    {
        YamlDocument yaml = copiedHosts(2);
        for (const char* between : {"[a]", "a", "{}", "[]", "[a, b, c]"}) {
            const std::string text = std::string("nodes: [{name: a}, {name: b}]\nlinks: [{between: ") + between + ", from: a, to: b, bandwidth: 8 GB/s, latency: 1 us}]\n";
            const auto items = readFragment(yaml, text, {});
            QVERIFY(items);
            YamlDocument pasted = yaml;
            QCOMPARE(problemOf(edits::addToCopies(pasted, 0, 1, items.value(), {}, {})), std::string());
            QCOMPARE(graphText(pasted).nodes.size(), graphText(yaml).nodes.size() + 4);
            QCOMPARE(graphText(pasted).links.size(), graphText(yaml).links.size() + 2);
        }
    }

    void namesOfAGeneratedFabricSpeakOfCopies()
    {
        const auto node = [](const std::string& name, NodeKind kind = NodeKind::Npu) { return GraphText::Node{name, kind, {}}; };
        GraphText graph;
        for (const char* unit : {"unit0", "unit1"}) {
            for (const char* part : {".host0.gpu0", ".host1.gpu0"})
                graph.nodes.push_back(node(unit + std::string(part)));
            graph.nodes.push_back(node(unit + std::string(".leaf0"), NodeKind::Switch));
            graph.links.push_back({unit + std::string(".leaf0"), "spine0", true, "1 GB/s", "1 us"});
        }
        graph.nodes.push_back(node("spine0", NodeKind::Switch));
        QCOMPARE(copiesByName(graph), (std::vector<PartCopies>{{"unit", 2}}));
        // One that is unlike the other, or has a number that does not follow, is none.
        GraphText other = graph;
        other.links.pop_back();
        QVERIFY(copiesByName(other).empty());
        other = graph;
        other.nodes[0].kind = NodeKind::Memory;
        QVERIFY(copiesByName(other).empty());
        other = graph;
        for (GraphText::Node& one : other.nodes) {
            if (one.name.starts_with("unit1"))
                one.name.replace(4, 1, "2");
        }
        QVERIFY(copiesByName(other).empty());
        for (const char* name : {"a.b", ".x", "7.x", "unit.x", "unit0", "unit0."})
            QVERIFY2(copiesByName(GraphText{{node(name)}, {}}).empty(), name);
    }

    void refusedGroupings()
    {
        YamlDocument yaml = copiedHosts(2);
        const std::string before = yaml.text();
        const std::vector<std::size_t> leaf{numberOf(yaml, "leaf")};
        const std::vector<std::size_t> copied{0};
        for (const auto& [nodes, name] : {std::pair{leaf, "host"}, {leaf, "rack2"}, {leaf, "a.b"}, {copied, "rack"}, {std::vector<std::size_t>(), "rack"}})
            QVERIFY2(!problemOf(edits::groupParts(yaml, nodes, name)).empty(), name);
        QCOMPARE(yaml.text(), before);
    }

    void wrongCopiesOfATextAreErrors_data()
    {
        QTest::addColumn<QString>("copies");
        QTest::addColumn<QString>("field");
        const auto row = [](const char* copies, const char* field) { QTest::newRow(copies) << QString::fromLatin1(copies) << QString::fromLatin1(field); };
        row("[{of: host0, count: 2}]", "platform.copies[0].of");
        row("[{of: rack, count: 2}]", "platform.copies[0].of");
        row("[{of: host, count: 0}]", "platform.copies[0].count");
        row("[{of: host, count: 5000}]", "platform.copies[0].count");
        row("[{of: host, count: 2}, {of: host, count: 2}]", "platform.copies[1].of");
        row("[{of: host, count: 2, size: 3}]", "platform.copies[0].size");
        row("[{of: host}]", "platform.copies[0]");
        row("[7]", "platform.copies[0]");
        row("host", "platform.copies");
    }

    void wrongCopiesOfATextAreErrors()
    {
        QFETCH(QString, copies);
        QFETCH(QString, field);
        const YamlDocument yaml = copiesText(exchanged(copiedHosts(2).text(), {{"copies:\n    - {of: host, count: 2}", "copies: " + copies.toStdString()}}));
        const LoadedDesign read = inspectDesign(yaml);
        QVERIFY(!read.diagnostics.empty());
        QVERIFY(read.diagnostics.front().severity == Severity::Error);
        QVERIFY2(QString::fromStdString(read.diagnostics.front().place.field).startsWith(field), read.diagnostics.front().place.field.c_str());
    }

    /// Whatever is done to one copy, they stay alike, and the design is one without errors.
    void copiesStayAlike()
    {
        for (const std::uint64_t seed : test::Seeds(0xc0b1e5, 200)) {
            std::mt19937_64 random(seed);
            const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
            YamlDocument yaml = copiedHosts(static_cast<std::int32_t>(1 + below(4)));
            for (int step = 0; step < 6; ++step) {
                const GraphText graph = graphText(yaml);
                const CopiedParts copies(graph, partCopies(yaml));
                if (copies.isEmpty())
                    break;
                const std::int32_t count = copies.blueprints()[0].count;
                const std::vector<std::size_t> one{copies.nodesOf(0, static_cast<std::int32_t>(below(static_cast<std::size_t>(count)))).front()};
                Status status;
                switch (below(5)) {
                case 0: status = edits::setCopies(yaml, 0, static_cast<std::int32_t>(1 + below(6)), {}); break;
                case 1: status = edits::removeParts(yaml, one, {}); break;
                case 2: {
                    const std::vector<std::size_t> link{below(std::max<std::size_t>(graph.links.size(), 1))};
                    status = graph.links.empty() ? Status() : edits::removeParts(yaml, {}, link);
                    break;
                }
                case 3: {
                    const GraphItems items{{nodeItem({"npu0", NodeKind::Npu, {}})}, {linkItem({"npu0", graph.nodes[below(graph.nodes.size())].name, true, "9 GB/s", "1 us"})}};
                    status = edits::addToCopies(yaml, 0, copies.placeOf(one.front())->copy, items, {}, {});
                    break;
                }
                default: {
                    const std::vector<std::pair<std::size_t, std::string>> names{{one.front(), "part" + std::to_string(step)}};
                    status = edits::renameParts(yaml, names);
                }
                }
                QVERIFY2(status, problemOf(status).c_str());
                for (const PartCopies& now : partCopies(yaml)) {
                    for (std::int32_t copy = 1; copy < now.count; ++copy)
                        QCOMPARE(shapeOf(yaml, "host" + std::to_string(copy) + '.'), shapeOf(yaml, "host0."));
                }
                for (const Diagnostic& found : inspectDesign(yaml).diagnostics)
                    QVERIFY2(found.place.field.find("copies") == std::string::npos, found.message.c_str());
            }
        }
    }
};

FABRICSCOPE_TEST(PartCopiesTest)
#include "tst_partcopies.moc"
