// Ratios of unequal devices: parts in whole elements, and the linear program against a fine grid and a second formulation.
#include "core/base/index.h"
#include "core/planner/ratioprogram.h"
#include "core/planner/shareparts.h"
#include "core/synthesis/linearprogram.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>
#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

UnequalCluster clusterOf(const std::vector<double>& speeds, const std::vector<double>& memories = {})
{
    UnequalCluster cluster;
    for (std::size_t i = 0; i < speeds.size(); ++i)
        cluster.types.push_back({"d" + std::to_string(i), speeds[i], 1, memories.empty() ? 0 : memories[i]});
    for (CollectiveTime& time : cluster.times)
        time = {true, 0, 1, {}};
    return cluster;
}

RatioTerm compute(double shared, double whole = 0)
{
    return {RatioTerm::Kind::Compute, 0, shared, whole, ShareCollective::AllGather, 0, 0, -1};
}

RatioTerm collective(ShareCollective kind, double bytes)
{
    return {RatioTerm::Kind::Collective, 0, 0, 0, kind, bytes, 0, -1};
}

/// The definition: the slowest device of every computation, and padding to the largest part.
double timeOf(const std::vector<double>& speeds, const std::vector<RatioTerm>& terms, const std::vector<double>& ratios)
{
    double sum = 0;
    const double largest = *std::max_element(ratios.begin(), ratios.end());
    for (const RatioTerm& term : terms) {
        double most = 0;
        if (term.kind == RatioTerm::Kind::Compute) {
            for (std::size_t j = 0; j < speeds.size(); ++j)
                most = std::max(most, (term.shared * ratios[j] + term.whole) / speeds[j]);
        } else {
            const bool padded = term.collective == ShareCollective::AllGather || term.collective == ShareCollective::ReduceScatter || term.collective == ShareCollective::AllToAll;
            most = term.bytes * (padded ? static_cast<double>(speeds.size()) * largest : 1);
        }
        sum += most;
    }
    return sum;
}

/// The least time over all ratios in steps of 1 / `steps` that hold at most memory / held each.
double gridBest(const std::vector<double>& speeds, const std::vector<RatioTerm>& terms, int steps, const std::vector<double>& most)
{
    double best = INFINITY;
    for (int a = 0; a <= steps; ++a) {
        for (int b = 0; a + b <= steps; ++b) {
            if (speeds.size() == 2 && a + b != steps)
                continue;
            const std::vector<double> ratios = speeds.size() == 2 ? std::vector<double>{double(a) / steps, double(b) / steps}
                                                                  : std::vector<double>{double(a) / steps, double(b) / steps, double(steps - a - b) / steps};
            bool fits = true;
            for (std::size_t j = 0; j < ratios.size(); ++j)
                fits = fits && ratios[j] <= most[j] + 1e-12;
            if (fits)
                best = std::min(best, timeOf(speeds, terms, ratios));
        }
    }
    return best;
}

std::vector<RatioTerm> randomTerms(std::mt19937_64& random)
{
    std::vector<RatioTerm> terms;
    const auto draw = [&](int most) { return static_cast<double>(random() % static_cast<std::uint64_t>(most) + 1); };
    for (int i = 0, n = 1 + static_cast<int>(random() % 5); i < n; ++i) {
        switch (random() % 3) {
        case 0:
            terms.push_back(compute(draw(20)));
            break;
        case 1:
            terms.push_back(compute(draw(20), draw(5)));
            break;
        default:
            terms.push_back(collective(static_cast<ShareCollective>(random() % kShareCollectives), draw(8)));
            break;
        }
    }
    return terms;
}

} // namespace

class TstRatioProgram : public QObject {
    Q_OBJECT

private slots:
    void partsByLargestRemainderOfTheWorkedExample()
    {
        const std::vector<double> ratios{0.48, 0.27, 0.15, 0.10};
        QCOMPARE(partsByRatios(10, ratios), (std::vector<std::int64_t>{5, 3, 1, 1}));
    }

