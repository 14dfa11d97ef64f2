#include "core/draw/platformheat.h"
#include "core/run/rundesign.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

using namespace fabricscope;

class PlatformHeatTest : public QObject {
    Q_OBJECT
private slots:
    void groupsAlikeLookAlikeWhereOnlySomeOfTheirLinksAreListed()
    {
        auto loaded = readDesignText("fabricscope: 1\nplatform:\n  dimensions:\n"
                                     "    - {shape: ring, size: 16, bandwidth: 50 GB/s, latency: 1 us}\n"
                                     "    - {shape: ring, size: 16, bandwidth: 50 GB/s, latency: 1 us}\n"
                                     "    - {shape: switch, size: 16, bandwidth: 25 GB/s, latency: 2 us}\n"
                                     "workload: {collective: all_reduce, size: 1 GiB}\n",
                                     "design.yaml");
        QVERIFY(loaded);
        const auto run = runDesign(std::make_shared<const Design>(std::move(loaded.value().design)), {}, {});
        QVERIFY(run);
        const RunRecord& record = run.value()->record();
        QVERIFY(!record.allLinks);
        const Platform& platform = run.value()->scenario->structure->platform;
        const PlatformHeat heat = PlatformHeat::fromRecord(platform, record);
        const double share = record.dimensions[0].busyShare(record.finish);
        QVERIFY(share > 0.3);
        for (NodeId first = 0; first < platform.npuCount(); first += 256) {
            const PlatformHeat::Group group = heat.group(platform, first, 256, 1);
            QVERIFY2(qAbs(group.mean - share) < 1e-9 && qAbs(group.most - share) < 1e-9, qPrintable(QStringLiteral("%1: %2").arg(first).arg(group.mean)));
        }
    }

    void aBusierLinkShowsInItsGroupAlone()
    {
        PlatformSpec spec;
        spec.dimensions.emplace_back().size = 8;
        spec.dimensions[0].bandwidth = Quantity{50, "GB/s", Measure::Bandwidth};
        spec.dimensions[0].latency = Quantity{1, "us", Measure::Time};
        const auto made = Platform::create(spec);
        QVERIFY(made);
        const Platform& platform = made.value();
        RunRecord record;
        record.finish = SimTime{100};
        record.dimensions.resize(1);
        record.dimensions[0].links = 16;
        record.dimensions[0].busyPs = 100 + 15 * 50;
        const auto listed = [&](NodeId npu, std::int64_t busy) { record.links.push_back({*platform.ringLink(0, npu, RingDirection::Plus), 1, 1, busy}); };
        listed(0, 100);
        listed(1, 50);
        listed(2, 50);
        const PlatformHeat heat = PlatformHeat::fromRecord(platform, record);
        QCOMPARE(heat.group(platform, 0, 4, 0).most, 1.0);
        QCOMPARE(heat.group(platform, 0, 4, 0).mean, (1.0 + 7 * 0.5) / 8);
        QCOMPARE(heat.group(platform, 4, 4, 0).most, 0.5);
        QCOMPARE(heat.group(platform, 4, 4, 0).mean, 0.5);
        // The list is all there is: what it says holds, down to the least.
        record.allLinks = true;
        record.links.back().busyPs = 20;
        record.dimensions[0].busyPs -= 30;
        QCOMPARE(PlatformHeat::fromRecord(platform, record).group(platform, 2, 1, 0).mean, (0.2 + 0.5) / 2);
    }
};

FABRICSCOPE_TEST(PlatformHeatTest)
#include "tst_platformheat.moc"
