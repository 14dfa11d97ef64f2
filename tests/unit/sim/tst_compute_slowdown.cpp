#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "core/sim/common/slowdown.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <random>

using namespace fabricscope;

namespace {

__extension__ using Wide = __int128;

Design read(const std::string& text)
{
    auto loaded = readDesignText(text, "test.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

RunRecord simulated(const std::string& text)
{
    auto scenario = prepare(read(text));
    if (!scenario)
        qFatal("%s", scenario.error().text().c_str());
    auto record = simulate(*scenario.value(), {});
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return std::move(record).value();
}

std::string design(const std::string& slowdown, const std::string& steps, const std::string& memory = "1 TB/s")
{
    return "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 ns}]\n"
           "  npu: {peak: 1 TFLOP/s, memory_bandwidth: " + memory + "}\ncollectives: {default: {chunks: 1}}\n"
           + (slowdown.empty() ? std::string() : "compute: {slowdown: {" + slowdown + "}}\n") + "workload:\n  steps:\n" + steps;
}

const RankClass& onlyClass(const RunRecord& record)
{
    if (record.classes.size() != 1)
        qFatal("ranks differ");
    return record.classes.front();
}

std::int64_t ceilOf(Wide amount, Wide pace) { return static_cast<std::int64_t>((amount + pace - 1) / pace); }

} // namespace

class ComputeSlowdownTest : public QObject {
    Q_OBJECT

private slots:
    void aTaskInsideACollectiveTakesItsShareLonger()
    {
        // An all-gather of 2 MB over two ranks: 1 MB at 1 GB/s and 1 ns: 1000.001 us. A compute of 400 us beside it at 0.8 of the rate: 500 us.
        const std::string steps = "    - {collective: all_gather, size: 2 MB, name: ag}\n    - {compute: 400 us, after: [], name: c}\n";
        const RunRecord plain = simulated(design({}, steps));
        QCOMPARE(onlyClass(plain).tasks->endPs[0], 1'000'001'000);
        QCOMPARE(onlyClass(plain).tasks->endPs[1], 400'000'000);
        const RunRecord slowed = simulated(design("sm_share: 0.2", steps));
        QCOMPARE(onlyClass(slowed).tasks->endPs[0], 1'000'001'000);
        QCOMPARE(onlyClass(slowed).tasks->endPs[1], 500'000'000);
        QCOMPARE(slowed.engines[0].engine, std::string("events"));
    }

    void aTaskThatGoesOnAfterwardsRunsFreelyThen()
    {
        // 1000.001 us at 0.75, which is 750.00075 us of the 2000 us; the other 1249.99925 us at the whole rate.
        const std::string steps = "    - {collective: all_gather, size: 2 MB}\n    - {compute: 2 ms, after: []}\n";
        QCOMPARE(onlyClass(simulated(design("sm_share: 0.25", steps))).tasks->endPs[1], 1'000'001'000LL + 1'249'999'250LL);
    }

    void collectivesThatComeAndGoAddUpExactly()
    {
        // Two collectives, one after the other, and what is left of the computation after them.
        const std::string steps = "    - {collective: all_gather, size: 2 MB}\n    - {collective: all_gather, size: 2 MB}\n    - {compute: 3 ms, after: []}\n";
        // 2000.002 us at 0.5 do 1000.001 us; 1999.999 us remain.
        QCOMPARE(onlyClass(simulated(design("sm_share: 0.5", steps))).tasks->endPs[2], 2'000'002'000LL + 1'999'999'000LL);
    }

    void theBoundThatCountsDecides()
    {
        // 100 GFLOP: 100 ms of the peak; 50 GB: 50 ms of the bandwidth. Bandwidth at 0.4 of its rate takes 125 ms and becomes the bound.
        const std::string steps = "    - {collective: all_gather, size: 1 GB}\n    - {compute: 100 GFLOP, bytes: 50 GB, after: []}\n";
        QCOMPARE(onlyClass(simulated(design("bandwidth_share: 0.6", steps))).tasks->endPs[1], 125'000'000'000);
        QCOMPARE(onlyClass(simulated(design("bandwidth_share: 0.4", steps))).tasks->endPs[1], 100'000'000'000); // 83.3 ms are hidden
        QCOMPARE(onlyClass(simulated(design("sm_share: 0.5", steps))).tasks->endPs[1], 200'000'000'000);
        // A time that is only stated may be bound by either: the larger loss counts.
        const std::string stated = "    - {collective: all_gather, size: 1 GB}\n    - {compute: 100 ms, after: []}\n";
        QCOMPARE(onlyClass(simulated(design("sm_share: 0.2, bandwidth_share: 0.5", stated))).tasks->endPs[1], 200'000'000'000);
    }

    void collectivesTogetherTakeNoMoreThanTheMost()
    {
        const std::string groups = "    - {collective: all_gather, size: 2 GB, after: []}\n    - {collective: all_gather, size: 2 GB, after: [], group: other}\n"
                                   "    - {compute: 100 ms, after: []}\n";
        const auto with = [&](const std::string& slowdown) {
            std::string text = design(slowdown, groups);
            text.replace(text.find("workload:\n"), 10, "workload:\n  groups: [{name: other, lists: [[0, 1]]}]\n");
            return onlyClass(simulated(text)).tasks->endPs[2];
        };
        QCOMPARE(with("sm_share: 0.25"), 200'000'000'000);                  // 0.5 left
        QCOMPARE(with("sm_share: 0.25, most_share: 0.375"), 160'000'000'000);
        QCOMPARE(with("sm_share: 0.75"), 1'000'000'000'000);                // 0.9 at most: 0.1 left
    }

    void withoutCollectivesNothingChanges()
    {
        const std::string steps = "    - {compute: 400 us}\n    - {send: 1 MB, to: 1, ranks: 0}\n    - {receive: 1 MB, from: 0, ranks: 1}\n    - {compute: 7 GFLOP}\n";
        QCOMPARE(simulated(design("sm_share: 0.5, bandwidth_share: 0.5", steps)).fingerprint.hex(), simulated(design({}, steps)).fingerprint.hex());
        QCOMPARE(simulated(design("sm_share: 0", "    - {compute: 1 us}\n    - {collective: all_reduce, size: 1 KB}\n")).finish.ps,
                 simulated(design({}, "    - {compute: 1 us}\n    - {collective: all_reduce, size: 1 KB}\n")).finish.ps);
    }

    void aBusyNpuReducesMoreSlowly()
    {
        // Reduce-scatter of 2 MB over two ranks: 1 MB arrives at 1 GB/s (1 ms); reducing it moves 3 MB at the memory's 1 GB/s: 3 ms, at half of it 6 ms.
        const std::string steps = "    - {collective: reduce_scatter, size: 2 MB}\n    - {compute: 100 ms, after: []}\n";
        const std::int64_t free = onlyClass(simulated(design({}, steps, "1 GB/s"))).tasks->endPs[0];
        const std::int64_t loaded = onlyClass(simulated(design("reducer_loss: 0.5", steps, "1 GB/s"))).tasks->endPs[0];
        QCOMPARE(free, 3'000'001'000);
        QCOMPARE(loaded, 6'000'001'000);
        // Without a computation the reducer has its whole rate.
        QCOMPARE(simulated(design("reducer_loss: 0.5", "    - {collective: reduce_scatter, size: 2 MB}\n", "1 GB/s")).finish.ps, 3'000'001'000);
    }

    void randomChangesAgreeWithAStepByStepCalculation()
    {
        // Independent: time advances one ps at a time, and the units of that ps are taken off.
        std::mt19937_64 random(test::seeded(5));
        const auto pick = [&](std::int64_t least, std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(least, most)(random); };
        for (int i = 0; i < test::cases(4000); ++i) {
            ComputeParams params;
            params.smShare = pick(0, 600'000);
            params.bandwidthShare = pick(0, 600'000);
            params.mostShare = pick(100'000, 950'000);
            Slowdown slowdown(params, 1);
            const std::int64_t start = pick(0, 50);
            const ComputeWork work{pick(1, 300), pick(0, 300)};
            std::vector<std::pair<std::int64_t, std::int32_t>> changes; // instant, by
            std::int32_t open = 0;
            for (std::int64_t at = pick(0, 60); changes.size() < 12; at += pick(0, 60)) {
                const std::int32_t by = open > 0 && pick(0, 1) ? -1 : 1;
                open += by;
                changes.emplace_back(at, by);
            }
            std::int64_t end = -1;
            std::vector<Slowdown::End> moved;
            bool begun = false;
            for (const auto& [at, by] : changes) {
                if (!begun && at >= start) {
                    end = slowdown.begin(0, 9, work, start);
                    begun = true;
                }
                if (begun && end <= at)
                    break;
                moved.clear();
                slowdown.collectives(0, by, at, moved);
                if (!moved.empty())
                    end = moved.back().second;
            }
            if (!begun)
                end = slowdown.begin(0, 9, work, start);
            QVERIFY(!slowdown.ends(0, 9, end - 1));
            QVERIFY(slowdown.ends(0, 9, end));
            QVERIFY(!slowdown.ends(0, 9, end));

            std::int64_t operations = work.operationsPs * 1'000'000;
            std::int64_t bytes = work.bytesPs * 1'000'000;
            std::int64_t now = start;
            for (; operations > 0 || bytes > 0; ++now) {
                std::int64_t count = 0;
                for (const auto& [at, by] : changes)
                    count += at <= now ? by : 0;
                operations -= 1'000'000 - std::min(count * params.smShare, params.mostShare);
                bytes -= 1'000'000 - std::min(count * params.bandwidthShare, params.mostShare);
            }
            QCOMPARE(end, now);
        }
    }

    void aSteadyRateTakesTheClosedForm()
    {
        std::mt19937_64 random(test::seeded(6));
        const auto pick = [&](std::int64_t least, std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(least, most)(random); };
        for (int i = 0; i < test::cases(4000); ++i) {
            ComputeParams params;
            params.smShare = pick(0, 999'999);
            params.bandwidthShare = pick(0, 999'999);
            params.mostShare = 999'999;
            Slowdown slowdown(params, 3);
            std::vector<Slowdown::End> moved;
            slowdown.collectives(1, 1, 0, moved);
            const ComputeWork work{pick(0, 1'000'000'000'000'000), pick(1, 1'000'000'000'000'000)};
            const std::int64_t expected = std::max(ceilOf(Wide{work.operationsPs} * 1'000'000, 1'000'000 - params.smShare), ceilOf(Wide{work.bytesPs} * 1'000'000, 1'000'000 - params.bandwidthShare));
            if (expected > INT64_MAX / 4)
                continue;
            QCOMPARE(slowdown.begin(1, 0, work, 17) - 17, expected);
        }
    }

    void designsReadBack()
    {
        const Design first = read(design("sm_share: 0.125, bandwidth_share: 0.2, reducer_loss: 0.3", "    - {compute: 1 us}\n"));
        const Design again = read(writeDesign(first));
        QVERIFY(*again.compute == *first.compute);
        QCOMPARE(designHash(again).hex(), designHash(first).hex());
        QVERIFY(designHash(read(design("sm_share: 0.126, bandwidth_share: 0.2, reducer_loss: 0.3", "    - {compute: 1 us}\n"))).hex() != designHash(first).hex());
    }

    void sharesThatLeaveNothingAreRefused()
    {
        const auto found = validate(read(design("sm_share: 1", "    - {compute: 1 us}\n")));
        QCOMPARE(found.size(), std::size_t{1});
        QVERIFY(found[0].severity == Severity::Error && found[0].message.find("leaves something") != std::string::npos);
        const auto astra = validate(read(design("sm_share: 0.5", "    - {compute: 1 us}\n") + "model: {name: astra-unaware}\n"));
        QCOMPARE(astra.size(), std::size_t{1});
        QCOMPARE(astra[0].rule, std::string("unused-setting"));
    }
};

FABRICSCOPE_TEST(ComputeSlowdownTest)
#include "tst_compute_slowdown.moc"
