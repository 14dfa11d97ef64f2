// Orders and sizes of chunks, units, streams and orders of tasks: the event engine against the brute-force oracle, to the picosecond.
#include "core/base/index.h"
#include "core/program/phaserules.h"
#include "core/program/windowturns.h"
#include "core/sim/events/events.h"
#include "core/sim/simulate.h"
#include "core/sim/symmetry/symmetricrun.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/schedulingcase.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/oracles/bruteforce.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cstdlib>
#include <map>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

Scenario scenarioOf(const CaseSpec& spec)
{
    auto scenario = build(spec);
    if (!scenario)
        qFatal("%s\n%s", scenario.error().text().c_str(), spec.text().c_str());
    return std::move(scenario).value();
}

/// Where the engine disagrees with the oracle; empty: nowhere.
std::string difference(const Scenario& scenario, bool& complete)
{
    RunOptions options;
    options.messageDigest = true;
    const auto run = simulateEvents(scenario, options, {});
    if (!run)
        return run.error().text();
    const RunRecord& record = run.value();
    const OracleResult oracle = bruteForce(scenario);
    complete = oracle.complete;
    if (oracle.complete != record.complete)
        return std::string("the oracle ") + (oracle.complete ? "finishes" : "does not finish");
    for (const RankClass& each : record.classes) {
        for (const RankSet::Interval& interval : each.ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank) {
                const auto& tasks = oracle.tasks[at(rank)];
                for (std::size_t t = 0; t < tasks.size(); ++t) {
                    if (tasks[t].issuePs != each.tasks->issuePs[t] || tasks[t].endPs != each.tasks->endPs[t])
                        return "rank " + std::to_string(rank) + " task " + std::to_string(t) + ": oracle " + std::to_string(tasks[t].issuePs) + ".."
                            + std::to_string(tasks[t].endPs) + ", engine " + std::to_string(each.tasks->issuePs[t]) + ".." + std::to_string(each.tasks->endPs[t]);
                }
            }
        }
    }
    return oracle.digest.value() == record.messages.value() && oracle.digest.count() == record.messages.count() ? "" : "the messages differ";
}

enum Kind { Chunks = 1, Tasks = 2 };

void compareMany(RandomLimits limits, int kinds, std::uint64_t firstSeed, int count)
{
    count = cases(count);
    firstSeed = seeded(firstSeed);
    int failures = 0;
    int incomplete = 0;
    int windows = 0;
    for (int i = 0; i < count && failures < 3; ++i) {
        const std::uint64_t seed = firstSeed + static_cast<std::uint64_t>(i);
        limits.ties = seed % 2 == 0;
        CaseSpec spec = randomCase(seed, limits);
        if (kinds & Chunks)
            mixChunks(spec, seed);
        Scenario scenario = scenarioOf(spec);
        const TaskScheduling scheduling = randomScheduling(seed);
        if (kinds & Tasks)
            scenario = withScheduling(scenario, scheduling, seed);
        for (const CollectiveInstance& instance : scenario.structure->instances)
            windows += instance.program && instance.program->isTemplate() && !windowTurns(*instance.program).empty() ? 1 : 0;
        bool complete = true;
        const std::string what = difference(scenario, complete);
        incomplete += complete ? 0 : 1;
        if (what.empty())
            continue;
        qWarning("seed %llu, inside %d order %d units %d %d streams %d: %s\n%s", static_cast<unsigned long long>(seed), static_cast<int>(scheduling.inside),
                 static_cast<int>(scheduling.order), scheduling.computeUnits, scheduling.communicationUnits, scheduling.streams, what.c_str(),
                 spec.rankCount() < 6 ? spec.text().c_str() : "");
        ++failures;
    }
    qInfo("%d cases, %d that cannot finish, %d windows with turns", count, incomplete, windows);
    QCOMPARE(failures, 0);
    QVERIFY((kinds & Chunks) == 0 || windows > count / 10);
}

} // namespace

class SchedulingOracleTest : public QObject {
    Q_OBJECT

private slots:
    void agreesOnChunksOfOwnOrderAndSize()
    {
        RandomLimits limits;
        compareMany(limits, Chunks, 11'000'000, 1200);
        limits.maxNpus = 8;
        limits.maxTasks = 4;
        compareMany(limits, Chunks, 12'000'000, 1200);
    }

    void agreesOnUnitsStreamsAndOrders()
    {
        RandomLimits limits;
        limits.maxNpus = 5;
        limits.maxTasks = 8;
        compareMany(limits, Tasks, 13'000'000, 3000);
        limits.maxNpus = 16;
        limits.maxTasks = 16;
        compareMany(limits, Tasks, 14'000'000, 1000);
    }

    void agreesOnAllTogether()
    {
        RandomLimits limits;
        limits.maxNpus = 12;
        compareMany(limits, Chunks | Tasks, 15'000'000, 1500);
    }

    void oneRankStandsForAllWhereAllScheduleAlike()
    {
        int folded = 0;
        for (std::uint64_t seed = 16'000'000; seed < 16'000'000 + static_cast<std::uint64_t>(cases(3000)); ++seed) {
            CaseSpec spec = symmetricCase(seed, {});
            mixChunks(spec, seed, false);
            const Scenario scenario = withScheduling(sharedBuild(spec), randomScheduling(seed), 0);
            RunOptions options;
            options.engine = EngineChoice::Symmetry;
            const auto one = simulate(scenario, options);
            if (!one)
                continue;
            ++folded;
            const auto all = simulateEvents(scenario, {}, {});
            QVERIFY(all);
            const std::string what = test::difference(all.value(), one.value());
            QVERIFY2(what.empty(), (std::to_string(seed) + ": " + what + '\n' + spec.text()).c_str());
        }
        qInfo("%d folded", folded);
        QVERIFY(folded > cases(500));
    }

    void chunkSizesAreFloorsOfWeightedParts()
    {
        Program program;
        program.chunks = 4;
        TemplateBody body;
        body.chunkWeights = {1, 0, 3, 3};
        program.body = body;
        // Ends of 10 bytes: floor(10/7), floor(10/7), floor(40/7), 10.
        QCOMPARE(chunkSizes(program, 10), (std::vector<std::int64_t>{1, 0, 4, 5}));
        body.chunkWeights = {std::int64_t{1} << 39, 1, 1, (std::int64_t{1} << 39) - 2};
        program.body = body;
        const std::int64_t most = std::int64_t{1} << 56;
        std::int64_t sum = 0;
        for (const std::int64_t size : chunkSizes(program, most))
            sum += size;
        QCOMPARE(sum, most);
        QCOMPARE(chunkSizes(program, most)[0], most / 2);
    }
};

FABRICSCOPE_TEST(SchedulingOracleTest)
#include "tst_scheduling_oracle.moc"
