#include "widgets/timeline/geometry.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace fabricscope;

class TimelineGeometryTest : public QObject
{
    Q_OBJECT
private slots:
    void timeAndPixelsAreInverse()
    {
        TimelineGeometry geometry{{0, 1'000'000}, {200'000, 700'000}, 100, 1000};

        QCOMPARE(geometry.xOf(200'000), 100.0);
        QCOMPARE(geometry.xOf(700'000), 1100.0);
        QCOMPARE(geometry.xOf(450'000), 600.0);
        QCOMPARE(geometry.timeAt(600), 450'000);
        QCOMPARE(geometry.timeAt(0), 200'000);
        QCOMPARE(geometry.timeAt(5000), 700'000);
    }

    void T1_zoomKeepsTheTimeUnderThePointer()
    {
        std::mt19937_64 random(test::seeded(5));
        TimelineGeometry geometry{{0, 12'000'000'000}, {0, 12'000'000'000}, 188, 913};
        for (int i = 0; i < test::cases(300); ++i) {
            // Away from the ends of the run, where clamping may move it.
            geometry.visible = geometry.clamped({3'000'000'000, 3'000'000'000 + static_cast<std::int64_t>(1'000 + random() % 5'000'000'000)});
            const double x = 188 + static_cast<double>(random() % 913);
            const std::int64_t under = geometry.timeAt(x);
            const double was = geometry.xOf(under);
            TimelineGeometry zoomed = geometry;
            zoomed.visible = geometry.zoomed(1.0 + static_cast<double>(random() % 100) / 50, x);
            QVERIFY(std::abs(zoomed.xOf(under) - was) < 1.0);
        }
    }

    void T3_neverPastOnePicosecondPerPixelNorOutsideTheRun()
    {
        std::mt19937_64 random(test::seeded(6));
        for (const std::int64_t length : {std::int64_t{1}, std::int64_t{50}, std::int64_t{5'000}, std::int64_t{12'000'000'000}, std::int64_t{4'000'000'000'000'000'000}}) {
            TimelineGeometry geometry{{0, length}, {0, length}, 188, 913.5};
            for (int i = 0; i < test::cases(2000); ++i) {
                switch (random() % 4) {
                case 0: geometry.visible = geometry.zoomed(1 + static_cast<double>(random() % 1000) / 100, 188 + static_cast<double>(random() % 914)); break;
                case 1: geometry.visible = geometry.zoomed(1 / (1 + static_cast<double>(random() % 1000) / 300), static_cast<double>(random() % 1200)); break;
                case 2: geometry.visible = geometry.panned(static_cast<double>(random() % 400) / 100 - 2); break;
                default: geometry.visible = geometry.centred(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length))); break;
                }
                QVERIFY(geometry.visible.beginPs >= 0);
                QVERIFY(geometry.visible.endPs <= length);
                QVERIFY(geometry.visible.spanPs() >= std::min<std::int64_t>(length, 914));
            }
        }
    }

    void fitsARangeIntoTheMiddle()
    {
        TimelineGeometry geometry{{0, 10'000'000}, {0, 10'000'000}, 0, 1000};

        const TimeRange fitted = geometry.fitted({4'000'000, 4'800'000}, 0.8);

        QCOMPARE(fitted.beginPs, 3'900'000);
        QCOMPARE(fitted.endPs, 4'900'000);
    }

    void ticksAreAtRoundTimes()
    {
        // 11.3 ms on 913 px: 100 px are 1.24 ms, so labels every 2 ms and marks every 1 ms.
        const TimelineGeometry geometry{{0, 11'300'000'000}, {0, 11'300'000'000}, 188, 913};

        const std::int64_t step = geometry.tickStep(100);
        const auto ticks = geometry.ticks(step);

        QCOMPARE(step, 2'000'000'000);
        QCOMPARE(ticks.size(), std::size_t{12});
        QCOMPARE(ticks[3].timePs, 3'000'000'000);
        QVERIFY(!ticks[3].major);
        QVERIFY(ticks[4].major);
    }
};

FABRICSCOPE_TEST(TimelineGeometryTest)
#include "tst_timelinegeometry.moc"