    void partsSumToTheLengthAndAreLessThanOneFromTheRatios()
    {
        std::mt19937_64 random(seeded(1));
        for (int n = 0; n < cases(2000); ++n) {
            std::vector<double> ratios(1 + random() % 9);
            double sum = 0;
            for (double& ratio : ratios)
                sum += ratio = random() % 4 == 0 ? 0 : static_cast<double>(random() % 1000);
            if (sum == 0)
                continue;
            for (double& ratio : ratios)
                ratio /= sum;
            const auto length = static_cast<std::int64_t>(random() % 5000);
            const std::vector<std::int64_t> parts = partsByRatios(length, ratios);
            QCOMPARE(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), length);
            for (std::size_t j = 0; j < ratios.size(); ++j) {
                QVERIFY(std::abs(static_cast<double>(parts[j]) - ratios[j] * static_cast<double>(length)) < 1 + 1e-6);
                QVERIFY(ratios[j] > 0 || parts[j] == 0);
            }
        }
    }

    void exactSharesStayWhole()
    {
        // 0.57 * 100 is below 57 in binary.
        QCOMPARE(partsByRatios(100, std::vector<double>{0.57, 0.43}), (std::vector<std::int64_t>{57, 43}));
    }

    void groupsOfElementsStayTogether()
    {
        // 12 elements in groups of 3: four groups by 0.6 and 0.4: 2.4 and 1.6 groups, so 2 and 2.
        QCOMPARE(partsByRatios(12, 4, std::vector<double>{0.6, 0.4}), (std::vector<std::int64_t>{6, 6}));
    }

    void oneComputationAndOneGatherHaveTheClosedForm()
    {
        // max(6 r / 2, 6 (1 - r)) + 2 r n: at r = 2/3 while 6 / 1 > 2 n, at 1/2 beyond (manual: placement 4).
        const UnequalCluster cluster = clusterOf({2, 1});
        for (const auto& [bytes, ratio, cost] : {std::tuple{1.0, 2.0 / 3, 10.0 / 3}, {4.0, 0.5, 7.0}}) {
            const std::vector<RatioTerm> terms{compute(6), collective(ShareCollective::AllGather, bytes)};
            const auto best = bestRatios(cluster, terms, {{0}, 0}, {DeviceRatios::even(cluster)});
            QVERIFY(best);
            QVERIFY(std::abs(best.value().front().ratios()[0] - ratio) < 1e-9);
            QVERIFY(std::abs(secondsOf(cluster, terms, best.value()) - cost) < 1e-9);
        }
    }

    void computationAloneIsSharedBySpeed()
    {
        const UnequalCluster cluster = clusterOf({5, 3, 2});
        const auto best = bestRatios(cluster, {compute(20)}, {{0}, 0}, {DeviceRatios::even(cluster)});
        QVERIFY(best);
        for (std::size_t j = 0; j < 3; ++j)
            QVERIFY(std::abs(best.value().front().ratios()[j] - cluster.types[j].speed / 10) < 1e-9);
    }

    void noPointOfAFineGridIsBetter()
    {
        std::mt19937_64 random(seeded(2));
        for (int n = 0; n < cases(150); ++n) {
            std::vector<double> speeds(2 + random() % 2);
            std::vector<double> most;
            for (double& speed : speeds) {
                speed = static_cast<double>(random() % 9 + 1);
                most.push_back(random() % 2 ? 1 : 0.1 * static_cast<double>(5 + random() % 5));
            }
            const UnequalCluster cluster = clusterOf(speeds, most);
            const std::vector<RatioTerm> terms = randomTerms(random);
            const auto best = bestRatios(cluster, terms, {{1}, 0}, {DeviceRatios::even(cluster)});
            QVERIFY(best);
            const std::vector<double>& ratios = best.value().front().ratios();
            for (std::size_t j = 0; j < speeds.size(); ++j)
                QVERIFY(ratios[j] <= most[j] + 1e-9);
            const double found = timeOf(speeds, terms, ratios);
            const double grid = gridBest(speeds, terms, 200, most);
            QVERIFY2(found <= grid * (1 + 1e-9), qPrintable(QString("case %1: %2 above %3").arg(n).arg(found).arg(grid)));
            // The grid is at most one step of every ratio away from the optimum.
            QVERIFY(grid <= found * 1.1 + 0.5);
        }
    }

    void devicesOfATypeAreAsGoodAsOneByOne()
    {
        std::mt19937_64 random(seeded(3));
        for (int n = 0; n < cases(40); ++n) {
            UnequalCluster types = clusterOf({1.0 + static_cast<double>(random() % 5), 7});
            types.types[0].count = 5;
            types.types[1].count = 3;
            UnequalCluster each = types;
            each.types.clear();
            for (const DeviceType& type : types.types) {
                for (std::int64_t i = 0; i < type.count; ++i)
                    each.types.push_back({type.name, type.speed, 1, type.memory});
            }
            const std::vector<RatioTerm> terms = randomTerms(random);
            const auto a = bestRatios(types, terms, {{0}, 0}, {DeviceRatios::even(types)});
            const auto b = bestRatios(each, terms, {{0}, 0}, {DeviceRatios::even(each)});
            QVERIFY(a && b);
            const double left = secondsOf(types, terms, a.value());
            QVERIFY(std::abs(left - secondsOf(each, terms, b.value())) <= 1e-9 * left);
        }
    }

    void fasterDevicesAndNetworksNeverCostMore()
    {
        std::mt19937_64 random(seeded(4));
        for (int n = 0; n < cases(100); ++n) {
            UnequalCluster cluster = clusterOf({2, 5, 3});
            const std::vector<RatioTerm> terms = randomTerms(random);
            const auto before = bestRatios(cluster, terms, {{0}, 0}, {DeviceRatios::even(cluster)});
            QVERIFY(before);
            const double slow = secondsOf(cluster, terms, before.value());
            if (random() % 2) {
                cluster.types[random() % 3].speed *= 1.5;
            } else {
                for (CollectiveTime& time : cluster.times)
                    time.perByte /= 2;
            }
            const auto after = bestRatios(cluster, terms, {{0}, 0}, {DeviceRatios::even(cluster)});
            QVERIFY(after);
            QVERIFY(secondsOf(cluster, terms, after.value()) <= slow * (1 + 1e-9));
        }
    }

    /// The same question written out: a ratio for each device, a time for each term, a row for each of both.
    void theObjectiveEqualsAFormulationWithoutSumsAndTypes()
    {
        std::mt19937_64 random(seeded(6));
        for (int n = 0; n < cases(200); ++n) {
            std::vector<double> speeds;
            for (std::uint64_t j = 0, devices = 2 + random() % 4; j < devices; ++j)
                speeds.push_back(static_cast<double>(1 + random() % 3));
            const UnequalCluster cluster = clusterOf(speeds);
            const std::vector<RatioTerm> terms = randomTerms(random);
            const auto devices = static_cast<std::int32_t>(speeds.size());
            std::vector<double> limits{1};
            std::vector<LinearProgram::Column> columns(speeds.size());
            for (LinearProgram::Column& ratio : columns)
                ratio = {0, -1, false, {{0, 1.0}}};
            double fixed = 0;
            for (const RatioTerm& term : terms) {
                const bool computes = term.kind == RatioTerm::Kind::Compute;
                if (!computes && !isPadded(term.collective)) {
                    fixed += term.bytes;
                    continue;
                }
                LinearProgram::Column time{1, -1, false, {}};
                for (std::int32_t j = 0; j < devices; ++j) {
                    const auto row = static_cast<std::int32_t>(limits.size());
                    limits.push_back(computes ? -term.whole / speeds[at(j)] : 0);
                    columns[at(j)].entries.emplace_back(row, computes ? term.shared / speeds[at(j)] : devices * term.bytes);
                    time.entries.emplace_back(row, -1.0);
                }
                columns.push_back(std::move(time));
            }
            LinearProgram second(limits);
            for (LinearProgram::Column& column : columns)
                second.add(std::move(column));
            second.fix(0);
            const LinearProgram::Solution solution = second.minimise();
            QVERIFY(solution.found);
            const auto best = bestRatios(cluster, terms, {{0}, 0}, {DeviceRatios::even(cluster)});
            QVERIFY(bool(best));
            const double cost = secondsOf(cluster, terms, best.value());
            QVERIFY2(std::abs(cost - solution.value - fixed) <= 1e-7 * std::max(1.0, cost), qPrintable(QString("%1, not %2").arg(cost).arg(solution.value + fixed)));
        }
    }

    void tooLittleMemorySaysWhatIsShort()
    {
        const UnequalCluster cluster = clusterOf({2, 1}, {5e9, 3e9});
        const auto refused = bestRatios(cluster, {compute(6)}, {{10e9}, 0}, {DeviceRatios::even(cluster)});
        QVERIFY(!refused);
        // 10 GB needed, 8 GB there.
        QVERIFY2(refused.error().message.find("short by 2000000000 bytes (20 % of what is needed, 25 % of what is there); d0: 1 of 5000000000 bytes; d1: 1 of 3000000000 bytes") != std::string::npos,
            refused.error().message.c_str());
    }

    void whatEveryDeviceHoldsMustFitOnEach()
    {
        const UnequalCluster cluster = clusterOf({2, 1}, {100, 10});
        const auto refused = bestRatios(cluster, {compute(6)}, {{0}, 12.5}, {DeviceRatios::even(cluster)});
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.find("device d1") != std::string::npos, refused.error().message.c_str());
        QVERIFY2(refused.error().message.find("short by 3 bytes (20 % of what is needed") != std::string::npos, refused.error().message.c_str());
    }

    void fixedRatiosAreCheckedDeviceByDevice()
    {
        const UnequalCluster cluster = clusterOf({2, 1}, {100, 40});
        QVERIFY(checkMemory(cluster, {{100}, 0}, {DeviceRatios(cluster, {0.6, 0.4})}));
        const Status refused = checkMemory(cluster, {{100}, 0}, {DeviceRatios(cluster, {0.5, 0.5})});
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.find("device 1 (d1) needs 50 bytes and it has 40 bytes, short by 10 bytes") != std::string::npos, refused.error().message.c_str());
    }

    void groupedFormsPayTheLatencyOfEveryOwner()
    {
        UnequalCluster cluster = clusterOf({1, 1, 1});
        cluster.time(ShareCollective::GroupedAllGather) = {true, 3, 2, {}};
        const DeviceRatios two(cluster, {0.5, 0.5, 0});
        // Two owners with 3 s each and 10 bytes of 2 s.
        QCOMPARE(two.seconds(cluster, ShareCollective::GroupedAllGather, 10), 26.0);
        // Padded: three parts as large as the largest half.
        QCOMPARE(two.seconds(cluster, ShareCollective::AllGather, 10), 15.0);
    }

    void measuredTimesAreStraightBetweenSamples()
    {
        CollectiveTime time{true, 0, 0, {{10, 2}, {20, 4}, {40, 5}}};
        QCOMPARE(time.seconds(5), 2.0);
        QCOMPARE(time.seconds(15), 3.0);
        QCOMPARE(time.seconds(30), 4.5);
        QCOMPARE(time.seconds(80), 7.0);
    }
};

FABRICSCOPE_TEST(TstRatioProgram)
#include "tst_ratio_program.moc"
