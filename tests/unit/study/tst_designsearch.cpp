// Searches of studies alone, on problems whose fronts are known in closed form, and on small grids by brute force.
#include "core/study/designsearch.h"
#include "core/study/paretofront.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>
#include <functional>
#include <random>
#include <set>

using namespace fabricscope;

namespace {

using ClosedProblem = std::function<SearchAnswer(const std::vector<std::int64_t>& places)>;

/// What was asked for, in order, with its answers; `budget`: after how many it ends.
std::vector<SearchAnswer> searched(DesignSearch& search, const SearchGrid& grid, const ClosedProblem& problem, std::size_t budget)
{
    std::vector<SearchAnswer> all;
    while (all.size() < budget) {
        std::vector<SearchAnswer> answers;
        for (const std::int64_t number : search.ask()) {
            SearchAnswer answer = problem(grid.placesOf(number));
            answer.number = number;
            answers.push_back(std::move(answer));
        }
        if (answers.empty())
            break;
        search.tell(answers);
        all.insert(all.end(), answers.begin(), answers.end());
    }
    all.resize(std::min(all.size(), budget));
    return all;
}

std::set<std::vector<double>> frontValues(const std::vector<SearchAnswer>& answers)
{
    std::vector<std::vector<double>> rows;
    for (const SearchAnswer& answer : answers) {
        if (answer.feasible)
            rows.push_back(answer.values);
    }
    std::set<std::vector<double>> out;
    for (const std::size_t row : paretoFront(rows))
        out.insert(rows[row]);
    return out;
}

constexpr std::int64_t kPlaces = 33;

/// ZDT1, 2 and 3 (Zitzler, Deb, Thiele 2000) with parameters of 0, 1/32 ... 1; the front is where all but the first are 0.
SearchAnswer zdt(int kind, const std::vector<std::int64_t>& places)
{
    constexpr double kPi = 3.14159265358979323846;
    const auto part = [](std::int64_t place) { return static_cast<double>(place) / static_cast<double>(kPlaces - 1); };
    double g = 1;
    for (std::size_t i = 1; i < places.size(); ++i)
        g += 9 * part(places[i]) / static_cast<double>(places.size() - 1);
    const double f = part(places[0]);
    const double h = kind == 1 ? 1 - std::sqrt(f / g) : kind == 2 ? 1 - f / g * (f / g) : 1 - std::sqrt(f / g) - f / g * std::sin(10 * kPi * f);
    return {0, {f, g * h}, true};
}

SearchGrid zdtGrid(std::size_t dimensions)
{
    return {std::vector<SearchGrid::Dimension>(dimensions, {kPlaces, true})};
}

/// How much of the rectangle from the front to (1.1, worst) it dominates.
double dominated(const std::set<std::vector<double>>& front, double worst)
{
    double area = 0;
    double above = worst;
    for (const std::vector<double>& row : front) { // By the first column, so down in the second.
        if (row[0] < 1.1 && row[1] < above) {
            area += (1.1 - row[0]) * (above - row[1]);
            above = row[1];
        }
    }
    return area;
}

} // namespace

class DesignSearchTest : public QObject {
    Q_OBJECT

private slots:
    void numbersAreThoseOfTheGrid()
    {
        const SearchGrid grid{{{3, true}, {1, true}, {4, false}}};
        QCOMPARE(grid.count(), std::int64_t{12});
        QCOMPARE(grid.placesOf(7), (std::vector<std::int64_t>{1, 0, 3}));
        for (std::int64_t number = 0; number < 12; ++number)
            QCOMPARE(grid.numberOf(grid.placesOf(number)), number);
    }

