// Programs of packed trees: what they compute, by an executor of its own, and how long they take under links.
#include "core/base/index.h"
#include "core/platform/presets.h"
#include "core/synthesis/treepacking.h"
#include "tests/unit/support/cases/dgx1.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <deque>
#include <map>
#include <numeric>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using Value = std::vector<std::int32_t>; ///< How often the chunk of every rank is in it; empty: undefined.

/// Runs the lanes, each in its order, until nothing moves; what every chunk of every rank holds then, or nothing when something is left over.
/// Input and output are one memory, and chunks of that memory are never mixed up: source and target offsets are checked to be equal.
std::vector<std::vector<Value>> execute(const Program& program)
{
    const ExplicitBody& body = program.asExplicit();
    const auto ranks = static_cast<std::size_t>(program.ranks);
    std::vector<std::vector<Value>> memory(ranks, std::vector<Value>(static_cast<std::size_t>(program.chunks)));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        for (Value& value : memory[rank]) {
            if (program.op != CollectiveOp::Broadcast || static_cast<std::int32_t>(rank) == program.root) {
                value.assign(ranks, 0);
                value[rank] = 1;
            }
        }
    }
    struct Lane {
        std::int32_t rank = 0;
        std::vector<std::uint32_t> operations;
        std::size_t next = 0;
    };
    std::map<std::pair<std::int32_t, std::int32_t>, Lane> lanes;
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        for (std::uint32_t op = body.rankBegin[at(rank)]; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
            Lane& lane = lanes[{rank, body.lane[op]}];
            lane.rank = rank;
            lane.operations.push_back(op);
        }
    }
    std::map<std::pair<std::int32_t, std::int32_t>, std::deque<std::pair<std::int32_t, Value>>> wires;
    std::vector<bool> done(body.size(), false);
    std::size_t left = body.size();
    for (bool moved = true; moved;) {
        moved = false;
        for (auto& [key, lane] : lanes) {
            while (lane.next < lane.operations.size()) {
                const std::uint32_t op = lane.operations[lane.next];
                bool ready = true;
                for (std::uint32_t i = body.dependBegin[op]; i < body.dependBegin[op + 1]; ++i)
                    ready = ready && done[body.depends[i]];
                auto& mine = memory[at(lane.rank)];
                if (body.kind[op] == OpKind::Send) {
                    if (!ready)
                        break;
                    const std::int32_t chunk = body.sourceOffset[op];
                    wires[{lane.rank, body.peer[op]}].emplace_back(chunk, mine[at(chunk)]);
                } else {
                    auto& wire = wires[{body.peer[op], lane.rank}];
                    if (!ready || wire.empty() || wire.front().first != body.targetOffset[op])
                        break;
                    Value value = wire.front().second;
                    wire.pop_front();
                    Value& place = mine[at(body.targetOffset[op])];
                    for (std::size_t rank = 0; body.kind[op] == OpKind::ReceiveReduce && rank < ranks; ++rank)
                        value[rank] += place[rank];
                    place = value;
                }
                done[op] = moved = true;
                --left;
                ++lane.next;
            }
        }
    }
    return left == 0 ? memory : std::vector<std::vector<Value>>();
}

void checkResult(const Program& program)
{
    const auto memory = execute(program);
    QVERIFY(!memory.empty());
    const auto ranks = static_cast<std::size_t>(program.ranks);
    Value expected(ranks, program.op == CollectiveOp::Broadcast ? 0 : 1);
    expected[at(program.root)] = 1;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        for (const Value& value : memory[rank]) {
            if (program.op != CollectiveOp::Reduce || static_cast<std::int32_t>(rank) == program.root)
                QVERIFY(value == expected);
        }
    }
}

std::int64_t finishOf(const PlatformSpec& platform, const ProgramPtr& program, std::int64_t bytes)
{
    LinksScenario scenario(platform);
    for (std::int32_t rank = 0; rank < program->ranks; ++rank)
        scenario.collective(rank, 0, bytes, program, {program->ranks});
    return runLinks(scenario.build()).record.finish.ps;
}

std::vector<NodeId> everybody(std::int32_t ranks)
{
    std::vector<NodeId> members(static_cast<std::size_t>(ranks));
    std::iota(members.begin(), members.end(), 0);
    return members;
}

} // namespace

class TestTrees : public QObject {
    Q_OBJECT

private slots:
    void everySubsetOfADgx1()
    {
        for (const Dgx1Subset& subset : dgx1Subsets()) {
            if (!subset.connected)
                continue;
            for (const CollectiveOp op : {CollectiveOp::Broadcast, CollectiveOp::Reduce, CollectiveOp::AllReduce}) {
                SynthesisOptions options;
                options.op = op;
                options.chunks = 3;
                options.root = static_cast<std::int32_t>(subset.gpus.size()) - 1;
                const auto made = synthesizeTrees(dgx1Graph(subset.machine, subset.gpus), options);
                QVERIFY2(made, made ? "" : made.error().text().c_str());
                QVERIFY(made.value().optimal);
                checkResult(*made.value().program);
            }
        }
    }

    // The whole machine under links: long messages come within a few percent of the packed rate and never below its time.
    void ratesAreReached_data()
    {
        QTest::addColumn<int>("op");
        QTest::addColumn<double>("rate");
        QTest::newRow("broadcast") << static_cast<int>(CollectiveOp::Broadcast) << 6 * 25e9;
        QTest::newRow("reduce") << static_cast<int>(CollectiveOp::Reduce) << 6 * 25e9;
        QTest::newRow("all_reduce") << static_cast<int>(CollectiveOp::AllReduce) << 24.0 / 7 * 25e9;
    }

