// Time on a link: the least whole picosecond in which its rate moves the bytes, whatever the rate.
#include "core/scenario/scenario.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <numeric>
#include <random>

using namespace fabricscope;

class TestOccupancy : public QObject {
    Q_OBJECT

private:
    /// Is `ps` the least time in which `rate` moves `bytes`? By products alone.
    static bool isLeast(std::int64_t ps, std::int64_t bytes, std::int64_t rate)
    {
        __extension__ using Wide = __int128;
        const Wide work = Wide{bytes} * 1'000'000'000'000;
        return Wide{ps} * rate >= work && (ps == 0 || Wide{ps - 1} * rate < work);
    }

    static CostTable tableOf(const std::vector<std::int64_t>& rates)
    {
        Params params;
        for (const std::int64_t rate : rates) {
            params.linkRate.push_back({rate});
            params.linkLatency.push_back({1});
        }
        return CostTable(params);
    }

private slots:
    void roundRatesAndOthers()
    {
        const std::vector<std::int64_t> rates{1, 3, 7, 1'000'000'007, 25'000'000'000, 50'000'000'000, 37'500'000'001, 899'999'999'999, 900'000'000'000, 1'000'000'000'000, 1'000'000'000'001,
                                              INT64_MAX / 2, INT64_MAX - 1, INT64_MAX};
        const CostTable table = tableOf(rates);
        for (std::size_t i = 0; i < rates.size(); ++i) {
            QCOMPARE(table.occupancy(static_cast<ResourceClass>(i), 0), 0);
            for (std::int64_t bytes = 1; bytes > 0 && bytes <= INT64_MAX / 4; bytes = bytes * 2 + 1) {
                if (bytes / rates[i] > 9'000'000)
                    break; // 106 days, where the clock ends
                for (const std::int64_t near : {bytes - 1, bytes, bytes + 1})
                    QVERIFY2(isLeast(table.occupancy(static_cast<ResourceClass>(i), near), near, rates[i]), qPrintable(QString("%1 bytes at %2").arg(near).arg(rates[i])));
            }
        }
    }

    void randomOnes()
    {
        std::mt19937_64 random(test::seeded(11));
        for (int i = 0; i < test::cases(20'000); ++i) {
            const auto rate = static_cast<std::int64_t>(random() >> (1 + random() % 62)) + 1;
            const auto bytes = static_cast<std::int64_t>(random() >> (1 + random() % 62));
            if (bytes / rate > 9'000'000)
                continue;
            const std::int64_t ps = tableOf({rate}).occupancy(0, bytes);
            QVERIFY2(isLeast(ps, bytes, rate), qPrintable(QString("%1 bytes at %2: %3").arg(bytes).arg(rate).arg(ps)));
        }
    }

    /// Where 64 bits stop to be enough, and beside it.
    void wherePathsMeet()
    {
        constexpr std::int64_t second = 1'000'000'000'000;
        for (const std::int64_t rate : {1'000'003LL, 25'000'000'000LL, 37'500'000'001LL, 1'000'000'000'001LL, 64'000'000'000'000LL}) {
            const std::int64_t common = std::gcd(second, rate);
            const std::int64_t last = (INT64_MAX - (rate / common - 1)) / (second / common);
            const CostTable table = tableOf({rate});
            for (std::int64_t bytes = last - 3; bytes <= last + (rate / common == 1 ? 0 : 3); ++bytes) // Of a round rate no time fits a number beyond.
                QVERIFY2(isLeast(table.occupancy(0, bytes), bytes, rate), qPrintable(QString("%1 bytes at %2").arg(bytes).arg(rate)));
        }
    }

    void noRateTakesNoTime()
    {
        const CostTable table = tableOf({0});
        for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, INT64_MAX / 2, INT64_MAX})
            QCOMPARE(table.occupancy(0, bytes), 0);
        QVERIFY(!table.hasInjection());
    }
};

FABRICSCOPE_TEST(TestOccupancy)
#include "tst_occupancy.moc"
