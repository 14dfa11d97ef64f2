// Nodes and links of graphs that are counted by what they are say the same as lists of them one by one.
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/router.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/draw.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::array kLines{"npu / leaf_spine 4,4,3,4 400G 1us", "npu / fat_tree 4 400G 1us", "npu / clos m 4,4,2 w 1,2,2 400G 1us", "hgx-h100 x4 / rails 64p 400G x4 / spine 2:1",
                            "Switch(2, 50 GB/s, 1 us) x2 / rails 8p 400G 1us x2 / spine x2 / core", "FullyConnected(4, 100 GB/s, 1 us) x4 / rails 8p 400G 1us x2 / spine 1:1", "npu / dragonfly 2,4,2 groups 3 100G 1us",
                            "npu / hyperx 3x3 npus 3 100G 1us", "npu / nvl72", "npu / cube_mesh", "npu / expander 16,4,2 seed 1 100G 1us", "npu / slim_fly 5 100G 1us", "npu / mesh 3x4 100G 1us"};

Quantity rateOf(int number)
{
    return {static_cast<double>(1 + number), "GB/s", Measure::Bandwidth};
}

} // namespace

class TestGraphLists : public QObject {
    Q_OBJECT

private slots:
    /// Random nodes and links, more kinds of figures than are sought among: what was put in comes out, in order, and counts are those of counting.
    void whatIsPutInComesOut()
    {
        for (const std::uint64_t seed : Seeds(1, 200)) {
            Draw draw(seed);
            std::vector<ExplicitNode> nodes;
            const int count = 1 + draw.below(40);
            for (int i = 0; i < count; ++i) {
                ExplicitNode node{draw.oneIn(5) ? std::string() : "n" + std::to_string(i), static_cast<NodeKind>(draw.below(3)), {}, !draw.oneIn(3)};
                if (node.kind == NodeKind::Switch && draw.oneIn(2))
                    node.offload = SwitchOffload{rateOf(draw.below(3)), {}, {}};
                if (node.kind == NodeKind::Switch && draw.oneIn(3))
                    node.crossbar = rateOf(draw.below(5));
                nodes.push_back(node);
            }
            const NodeList list(nodes);
            QCOMPARE(list.size(), nodes.size());
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                QVERIFY(list[i] == nodes[i] && list.kind(i) == nodes[i].kind && list.forwards(i) == nodes[i].forwards && list.name(i) == nodes[i].name);
                QCOMPARE(list.offload(i) != nullptr, nodes[i].offload.has_value());
                QCOMPARE(list.crossbars().contains(i), nodes[i].crossbar.has_value());
            }
            for (const NodeKind kind : {NodeKind::Npu, NodeKind::Switch, NodeKind::Memory})
                QCOMPARE(list.count(kind), static_cast<std::int64_t>(std::count_if(nodes.begin(), nodes.end(), [&](const ExplicitNode& node) { return node.kind == kind; })));
            QCOMPARE(list.allForward(), std::all_of(nodes.begin(), nodes.end(), [](const ExplicitNode& node) { return node.forwards; }));

            std::vector<ExplicitLink> links;
            const int kinds = draw.oneIn(4) ? 500 : 4;
            for (int i = draw.below(300); i > 0; --i)
                links.push_back({draw.below(count), draw.below(count), rateOf(draw.below(kinds)), {static_cast<double>(draw.below(2)), "us", Measure::Time}});
            const LinkList joined(links);
            QVERIFY(std::equal(joined.begin(), joined.end(), links.begin(), links.end()));
            QVERIFY(joined == LinkList(links));
            for (std::size_t i = 0; i < links.size(); ++i) {
                QVERIFY(joined.from(i) == links[i].from && joined.to(i) == links[i].to && joined.figures()[joined.figuresOf(i)].bandwidth == links[i].bandwidth);
                std::vector<ExplicitLink> other = links;
                other[i].latency.value += 1;
                QVERIFY(!(joined == LinkList(other)));
            }
        }
    }

    /// A list that is changed leaves those that were copied from it as they were.
    void copiesKeepWhatTheyHave()
    {
        LinkList links{{0, 1, rateOf(1), {1, "us", Measure::Time}}};
        const LinkList before = links;
        links.push_back({1, 0, rateOf(2), {1, "us", Measure::Time}});
        QVERIFY(before.size() == 1 && links.size() == 2 && !(before == links));
        int asked = 0;
        NodeList nodes = NodeList::generated(2, 1, false, [&asked](NodeId node) { return "made" + std::to_string(++asked * 0 + node); });
        QCOMPARE(asked, 0); // Names are made when somebody asks.
        const NodeList counted = nodes;
        nodes.push_back({"more", NodeKind::Switch});
        QVERIFY(counted.size() == 3 && nodes.size() == 4 && !nodes.hasGeneratedNames() && counted.hasGeneratedNames());
        QVERIFY(nodes[1] == (ExplicitNode{"made1", NodeKind::Npu, {}, false}) && nodes[2] == (ExplicitNode{"made2", NodeKind::Switch}));
        QVERIFY(counted == (NodeList{{"made0", NodeKind::Npu, {}, false}, {"made1", NodeKind::Npu, {}, false}, {"made2", NodeKind::Switch}}));
    }

    /// Platforms of fabrics: names, kinds and links are those of the cables, each way by the node it leaves and its port there, and listed one by one they are the same platform.
    void fabricsAreWrittenOutByTheirCables()
    {
        for (const char* const line : kLines) {
            const Result<Fabric> fabric = fabricOfLine(line);
            QVERIFY2(fabric, line);
            const Result<PlatformSpec> made = platformOfFabric(fabric.value(), FabricWriting::Nodes);
            QVERIFY2(made, line);
            const PlatformSpec& spec = made.value();
            QVERIFY(spec.nodes.hasGeneratedNames());
            QCOMPARE(static_cast<std::int64_t>(spec.nodes.size()), fabric.value().nodes());
            for (std::size_t node = 0; node < spec.nodes.size(); ++node) {
                QCOMPARE(spec.nodes.name(node), fabric.value().name(static_cast<NodeId>(node)));
                QCOMPARE(spec.nodes.kind(node) == NodeKind::Npu, static_cast<std::int64_t>(node) < fabric.value().npus());
            }
            std::map<PortRef, const FabricCable*> byPort;
            for (const FabricCable& cable : fabric.value().cables())
                QVERIFY(byPort.emplace(cable.lower, &cable).second && byPort.emplace(cable.upper, &cable).second);
            QCOMPARE(spec.links.size(), byPort.size());
            std::size_t link = 0;
            for (const auto& [port, cable] : byPort) {
                const NodeId to = cable->lower == port ? cable->upper.node : cable->lower.node;
                QVERIFY(spec.links[link] == (ExplicitLink{port.node, to, fabric.value().bandwidth(*cable), fabric.value().latency(*cable)}));
                ++link;
            }
            PlatformSpec listed = spec;
            listed.nodes = NodeList(std::vector<ExplicitNode>(spec.nodes.begin(), spec.nodes.end()));
            listed.links = LinkList(std::vector<ExplicitLink>(spec.links.begin(), spec.links.end()));
            QVERIFY(!listed.nodes.hasGeneratedNames() && listed == spec);
            const Platform counted = Platform::create(spec).value();
            const Platform other = Platform::create(listed).value();
            for (LinkId id = 0; id < counted.linkCount(); ++id) {
                QCOMPARE(counted.linkName(id), other.linkName(id));
                QVERIFY(counted.bandwidth(id) == other.bandwidth(id) && counted.latency(id) == other.latency(id));
            }
        }
    }

    /// Ports and numbers of parallel links, which are looked up, are those of going through the links in order.
    void portsAreThoseOfCounting()
    {
        for (const std::uint64_t seed : Seeds(1, 100)) {
            Draw draw(seed);
            const int nodes = 2 + draw.below(8);
            std::vector<NodeId> from;
            std::vector<NodeId> to;
            for (int i = draw.below(60); i > 0; --i) {
                from.push_back(draw.below(nodes));
                to.push_back((from.back() + 1 + draw.below(nodes - 1)) % nodes);
            }
            const ExplicitGraph graph(std::vector<NodeKind>(static_cast<std::size_t>(nodes), NodeKind::Npu), from, to);
            std::map<NodeId, std::int32_t> left;
            std::map<NodeId, std::int32_t> entered;
            std::map<std::pair<NodeId, NodeId>, std::int32_t> parallel;
            for (std::size_t link = 0; link < from.size(); ++link) {
                const auto id = static_cast<LinkId>(link);
                QVERIFY(graph.from(id) == from[link] && graph.to(id) == to[link]);
                QCOMPARE(graph.outputPort(id), left[from[link]]++);
                QCOMPARE(graph.inputPort(id), entered[to[link]]++);
                QCOMPARE(graph.parallelNumber(id), ++parallel[std::pair(from[link], to[link])]);
            }
        }
    }

    /// Two levels with one name would give two nodes one: names are then not counted, and the platform is refused as any with such nodes.
    void levelsOfOneNameAreRefused()
    {
        for (const auto& [first, second, refused] : {std::tuple{"same", "same", true}, {"tor", "tor1", true}, {"npu", "top", true}, {"leaf", "top", false}}) {
            FabricSpec spec = fabricOfLine("npu / leaf_spine 12,4,4,4 400G 1us").value().spec();
            spec.levels.resize(2, spec.levels.empty() ? FabricLevel() : spec.levels.back());
            spec.levels[0].name = first;
            spec.levels[1].name = second;
            const Result<PlatformSpec> made = platformOfFabric(Fabric::create(spec).value(), FabricWriting::Nodes);
            QVERIFY(made);
            QCOMPARE(made.value().nodes.name(48), std::string(first) + '0');
            QCOMPARE(made.value().nodes.name(60), std::string(second) + '0');
            QCOMPARE(made.value().nodes.hasGeneratedNames(), std::string(first) == "leaf");
            QCOMPARE(!Platform::create(made.value()), refused); // tor10 is the eleventh tor and the first tor1.
        }
    }
};

FABRICSCOPE_TEST(TestGraphLists)
#include "tst_graphlists.moc"
