#include "core/record/timelinesource.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// What a bucket must hold, from every interval in turn.
TimelineBucket bruteForce(const TimelineSource& source, std::size_t track, std::int64_t from, std::int64_t to)
{
    TimelineBucket bucket;
    std::array<std::int64_t, kActivityCount> busy{};
    for (std::int32_t i = 0; i < source.intervalCount(track); ++i) {
        const TimelineInterval interval = source.interval(track, i);
        const bool instant = interval.beginPs == interval.endPs;
        const bool touches = instant ? interval.beginPs >= from && interval.beginPs < to : interval.beginPs < to && interval.endPs > from;
        if (!touches)
            continue;
        if (bucket.count++ == 0)
            bucket.first = i;
        if (bucket.count == 1)
            bucket.dominant = interval.activity;
        busy[static_cast<std::size_t>(interval.activity)] += std::min(to, interval.endPs) - std::max(from, interval.beginPs);
    }
    std::int64_t most = 0;
    for (std::size_t k = 0; k < kActivityCount; ++k) {
        bucket.busyPs += busy[k];
        if (busy[k] > most) {
            most = busy[k];
            bucket.dominant = static_cast<Activity>(k);
        }
    }
    return bucket;
}

std::size_t trackOf(const TimelineSource& source, TimelineTrack::Kind kind, std::int32_t subLane = 0)
{
    for (std::size_t i = 0; i < source.tracks().size(); ++i)
        if (source.tracks()[i].kind == kind && source.tracks()[i].subLane == subLane)
            return i;
    return source.tracks().size();
}

SyntheticRun randomRun(std::mt19937_64& random)
{
    const auto below = [&random](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
    RunBuilder builder;
    std::int64_t t = below(50);
    const std::int64_t tasks = 1 + below(300);
    for (std::int64_t i = 0; i < tasks; ++i) {
        const std::int64_t length = below(5) == 0 ? 0 : below(1 + below(4000));
        if (below(3) == 0)
            builder.memory("m", below(1000), t, t + length);
        else
            builder.compute("c", t, t + length);
        const std::int64_t begin = t + below(100);
        if (below(2) == 0)
            builder.collective("a", static_cast<CollectiveOp>(below(9)), 0, below(100000), begin, begin + below(5000));
        if (below(4) == 0)
            builder.send("s", 1, below(100000), begin, begin + below(5000));
        t += length + below(3) * below(2000);
    }
    return oneClass(builder);
}

} // namespace