    /// 1.5 x 10^15 designs, of which 3,000 are looked at. The best that is possible is the front of the grid itself: f2 = h(f1) at the 33 places of the first parameter.
    void theFrontsOfZdtAreFound_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("genetic");
        for (const int kind : {1, 2, 3}) {
            QTest::addRow("ZDT%d, NSGA-II", kind) << kind << true;
            QTest::addRow("ZDT%d, neighbours", kind) << kind << false;
        }
    }
    void theFrontsOfZdtAreFound()
    {
        QFETCH(const int, kind);
        QFETCH(const bool, genetic);
        const SearchGrid grid = zdtGrid(10);
        std::vector<SearchAnswer> best;
        for (std::int64_t place = 0; place < kPlaces; ++place) {
            std::vector<std::int64_t> places(10, 0);
            places[0] = place;
            best.push_back(zdt(kind, places));
        }
        const double possible = dominated(frontValues(best), 11);
        const ClosedProblem problem = [kind](const std::vector<std::int64_t>& places) { return zdt(kind, places); };
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            const auto search = genetic ? makeGeneticSearch(grid, seed, 60) : makeNeighbourSearch(grid, seed);
            const double found = dominated(frontValues(searched(*search, grid, problem, 3000)), 11);
            QVERIFY2(found <= possible * (1 + 1e-12), "the front of the grid cannot be beaten");
            QVERIFY2(found >= possible * 0.99, qPrintable(QStringLiteral("seed %1: %2 of %3").arg(seed).arg(found).arg(possible)));
        }
    }

    /// With one objective and one basin a start walks down to the least, |p0 - 7| + |p1 - 20| + |p2 - 30| = 0: one of 35,937 designs.
    void stepsWalkDown()
    {
        const SearchGrid grid = zdtGrid(3);
        const ClosedProblem problem = [](const std::vector<std::int64_t>& places) {
            return SearchAnswer{0, {static_cast<double>(std::abs(places[0] - 7) + std::abs(places[1] - 20) + std::abs(places[2] - 30))}, true};
        };
        // 8 starts; from the best of them at most 3 x 5 steps of powers of two, with up to 3 x 12 neighbours each.
        QCOMPARE(frontValues(searched(*makeNeighbourSearch(grid, 5), grid, problem, 8 + 15 * 36)), (std::set<std::vector<double>>{{0}}));
    }

    /// With a budget of all of them every design is asked for once, so the front is that of the grid; some are infeasible.
    void smallGridsAreSeenWhole()
    {
        std::mt19937 random(11);
        for (int round = 0; round < test::cases(60); ++round) {
            SearchGrid grid;
            const std::size_t dimensions = 1 + random() % 4;
            for (std::size_t i = 0; i < dimensions; ++i)
                grid.dimensions.push_back({1 + static_cast<std::int64_t>(random() % 5), random() % 2 == 0});
            const std::size_t columns = 1 + random() % 3;
            std::vector<SearchAnswer> table;
            for (std::int64_t number = 0; number < grid.count(); ++number) {
                SearchAnswer answer{number, {}, random() % 5 != 0};
                for (std::size_t column = 0; column < columns; ++column)
                    answer.values.push_back(static_cast<double>(random() % 7));
                table.push_back(std::move(answer));
            }
            const ClosedProblem problem = [&](const std::vector<std::int64_t>& places) { return table[static_cast<std::size_t>(grid.numberOf(places))]; };
            for (const bool genetic : {true, false}) {
                const auto search = genetic ? makeGeneticSearch(grid, random(), 4) : makeNeighbourSearch(grid, random());
                const std::vector<SearchAnswer> all = searched(*search, grid, problem, table.size() + 10);
                std::set<std::int64_t> numbers;
                for (const SearchAnswer& answer : all)
                    numbers.insert(answer.number);
                QCOMPARE(all.size(), table.size());
                QCOMPARE(numbers.size(), table.size());
                QCOMPARE(frontValues(all), frontValues(table));
                QVERIFY(search->ask().empty());
            }
        }
    }

    void aSeedSaysItAll()
    {
        const SearchGrid grid = zdtGrid(6);
        const ClosedProblem problem = [](const std::vector<std::int64_t>& places) { return zdt(1, places); };
        const auto numbers = [&](DesignSearch& search) {
            std::vector<std::int64_t> out;
            for (const SearchAnswer& answer : searched(search, grid, problem, 300))
                out.push_back(answer.number);
            return out;
        };
        QCOMPARE(numbers(*makeGeneticSearch(grid, 4, 20)), numbers(*makeGeneticSearch(grid, 4, 20)));
        QVERIFY(numbers(*makeGeneticSearch(grid, 4, 20)) != numbers(*makeGeneticSearch(grid, 5, 20)));
        QCOMPARE(numbers(*makeNeighbourSearch(grid, 4)), numbers(*makeNeighbourSearch(grid, 4)));
        QVERIFY(numbers(*makeNeighbourSearch(grid, 4)) != numbers(*makeNeighbourSearch(grid, 5)));
    }
};

FABRICSCOPE_TEST(DesignSearchTest)

#include "tst_designsearch.moc"
