// Quantiles over seeds: ranks by exact binomial sums, how often they hold by drawing, groups by hand.
#include "core/study/seedquantiles.h"
#include "core/study/tabletext.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace fabricscope;

namespace {

/// Chance that at most `k` of `n` are below a quantile, from Pascal's triangle.
double chanceOfAtMost(int k, int n, double part)
{
    std::vector<long double> row{1};
    for (int i = 0; i < n; ++i) {
        row.push_back(0);
        for (std::size_t j = row.size() - 1; j > 0; --j)
            row[j] = row[j] * (1 - static_cast<long double>(part)) + row[j - 1] * static_cast<long double>(part);
        row[0] *= 1 - static_cast<long double>(part);
    }
    long double sum = 0;
    for (int i = 0; i <= k; ++i)
        sum += row[static_cast<std::size_t>(i)];
    return static_cast<double>(sum);
}

} // namespace

class SeedQuantilesTest : public QObject {
    Q_OBJECT

private slots:
    /// The narrowest whose ends hold with 95 % each.
    void ranksAreThoseOfTheBinomialDistribution()
    {
        for (const int n : {1, 2, 4, 5, 10, 29, 58, 59, 100}) {
            for (const double part : {0.5, 0.95, 0.99}) {
                const OrderRanks ranks = orderRanks(n, part);
                std::optional<std::int64_t> low;
                std::optional<std::int64_t> high;
                for (int k = 0; k < n; ++k) {
                    if (1 - chanceOfAtMost(k, n, part) >= 0.95)
                        low = k;
                    if (!high && chanceOfAtMost(k, n, part) >= 0.95)
                        high = k;
                }
                QVERIFY2(ranks.low == low && ranks.high == high, qPrintable(QStringLiteral("%1 numbers, %2").arg(n).arg(part)));
            }
        }
        // 0.99^298 is 5.003 %, 0.99^299 is 4.953 %; 0.95^58 is 5.10 %, 0.95^59 is 4.85 %.
        QVERIFY(!orderRanks(298, 0.99).high);
        QCOMPARE(orderRanks(299, 0.99).high, std::optional<std::int64_t>(298));
        QVERIFY(!orderRanks(58, 0.95).high);
        QCOMPARE(orderRanks(59, 0.95).high, std::optional<std::int64_t>(58));
        // Of a hundred thousand: within what the normal distribution says, p n +- 1.645 sqrt(n p (1 - p)).
        const OrderRanks many = orderRanks(100'000, 0.5);
        QVERIFY(std::abs(static_cast<double>(*many.low) - (50'000 - 260.1)) < 3 && std::abs(static_cast<double>(*many.high) - (50'000 + 260.1)) < 3);
        QCOMPARE(many.at, std::int64_t{49'999});
    }

    /// Of equally spread numbers the quantile is the part itself: each end misses it in at most a twentieth of all draws.
    void endsHoldAsOftenAsTheySay()
    {
        std::mt19937_64 random(5);
        const int draws = test::cases(4000);
        for (const auto& [n, part] : {std::pair{40, 0.5}, {100, 0.95}}) {
            const OrderRanks ranks = orderRanks(n, part);
            int lowMisses = 0;
            int highMisses = 0;
            for (int draw = 0; draw < draws; ++draw) {
                std::vector<double> numbers(static_cast<std::size_t>(n));
                for (double& number : numbers)
                    number = std::uniform_real_distribution<double>(0, 1)(random);
                std::sort(numbers.begin(), numbers.end());
                lowMisses += numbers[static_cast<std::size_t>(*ranks.low)] > part ? 1 : 0;
                highMisses += numbers[static_cast<std::size_t>(*ranks.high)] < part ? 1 : 0;
            }
            // Five standard deviations of that many draws.
            const double most = 0.05 * draws + 5 * std::sqrt(0.05 * 0.95 * draws);
            QVERIFY(lowMisses <= most && highMisses <= most);
        }
    }

    /// Times of 1 to 60 ns of one rate, 101 to 110 of another, one of them failed.
    void designsAreGroupedByWhatIsNoSeed()
    {
        StudySpec space;
        space.parameters.resize(2);
        space.parameters[0].name = "seed";
        space.parameters[0].fields = {"network.seed"};
        space.parameters[1].name = "rate";
        space.parameters[1].fields = {"platform.dimensions.0.bandwidth"};
        space.objectives = {{StudyObjective::Sense::Minimise, PointFigure::StepTime, {}}, {StudyObjective::Sense::Report, PointFigure::Npus, {}}};
        StudyTable table;
        const auto add = [&table](const char* rate, int ns) {
            StudyTableRow& row = table.rows.emplace_back();
            row.number = static_cast<std::int64_t>(table.rows.size()) - 1;
            row.state = StudyTableRow::State::Done;
            row.labels = {std::to_string(ns), rate};
            row.figures[PointFigure::StepTime] = ns * 1000.0;
            row.figures[PointFigure::Npus] = 4;
        };
        for (int i = 0; i < 60; ++i) {
            add("fast", 1 + i * 7 % 60); // Every number once, in another order.
            if (i < 10)
                add("slow", 101 + i);
        }
        table.rows.back().state = StudyTableRow::State::Failed;
        const int failed = static_cast<int>(*table.rows.back().figures[PointFigure::StepTime] / 1000);
        const std::vector<SeedSpread> spreads = seedSpreads(space, table);
        QCOMPARE(spreads.size(), std::size_t{2}); // The NPUs need no run.
        QCOMPARE(spreads[0].labels, std::vector<std::string>{"fast"});
        QCOMPARE(spreads[0].seeds, std::int64_t{59});
        QCOMPARE(spreads[0].number, std::int64_t{0});
        QVERIFY(spreads[0].quantiles[1].high && !spreads[0].quantiles[2].high);
        QCOMPARE(*spreads[0].quantiles[1].high, failed == 60 ? 59'000.0 : 60'000.0);
        // Of ten numbers: the fifth, between the second and the ninth.
        QVERIFY(spreads[1].quantiles[0].value == 105'000 && spreads[1].quantiles[0].low == 102'000 && spreads[1].quantiles[0].high == 109'000);
        const std::string said = seedsText(space, table, 1);
        QVERIFY2(said.starts_with("step_time over 59 seeds, rate fast: p50 ") && said.find(" to open)\nand 1 more over seeds\n") != std::string::npos, said.c_str());
        space.parameters[0].fields = {"network.seed", "workload.size"};
        QVERIFY(seedSpreads(space, table).empty() && seedsText(space, table, 5).empty());
    }
};

FABRICSCOPE_TEST(SeedQuantilesTest)

#include "tst_seedquantiles.moc"
