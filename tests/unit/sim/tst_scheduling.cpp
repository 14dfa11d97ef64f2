// Between dimensions and inside them: plans by hand, closed forms, the published fabrics, the section of the design.
#include "core/base/index.h"
#include "core/design/usualscheduling.h"
#include "core/program/phaserules.h"
#include "core/program/windowturns.h"
#include "core/scenario/chunkorders.h"
#include "core/scenario/lowering.h"
#include "core/scenario/minimax.h"
#include "core/sim/events/events.h"
#include "core/step/collectivereplay.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/oracles/bruteforce.h"
#include "tests/unit/support/cases/themisfabrics.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <numeric>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Two axes of four: 3/4 of what is held at 1 B/ps and at 1/2 B/ps.
const std::vector<AxisLoad> kTwoAxes{{4, 3, 0, 4}, {4, 6, 0, 4}};

PlatformSpec switches(const std::vector<std::pair<std::int32_t, double>>& sizesAndGBps)
{
    PlatformSpec platform;
    for (const auto& [size, rate] : sizesAndGBps)
        platform.dimensions.push_back({Shape::Switch, size, {rate, "GB/s", Measure::Bandwidth}, false, {500, "ns", Measure::Time}});
    return platform;
}

Design designOf(PlatformSpec platform, CollectiveOp op, double bytes, std::int32_t chunks, DimensionScheduler scheduler)
{
    Design design = themisDesign(platform, scheduler);
    design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{op, {bytes, "B", Measure::Size}});
    design.collectives.defaults.chunks = chunks;
    design.collectives.defaults.algorithms = {{false, Algorithm::Direct, 0}};
    return design;
}

std::string firstError(const std::string& text)
{
    const auto read = readDesignText(text, "d.yaml");
    return read ? std::string() : read.error().text();
}

const std::string kStart = "fabricscope: 1\nplatform: {dimensions: [{shape: switch, size: 4, bandwidth: 100 GB/s, latency: 500 ns}]}\n"
                           "workload: {collective: all_reduce, size: 1 MiB}\n";

} // namespace

class SchedulingTest : public QObject {
    Q_OBJECT

private slots:
    void themisLevelsTheLoads()
    {
        // By hand, chunks of 1600: up the axes a chunk adds (1200, 600), the other way (300, 2400). Loads after each chunk:
        // (1200, 600) (1500, 3000) (2700, 3600) (3900, 4200) (5100, 4800) (5400, 7200); equal at first, so the default.
        const auto planned = orderChunks(DimensionScheduler::Themis, kTwoAxes, 1600, 6);
        QVERIFY(planned);
        const ChunkOrders& orders = planned.value();
        QCOMPARE(orders.orders, (std::vector<std::vector<std::int32_t>>{{0, 1}, {1, 0}}));
        QCOMPARE(orders.orderOfChunk, (std::vector<std::uint16_t>{0, 1, 0, 0, 0, 1}));
        QVERIFY(orders.weights.empty());
    }

    void themisKeepsTheDefaultWhileLoadsHardlyDiffer()
    {
        // Latency makes axis 1 the less loaded one, by less than 1200 / 16 of the chunk there: the default stays.
        std::vector<AxisLoad> axes{{4, 3, 74, 4}, {4, 3, 0, 4}};
        QCOMPARE(orderChunks(DimensionScheduler::Themis, axes, 1600, 1).value().orders[0], (std::vector<std::int32_t>{0, 1}));
        axes[0].latency = 75; // as much as the threshold
        const auto planned = orderChunks(DimensionScheduler::Themis, axes, 1600, 1);
        QCOMPARE(planned.value().orders[planned.value().orderOfChunk[0]], (std::vector<std::int32_t>{1, 0}));
    }

    void exactSplitMakesTheBusiestDimensionLeastBusy()
    {
        // f of the data up: 1200 f + 300 (1 - f) = 600 f + 2400 (1 - f), so f = 7/9.
        const std::vector<double> weights = minimaxWeights({{1200, 600}, {300, 2400}});
        QVERIFY(std::abs(weights[0] - 7.0 / 9) < 1e-12);
        const auto planned = orderChunks(DimensionScheduler::Exact, kTwoAxes, 1600, 16);
        QVERIFY(planned);
        const ChunkOrders& orders = planned.value();
        double up = 0;
        double all = 0;
        for (std::size_t chunk = 0; chunk < 16; ++chunk) {
            all += static_cast<double>(orders.weights[chunk]);
            if (orders.orders[orders.orderOfChunk[chunk]] == std::vector<std::int32_t>{0, 1})
                up += static_cast<double>(orders.weights[chunk]);
        }
        QVERIFY(std::abs(up / all - 7.0 / 9) < 1e-8);
    }

