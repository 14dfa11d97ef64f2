// Shares over time against what is written down by hand, and against the sums of the record.
#include "core/base/stop.h"
#include "core/record/timeshares.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <numeric>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kMicrosecond = 1'000'000;

const TimeShares::Part* sharesNamed(const TimeShares& shares, const std::string& name)
{
    for (const TimeShares::Part& part : shares.parts)
        if (part.name == name)
            return &part;
    return nullptr;
}

/// Of 400 us: rank 0 computes 0-200 and waits for a message 250-350; ranks 1 to 3 load 0-100 and compute 100-400.
SyntheticRun computeAndLoad()
{
    RunBuilder first;
    first.compute("work", 0, 200 * kMicrosecond);
    first.receive("want", 1, 1000, 250 * kMicrosecond, 350 * kMicrosecond);
    RunBuilder others;
    others.memory("load", 1000, 0, 100 * kMicrosecond);
    others.compute("work", 100 * kMicrosecond, 400 * kMicrosecond);
    auto workload = std::make_shared<Workload>();
    workload->rankCount = 4;
    workload->families.push_back(GroupFamily::world(4));
    auto record = std::make_shared<RunRecord>();
    record->rankCount = 4;
    record->finish = SimTime{400 * kMicrosecond};
    for (const auto& [builder, begin, end] : {std::tuple{&first, 0, 1}, {&others, 1, 4}}) {
        workload->graphs.push_back(builder->graph());
        RankClass ranks;
        ranks.ranks = RankSet::range(begin, end - begin);
        ranks.times.finish = SimTime{builder->lastEnd()};
        ranks.tasks = builder->times();
        record->classes.push_back(std::move(ranks));
    }
    workload->graphOfRank = {0, 1, 1, 1};
    return {record, workload};
}

double totalOf(const std::vector<double>& shares)
{
    return std::accumulate(shares.begin(), shares.end(), 0.0);
}

} // namespace

class TimeSharesTest : public QObject
{
    Q_OBJECT

private slots:
    void ranksByHand()
    {
        const SyntheticRun run = computeAndLoad();
        const auto source = TimelineSource::create(run.record, run.workload);
        const TimeShares all = rankShares(*source, std::nullopt, 4);
        QCOMPARE(all.endPs, 400 * kMicrosecond);
        QCOMPARE(all.parts.size(), std::size_t{3}); // Nothing is done by hosts.
        QCOMPARE(all.parts[0].name, std::string("Compute"));
        QCOMPARE(sharesNamed(all, "Compute")->shares, (std::vector<double>{0.25, 1, 0.75, 0.75}));
        QCOMPARE(sharesNamed(all, "Memory")->shares, (std::vector<double>{0.75, 0, 0, 0}));
        QCOMPARE(sharesNamed(all, "Exposed communication")->shares, (std::vector<double>{0, 0, 0.125, 0.125}));

        const TimeShares first = rankShares(*source, 0, 8);
        QCOMPARE(first.parts.size(), std::size_t{2});
        QCOMPARE(sharesNamed(first, "Compute")->shares, (std::vector<double>{1, 1, 1, 1, 0, 0, 0, 0}));
        QCOMPARE(sharesNamed(first, "Exposed communication")->shares, (std::vector<double>{0, 0, 0, 0, 0, 1, 1, 0}));
        QCOMPARE(first.timeOf(5), 275 * kMicrosecond);
        QCOMPARE(rankShares(*source, 1, 4).parts.size(), std::size_t{2});
    }

    /// Memory beside compute takes nothing from communication that neither covers.
    void exposedCommunicationIsExactWhereWorkOverlaps()
    {
        RunBuilder builder;
        builder.compute("work", 0, 100 * kMicrosecond);
        builder.memory("load", 1000, 0, 100 * kMicrosecond);
        builder.receive("want", 1, 1000, 100 * kMicrosecond, 200 * kMicrosecond);
        const SyntheticRun run = oneClass(builder);
        const TimeShares shares = rankShares(*TimelineSource::create(run.record, run.workload), std::nullopt, 1);
        QCOMPARE(shares.parts.size(), std::size_t{2});
        QCOMPARE(sharesNamed(shares, "Compute")->shares, std::vector<double>{0.5});
        QCOMPARE(sharesNamed(shares, "Exposed communication")->shares, std::vector<double>{0.5});
    }

