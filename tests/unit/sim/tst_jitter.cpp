#include "core/base/seededhash.h"
#include "core/run/seeds.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/cases/randomcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>
#include <numeric>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

double meanOf(const std::vector<std::int32_t>& factors)
{
    return std::accumulate(factors.begin(), factors.end(), 0.0) / static_cast<double>(factors.size()) / 1e6;
}

double deviationOf(const std::vector<std::int32_t>& factors)
{
    double sum = 0;
    for (const std::int32_t factor : factors)
        sum += (factor / 1e6 - 1) * (factor / 1e6 - 1);
    return std::sqrt(sum / static_cast<double>(factors.size()));
}

/// The factor that a share of the draws falls below.
double quantile(const std::vector<std::int32_t>& factors, double share)
{
    return factors[static_cast<std::size_t>(share * static_cast<double>(factors.size()))] / 1e6;
}

bool isNear(double a, double b, double tolerance)
{
    return std::abs(a - b) <= tolerance;
}

const std::string kSteps = "{compute: 1 ms, name: work}, {send: 1 MiB, to: 1, ranks: 0}, {receive: 1 MiB, from: 0, ranks: 1}";

NetworkParams jittered(std::uint64_t seed)
{
    NetworkParams network;
    network.seed = seed;
    network.compute = JitterTable({JitterShape::Lognormal, 0.3});
    network.latency = JitterTable({JitterShape::Exponential, 0.5});
    network.occupancy = JitterTable({JitterShape::Uniform, 0.2});
    return network;
}

} // namespace

class TestJitter : public QObject {
    Q_OBJECT

private slots:
    void tablesHaveMeanOneAndTheirDeviation()
    {
        for (const JitterShape shape : {JitterShape::Uniform, JitterShape::Normal, JitterShape::Lognormal, JitterShape::Exponential}) {
            for (const double deviation : {0.01, 0.1, 0.3}) {
                const std::vector<std::int32_t> factors = JitterTable({shape, deviation}).factors();
                QCOMPARE(factors.size(), std::size_t{4096});
                QVERIFY(isNear(meanOf(factors), 1, 1e-6));
                QVERIFY(std::is_sorted(factors.begin(), factors.end()));
                QVERIFY(factors.front() >= 0);
                // The normal distribution cut off at three deviations has 0.98658 of it.
                const double expected = shape == JitterShape::Normal ? 0.98658 * deviation : deviation;
                QVERIFY2(isNear(deviationOf(factors), expected, 0.01 * expected), std::to_string(deviationOf(factors) / deviation).c_str());
            }
        }
        QVERIFY(JitterTable({JitterShape::None, 0}).empty());
        QVERIFY(JitterTable({JitterShape::Normal, 0}).empty());
    }

    void quantilesAreThoseOfTheDistribution()
    {
        const auto uniform = JitterTable({JitterShape::Uniform, 0.1}).factors();
        QVERIFY(isNear(quantile(uniform, 0), 1 - 0.1 * std::sqrt(3.0), 1e-4));
        QVERIFY(isNear(quantile(uniform, 0.75), 1 + 0.05 * std::sqrt(3.0), 1e-4));
        const auto normal = JitterTable({JitterShape::Normal, 0.1}).factors();
        QVERIFY(isNear(quantile(normal, 0.5), 1, 1e-4));
        QVERIFY(isNear(quantile(normal, 0.8413), 1.1, 1e-3)); // One deviation.
        QVERIFY(quantile(normal, 0) >= 0.699 && quantile(normal, 0.9999) <= 1.301);
        const auto exponential = JitterTable({JitterShape::Exponential, 0.2}).factors();
        QVERIFY(isNear(quantile(exponential, 0), 0.8, 1e-3));
        QVERIFY(isNear(quantile(exponential, 0.5), 0.8 + 0.2 * std::log(2.0), 1e-3));
        QVERIFY(isNear(quantile(exponential, 0.9), 0.8 + 0.2 * std::log(10.0), 2e-3));
        const auto lognormal = JitterTable({JitterShape::Lognormal, 0.5}).factors();
        QVERIFY(isNear(quantile(lognormal, 0.5), 1 / std::sqrt(1.25), 2e-3)); // Median: mean / sqrt(1 + cv^2).
    }

