// What is left to an NPU, from rows that all NPUs behind a switch share, is what a search for that NPU alone finds.
#include "core/platform/distances.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/router.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <algorithm>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Are the links that a shortest way may take at every node it may come through those that the search for one NPU says, in the order of their numbers?
bool candidatesAreAll(const ExplicitGraph& graph, const Distances& shared, const Distances& alone, NodeId from, NodeId to)
{
    std::vector<NodeId> met{from};
    for (std::size_t next = 0; next < met.size() && alone.from(from, false) != Distances::kFar; ++next) {
        const NodeId node = met[next];
        const bool passing = node != from;
        std::vector<std::int32_t> found;
        const Distances::Candidates candidates = shared.candidates(graph, node, passing);
        for (const std::int32_t link : candidates.links) {
            if (candidates.all || (graph.from(link) == node && !graph.isGone(link) && shared.leadsCloser(graph, link, passing)))
                found.push_back(link);
        }
        std::vector<std::int32_t> wanted;
        for (const std::int32_t link : graph.outgoing(node)) {
            if (graph.isGone(link) || !alone.leadsCloser(graph, link, passing))
                continue;
            wanted.push_back(link);
            if (graph.to(link) != to && std::find(met.begin(), met.end(), graph.to(link)) == met.end())
                met.push_back(graph.to(link));
        }
        if (found != wanted)
            return false;
    }
    return true;
}

/// Pairs compared; what differs is told.
void compare(const ExplicitGraph& graph, NodeId npus, int& compared)
{
    SwitchRows rows;
    Distances shared;
    const auto there = [&](LinkId link) { return !graph.isGone(link); };
    for (NodeId to = 0; to < npus; ++to) {
        const Distances alone(graph, to, Forwarding::Direct, there);
        for (NodeId from = 0; from < npus; ++from) {
            if (from == to)
                continue;
            shared.findOverSwitches(graph, to, from, rows);
            QCOMPARE(shared.from(from, false), alone.from(from, false));
            QVERIFY(candidatesAreAll(graph, shared, alone, from, to));
            for (LinkId link = 0; link < graph.linkCount(); ++link) {
                const NodeId node = graph.from(link);
                const bool passing = graph.kind(node) == NodeKind::Switch;
                if (!passing && node != from)
                    continue; // Nobody else begins a way.
                QCOMPARE(shared.from(node, passing), alone.from(node, passing));
                QCOMPARE(!graph.isGone(link) && shared.leadsCloser(graph, link, passing), !graph.isGone(link) && alone.leadsCloser(graph, link, passing));
            }
            ++compared;
        }
    }
}

} // namespace

class SwitchRowsTest : public QObject {
    Q_OBJECT

private slots:
    void generatedFabrics_data()
    {
        QTest::addColumn<QString>("line");
        for (const char* const line : {"npu / leaf_spine 4,4,3,4 400G", "npu / fat_tree 4 400G", "npu / clos m 4,4,2 w 1,2,2 400G", "Switch(4, 450 GB/s, 1 us) x4 / rails 8p 400G 1us x2 / spine 1:1",
                                       "Switch(2, 50 GB/s, 1 us) x2 / rails 8p 400G 1us x2 / spine x2 / core", "npu / dragonfly 2,4,2 groups 3 100G", "npu / hyperx 3x3 npus 3 100G", "npu / expander 16,4,2 seed 1 100G"})
            QTest::newRow(line) << QString::fromUtf8(line);
    }
    void generatedFabrics()
    {
        QFETCH(const QString, line);
        const auto form = parseFabricForm(line.toStdString());
        QVERIFY2(form, form ? "" : form.error().text().c_str());
        const auto spec = platformOfForm(form.value());
        QVERIFY2(spec, spec ? "" : spec.error().text().c_str());
        const auto platform = Platform::create(spec.value());
        QVERIFY(platform);
        const auto graph = makeFabricGraph(platform.value());
        QVERIFY(SwitchRows::appliesTo(*graph));
        int compared = 0;
        compare(*graph, platform.value().npuCount(), compared);
        QVERIFY(compared >= 30);
    }

    /// Switches at random, one-way links, several links between two nodes, NPUs on several switches, memories, links that are taken out.
    void randomGraphs()
    {
        int compared = 0;
        for (const std::uint64_t seed : Seeds(1, 200)) {
            std::mt19937_64 dice(seed);
            const auto below = [&](int n) { return static_cast<NodeId>(dice() % static_cast<std::uint64_t>(n)); };
            const NodeId npus = 2 + below(5);
            const NodeId switches = 1 + below(6);
            std::vector<NodeKind> kinds(static_cast<std::size_t>(npus), NodeKind::Npu);
            for (NodeId i = 0; i < switches; ++i)
                kinds.push_back(below(8) == 0 ? NodeKind::Memory : NodeKind::Switch);
            std::vector<NodeId> from;
            std::vector<NodeId> to;
            const auto link = [&](NodeId a, NodeId b) {
                from.push_back(a);
                to.push_back(b);
            };
            for (NodeId npu = 0; npu < npus; ++npu) {
                for (int i = below(3); i >= 0; --i) {
                    const NodeId end = npus + below(switches);
                    if (below(6) > 0)
                        link(npu, end);
                    if (below(6) > 0)
                        link(end, npu);
                }
            }
            for (int i = below(4 * switches); i > 0; --i) {
                const NodeId a = npus + below(switches);
                const NodeId b = npus + below(switches);
                if (a != b)
                    link(a, b);
            }
            ExplicitGraph graph(kinds, from, to);
            if (below(2) == 0) {
                std::vector<bool> gone(from.size(), false);
                for (std::size_t i = 0; i < gone.size(); ++i)
                    gone[i] = below(5) == 0;
                graph.remove(gone, std::vector<bool>(kinds.size(), false));
            }
            QVERIFY(SwitchRows::appliesTo(graph));
            compare(graph, npus, compared);
        }
        QVERIFY(compared > 4 * cases(200));
    }

    void aLinkBetweenNpusIsNotForThem()
    {
        const ExplicitGraph graph({NodeKind::Npu, NodeKind::Npu, NodeKind::Switch}, {0, 2, 0}, {2, 1, 1});
        QVERIFY(!SwitchRows::appliesTo(graph));
    }
};

FABRICSCOPE_TEST(SwitchRowsTest)
#include "tst_switchrows.moc"
