// What running engines show of themselves: partial records, progress, and the last part of a cancelled run.
#include "core/record/timelinesource.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases/randomcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace fabricscope;

namespace {

/// A design whose run takes long with many rounds: rounds of skewed compute and collectives of several groups on two dimensions.
Design longDesign(Model model, std::int32_t rounds, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto pick = [&random](std::int64_t low, std::int64_t high) { return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1)); };
    PlatformSpec spec;
    spec.dimensions = {{Shape::FullyConnected, 8, {50, "GB/s", Measure::Bandwidth}, false, {700, "ns", Measure::Time}},
                       {Shape::Ring, 8, {25, "GB/s", Measure::Bandwidth}, false, {1, "us", Measure::Time}}};
    spec.npu.memoryBandwidth = Quantity{1600, "GB/s", Measure::Bandwidth};
    StepsWorkload work;
    GroupSpec inner;
    inner.name = "inner";
    inner.dimensions = {0};
    GroupSpec outer;
    outer.name = "outer";
    outer.dimensions = {1};
    work.groups = {inner, outer};
    Step repeat;
    repeat.kind = Step::Kind::Repeat;
    repeat.times = rounds;
    for (std::int32_t rank = 0; rank < 64; rank += 16) {
        Step compute;
        compute.name = "compute" + std::to_string(rank);
        compute.ranks = RankSet::range(rank, 16);
        compute.duration = Quantity{static_cast<double>(pick(1, 300)), "us", Measure::Time};
        repeat.steps.push_back(compute);
    }
    for (const char* group : {"inner", "outer", ""}) {
        Step collective;
        collective.kind = Step::Kind::Collective;
        collective.name = std::string("reduce") + group;
        collective.op = CollectiveOp::AllReduce;
        collective.group = group;
        collective.bytes = Quantity{static_cast<double>(pick(1, 8)), "MiB", Measure::Size};
        repeat.steps.push_back(collective);
    }
    work.steps = {repeat};
    Design design;
    design.platform = std::make_shared<const PlatformSpec>(spec);
    design.workload = std::make_shared<const WorkloadSpec>(work);
    design.model.model = model;
    return design;
}

ScenarioPtr scenarioOf(const Design& design)
{
    auto prepared = prepare(design);
    if (!prepared)
        qFatal("%s", prepared.error().message.c_str());
    return prepared.value();
}

const RankClass& classOf(const RunRecord& record, std::int32_t rank)
{
    return *std::find_if(record.classes.begin(), record.classes.end(), [rank](const RankClass& entry) { return entry.ranks.contains(rank); });
}

RunOptions eventsOnly()
{
    RunOptions options;
    options.engine = EngineChoice::Events;
    return options;
}

} // namespace

class PartialRunsTest : public QObject {
    Q_OBJECT

private slots:
    void aLongRunShowsConsistentParts_data() { models(); }