    void factorsAreDrawnEvenlyAndByNumber()
    {
        const JitterTable table({JitterShape::Uniform, 0.5});
        std::vector<int> eighths(8, 0);
        for (std::int64_t i = 0; i < 80'000; ++i)
            ++eighths[seededHash(5, {i}) >> 61];
        for (const int count : eighths)
            QVERIFY2(count > 9'600 && count < 10'400, std::to_string(count).c_str()); // Four deviations of 94.
        QCOMPARE(table.apply(1'000'000'000, std::uint64_t{0}), std::int64_t{table.factors().front()} * 1000);
        QCOMPARE(table.apply(1'000'000'000, ~std::uint64_t{0}), std::int64_t{table.factors().back()} * 1000);
        static_assert(seededHash(1, {2, 3}) != seededHash(1, {3, 2}) && seededHash(1, {2}) != seededHash(2, {2}));
    }

    void theSameSeedGivesTheSameBytes()
    {
        std::set<std::string> results;
        for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(cases(300)); ++seed) {
            RandomLimits limits;
            limits.maxNpus = 8;
            limits.maxTasks = 8;
            limits.explicitGraph = seed % 2 == 0;
            limits.explicitPrograms = seed % 5 == 0;
            const auto plain = build(openCase(seed, limits));
            QVERIFY(plain);
            const Scenario scenario = withNetwork(plain.value(), jittered(11));
            const LinksRun first = runNetwork(scenario);
            QVERIFY(runNetwork(scenario).record.messages.value() == first.record.messages.value());
            QVERIFY(runNetwork(withNetwork(plain.value(), jittered(3)), 11).record.messages.value() == first.record.messages.value());
            const LinksRun before = runNetwork(plain.value());
            if (first.record.complete && before.record.complete)
                QCOMPARE(first.messages.size(), before.messages.size());
        }
        const Scenario scenario = scenarioOf(graphDesign("gpu0-gpu1", "jitter: {compute: {distribution: normal, deviation: 0.1}}", kSteps));
        for (std::uint64_t seed = 1; seed <= 20; ++seed)
            results.insert(runNetwork(scenario, seed).record.fingerprint.hex());
        QVERIFY(results.size() > 15);
    }

    void computationsStayInTheRangeOfTheirDistribution()
    {
        const Scenario scenario = scenarioOf(graphDesign("gpu0-gpu1", "jitter: {compute: {distribution: uniform, deviation: 0.1}}", kSteps));
        std::int64_t least = INT64_MAX;
        std::int64_t most = 0;
        double sum = 0;
        constexpr int kSeeds = 400;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            // Rank 0 computes, then sends at the unchanged rate of the link: 1048576 ns + 100 ns.
            const std::int64_t compute = runNetwork(scenario, seed).messages.front().readyPs;
            least = std::min(least, compute);
            most = std::max(most, compute);
            sum += static_cast<double>(compute);
        }
        QVERIFY(least >= 826'790'000 && most <= 1'173'210'000); // 1 ms (1 -+ 0.1 sqrt 3)
        QVERIFY(least < 850'000'000 && most > 1'150'000'000);
        QVERIFY(isNear(sum / kSeeds, 1e9, 2e7)); // Four deviations of the mean.
    }

    void linksAreSlowedByOneFactorPerMessage()
    {
        const std::string one = "{send: 1 MiB, to: 1, ranks: 0}, {receive: 1 MiB, from: 0, ranks: 1}";
        const Scenario latency = scenarioOf(graphDesign("gpu0-gpu1", "jitter: {latency: {distribution: uniform, deviation: 0.1}}", one));
        const Scenario occupancy = scenarioOf(graphDesign("gpu0-gpu1", "jitter: {occupancy: {distribution: uniform, deviation: 0.1}}", one));
        std::set<std::int64_t> times;
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            const std::int64_t late = onlyMessage(runNetwork(latency, seed)) - 1'048'576'000;
            QVERIFY(late >= 82'679 && late <= 117'321);
            // Four pieces, all with the same factor in millionths: 262144 ns f each.
            const std::int64_t busy = onlyMessage(runNetwork(occupancy, seed)) - 100'000;
            QVERIFY(busy % 4 == 0 && busy >= 866'900'000 && busy <= 1'230'200'000);
            times.insert(busy);
        }
        QVERIFY(times.size() > 90);
    }

    void percentilesAreTheNearestRank()
    {
        SeedTimes times;
        for (std::int64_t i = 200; i > 0; --i)
            times.finishPs.push_back(i);
        QCOMPARE(times.percentile(50), std::int64_t{100});
        QCOMPARE(times.percentile(99), std::int64_t{198});
        QCOMPARE(times.percentile(100), std::int64_t{200});
        times.finishPs = {7, 3, 5};
        QCOMPARE(times.percentile(50), std::int64_t{5});
        QCOMPARE(times.percentile(99), std::int64_t{7});
        QCOMPARE(times.percentile(1), std::int64_t{3});
    }

    void manySeedsGiveTheSameOnAnyNumberOfThreads()
    {
        const Scenario scenario = scenarioOf(graphDesign("gpu0-gpu1", "jitter: {compute: {distribution: lognormal, deviation: 0.2}}", kSteps));
        const auto one = simulateSeeds(scenario, {}, 5, 40, 1);
        QVERIFY(one);
        for (const int threads : {2, 8}) {
            const auto more = simulateSeeds(scenario, {}, 5, 40, threads);
            QVERIFY(more);
            QVERIFY(more.value().finishPs == one.value().finishPs);
        }
        for (std::size_t i = 0; i < 40; ++i)
            QCOMPARE(one.value().finishPs[i], runNetwork(scenario, 5 + i).record.finish.ps);
    }

    void deviationsThatGiveNegativeFactorsAreRefused()
    {
        const auto says = [](const std::string& jitter, const std::string& text) {
            return problemsOf(graphDesign("gpu0-gpu1", "jitter: {" + jitter + "}", kSteps)).find(text) != std::string::npos;
        };
        QVERIFY(says("compute: {distribution: normal, deviation: 0.4}", "some factors are negative"));
        QVERIFY(says("latency: {distribution: uniform, deviation: 0.6}", "some factors are negative"));
        QVERIFY(says("latency: {distribution: exponential, deviation: 1.5}", "some factors are negative"));
        QVERIFY(says("latency: {distribution: pareto, deviation: 0.1}", "unknown value"));
        QVERIFY(says("latency: {distribution: normal}", "deviation"));
        QVERIFY(says("reduction: {distribution: normal, deviation: 0.1}", "reduction"));
    }
};

FABRICSCOPE_TEST(TestJitter)
#include "tst_jitter.moc"