    /// More columns than the run has picoseconds, and one alone.
    void anyNumberOfColumns()
    {
        RunBuilder builder;
        builder.compute("work", 0, 3);
        const SyntheticRun run = oneClass(builder);
        const auto source = TimelineSource::create(run.record, run.workload);
        QCOMPARE(rankShares(*source, std::nullopt, 1).parts.front().shares, std::vector<double>{1});
        const TimeShares many = rankShares(*source, std::nullopt, 10);
        QCOMPARE(totalOf(many.parts.front().shares), 3.0); // The columns in which time passes.
        QVERIFY(linkShares(*source, 10).parts.empty());
    }

    /// Two dimensions of 3 and 1 links: one link of the first is busy in the first half, the other dimension in the last quarter.
    void linksByHand()
    {
        RunBuilder builder;
        builder.compute("work", 0, 4096);
        SyntheticRun run = oneClass(builder);
        auto record = std::make_shared<RunRecord>(*run.record);
        for (const auto& [links, begin, end] : {std::tuple{3, 0, 2048}, {1, 3072, 4096}}) {
            DimensionUse use;
            use.name = "dimension";
            use.links = links;
            use.busy.add(begin, end);
            use.busyPs = end - begin;
            record->dimensions.push_back(std::move(use));
        }
        const auto source = TimelineSource::create(record, run.workload);
        const TimeShares shares = linkShares(*source, 4);
        QCOMPARE(shares.parts.size(), std::size_t{2});
        for (std::size_t column = 0; column < 4; ++column) {
            // Busy time of a link among several is rounded up to whole picoseconds.
            QVERIFY(std::abs(shares.parts[0].shares[column] - (column < 2 ? 0.25 : 0)) < 0.001);
            QVERIFY(std::abs(shares.parts[1].shares[column] - (column == 3 ? 0.25 : 0)) < 0.001);
        }
    }

    /// Over the whole run they add up to what the record says.
    void columnsAddUpToTheRecord()
    {
        const SyntheticRun run = trainingStep();
        const auto source = TimelineSource::create(run.record, run.workload);
        constexpr std::size_t kColumns = 1000;
        const TimeShares links = linkShares(*source, kColumns);
        QCOMPARE(links.parts.size(), run.record->dimensions.size());
        double all = 0;
        for (const DimensionUse& use : run.record->dimensions)
            all += static_cast<double>(use.links);
        for (std::size_t d = 0; d < links.parts.size(); ++d) {
            const DimensionUse& use = run.record->dimensions[d];
            const double expected = static_cast<double>(use.busy.total()) / static_cast<double>(run.record->finish.ps) / all;
            QVERIFY(expected > 0 && std::abs(totalOf(links.parts[d].shares) / kColumns - expected) < 0.001);
        }
        const TimeShares ranks = rankShares(*source, std::nullopt, kColumns);
        for (std::size_t column = 0; column < kColumns; ++column) {
            double sum = 0;
            for (const TimeShares::Part& part : ranks.parts) {
                QVERIFY(part.shares[column] >= 0);
                sum += part.shares[column];
            }
            QVERIFY(sum <= 1.000001);
        }
    }

    void aStopIsHeard()
    {
        const SyntheticRun run = computeAndLoad();
        const auto source = TimelineSource::create(run.record, run.workload);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_THROWS_EXCEPTION(StopRequested, rankShares(*source, std::nullopt, 4, stop.get_token()));
    }
};

FABRICSCOPE_TEST(TimeSharesTest)
#include "tst_timeshares.moc"