    void exactSplitIsOptimal()
    {
        // Upper bound: the weights found. Lower bound: any mixture of the columns; fictitious play finds one close to the best.
        std::mt19937_64 dice(seeded(5));
        for (int round = 0; round < cases(100); ++round) {
            const std::size_t rows = 1 + dice() % 24;
            const std::size_t columns = 1 + dice() % 4;
            std::vector<std::vector<double>> loads(rows, std::vector<double>(columns));
            for (auto& row : loads)
                for (double& load : row)
                    load = 1.0 + static_cast<double>(dice() % 1000);
            const std::vector<double> weights = minimaxWeights(loads);
            QVERIFY(std::abs(std::accumulate(weights.begin(), weights.end(), 0.0) - 1) < 1e-9);
            std::vector<double> sums(columns, 0.0);
            std::size_t used = 0;
            for (std::size_t o = 0; o < rows; ++o) {
                QVERIFY(weights[o] >= 0);
                used += weights[o] > 0 ? 1 : 0;
                for (std::size_t d = 0; d < columns; ++d)
                    sums[d] += weights[o] * loads[o][d];
            }
            QVERIFY(used <= columns);
            const double found = *std::max_element(sums.begin(), sums.end());
            std::vector<double> columnSum(columns, 0.0);
            std::vector<double> rowSum(rows, 0.0);
            double lower = 0;
            for (int step = 1; step <= 20000; ++step) {
                const auto column = static_cast<std::size_t>(std::max_element(columnSum.begin(), columnSum.end()) - columnSum.begin());
                for (std::size_t o = 0; o < rows; ++o)
                    rowSum[o] += loads[o][column];
                const auto row = static_cast<std::size_t>(std::min_element(rowSum.begin(), rowSum.end()) - rowSum.begin());
                lower = std::max(lower, rowSum[row] / step);
                for (std::size_t d = 0; d < columns; ++d)
                    columnSum[d] += loads[row][d];
            }
            QVERIFY2(found <= lower * 1.03 && found >= lower * (1 - 1e-9), qPrintable(QString("%1 against at least %2").arg(found).arg(lower)));
        }
    }

    void exactRefusesManyDimensions()
    {
        const std::vector<AxisLoad> axes(7, AxisLoad{4, 3, 0, 4});
        const auto planned = orderChunks(DimensionScheduler::Exact, axes, 1600, 6);
        QVERIFY(!planned);
        QVERIFY(planned.error().text().find("too many") != std::string::npos);
    }

