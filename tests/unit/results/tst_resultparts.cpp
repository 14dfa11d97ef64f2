#include "core/record/resultparts.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using Kind = ResultPart::Kind;

std::int64_t sumOf(const ResultParts& parts)
{
    return std::accumulate(parts.parts.begin(), parts.parts.end(), std::int64_t{0}, [](std::int64_t sum, const ResultPart& part) { return sum + part.ps; });
}

ResultParts partsOf(const SyntheticRun& run)
{
    return resultParts(*run.record, *run.workload, slowestClass(*run.record));
}

/// What one picosecond belongs to, straight from the definition.
ResultPart belongsTo(const RankGraph& graph, const TaskTimes& times, std::int64_t ps)
{
    std::pair<std::int64_t, std::size_t> first{INT64_MAX, 0};
    bool host = false;
    for (std::size_t i = 0; i < times.issuePs.size(); ++i) {
        if (ps < times.issuePs[i] || ps >= times.endPs[i])
            continue;
        if (graph.kind[i] == TaskKind::Compute && !graph.has(static_cast<TaskIndex>(i), TaskFlag::kHost))
            return {Kind::Compute, Activity::Compute, -1, 0};
        if (graph.kind[i] == TaskKind::Compute)
            host = true;
        else
            first = std::min(first, std::pair(times.issuePs[i], i));
    }
    if (first.first == INT64_MAX)
        return host ? ResultPart{Kind::Host, Activity::Compute, -1, 0} : ResultPart{Kind::Waiting, Activity::Waiting, -1, 0};
    switch (graph.kind[first.second]) {
    case TaskKind::MemoryLoad: return {Kind::Exposed, Activity::Memory, -1, 0};
    case TaskKind::Collective: return {Kind::Exposed, activityOf(graph.op[first.second]), graph.family[first.second], 0};
    default: return {Kind::Exposed, Activity::SendReceive, -1, 0};
    }
}

} // namespace

class ResultPartsTest : public QObject
{
    Q_OBJECT

private slots:
    void whatOverlapsComputeIsNotExposed()
    {
        // compute [0,100) [150,200); all-reduce [60,150) is exposed for 50; load [190,230) for 30; then nothing until a send [240,260).
        RunBuilder builder;
        builder.compute("a", 0, 100);
        builder.collective("grad", CollectiveOp::AllReduce, 0, 8, 60, 150);
        builder.compute("b", 150, 200);
        builder.memory("load", 8, 190, 230);
        builder.send("out", 1, 8, 240, 260);

        const ResultParts parts = partsOf(oneClass(builder));

        QCOMPARE(parts.total.ps, 260);
        const std::vector<ResultPart> expected{{Kind::Compute, Activity::Compute, -1, 150},
                                               {Kind::Exposed, Activity::AllReduce, 0, 50},
                                               {Kind::Exposed, Activity::Memory, -1, 30},
                                               {Kind::Exposed, Activity::SendReceive, -1, 20},
                                               {Kind::Waiting, Activity::Waiting, -1, 10}};
        QVERIFY(parts.parts == expected);
    }

    void ofSeveralInFlightTheOneIssuedFirstNamesTheTime()
    {
        // all-gather [10,50), all-to-all [20,80): 10..50 is all-gather's, 50..80 all-to-all's.
        RunBuilder builder;
        builder.collective("second", CollectiveOp::AllToAll, 0, 8, 20, 80);
        builder.collective("first", CollectiveOp::AllGather, 0, 8, 10, 50);

        const ResultParts parts = partsOf(oneClass(builder));

        const std::vector<ResultPart> expected{{Kind::Exposed, Activity::AllGather, 0, 40},
                                               {Kind::Exposed, Activity::AllToAll, 0, 30},
                                               {Kind::Waiting, Activity::Waiting, -1, 10}};
        QVERIFY(parts.parts == expected);
    }

    void groupFamiliesAreKeptApart()
    {
        RunBuilder builder;
        builder.collective("tensor", CollectiveOp::AllReduce, 1, 8, 0, 10);
        builder.collective("data", CollectiveOp::AllReduce, 2, 8, 10, 40);

        const ResultParts parts = partsOf(oneClass(builder));

        QCOMPARE(parts.parts.size(), std::size_t{2});
        QCOMPARE(parts.parts[0].family, 1);
        QCOMPARE(parts.parts[0].ps, 10);
        QCOMPARE(parts.parts[1].family, 2);
        QCOMPARE(parts.parts[1].ps, 30);
    }

    void aHostTaskShowsWhereNothingElseRuns()
    {
        RunBuilder builder;
        builder.compute("launch", 0, 30, true);
        builder.compute("kernel", 10, 20);

        const ResultParts parts = partsOf(oneClass(builder));

        const std::vector<ResultPart> expected{{Kind::Compute, Activity::Compute, -1, 10}, {Kind::Host, Activity::Compute, -1, 20}};
        QVERIFY(parts.parts == expected);
    }

