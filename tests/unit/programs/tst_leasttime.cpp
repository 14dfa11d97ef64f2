#include "core/choose/choose.h"
#include "core/choose/leasttime.h"
#include "core/choose/tuner.h"
#include "core/generate/generate.h"
#include "core/program/operationbytes.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QTest>

#include <cmath>

using namespace fabricscope;

namespace {

Design designOf(const std::string& topology, const std::string& bandwidths, const std::string& workload, const std::string& collectives)
{
    auto loaded = readDesignText("fabricscope: 1\nplatform: {topology: \"" + topology + "\", bandwidth: [" + bandwidths + "], latency: " + (bandwidths.find(',') == std::string::npos ? "[250 ns]" : "[250 ns, 500 ns]")
                                     + "}\nworkload: {" + workload
                                     + "}\ncollectives: {default: " + collectives + "}\n",
                                 "design.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

CollectiveChoice choiceOf(const Design& design, const ChooseLimits& limits)
{
    SimulatingChooser chooser(1, {}, limits);
    const auto scenario = prepare(design, 1, {}, &chooser);
    if (!scenario)
        qFatal("%s", scenario.error().text().c_str());
    return scenario.value()->choices.at(0);
}

ChooseLimits allSimulated()
{
    ChooseLimits limits;
    limits.piecesWithoutBound = INT64_MAX;
    limits.transfersWithoutBound = INT64_MAX;
    return limits;
}

ChooseLimits allBounded()
{
    ChooseLimits limits;
    limits.piecesWithoutBound = 0;
    limits.transfersWithoutBound = 0;
    return limits;
}

} // namespace

class LeastTimeTest : public QObject {
    Q_OBJECT

private slots:
    /// Whatever is left out because of its bound is slower: all candidates simulated give the same choice, and every bound is below the time.
    void boundsChangeNoChoice()
    {
        std::mt19937_64 random(test::seeded(12));
        const auto pick = [&](std::int64_t from, std::int64_t to) { return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1)); };
        int leftOut = 0;
        for (int i = 0; i < test::cases(24); ++i) {
            const char* const shapes[] = {"Ring", "Switch", "FullyConnected"};
            std::string topology;
            const bool two = pick(0, 2) > 0;
            for (int d = 0; d < (two ? 2 : 1); ++d)
                topology += std::string(d > 0 ? "_" : "") + shapes[pick(0, 2)] + "(" + std::to_string(pick(0, 1) > 0 ? 1 << pick(1, 3) : pick(3, two ? 6 : 12)) + ")";
            const char* const ops[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"};
            const std::string size = std::to_string(pick(0, 1) > 0 ? pick(1, 5000) : pick(100'000, 8'000'000));
            const Design design = designOf(topology, std::to_string(pick(20, 200)) + " GB/s" + (two ? ", " + std::to_string(pick(20, 200)) + " GB/s" : ""),
                                           std::string("collective: ") + ops[pick(0, 3)] + ", size: " + size + " B",
                                           "{algorithm: auto, chunks: " + std::to_string(pick(1, 3)) + "}");
            const CollectiveChoice expected = choiceOf(design, allSimulated());
            const CollectiveChoice found = choiceOf(design, allBounded());
            const std::string text = topology + " " + size;
            QVERIFY2(found.chosen == expected.chosen, text.c_str());
            QVERIFY(found.candidates.front().timePs == expected.candidates.front().timePs);
            QVERIFY(found.candidates.size() == expected.candidates.size());
            for (const CandidateTime& each : found.candidates) {
                const auto other = std::find_if(expected.candidates.begin(), expected.candidates.end(), [&](const CandidateTime& entry) { return entry.name == each.name; });
                QVERIFY2(other != expected.candidates.end(), (text + each.name).c_str());
                if (each.reason.starts_with("slower than others")) {
                    ++leftOut;
                    QVERIFY2(other->timePs > expected.candidates.front().timePs, (text + each.name).c_str());
                } else {
                    QVERIFY2(each.timePs == other->timePs, (text + each.name).c_str());
                }
            }
        }
        if (test::cases(24) >= 24) // Of two, as under a sanitizer, none need be left out.
            QVERIFY(leftOut > test::cases(24));
    }

    /// A table shows the second too, and that of NCCL the fastest it has a name for: neither may be left out.
    void aTuneKeepsItsFirstTwoPlaces()
    {
        for (const char* const topology : {"Switch(16)", "Ring(8)", "Ring(4)_Ring(4)"}) {
            const std::string bandwidths = std::string(topology).find('_') == std::string::npos ? "100 GB/s" : "100 GB/s, 50 GB/s";
            for (const char* const size : {"1 KiB", "64 KiB", "1 MiB", "16 MiB"}) {
                const CollectiveChoice all = choiceOf(designOf(topology, bandwidths, std::string("collective: all_reduce, size: ") + size, "{algorithm: auto, chunks: 1}"), allSimulated());
                const Design design = designOf(topology, bandwidths, "collective: all_reduce, size: 1 MiB", "{chunks: 1}");
                const auto tuned = tuneSizes(design, {CollectiveOp::AllReduce, {all.bytes}, 1, {}});
                QVERIFY(tuned);
                const auto& found = tuned.value().front().candidates;
                for (std::size_t place = 0; place < 2; ++place) {
                    QCOMPARE(found[place].name, all.candidates[place].name);
                    QCOMPARE(found[place].timePs, all.candidates[place].timePs);
                }
                std::vector<std::int64_t> skipped;
                QVERIFY(tunerRows(tuned.value(), skipped) == tunerRows({all}, skipped));
            }
        }
    }

    /// One candidate at a time, so that bounds are never met early.
    void noRunBeatsItsBound()
    {
        for (const char* const topology : {"Ring(4)_Ring(8)", "Ring(8)_Ring(8)", "Switch(4)_Ring(4)", "FullyConnected(4)_Switch(8)"}) {
            for (const char* const op : {"all_reduce", "all_gather", "reduce_scatter"}) {
                int some = 0;
                for (const GeneratorInfo& info : generators()) {
                    const Design design = designOf(topology, "100 GB/s, 50 GB/s", std::string("collective: ") + op + ", size: 8 MiB",
                                                   "{algorithm: " + std::string(info.key) + ", chunks: 2}");
                    const auto scenario = prepare(design);
                    if (!scenario)
                        continue;
                    const Structure& structure = *scenario.value()->structure;
                    const CollectiveInstance& instance = structure.instances[0];
                    LeastTime least(Model::Links, structure.platform, *scenario.value()->params);
                    const std::int64_t time = simulate(*scenario.value()).value().finish.ps;
                    std::int64_t bound = 0;
                    if (instance.program->isTemplate()) {
                        bound = least.ofTemplate(*instance.program, structure.layouts[0], structure.placement, instance.bytes, INT64_MAX);
                    } else {
                        GenerateRequest request;
                        request.algorithm = info.key;
                        request.op = instance.op;
                        request.axes = structure.layouts[0].extents;
                        request.chunks = 2;
                        std::vector<NodeId> nodes;
                        for (std::int32_t position = 0; position < structure.layouts[0].size(); ++position)
                            nodes.push_back(structure.layouts[0].rankAt(position));
                        bound = least.ofGenerator(request, nodes, instance.bytes, INT64_MAX);
                    }
                    some += bound > 0 ? 1 : 0;
                    QVERIFY2(bound <= time, (std::string(topology) + op + std::string(info.key)).c_str());
                }
                QVERIFY(some >= 3);
            }
        }
    }

    /// The traffic of a program, counted send by send, is what its generator says without writing it.
    void trafficIsThatOfTheProgram()
    {
        int said = 0;
        for (const GeneratorInfo& info : generators()) {
            for (const CollectiveOp op : info.ops) {
                for (const std::vector<std::int32_t>& axes : {std::vector<std::int32_t>{8}, {7}, {4, 4}, {4, 8}, {3, 5}}) {
                    GenerateRequest request;
                    request.algorithm = info.key;
                    request.op = op;
                    request.axes = axes;
                    request.chunks = 2;
                    if (!checkGenerate(request))
                        continue;
                    std::map<std::pair<std::int32_t, std::int32_t>, double> flows;
                    TrafficSink sink;
                    sink.chain = [](std::span<const TrafficHop>) {};
                    sink.flow = [&](const TrafficHop& flow) {
                        flows[{flow.from, flow.to}] += flow.part;
                        return true;
                    };
                    if (!generatedTraffic(request, sink))
                        continue;
                    ++said;
                    const auto program = generateProgram(request);
                    QVERIFY(program && !program.value()->isTemplate());
                    const ExplicitBody& body = program.value()->asExplicit();
                    constexpr std::int64_t kWhole = 1 << 24;
                    const OperationBytes sizes(*program.value(), kWhole);
                    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
                        for (std::uint32_t at = body.rankBegin[static_cast<std::size_t>(rank)]; at < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++at) {
                            if (body.kind[at] == OpKind::Send)
                                flows[{rank, body.peer[at]}] -= static_cast<double>(sizes.of(at)) / kWhole;
                        }
                    }
                    for (const auto& [pair, part] : flows)
                        QVERIFY2(std::abs(part) < 1e-5, (std::string(info.key) + std::to_string(part)).c_str());
                }
            }
        }
        QVERIFY(said > 20);
    }

    /// A torus in which every NPU does the same is no larger than one NPU: what a design can name is tried.
    void aTorusOfAThousandTriesTheTwoWayRing()
    {
        const auto torus = [](const std::string& algorithm) {
            return designOf("Ring(32)_Ring(32)", "100 GB/s, 50 GB/s", "collective: all_reduce, size: 64 MiB", "{algorithm: " + algorithm + ", chunks: 4}");
        };
        const auto chosen = prepareChosen(torus("auto"));
        QVERIFY(chosen);
        const std::int64_t time = simulate(*chosen.value()).value().finish.ps;
        for (const char* const named : {"bidirectional_ring", "torus_bucket", "ring", "direct"})
            QVERIFY2(time <= simulate(*prepareChosen(torus(named)).value()).value().finish.ps, named);
    }
};

FABRICSCOPE_TEST(LeastTimeTest)
#include "tst_leasttime.moc"