    void aLongRunShowsConsistentParts()
    {
        QFETCH(int, model);
        QFETCH(int, rounds);
        std::vector<RunRecord> parts;
        std::vector<Progress> told;
        RunOptions options = eventsOnly();
        options.partial = [&](RunRecord part) { parts.push_back(std::move(part)); };
        options.progress = [&](const Progress& progress) { told.push_back(progress); };
        ScenarioPtr scenario;
        Result<RunRecord> full = Error{};
        // How long a run takes depends on the machine: more work until it shows itself twice.
        for (int attempt = 0; attempt < 12 && (parts.size() < 2 || told.size() < 2); ++attempt, rounds *= 2) {
            parts.clear();
            told.clear();
            scenario = scenarioOf(longDesign(static_cast<Model>(model), rounds, 7));
            full = simulate(*scenario, options);
            QVERIFY(full);
        }
        QVERIFY(full.value().complete && !full.value().cutAt);
        QVERIFY2(parts.size() >= 2, "the run was too short to show parts");

        SimTime before;
        std::vector<std::int64_t> busyBefore(full.value().dimensions.size(), 0);
        for (const RunRecord& part : parts) {
            QVERIFY(part.cutAt && !part.complete);
            QVERIFY(*part.cutAt > before);
            QVERIFY(part.waits.empty());
            QCOMPARE(part.finish.ps, part.cutAt->ps);
            QVERIFY(part.finish <= full.value().finish);
            QVERIFY(part.model == full.value().model && part.version == full.value().version);
            before = *part.cutAt;
            for (std::int32_t rank = 0; rank < scenario->structure->workload->rankCount; ++rank) {
                const RankClass& now = classOf(part, rank);
                const RankClass& end = classOf(full.value(), rank);
                QVERIFY(now.tasks && end.tasks);
                for (std::size_t task = 0; task < end.tasks->endPs.size(); ++task) {
                    const std::int64_t issue = now.tasks->issuePs[task];
                    const std::int64_t ended = now.tasks->endPs[task];
                    if (issue >= 0)
                        QCOMPARE(issue, end.tasks->issuePs[task]);
                    else
                        QVERIFY(end.tasks->issuePs[task] >= before.ps);
                    if (ended >= 0)
                        QCOMPARE(ended, end.tasks->endPs[task]);
                    else
                        QVERIFY(end.tasks->endPs[task] >= before.ps);
                }
                QCOMPARE(now.times.finish.ps, now.times.finished ? end.times.finish.ps : before.ps);
                QVERIFY(now.times.comm <= end.times.comm);
                QVERIFY(now.times.compute <= end.times.compute);
            }
            for (std::size_t d = 0; d < busyBefore.size(); ++d) {
                QVERIFY(part.dimensions[d].busyPs >= busyBefore[d]);
                QVERIFY(part.dimensions[d].busyPs <= full.value().dimensions[d].busyPs);
                QCOMPARE(part.dimensions[d].busy.total(), part.dimensions[d].busyPs);
                QVERIFY(part.dimensions[d].peakLinkPs <= before.ps);
                busyBefore[d] = part.dimensions[d].busyPs;
            }
        }

        QVERIFY(told.size() >= 2);
        for (std::size_t i = 1; i < told.size(); ++i) {
            QVERIFY(told[i].share >= told[i - 1].share);
            QVERIFY(told[i].events > told[i - 1].events);
            QVERIFY(told[i].simulated >= told[i - 1].simulated);
        }
        QVERIFY(told.back().share > told.front().share);
        QVERIFY(told.back().share <= 1.0);
        QCOMPARE(simulate(*scenario, eventsOnly()).value().fingerprint.low, full.value().fingerprint.low);
    }

    void progressMovesInsideOneCollective_data()
    {
        QTest::addColumn<int>("model");
        QTest::addColumn<int>("chunks");
        QTest::newRow("links") << static_cast<int>(Model::Links) << 250;
        QTest::newRow("ideal") << static_cast<int>(Model::Ideal) << 400;
        QTest::newRow("astra-unaware") << static_cast<int>(Model::AstraUnaware) << 800;
        QTest::newRow("astra-aware") << static_cast<int>(Model::AstraAware) << 800;
    }