    void ratesAreReached()
    {
        QFETCH(int, op);
        QFETCH(double, rate);
        PlatformSpec spec = presetPlatform("dgx-1v").value();
        const std::int64_t bytes = std::int64_t{1} << 30;
        const auto platform = Platform::create(spec);
        QVERIFY(platform);
        const auto graph = synthesisGraph(platform.value(), everybody(8));
        QVERIFY(graph);
        SynthesisOptions options;
        options.op = static_cast<CollectiveOp>(op);
        options.bytes = bytes;
        options.chunks = 64;
        const auto made = synthesizeTrees(graph.value(), options);
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const double least = static_cast<double>(bytes) / rate * 1e12;
        const auto finish = static_cast<double>(finishOf(spec, made.value().program, bytes));
        QVERIFY2(finish >= least, qPrintable(QString::number(finish / least)));
        QVERIFY2(finish <= least * 1.12, qPrintable(QString::number(finish / least)));
    }

    void oneHopTreesOnASwitch()
    {
        PlatformSpec spec = presetPlatform("dgx-2").value();
        const auto platform = Platform::create(spec);
        const auto graph = synthesisGraph(platform.value(), everybody(16));
        QVERIFY(graph);
        SynthesisOptions options;
        options.op = CollectiveOp::AllReduce;
        options.bytes = 256 << 20;
        const auto made = synthesizeTrees(graph.value(), options);
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const ExplicitBody& body = made.value().program->asExplicit();
        std::set<std::int32_t> trees;
        for (std::size_t op = 0; op < body.size(); ++op)
            trees.insert(body.tagsOf(op).tree);
        QCOMPARE(trees.size(), std::size_t{16});
        checkResult(*made.value().program);
        // Two phases, each 15/16 of the data through one port of 150 GB/s.
        const double least = 2 * 15.0 / 16 * static_cast<double>(options.bytes) / 150e9 * 1e12;
        const auto finish = static_cast<double>(finishOf(spec, made.value().program, options.bytes));
        QVERIFY2(finish >= least && finish < least * 1.1, qPrintable(QString::number(finish / least)));
    }

    // Direct links of 30 GB/s in a ring of three and a switch of 10 GB/s: both finish together, so shares follow the rates.
    void directLinksAndSwitchShareTheData()
    {
        SynthesisGraph graph;
        graph.ranks = 3;
        graph.vertices = 4;
        for (std::int32_t a = 0; a < 3; ++a) {
            for (std::int32_t b = 0; b < 3; ++b) {
                if (a != b)
                    graph.links.push_back({a, b, 30'000'000'000, 1000, {}});
            }
            graph.links.push_back({a, 3, 10'000'000'000, 1000, {}});
            graph.links.push_back({3, a, 10'000'000'000, 1000, {}});
        }
        SynthesisOptions options;
        options.op = CollectiveOp::Broadcast;
        options.bytes = 70'000'000;
        options.chunks = 1;
        const auto made = synthesizeTrees(graph, options);
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        checkResult(*made.value().program);
        const ExplicitBody& body = made.value().program->asExplicit();
        QVERIFY(!body.chunkWeights.empty());
        // Clique of three: 60 GB/s out of the root; switch: 10 GB/s. So a seventh goes over the switch: trees 2 and 3.
        double direct = 0;
        double all = 0;
        for (std::size_t chunk = 0; chunk < body.chunkWeights.size(); ++chunk) {
            all += static_cast<double>(body.chunkWeights[chunk]);
            direct += chunk % 4 < 2 ? static_cast<double>(body.chunkWeights[chunk]) : 0;
        }
        QVERIFY(std::abs(direct / all - 6.0 / 7) < 1e-4);
        // Turning to the switch costs 1 ms: less than the whole 70 MB take over the direct links (1.17 ms), so it still pays, with less.
        options.switchDelayPs = 1'000'000'000;
        const auto late = synthesizeTrees(graph, options);
        QVERIFY(late);
        const std::vector<std::int64_t>& weights = late.value().program->asExplicit().chunkWeights;
        double over = 0;
        double sum = 0;
        for (std::size_t chunk = 0; chunk < weights.size(); ++chunk) {
            sum += static_cast<double>(weights[chunk]);
            over += chunk % 4 >= 2 ? static_cast<double>(weights[chunk]) : 0;
        }
        // (D/7 - T B_s B_d / (B_s + B_d)) / D = 1/7 - 1e-3 * 10e9 * 60 / 70 / 70e6.
        QVERIFY(std::abs(over / sum - (1.0 / 7 - 1e-3 * 10e9 * 60 / 70 / 70e6)) < 1e-4);
    }

    void refusals()
    {
        SynthesisOptions options;
        options.op = CollectiveOp::AllGather;
        QVERIFY(!synthesizeTrees(dgx1Graph("DGX-1V", {0, 1, 2}), options));
        options.op = CollectiveOp::Broadcast;
        QVERIFY(!synthesizeTrees(dgx1Graph("DGX-1V", {0, 1, 6}), options)); // Not connected.
        options.root = 9;
        QVERIFY(!synthesizeTrees(dgx1Graph("DGX-1V", {0, 1, 2}), options));
    }
};

FABRICSCOPE_TEST(TestTrees)
#include "tst_trees.moc"