class TimelineSourceTest : public QObject
{
    Q_OBJECT
private slots:
    void everyBucketEqualsTheSumOverAllIntervals()
    {
        std::mt19937_64 random(seeded(7));
        for (int round = 0; round < cases(60); ++round) {
            const SyntheticRun run = randomRun(random);
            const auto source = TimelineSource::create(run.record, run.workload);
            const std::int64_t finish = run.record->finish.ps + 10;
            for (std::size_t track = 0; track < source->tracks().size(); ++track) {
                const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(finish));
                const std::int64_t span = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(finish));
                const std::int64_t pixels = 1 + static_cast<std::int64_t>(random() % 200);
                std::vector<TimelineBucket> buckets(static_cast<std::size_t>(pixels));
                source->buckets(track, SimTime{begin}, SimTime{begin + span}, buckets);
                for (std::int64_t p = 0; p < pixels; ++p) {
                    const std::int64_t from = begin + span * p / pixels;
                    const std::int64_t to = begin + span * (p + 1) / pixels;
                    if (to > from)
                        QVERIFY(buckets[static_cast<std::size_t>(p)] == bruteForce(*source, track, from, to));
                    else
                        QCOMPARE(buckets[static_cast<std::size_t>(p)].count, 0);
                }
            }
        }
    }

    void lanesHoldEveryTaskOnceAndNeverOverlap()
    {
        std::mt19937_64 random(seeded(11));
        for (int round = 0; round < cases(40); ++round) {
            const SyntheticRun run = randomRun(random);
            const auto source = TimelineSource::create(run.record, run.workload);
            std::vector<int> seen(run.workload->graphs[0]->kind.size(), 0);
            for (std::size_t track = 0; track < source->tracks().size(); ++track) {
                std::int64_t last = 0;
                for (std::int32_t i = 0; i < source->intervalCount(track); ++i) {
                    const TimelineInterval interval = source->interval(track, i);
                    QVERIFY(interval.beginPs >= last);
                    QVERIFY(interval.endPs >= interval.beginPs);
                    last = interval.endPs;
                    if (interval.task >= 0)
                        ++seen[static_cast<std::size_t>(interval.task)];
                }
            }
            for (const int count : seen)
                QCOMPARE(count, 1);
        }
    }

    void waitingIsCommunicationWithoutComputeOrMemory()
    {
        // compute [0,100) [250,300), memory [400,450), one collective [50,500): waits 100-250, 300-400, 450-500.
        RunBuilder builder;
        builder.compute("a", 0, 100);
        builder.compute("b", 250, 300);
        builder.memory("m", 8, 400, 450);
        builder.collective("c", CollectiveOp::AllReduce, 0, 8, 50, 500);
        const SyntheticRun run = oneClass(builder);
        const auto source = TimelineSource::create(run.record, run.workload);

        const std::size_t track = trackOf(*source, TimelineTrack::Kind::Waiting);

        QCOMPARE(source->intervalCount(track), 3);
        QCOMPARE(source->interval(track, 0).beginPs, 100);
        QCOMPARE(source->interval(track, 0).endPs, 250);
        QCOMPARE(source->interval(track, 1).beginPs, 300);
        QCOMPARE(source->interval(track, 1).endPs, 400);
        QCOMPARE(source->interval(track, 2).beginPs, 450);
        QCOMPARE(source->interval(track, 2).endPs, 500);
    }

    void collectivesOfAGroupAreShownOneAfterTheOther()
    {
        RunBuilder builder;
        builder.collective("first", CollectiveOp::AllReduce, 0, 1000, 10, 100);
        builder.collective("second", CollectiveOp::AllGather, 0, 1000, 20, 180);
        const SyntheticRun run = oneClass(builder);
        const auto source = TimelineSource::create(run.record, run.workload);

        const std::size_t track = trackOf(*source, TimelineTrack::Kind::Collective);
        const TimelineEvent second = source->event(track, 1);

        QCOMPARE(second.issue.ps, 20);
        QCOMPARE(second.begin.ps, 100);
        QCOMPARE(second.end.ps, 180);
        QVERIFY(second.activity == Activity::AllGather);
        QCOMPARE(QString::fromStdString(second.name), QStringLiteral("second"));
    }

    void messagesThatOverlapGoToLanesOfTheirOwn()
    {
        RunBuilder builder;
        for (int i = 0; i < 6; ++i)
            builder.send("s", 1, 10, i, 1000 + i);
        const SyntheticRun run = oneClass(builder);
        const auto source = TimelineSource::create(run.record, run.workload);

        for (int lane = 0; lane < 3; ++lane)
            QCOMPARE(source->intervalCount(trackOf(*source, TimelineTrack::Kind::PointToPoint, lane)), 1);
        QCOMPARE(source->intervalCount(trackOf(*source, TimelineTrack::Kind::PointToPoint, 3)), 3);
    }

    void aTaskThatNeverEndedLastsToTheEndOfTheRun()
    {
        RunBuilder builder;
        builder.compute("a", 0, 100);
        builder.receive("never", 1, 10, 50, -1);
        const SyntheticRun run = oneClass(builder);
        const auto source = TimelineSource::create(run.record, run.workload);

        QCOMPARE(source->interval(trackOf(*source, TimelineTrack::Kind::PointToPoint), 0).endPs, 100);
    }

    void sumsOfARangeCountBytesByTheShareInside()
    {
        // 1000 bytes over [0,100) and 600 over [100,400): [50,250) holds half of the first and half of the second.
        RunBuilder builder;
        builder.compute("c", 0, 80);
        builder.collective("a", CollectiveOp::AllReduce, 0, 1000, 0, 100);
        builder.collective("b", CollectiveOp::AllGather, 0, 600, 100, 400);
        const SyntheticRun run = oneClass(builder);
        const auto source = TimelineSource::create(run.record, run.workload);
        std::vector<std::size_t> tracks;
        for (std::size_t i = 0; i < source->tracks().size(); ++i)
            tracks.push_back(i);

        const TimelineSums sums = source->sums(tracks, SimTime{50}, SimTime{250});

        QCOMPARE(sums.duration.ps, 200);
        QCOMPARE(sums.bytes, 500 + 300);
        QCOMPARE(sums.busyShare(Activity::Compute), 30.0 / 200);
        QCOMPARE(sums.busyShare(Activity::AllReduce), 50.0 / 200);
        QCOMPARE(sums.busyShare(Activity::AllGather), 150.0 / 200);
        QCOMPARE(sums.busyShare(Activity::Waiting), 170.0 / 200);
        QCOMPARE(sums.bytesPerSecond(), 800.0 / 200e-12);
        QCOMPARE(sums.count, 3);
    }

    void sumsEqualBruteForceOverRandomRanges()
    {
        std::mt19937_64 random(seeded(3));
        const SyntheticRun run = randomRun(random);
        const auto source = TimelineSource::create(run.record, run.workload);
        for (int round = 0; round < cases(200); ++round) {
            const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(run.record->finish.ps));
            const std::int64_t end = begin + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(run.record->finish.ps));
            for (std::size_t track = 0; track < source->tracks().size(); ++track) {
                const TimelineSums sums = source->sums(std::array{track}, SimTime{begin}, SimTime{end});
                std::int64_t bytes = 0;
                std::int64_t busy = 0;
                for (std::int32_t i = 0; i < source->intervalCount(track); ++i) {
                    const TimelineInterval at = source->interval(track, i);
                    const std::int64_t inside = std::min(end, at.endPs) - std::max(begin, at.beginPs);
                    busy += std::max<std::int64_t>(inside, 0);
                    const TimelineEvent event = source->event(track, i);
                    if (at.endPs == at.beginPs)
                        bytes += at.beginPs >= begin && at.beginPs < end ? event.bytes : 0;
                    else if (inside > 0)
                        bytes += event.bytes * inside / (at.endPs - at.beginPs);
                }
                QCOMPARE(std::accumulate(sums.busyPs.begin(), sums.busyPs.end(), std::int64_t{0}), busy);
                const auto kind = source->tracks()[track].kind;
                QCOMPARE(sums.bytes, kind == TimelineTrack::Kind::Collective || kind == TimelineTrack::Kind::PointToPoint ? bytes : 0);
            }
        }
    }

    void aDimensionShowsTheMeanOverItsLinks()
    {
        // 4 links; one is busy for the whole first bucket of 1024 ps: a quarter.
        RunBuilder builder;
        builder.compute("c", 0, 4096);
        SyntheticRun run = oneClass(builder);
        auto record = std::make_shared<RunRecord>(*run.record);
        DimensionUse use;
        use.name = "dimension 0, Ring(2)";
        use.links = 4;
        use.busy.add(0, 1024);
        use.busyPs = 1024;
        record->dimensions.push_back(use);
        const auto source = TimelineSource::create(record, run.workload);
        const std::size_t track = trackOf(*source, TimelineTrack::Kind::Busy);

        std::vector<TimelineBucket> buckets(4);
        source->buckets(track, SimTime{0}, SimTime{4096}, buckets);

        QCOMPARE(buckets[0].busyPs, 256);
        QCOMPARE(buckets[1].busyPs, 0);
        QCOMPARE(source->busyShare(track, SimTime{0}, SimTime{2048}), 0.125);
        QCOMPARE(source->tracks()[track].busyShare, 1024.0 / (4 * 4096));
    }

    void aFinerWindowReplacesThePyramidInsideItOnly()
    {
        RunBuilder builder;
        builder.compute("c", 0, 4096);
        SyntheticRun run = oneClass(builder);
        auto record = std::make_shared<RunRecord>(*run.record);
        DimensionUse use;
        use.name = "d";
        use.links = 1;
        use.busy.add(0, 512);     // bucket 0: half busy, spread evenly as far as the pyramid knows
        use.busy.add(2048, 3072); // bucket 2: full
        record->dimensions.push_back(use);
        const auto coarse = TimelineSource::create(record, run.workload);
        const std::size_t track = trackOf(*coarse, TimelineTrack::Kind::Busy);

        const auto fine = coarse->refined(track, {0, 256, {256, 256, 0, 0}});

        std::vector<TimelineBucket> before(16), after(16);
        coarse->buckets(track, SimTime{0}, SimTime{4096}, before);
        fine->buckets(track, SimTime{0}, SimTime{4096}, after);
        for (std::size_t p = 0; p < 4; ++p) {
            QCOMPARE(before[p].busyPs, 128);
            QCOMPARE(after[p].busyPs, p < 2 ? 256 : 0);
        }
        for (std::size_t p = 4; p < 16; ++p)
            QCOMPARE(after[p].busyPs, before[p].busyPs);
        QCOMPARE(fine->tracks()[track].resolutionPs, 256);
    }

    void ranksFindTheirClass()
    {
        const SyntheticRun run = trainingStep();
        const auto source = TimelineSource::create(run.record, run.workload);

        QCOMPARE(source->classOf(37), 1);
        QCOMPARE(source->classOf(13), 2);
        QCOMPARE(source->classOf(0), 0);
        QCOMPARE(source->classOf(128), -1);
    }
};

FABRICSCOPE_TEST(TimelineSourceTest)
#include "tst_timelinesource.moc"