    void progressMovesInsideOneCollective()
    {
        QFETCH(int, model);
        QFETCH(int, chunks);
        Design design = longDesign(static_cast<Model>(model), 1, 3);
        std::vector<Progress> told;
        RunOptions options = eventsOnly();
        options.progress = [&](const Progress& progress) { told.push_back(progress); };
        Result<RunRecord> record = Error{};
        for (int attempt = 0; attempt < 8 && told.size() < 6; ++attempt, chunks *= 2) {
            told.clear();
            // A size no member divides evenly, so that the number of pieces is an estimate.
            design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllReduce, {1'000'003.0 * chunks, "B", Measure::Size}});
            design.collectives.defaults.chunks = chunks;
            record = simulate(*scenarioOf(design), options);
            QVERIFY(record);
        }
        QVERIFY2(told.size() >= 6, "the run was too short to tell its progress");
        for (std::size_t i = 0; i < told.size(); ++i) {
            QVERIFY(i == 0 || told[i].share > told[i - 1].share);
            // The work behind the share is spread over the events of the run.
            const double ofEvents = static_cast<double>(told[i].events) / static_cast<double>(record.value().events);
            QVERIFY2(std::abs(told[i].share - ofEvents) < 0.15, qPrintable(QString("%1 of %2").arg(told[i].share).arg(ofEvents)));
        }
    }

    void aCancelledRunHandsOutItsLastPart_data() { models(); }

    void aCancelledRunHandsOutItsLastPart()
    {
        QFETCH(int, model);
        QFETCH(int, rounds);
        ScenarioPtr scenario;
        std::stop_source stop;
        std::vector<RunRecord> parts;
        RunOptions options = eventsOnly();
        options.partial = [&](RunRecord part) { parts.push_back(std::move(part)); };
        options.progress = [&](const Progress&) { stop.request_stop(); };
        Result<RunRecord> record = RunRecord{};
        for (int attempt = 0; attempt < 12 && record; ++attempt, rounds *= 2) { // Until there is a word.
            stop = std::stop_source();
            parts.clear();
            scenario = scenarioOf(longDesign(static_cast<Model>(model), rounds, 11));
            record = simulate(*scenario, options, stop.get_token());
        }
        QVERIFY(!record);
        QVERIFY(record.error().code == ErrorCode::Cancelled);
        // Stopped at the first word about its progress, when a part is due only on a machine that stood still: what came is the last one.
        QVERIFY2(parts.size() == 1 || parts.size() == 2, std::to_string(parts.size()).c_str());
        const RunRecord& last = parts.back();
        QVERIFY(last.cutAt && last.cutAt->ps > 0);
        const auto full = simulate(*scenario, eventsOnly());
        for (std::int32_t rank = 0; rank < 64; ++rank) {
            const TaskTimes& now = *classOf(last, rank).tasks;
            const TaskTimes& end = *classOf(full.value(), rank).tasks;
            for (std::size_t task = 0; task < now.endPs.size(); ++task)
                QVERIFY(now.endPs[task] < 0 || now.endPs[task] == end.endPs[task]);
        }
    }

    void anUnfinishedTaskIsDrawnUpToTheCut()
    {
        // All ranks are in their only collective since 1200 ps.
        auto record = std::make_shared<RunRecord>();
        Design design = longDesign(Model::Links, 1, 1);
        design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllReduce, {1, "MiB", Measure::Size}});
        const ScenarioPtr scenario = scenarioOf(design);
        record->rankCount = 64;
        record->complete = false;
        record->cutAt = record->finish = SimTime{5000};
        RankClass running;
        running.ranks = RankSet::range(0, 64);
        running.times.finished = false;
        running.times.finish = SimTime{5000};
        running.tasks = std::make_shared<const TaskTimes>(TaskTimes{{1200}, {-1}});
        record->classes = {running};
        const auto source = TimelineSource::create(record, scenario->structure->workload);
        std::size_t track = 0;
        while (track < source->tracks().size() && source->tracks()[track].kind != TimelineTrack::Kind::Collective)
            ++track;
        QVERIFY(track < source->tracks().size());
        QCOMPARE(source->intervalCount(track), 1);
        QCOMPARE(source->interval(track, 0).beginPs, 1200);
        QCOMPARE(source->interval(track, 0).endPs, 5000);
    }

    void askingForPartsChangesNothing_data() { models(); }

    void askingForPartsChangesNothing()
    {
        QFETCH(int, model);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const ScenarioPtr scenario = scenarioOf(longDesign(static_cast<Model>(model), 20, seed));
            RunOptions asking = eventsOnly();
            asking.messageDigest = true;
            RunOptions plain = asking;
            asking.partial = [](const RunRecord&) {};
            asking.progress = [](const Progress&) {};
            const auto a = simulate(*scenario, asking);
            const auto b = simulate(*scenario, plain);
            QVERIFY(a && b);
            QVERIFY(a.value().fingerprint == b.value().fingerprint);
            QVERIFY(a.value().messages.value() == b.value().messages.value());
            QCOMPARE(a.value().events, b.value().events);
            for (std::size_t d = 0; d < a.value().dimensions.size(); ++d)
                QVERIFY(a.value().dimensions[d].busy.busyPs() == b.value().dimensions[d].busy.busyPs());
        }
    }

    void aStopIsNoticedWhilePreparing()
    {
        std::stop_source stop;
        stop.request_stop();
        Design design = longDesign(Model::Links, 2, 5);
        const auto scenario = prepare(design, 1, stop.get_token());
        QVERIFY(!scenario);
        QVERIFY(scenario.error().code == ErrorCode::Cancelled);
    }

    void aStopIsNoticedBeforeTheFirstEvent_data() { models(); }

    void aStopIsNoticedBeforeTheFirstEvent()
    {
        QFETCH(int, model);
        std::stop_source stop;
        stop.request_stop();
        const auto record = simulate(*scenarioOf(longDesign(static_cast<Model>(model), 1, 5)), eventsOnly(), stop.get_token());
        QVERIFY(!record);
        QVERIFY(record.error().code == ErrorCode::Cancelled);
    }

private:
    static void models()
    {
        QTest::addColumn<int>("model");
        QTest::addColumn<int>("rounds");
        QTest::newRow("links") << static_cast<int>(Model::Links) << 50;
        QTest::newRow("ideal") << static_cast<int>(Model::Ideal) << 100;
        QTest::newRow("astra-unaware") << static_cast<int>(Model::AstraUnaware) << 100;
        QTest::newRow("astra-aware") << static_cast<int>(Model::AstraAware) << 100;
    }
};

FABRICSCOPE_TEST(PartialRunsTest)
#include "tst_partial_runs.moc"
