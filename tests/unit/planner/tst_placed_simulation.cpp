// Collectives with parts of different size, and placed programs as simulated: against closed forms and by hand.
#include "core/base/index.h"
#include "core/planner/clustersimulation.h"
#include "core/planner/placedworkload.h"
#include "core/planner/placefile.h"
#include "core/scenario/lowering.h"
#include "core/scenario/unequalshares.h"
#include "core/sim/simulate.h"
#include "core/verify/verify.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

Design designOf(const std::string& platform, const std::string& more = "")
{
    auto loaded = readDesignText("fabricscope: 1\nplatform: {dimensions: [" + platform + "]}\nworkload: {collective: all_reduce, size: 1 B}\n" + more, "d.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

Result<SimTime> finishOf(const Design& design, const WorkloadPtr& workload)
{
    const Platform platform = Platform::create(*design.platform).value();
    const auto scenario = lower(design, platform, workload);
    if (!scenario)
        return scenario.error();
    const auto record = simulate(*scenario.value());
    return record ? Result<SimTime>(record.value().finish) : Result<SimTime>(record.error());
}

std::int64_t psOf(const Design& design, const SharedCollective& what, ShareForm form)
{
    const auto time = finishOf(design, workloadOf(what, form, std::ssize(what.parts)));
    if (!time)
        qFatal("%s", time.error().text().c_str());
    return time.value().ps;
}

/// Two NPUs at 10 GB/s each way, 1 us: 100 ps a kB.
const char* const kPair = "{shape: fully_connected, size: 2, bandwidth: 10 GB/s, latency: 1 us}";

PlaceFile placeFile(const std::string& text)
{
    static std::vector<std::unique_ptr<YamlDocument>> kept; // The platform is a node of it.
    kept.push_back(std::make_unique<YamlDocument>(YamlDocument::parse("fabricscope: 1\nplace:\n" + text, "p.yaml").value()));
    auto file = readPlaceFile(*kept.back());
    if (!file)
        qFatal("%s", file.error().text().c_str());
    return std::move(file).value();
}

struct Simulated {
    UnequalPlacement placement;
    SimulatedProgram program;
};

Simulated simulated(PlaceFile& file)
{
    const ClusterSimulation simulation = ClusterSimulation::create(*file.platform, "p.yaml", file.problem.cluster, {}).value();
    if (const Status status = simulation.timeCollectives(file.problem.cluster, file.problem.mostBytes(), {}); !status)
        qFatal("%s", status.error().text().c_str());
    Simulated out{place(file.problem, SearchMethod::Bound).value(), {}};
    out.program = simulation.run(file.problem, out.placement.program, out.placement.ratios, out.placement.cost, {}).value();
    return out;
}

} // namespace

class PlacedSimulationTest : public QObject {
    Q_OBJECT

private slots:
    void twoMembersSendTheirTrueParts()
    {
        const Design design = designOf(kPair);
        constexpr std::int64_t kLatency = 1'000'000;
        for (const ShareCollective kind : {ShareCollective::AllGather, ShareCollective::ReduceScatter}) {
            const SharedCollective what{kind, 1e6, {3, 1}};
            // The larger part is 750 kB; padded both are; grouped it follows the other one.
            QCOMPARE(psOf(design, what, ShareForm::Exact), 75'000'000 + kLatency);
            QCOMPARE(psOf(design, what, ShareForm::Padded), 75'000'000 + kLatency);
            QCOMPARE(psOf(design, what, ShareForm::Grouped), 100'000'000 + 2 * kLatency);
        }
        // Of 1 MB three quarters of the first member's three quarters stay, one quarter of them goes: 187.5 kB; padded half of 750 kB.
        const SharedCollective all{ShareCollective::AllToAll, 1e6, {3, 1}};
        QCOMPARE(psOf(design, all, ShareForm::Exact), 18'750'000 + kLatency);
        QCOMPARE(psOf(design, all, ShareForm::Padded), 37'500'000 + kLatency);
    }

    void aMemberWithoutAPartSendsNoBytes()
    {
        const Design design = designOf("{shape: fully_connected, size: 3, bandwidth: 10 GB/s, latency: 1 us}", "collectives: {default: {algorithm: direct, chunks: 1}}\n");
        // The one owner sends 1 MB to both others over links of their own.
        QCOMPARE(psOf(design, {ShareCollective::AllGather, 1e6, {0, 5, 0}}, ShareForm::Exact), 100'000'000 + 1'000'000);
        QCOMPARE(psOf(design, {ShareCollective::ReduceScatter, 1e6, {0, 5, 0}}, ShareForm::Exact), 100'000'000 + 1'000'000);
        // All stays where it is; the others' messages are empty.
        QVERIFY(psOf(design, {ShareCollective::AllToAll, 1e6, {0, 5, 0}}, ShareForm::Exact) <= 1'000'000);
    }

    /// Every program with random shares on random shapes does what it is to do, sends each byte of a part to whom it is due, and equal shares take the usual sizes.
    void programsWithSharesAreRight()
    {
        std::mt19937_64 random(seeded(11));
        for (int n = 0; n < cases(60); ++n) {
            static const std::array<const char*, 3> kShapes{"ring", "switch", "fully_connected"};
            std::string dimensions;
            std::int64_t ranks = 1;
            for (std::uint64_t d = 0, count = 1 + random() % 2; d < count; ++d) {
                const auto size = static_cast<std::int64_t>(2 + random() % 4);
                ranks *= size;
                dimensions += std::string(d ? ", " : "") + "{shape: " + kShapes.at(random() % 3) + ", size: " + std::to_string(size) + ", bandwidth: 10 GB/s, latency: 1 us}";
            }
            const Design design = designOf(dimensions);
            const Platform platform = Platform::create(*design.platform).value();
            const Placement placement = Placement::identity(static_cast<std::int32_t>(ranks));
            std::vector<std::int64_t> shares;
            for (std::int64_t j = 0; j < ranks; ++j)
                shares.push_back(static_cast<std::int64_t>(random() % 5));
            shares[random() % shares.size()] += 1;
            const std::int64_t all = std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
            CollectiveSetting setting;
            setting.chunks = static_cast<std::int32_t>(1 + random() % 3);
            for (const CollectiveOp op : {CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllToAll}) {
                UnequalPrograms programs;
                const auto planned = programs.plan(platform, placement, GroupFamily::world(ranks), 0, op, 1000 * all, setting, shares, nullptr, {});
                QVERIFY2(bool(planned), planned ? "" : planned.error().text().c_str());
                const Program& program = *planned.value().program;
                for (const VerifyFinding& found : verify(program).findings)
                    QVERIFY2(found.severity != Severity::Error, (found.rule + ": " + found.message).c_str());
                if (op == CollectiveOp::AllToAll)
                    continue;
                // Weights are those of the ranks at the places of the layout, pieces side by side.
                const auto& weights = program.asExplicit().chunkWeights;
                QCOMPARE(std::ssize(weights), ranks * setting.chunks);
                for (std::int32_t place = 0; place < ranks; ++place) {
                    for (std::int32_t piece = 0; piece < setting.chunks; ++piece)
                        QCOMPARE(weights[at(place * setting.chunks + piece)], shares[at(planned.value().layout.rankAt(place))]);
                }
            }
        }
    }

    void whatHasNoUnequalPartsIsRefused()
    {
        const auto refusal = [](const std::string& more, CollectiveOp op) {
            const Design design = designOf(kPair, more);
            const WorkloadPtr plain = workloadOf(SharedCollective{ShareCollective::AllGather, 1e6, {3, 1}}, ShareForm::Exact, 2);
            auto graph = std::make_shared<RankGraph>(*plain->graphs.front());
            graph->op.front() = op;
            auto workload = std::make_shared<Workload>(*plain);
            workload->graphs = {graph};
            const auto time = finishOf(design, workload);
            return time ? std::string("none") : time.error().text();
        };
        QVERIFY(refusal("", CollectiveOp::AllReduce).find("all_reduce has no parts of different size") != std::string::npos);
        const std::string tree = refusal("collectives: {default: {algorithm: double_binary_tree}}\n", CollectiveOp::AllGather);
        QVERIFY2(tree.find("double_binary_tree cannot carry unequal parts (expected ring, direct or halving_doubling)") != std::string::npos, tree.c_str());
        const std::string window = refusal("collectives: {default: {algorithm: direct, window: 1}}\n", CollectiveOp::AllGather);
        QVERIFY2(window.find("window") != std::string::npos, window.c_str());
        QCOMPARE(refusal("", CollectiveOp::AllGather), std::string("none"));
    }

    /// By hand: y1 = x w1 split by columns 3 : 1, its parts moved to samples 8 : 2, the softmax of those.
    void aProgramTakesWhatItTakesByHand()
    {
        PlaceFile file = placeFile("  batch: 10\n  inputs: {x: [batch, 64]}\n  parameters: {w1: [64, 100000]}\n  ops:\n"
                                   "    - {name: y1, op: einsum, eq: \"bk,kn->bn\", in: [x, w1], flops: 12e8}\n"
                                   "    - {name: y2, op: softmax, in: [y1], dim: 1, flops: 6e7}\n"
                                   "    - {name: loss, op: reduce, in: [y2], dims: [0, 1], kind: sum, flops: 0}\n"
                                   "  fixed: {w1: {gather: 1}}\n  ratios: [0.75, 0.25]\n  count_backward: false\n"
                                   "  cluster:\n    devices: [{speed: 3 TFLOP/s}, {speed: 1 TFLOP/s}]\n    platform: {dimensions: ["
            + std::string(kPair) + "]}\n");
        const Simulated run = simulated(file);
        // Estimate: 300 us each, 1.5 x 4 MB padded over 2 x 2 parts and 1 us, three quarters of the softmax on the fast device or one on the slow one.
        QCOMPARE(run.program.costNs, std::int64_t{300'000 + 151'000 + 15'000});
        // Simulated: a quarter of three quarters of 4 MB moves each way; 8 of 10 samples on the fast device.
        QCOMPARE(run.program.ns, std::int64_t{300'000 + 76'000 + 16'000});
        std::vector<std::int64_t> rows;
        for (const TimeDifference& row : run.program.difference)
            rows.push_back(row.ns);
        QCOMPARE(rows, (std::vector<std::int64_t>{1'000, -75'000, 0, 0}));
    }

    void differencesAddUpAndFormsAreTheFastest()
    {
        std::mt19937_64 random(seeded(12));
        for (int n = 0; n < cases(20); ++n) {
            const auto batch = 8 + random() % 300;
            const auto wide = 100 + random() % 3000;
            const auto slow = 1 + random() % 3;
            PlaceFile file = placeFile("  batch: " + std::to_string(batch) + "\n  inputs: {x: [batch, 64]}\n  parameters: {w1: [64, " + std::to_string(wide) + "], w2: [" + std::to_string(wide) + ", 64]}\n  ops:\n"
                "    - {name: y1, op: einsum, eq: \"bk,kn->bn\", in: [x, w1]}\n    - {name: a1, op: gelu, in: [y1]}\n    - {name: y2, op: einsum, eq: \"bk,kn->bn\", in: [a1, w2]}\n"
                "    - {name: loss, op: reduce, in: [y2], dims: [0, 1], kind: sum}\n  rules: {row_parallel: " + (random() % 2 ? "true" : "false") + "}\n"
                "  cluster:\n    devices: [{speed: 900 GFLOP/s}, {speed: " + std::to_string(100 + random() % 500) + " GFLOP/s, count: " + std::to_string(slow) + "}]\n"
                "    platform: {dimensions: [{shape: switch, size: " + std::to_string(slow + 1) + ", bandwidth: " + std::to_string(1 + random() % 40) + " GB/s, latency: 2 us}]}\n");
            const Simulated run = simulated(file);
            std::int64_t sum = run.program.costNs;
            for (const TimeDifference& row : run.program.difference)
                sum += row.ns;
            QCOMPARE(sum, run.program.ns);
            QVERIFY(std::abs(static_cast<double>(run.program.costNs) - run.placement.cost * 1e9) <= 0.5);
            const ClusterSimulation simulation = ClusterSimulation::create(*file.platform, "p.yaml", file.problem.cluster, {}).value();
            for (const auto& [what, chosen] : run.program.forms) {
                QCOMPARE(chosen.alone.size(), what.forms().size());
                for (const auto& [form, time] : chosen.alone)
                    QVERIFY(chosen.time() <= time);
            }
        }
    }

    /// The first member of a group as listed is the root, also where another rank is lower: its message has to be there before it sends one on.
    void broadcastsStartAtTheFirstMemberListed()
    {
        for (const char* platform : {kPair, "{shape: switch, size: 2, bandwidth: 10 GB/s, latency: 500 ns}"}) {
            auto loaded = readDesignText(std::string("fabricscope: 1\nplatform: {dimensions: [") + platform + "]}\nworkload:\n  groups: [{name: a, lists: [[0, 1]]}, {name: b, lists: [[1, 0]]}]\n"
                                             "  steps: [{collective: broadcast, size: 750 kB, group: a}, {collective: broadcast, size: 250 kB, group: b}]\n", "d.yaml");
            const auto scenario = prepare(loaded.value().design);
            QVERIFY2(bool(scenario), scenario ? "" : scenario.error().text().c_str());
            QCOMPARE(simulate(*scenario.value()).value().finish.ps, std::int64_t{100'000'000 + 2 * 1'000'000});
        }
    }

    void aSkewedGatherOfManyBytesIsGroupedAndASmallOneIsNot()
    {
        const Design design = designOf("{shape: switch, size: 4, bandwidth: 10 GB/s, latency: 1 us}");
        const auto fastest = [&](double bytes) {
            const SharedCollective what{ShareCollective::AllGather, bytes, {97, 1, 1, 1}};
            ShareForm best = ShareForm::Padded;
            for (const ShareForm form : what.forms())
                best = psOf(design, what, form) < psOf(design, what, best) ? form : best;
            return best;
        };
        // The one large part goes to three others: padded it is sent 3 times by everyone, in a chain of pieces little more than once.
        QCOMPARE(fastest(1e9), ShareForm::Grouped);
        QVERIFY(fastest(1e3) != ShareForm::Grouped);
    }
};

FABRICSCOPE_TEST(PlacedSimulationTest)
#include "tst_placed_simulation.moc"