    void aTaskThatNeverEndsLastsToTheCut()
    {
        RunBuilder builder;
        builder.compute("a", 0, 100);
        builder.collective("open", CollectiveOp::AllReduce, 0, 8, 100, -1);
        const SyntheticRun run = oneClass(builder);
        RunRecord record = *run.record;
        record.cutAt = SimTime{250};
        record.complete = false;

        const ResultParts parts = resultParts(record, *run.workload, 0);

        QCOMPARE(parts.total.ps, 250);
        const std::vector<ResultPart> expected{{Kind::Compute, Activity::Compute, -1, 100}, {Kind::Exposed, Activity::AllReduce, 0, 150}};
        QVERIFY(parts.parts == expected);
    }

    void theSlowestClassIsTheOneThatFinishesLast()
    {
        RunRecord record;
        QCOMPARE(slowestClass(record), -1);
        for (const std::int64_t finish : {10, 30, 20, 30}) {
            RankClass& entry = record.classes.emplace_back();
            entry.times.finish = SimTime{finish};
        }
        QCOMPARE(slowestClass(record), 1);
    }

    void withoutTaskTimesTheTotalsDecide()
    {
        RunRecord record;
        record.finish = SimTime{1000};
        RankClass& entry = record.classes.emplace_back();
        entry.ranks = RankSet::single(0);
        entry.times.finish = SimTime{1000};
        entry.times.compute = SimTime{600};
        entry.times.exposedComm = SimTime{300};
        entry.times.memory = SimTime{250};

        const ResultParts parts = resultParts(record, Workload{}, 0);

        const std::vector<ResultPart> expected{{Kind::Compute, Activity::Compute, -1, 600},
                                               {Kind::Exposed, Activity::SendReceive, -1, 300},
                                               {Kind::Exposed, Activity::Memory, -1, 100}};
        QVERIFY(parts.parts == expected);
        QCOMPARE(sumOf(parts), 1000);
    }

    void everyPicosecondIsCountedOnceAsDefined()
    {
        std::mt19937_64 random(seeded(7));
        const auto below = [&random](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
        for (int round = 0; round < cases(60); ++round) {
            RunBuilder builder;
            const std::int64_t tasks = below(14);
            for (std::int64_t i = 0; i < tasks; ++i) {
                const std::int64_t begin = below(300);
                const std::int64_t end = begin + below(90);
                switch (below(5)) {
                case 0: builder.compute("c", begin, end); break;
                case 1: builder.compute("h", begin, end, true); break;
                case 2: builder.memory("m", 1, begin, end); break;
                case 3: builder.send("s", 1, 1, begin, end); break;
                default:
                    builder.collective("x", below(2) == 0 ? CollectiveOp::AllReduce : CollectiveOp::AllGather, static_cast<FamilyId>(below(2)), 1, begin, end);
                }
            }
            const SyntheticRun run = oneClass(builder);

            const ResultParts parts = partsOf(run);

            QCOMPARE(sumOf(parts), run.record->finish.ps);
            std::vector<ResultPart> counted = parts.parts;
            for (std::int64_t ps = 0; ps < run.record->finish.ps; ++ps) {
                const ResultPart owner = belongsTo(*builder.graph(), *builder.times(), ps);
                const auto part = std::find_if(counted.begin(), counted.end(), [&](const ResultPart& other) {
                    return other.kind == owner.kind && other.activity == owner.activity && other.family == owner.family;
                });
                QVERIFY(part != counted.end());
                --part->ps;
            }
            for (const ResultPart& part : counted)
                QCOMPARE(part.ps, 0);
        }
    }

    void roundedPartsAddUpToTheRoundedSum()
    {
        // Thirds: 333.33.. each would be 333 + 333 + 333 = 999.
        QVERIFY((sharedRounding({3333, 3333, 3334}, 10000, 10) == std::vector<std::int64_t>{333, 333, 334}));
        QVERIFY((sharedRounding({5, 5}, 10, 10) == std::vector<std::int64_t>{1, 0}));
        std::mt19937_64 random(seeded(3));
        for (int round = 0; round < cases(200); ++round) {
            std::vector<std::int64_t> parts(1 + random() % 9);
            for (std::int64_t& part : parts)
                part = static_cast<std::int64_t>(random() % 10'000'000);
            const std::int64_t total = std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
            const auto unit = static_cast<std::int64_t>(1 + random() % 50'000);
            const std::vector<std::int64_t> rounded = sharedRounding(parts, total, unit);
            QCOMPARE(std::accumulate(rounded.begin(), rounded.end(), std::int64_t{0}), (2 * total + unit) / (2 * unit));
            for (std::size_t i = 0; i < parts.size(); ++i)
                QVERIFY(std::abs(parts[i] - rounded[i] * unit) < unit);
        }
    }
};

FABRICSCOPE_TEST(ResultPartsTest)
#include "tst_resultparts.moc"