    void loadsFollowTheBusiestLink()
    {
        PlatformSpec spec;
        for (const Shape shape : {Shape::Ring, Shape::FullyConnected, Shape::Switch})
            spec.dimensions.push_back({shape, 8, {100, "GB/s", Measure::Bandwidth}, false, {500, "ns", Measure::Time}});
        const Platform platform = Platform::create(spec).value();
        const auto load = [&](Algorithm algorithm, std::int32_t dimension) {
            return axisLoad({PhaseKind::ReduceScatter, algorithm, 0, 0, false}, 8, platform, dimension);
        };
        const std::int64_t mib = 1 << 20; // 8 MiB held, blocks of 1 MiB; 10 ps a byte
        QCOMPARE(load(Algorithm::Ring, 0).ps, 70 * mib);
        QCOMPARE(load(Algorithm::Ring, 0).latency, std::int64_t{7 * 500'000});
        QCOMPARE(load(Algorithm::Ring, 1).ps, 70 * mib); // one of the private links
        QCOMPARE(load(Algorithm::Direct, 1).ps, 10 * mib);
        QCOMPARE(load(Algorithm::Direct, 1).latency, std::int64_t{500'000});
        QCOMPARE(load(Algorithm::Direct, 2).ps, 70 * mib);
        QCOMPARE(load(Algorithm::HalvingDoubling, 2).ps, 70 * mib);
        QCOMPARE(load(Algorithm::HalvingDoubling, 2).latency, std::int64_t{3 * 2 * 500'000});
        // To 1, 2, 4 positions away: 4 + 2 * 2 + 1 * 4 MiB cross the busiest link.
        QCOMPARE(load(Algorithm::HalvingDoubling, 0).ps, 120 * mib);
        // Direct on a ring: distances 1, 2, 3, 4 forward.
        QCOMPARE(load(Algorithm::Direct, 0).ps, 100 * mib);
    }

    void localBandwidthTakesTheFastDimensionFirst()
    {
        // One chunk, direct on switches, no reducer: every phase takes 2 L and n-1/n of what is held.
        const double bytes = 1 << 22;
        const auto phases = [&](double held, double n, double perByte) { return 1e6 + held * (n - 1) / n * perByte; };
        const PlatformSpec platform = switches({{4, 50}, {8, 200}});
        const auto finish = [&](DimensionScheduler scheduler) {
            return static_cast<double>(runDesign(designOf(platform, CollectiveOp::AllReduce, bytes, 1, scheduler)).finish.ps);
        };
        QCOMPARE(finish(DimensionScheduler::Baseline), 2 * (phases(bytes, 4, 20) + phases(bytes / 4, 8, 5)));
        QCOMPARE(finish(DimensionScheduler::LocalBandwidth), 2 * (phases(bytes, 8, 5) + phases(bytes / 8, 4, 20)));
    }

    void onlyOneOrderOfEqualChunksIsThePlainProgram()
    {
        const PlatformSpec platform = switches({{4, 200}, {8, 150}});
        const auto program = [&](DimensionScheduler scheduler) {
            return prepare(designOf(platform, CollectiveOp::AllReduce, 1 << 20, 4, scheduler)).value()->structure->instances[0].program;
        };
        // The fast dimension is first already.
        QCOMPARE(program(DimensionScheduler::LocalBandwidth)->digest().hex(), program(DimensionScheduler::Baseline)->digest().hex());
        QVERIFY(!program(DimensionScheduler::Themis)->asTemplate().orderOfChunk.empty());
        // An absent section and the baseline are the same.
        Design absent = designOf(platform, CollectiveOp::AllReduce, 1 << 20, 4, DimensionScheduler::Baseline);
        const RunRecord with = runDesign(absent, EngineChoice::Events);
        absent.scheduling = nullptr;
        QCOMPARE(runDesign(absent, EngineChoice::Events).fingerprint.hex(), with.fingerprint.hex());
    }

    void everyOperationGoesThroughItsOrders()
    {
        // Bytes on every dimension are those of the plan, and the time is no less than they take.
        const PlatformSpec platform = switches({{4, 100}, {4, 50}, {2, 25}});
        for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::ReduceScatter, CollectiveOp::AllGather, CollectiveOp::AllToAll}) {
            for (const auto& [name, scheduler] : kDimensionSchedulers) {
                const Design design = designOf(platform, op, 3 << 20, 16, scheduler);
                const auto scenario = prepare(design).value();
                const Program& program = *scenario->structure->instances[0].program;
                const TemplateBody& body = program.asTemplate();
                const auto sizes = chunkSizes(program, 3 << 20);
                QCOMPARE(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), std::int64_t{3 << 20});
                std::vector<std::int64_t> expected(3, 0);
                const std::vector<std::int32_t> sizesOfAxes{4, 4, 2};
                for (std::int32_t chunk = 0; chunk < 16; ++chunk) {
                    const auto& phases = body.phasesOf(chunk);
                    QCOMPARE(phases.size(), std::size_t{op == CollectiveOp::AllReduce ? 6u : 3u});
                    for (std::int32_t rank = 0; rank < 32; ++rank) {
                        const std::vector<std::int32_t> coordinates{rank % 4, rank / 4 % 4, rank / 16};
                        for (std::size_t p = 0; p < phases.size(); ++p) {
                            const auto axis = static_cast<std::size_t>(phases[p].axis);
                            const PhaseRules rules(phases[p], sizesOfAxes[axis]);
                            const std::int64_t held = heldBytes(body.axes, phases, p, sizes[at(chunk)], coordinates);
                            for (std::int32_t i = 0; i < rules.sendCount(coordinates[axis]); ++i)
                                expected[axis] += 2 * rules.send(coordinates[axis], i, held).bytes; // up and down
                        }
                    }
                }
                for (const EngineChoice engine : {EngineChoice::Auto, EngineChoice::Events}) {
                    const RunRecord record = runDesign(design, engine);
                    for (std::size_t d = 0; d < 3; ++d) {
                        QCOMPARE(record.dimensions[d].bytes, expected[d]);
                        QVERIFY(record.dimensions[d].peakLinkPs <= record.finish.ps);
                    }
                }
            }
        }
    }

    void stepperSaysThatItShowsNoParts()
    {
        const auto scenario = prepare(designOf(switches({{4, 100}, {4, 50}}), CollectiveOp::AllReduce, 1 << 20, 8, DimensionScheduler::Exact)).value();
        const auto replay = CollectiveReplay::create(scenario, 0);
        QVERIFY(replay);
        std::int64_t bytes = 0;
        for (std::int32_t chunk = 0; chunk < replay.value()->chunks(); ++chunk)
            bytes += replay.value()->chunkBytes(chunk);
        QCOMPARE(bytes, std::int64_t{1 << 20});
        QCOMPARE(replay.value()->parts(), 0);
    }

    void publishedFabrics()
    {
        if (cases(10) < 10)
            return; // Minutes under a sanitizer; there tst_scheduling_oracle runs the same code on small fabrics.
        double sum = 0;
        double sumOfTimes = 0;
        int count = 0;
        for (const ThemisFabric& fabric : themisFabrics()) {
            const RunRecord baseline = runDesign(themisDesign(fabric.platform, DimensionScheduler::Baseline));
            const double before = utilisation(fabric.platform, baseline);
            for (const auto& [name, scheduler] : kDimensionSchedulers) {
                for (const auto& [word, inside] : kInsideSchedulers) {
                    const bool known = scheduler == DimensionScheduler::Baseline && inside == usualInside(scheduler);
                    const RunRecord record = known ? baseline : runDesign(themisDesign(fabric.platform, scheduler, inside));
                    const double now = utilisation(fabric.platform, record);
                    qInfo("%-16s %-9s %-15s %8.3f ms, %5.1f %%, utilisation x %.2f, time / %.2f", fabric.name.c_str(), std::string(name).c_str(), std::string(word).c_str(),
                          static_cast<double>(record.finish.ps) * 1e-9, 100 * now, now / before, static_cast<double>(baseline.finish.ps) / static_cast<double>(record.finish.ps));
                    QVERIFY(now <= 1);
                    if (scheduler != DimensionScheduler::Themis || inside != usualInside(scheduler)) // As published: the smallest chunk first.
                        continue;
                    QVERIFY2(record.finish <= baseline.finish, fabric.name.c_str());
                    sum += now / before;
                    sumOfTimes += static_cast<double>(baseline.finish.ps) / static_cast<double>(record.finish.ps);
                    ++count;
                }
            }
        }
        qInfo("Themis on average: utilisation x %.3f, time / %.3f", sum / count, sumOfTimes / count);
        QVERIFY(sum / count >= 1.3);
    }

    void smallestFirstLetsSmallMessagesPass()
    {
        // One pair of ranks, three messages of one instant over one link of 1 B/ns: fifo by send order, else by size.
        const std::string steps = "fabricscope: 1\nplatform: {dimensions: [{shape: fully_connected, size: 2, bandwidth: 1 GB/s, latency: 10 ns}]}\n"
                                  "workload:\n  steps:\n"
                                  "    - {send: 3000 B, to: +1, ranks: \"0\", after: [], tag: 1}\n    - {send: 1000 B, to: +1, ranks: \"0\", after: [], tag: 2}\n"
                                  "    - {send: 2000 B, to: +1, ranks: \"0\", after: [], tag: 3}\n"
                                  "    - {receive: 3000 B, from: -1, ranks: \"1\", after: [], tag: 1}\n    - {receive: 1000 B, from: -1, ranks: \"1\", after: [], tag: 2}\n"
                                  "    - {receive: 2000 B, from: -1, ranks: \"1\", after: [], tag: 3}\n";
        const auto ends = [&](const std::string& section) {
            auto read = readDesignText(steps + section, "d.yaml");
            if (!read)
                qFatal("%s", read.error().text().c_str());
            const RunRecord record = runDesign(read.value().design);
            for (const RankClass& row : record.classes)
                if (row.ranks.contains(1))
                    return row.tasks->endPs;
            return std::vector<std::int64_t>{};
        };
        const auto ns = [](std::initializer_list<std::int64_t> list) {
            std::vector<std::int64_t> ps;
            for (const std::int64_t each : list)
                ps.push_back(each * 1000);
            return ps;
        };
        QCOMPARE(ends(""), ns({3010, 4010, 6010}));
        QCOMPARE(ends("scheduling: {inside: fifo}\n"), ns({3010, 4010, 6010}));
        QCOMPARE(ends("scheduling: {inside: smallest_first}\n"), ns({6010, 1010, 3010}));
    }

    void sectionIsReadAndWritten()
    {
        const std::string section = "scheduling: {dimensions: themis, inside: smallest_first, order: lifo, units: {compute: 2, communication: 4}, streams: 3}\n";
        const auto read = readDesignText(kStart + section, "d.yaml");
        QVERIFY(read);
        const SchedulingConfig& config = *read.value().design.scheduling;
        QVERIFY(config.dimensions == DimensionScheduler::Themis);
        QVERIFY(config.inside == InsideScheduler::SmallestFirst);
        QVERIFY(config.order == TaskOrder::Lifo);
        QCOMPARE(config.computeUnits, 2);
        QCOMPARE(config.communicationUnits, 4);
        QCOMPARE(config.streams, 3);
        const auto again = readDesignText(writeDesign(read.value().design), "d.yaml");
        QVERIFY(again);
        QVERIFY(*again.value().design.scheduling == config);
        QCOMPARE(designHash(again.value().design).hex(), designHash(read.value().design).hex());
        std::set<std::string> hashes{designHash(readDesignText(kStart, "d.yaml").value().design).hex()};
        for (const char* one : {"dimensions: themis", "dimensions: exact", "dimensions: local_bw", "inside: smallest_first", "order: fifo", "order: lifo", "order: explicit",
                                "units: {compute: 2}", "units: {communication: 1}", "streams: 2"}) {
            const auto each = readDesignText(kStart + "scheduling: {" + one + "}\n", "d.yaml");
            QVERIFY2(each, one);
            hashes.insert(designHash(each.value().design).hex());
        }
        QCOMPARE(hashes.size(), std::size_t{11});
        // Saying the defaults changes nothing.
        const auto defaults = readDesignText(kStart + "scheduling: {dimensions: baseline, inside: fifo, order: standard, units: {compute: 1}, streams: 1}\n", "d.yaml");
        QVERIFY(hashes.contains(designHash(defaults.value().design).hex()));
    }

    void mistakesAreNamedWithTheirLine()
    {
        const auto has = [](const std::string& text, std::initializer_list<const char*> parts) {
            return std::all_of(parts.begin(), parts.end(), [&](const char* part) { return text.find(part) != std::string::npos; });
        };
        QVERIFY(has(firstError(kStart + "scheduling: {dimensions: themes}\n"), {"d.yaml:4", "scheduling.dimensions", "themis"}));
        QVERIFY(has(firstError(kStart + "scheduling: {inside: lifo}\n"), {"d.yaml:4", "scheduling.inside", "smallest_first"}));
        QVERIFY(has(firstError(kStart + "scheduling: {order: 3}\n"), {"d.yaml:4", "scheduling.order", "explicit"}));
        QVERIFY(has(firstError(kStart + "scheduling: {units: {compute: 0}}\n"), {"d.yaml:4", "scheduling.units.compute"}));
        QVERIFY(has(firstError(kStart + "scheduling: {units: {communication: -1}}\n"), {"d.yaml:4", "scheduling.units.communication"}));
        QVERIFY(has(firstError(kStart + "scheduling: {streams: 0}\n"), {"d.yaml:4", "scheduling.streams"}));
        QVERIFY(has(firstError(kStart + "scheduling: {stream: 2}\n"), {"d.yaml:4", "stream"}));
    }

    void whatIsNotUsedIsSaid()
    {
        const auto rules = [](const std::string& text) {
            const auto read = readDesignText(text, "d.yaml");
            if (!read)
                qFatal("%s", read.error().text().c_str());
            const auto scenario = prepare(read.value().design);
            if (!scenario)
                qFatal("%s", scenario.error().text().c_str());
            std::set<std::string> found;
            for (const Diagnostic& entry : scenario.value()->diagnostics)
                found.insert(entry.rule);
            for (const Diagnostic& entry : validate(read.value().design))
                found.insert(entry.rule);
            return found;
        };
        QVERIFY(rules(kStart + "scheduling: {dimensions: themis}\nmodel: {name: astra-unaware}\n").contains("scheduling-unused"));
        QVERIFY(rules(kStart + "scheduling: {inside: smallest_first}\nmodel: {name: ideal}\n").contains("scheduling-unused"));
        QVERIFY(rules(kStart + "scheduling: {dimensions: themis}\n").contains("scheduling-unused")); // one dimension only
        QVERIFY(!rules(kStart + "scheduling: {inside: smallest_first}\n").contains("scheduling-unused"));
    }

    /// Every window of chunks that go in orders and sizes of their own ends, and is what the oracle says.
    void windowsWorkWithOrdersOfTheirOwn()
    {
        const PlatformSpec platform = switches({{4, 300}, {3, 100}});
        for (const DimensionScheduler scheduler : {DimensionScheduler::Themis, DimensionScheduler::Exact}) {
            for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::ReduceScatter, CollectiveOp::AllGather}) {
                for (const std::int32_t window : {1, 2, 5, 8}) {
                    Design design = designOf(platform, op, 500'000, 8, scheduler);
                    design.collectives.defaults.window = window;
                    QVERIFY(validate(design).empty());
                    const auto scenario = prepare(design).value();
                    QCOMPARE(windowTurns(*scenario->structure->instances[0].program).empty(), window >= 8);
                    RunOptions options;
                    options.messageDigest = true;
                    const RunRecord record = simulateEvents(*scenario, options, {}).value();
                    const OracleResult oracle = bruteForce(*scenario);
                    QVERIFY(record.complete && oracle.complete);
                    QCOMPARE(record.finish.ps, oracle.finishPs);
                    QVERIFY(record.messages.value() == oracle.digest.value());
                    QVERIFY(simulate(*scenario).value().fingerprint == record.fingerprint); // One rank for all.
                    if (window == 8) {
                        design.collectives.defaults.window = 0;
                        QVERIFY(runDesign(design, EngineChoice::Events).fingerprint == record.fingerprint);
                    }
                }
            }
        }
    }

    /// Two rows of two with one chunk each way: A first and B first. Phases of 4/4 and 2/4 of an axis; each axis begins with the chunk that
    /// starts there, then takes the other one; the gathers go back the same way.
    void turnsAreThoseOfOneAfterTheOther()
    {
        Program program;
        program.ranks = 4;
        program.chunks = 2;
        program.window = 1;
        TemplateBody body;
        body.axes = {2, 2};
        const auto phase = [](PhaseKind kind, std::int32_t axis) { return PhaseTemplate{kind, Algorithm::Ring, axis, 0, false}; };
        constexpr PhaseKind kCut = PhaseKind::ReduceScatter;
        constexpr PhaseKind kGather = PhaseKind::AllGather;
        body.phases = {phase(kCut, 0), phase(kCut, 1), phase(kGather, 1), phase(kGather, 0)};
        body.orders = {{phase(kCut, 1), phase(kCut, 0), phase(kGather, 0), phase(kGather, 1)}};
        body.orderOfChunk = {0, 1};
        program.body = body;
        using Turns = std::vector<WindowTurn>;
        QCOMPARE(windowTurns(program), (std::vector<Turns>{{{0, 0}, {1, 1}}, {{1, 2}, {0, 3}}, {{1, 0}, {0, 1}}, {{0, 2}, {1, 3}}}));
        program.window = 2; // Room for all.
        QVERIFY(windowTurns(program).empty());
    }

    void parametersNameWhatIsSet()
    {
        const auto read = readDesignText(kStart + "scheduling: {inside: smallest_first, units: {compute: 2}}\n", "d.yaml");
        const auto scenario = prepare(read.value().design).value();
        std::map<std::string, std::string> list;
        for (const Parameter& parameter : scenario->params->list)
            list[parameter.name] = parameter.value;
        QCOMPARE(list["order inside a dimension"], std::string("smallest_first"));
        QCOMPARE(list["compute units"], std::string("2"));
        QVERIFY(!list.contains("communication units"));
    }
};

FABRICSCOPE_TEST(SchedulingTest)
#include "tst_scheduling.moc"
