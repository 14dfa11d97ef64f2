// Programs and ratios where memory is short: what is refused, to the byte and soon; what is found; the best program at even ratios.
#include "core/planner/placefile.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// y1 = x w1, y2 = y1 w2, loss = sum(y2) of 64 x 64 weights; every collective 1e9 elements a second.
PlacementProblem twoWeights(std::int64_t batch, const std::string& devices, const std::string& more = "")
{
    const std::string text = "fabricscope: 1\nplace:\n  batch: " + std::to_string(batch) + "\n  inputs: {x: [batch, 64]}\n  parameters: {w1: [64, 64], w2: [64, 64]}\n  ops:\n"
        "    - {name: y1, op: einsum, eq: \"bk,kn->bn\", in: [x, w1]}\n    - {name: y2, op: einsum, eq: \"bk,kn->bn\", in: [y1, w2]}\n"
        "    - {name: loss, op: reduce, in: [y2], dims: [0, 1], kind: sum}\n" + more + "  cluster:\n    devices: [" + devices + "]\n"
        "    collectives: {all_gather: {bandwidth: 4 GB/s}, reduce_scatter: {bandwidth: 4 GB/s}, all_reduce: {bandwidth: 4 GB/s}, all_to_all: {bandwidth: 4 GB/s}}\n";
    auto file = readPlaceFile(YamlDocument::parse(text, "p.yaml").value());
    if (!file)
        qFatal("%s", file.error().text().c_str());
    return std::move(file).value().problem;
}

const char* const kTwo = "{name: a, speed: 1 TFLOP/s, count: 2}";

double fullest(const UnequalPlacement& placement)
{
    double most = 0;
    for (const double ratio : placement.ratios.front().ratios())
        most = std::max(most, placement.held.whole + placement.held.shared.front() * ratio);
    return most;
}

} // namespace

class TightMemoryTest : public QObject {
    Q_OBJECT

private slots:
    /// Held at least in parts: x, y1 and y2 of 262,144 bytes and both weights with their gradients, 4 x 16,384; on each of two the loss, 4 bytes, and a weight that is gathered.
    void whatFitsNowhereIsSaidToTheByteAndSoon()
    {
        constexpr int kNeeded = 3 * 262144 + 4 * 16384 + 2 * (4 + 16384);
        PlacementProblem problem = twoWeights(1024, kTwo);
        problem.cluster.types[0].memory = kNeeded / 2.0;
        const auto found = place(problem, SearchMethod::Bound);
        QVERIFY2(bool(found), found ? "" : found.error().text().c_str());
        QCOMPARE(fullest(found.value()), kNeeded / 2.0);
        problem.cluster.types[0].memory = kNeeded / 2.0 - 1;
        const auto refused = place(problem, SearchMethod::Bound);
        QVERIFY(!refused);
        const std::string& said = refused.error().message;
        QVERIFY2(said.find("need " + std::to_string(kNeeded) + " bytes") != std::string::npos && said.find("short by 2 bytes") != std::string::npos, said.c_str());
        problem.cluster.types[0].memory = 1000;
        PlacementWatch watch;
        const auto hopeless = place(problem, SearchMethod::Bound, {}, &watch);
        QVERIFY(!hopeless);
        QVERIFY2(hopeless.error().message.find("short by " + std::to_string(kNeeded - 2000) + " bytes") != std::string::npos, hopeless.error().message.c_str());
        QCOMPARE(watch.searches.load(), 1);
    }

    /// Prices of memory on a fine grid, by the search alone: what is found is a program that fits, and no dearer than that of four times the least price at which one fits.
    void whatIsFoundIsAmongTheBestThatFit()
    {
        std::mt19937_64 random(seeded(31));
        int tightened = 0;
        for (int n = 0; n < cases(60); ++n) {
            PlacementProblem problem = twoWeights(std::int64_t{16} << (random() % 7), kTwo, "  ratios: even\n");
            const auto free = place(problem, SearchMethod::Bound);
            const double memory = std::floor(fullest(free.value()) * (0.4 + 0.6 * static_cast<double>(random() % 1000) / 1000));
            problem.cluster.types[0].memory = memory;
            const auto tight = place(problem, SearchMethod::Bound);
            const std::vector<DeviceRatios> even{DeviceRatios::even(problem.cluster)};
            std::optional<double> first;
            std::optional<double> later;
            for (double price = 1e-18; price < 1; price *= 1.5) {
                const auto found = findProgram({&problem.graph, &problem.cluster, &problem.theory, &even, &problem.segmentOf, price, kMostSearchStates}, SearchMethod::Bound);
                const HeldBytes held = found.value().program.held(problem.graph, problem.theory, 1);
                if (!first && held.whole + held.shared.front() / 2 <= memory)
                    first = price;
                if (first && !later && price >= 4 * *first)
                    later = found.value().cost;
            }
            QCOMPARE(bool(tight), first.has_value());
            if (!tight)
                continue;
            QVERIFY(fullest(tight.value()) <= memory);
            QVERIFY(tight.value().cost >= free.value().cost * (1 - 1e-9));
            QVERIFY2(!later || tight.value().cost <= *later * (1 + 1e-9), qPrintable(QString("%1, not %2").arg(tight.value().cost).arg(*later)));
            tightened += tight.value().cost > free.value().cost * (1 + 1e-9) ? 1 : 0;
        }
        QVERIFY(tightened > cases(5));
    }

    void aPriceOfMemoryChangesNoBound()
    {
        std::mt19937_64 random(seeded(33));
        for (int n = 0; n < cases(60); ++n) {
            const PlacementProblem problem = twoWeights(std::int64_t{8} << (random() % 8), kTwo, random() % 2 == 0 ? "  fixed: {w1: identity}\n" : "");
            const std::vector<DeviceRatios> ratios{DeviceRatios::even(problem.cluster)};
            const double price = std::pow(10.0, -static_cast<double>(6 + random() % 10));
            const auto total = [&](SearchMethod method) {
                const auto found = findProgram({&problem.graph, &problem.cluster, &problem.theory, &ratios, &problem.segmentOf, price, kMostSearchStates}, method);
                HeldBytes held{{0}, 0}; // What has a price: not parameters that are gathered.
                for (const auto& [kind, bytes] : found.value().program.heldByKind(problem.graph, problem.theory, 1)) {
                    held.whole += kind == HeldKind::Gathered ? 0 : bytes.whole;
                    held.shared.front() += bytes.shared.front();
                }
                return std::pair(found.value().cost + price * (held.whole + held.shared.front() / 2), found.value().expanded);
            };
            const auto [bounded, few] = total(SearchMethod::Bound);
            const auto [plain, many] = total(SearchMethod::NoBound);
            QVERIFY2(std::abs(bounded - plain) <= 1e-9 * plain, qPrintable(QString("%1, not %2").arg(bounded).arg(plain)));
            QVERIFY(std::abs(total(SearchMethod::Exhaustive).first - plain) <= 1e-9 * plain);
            QVERIFY(few <= many);
        }
    }

    /// More memory of the small device alone would not help.
    void theLargerWantIsNamed()
    {
        PlacementProblem problem = twoWeights(1024, "{name: a, speed: 1 TFLOP/s, memory: 900 kB}, {name: b, speed: 1 TFLOP/s, memory: 1 kB}");
        const HeldBytes held{{800'000}, 65'536};
        const Status all = checkMemoryAtBest(problem.cluster, held);
        QVERIFY2(!all && all.error().message.find("all devices together need 931072 bytes and they have 901000 bytes, short by 30072 bytes") != std::string::npos, all ? "" : all.error().message.c_str());
        const Status one = checkMemoryAtBest(problem.cluster, {{700'000}, 65'536});
        QVERIFY2(!one && one.error().message.find("device b needs 65536 bytes and it has 1000 bytes, short by 64536 bytes") != std::string::npos, one ? "" : one.error().message.c_str());
        QVERIFY(checkMemoryAtBest(problem.cluster, {{899'000}, 1000}));
        QVERIFY(!checkMemoryAtBest(problem.cluster, {{899'001}, 1000}));
    }

    void oneDeviceHasAllOfIt()
    {
        const auto placement = place(twoWeights(64, "{speed: 1 TFLOP/s}"), SearchMethod::Bound);
        // Two products of 64 x 64 x 64 and a sum of 4,096, three times each.
        const double computed = 3 * (2 * 2 * 262144.0 + 4096) / 1e12;
        QVERIFY(bool(placement));
        QVERIFY2(std::abs(placement.value().cost - computed) < 1e-3 * computed, qPrintable(QString::number(placement.value().cost)));
        QCOMPARE(placement.value().ratios.front().ratios(), std::vector<double>{1});
    }

    void theBestProgramAtEvenRatiosComesWithTheAnswer()
    {
        std::mt19937_64 random(seeded(32));
        for (int n = 0; n < cases(60); ++n) {
            const std::string slow = std::to_string(1 + random() % 3);
            const std::string memory = random() % 2 == 0 ? ", memory: " + std::to_string(20 + random() % 400) + " kB" : "";
            PlacementProblem problem = twoWeights(std::int64_t{16} << (random() % 8), "{speed: " + std::to_string(1 + random() % 5) + " TFLOP/s}, {speed: 1 TFLOP/s, count: " + slow + memory + "}");
            const auto best = place(problem, SearchMethod::Bound);
            problem.choice = RatioChoice::Even;
            const auto even = place(problem, SearchMethod::Bound);
            if (!best) {
                QVERIFY(!even);
                continue;
            }
            QCOMPARE(best.value().even.has_value(), bool(even));
            QVERIFY(!even || std::abs(*best.value().even - even.value().cost) <= 1e-12 * even.value().cost);
            QVERIFY(!even || best.value().cost <= even.value().cost * (1 + 1e-9));
        }
    }
};

FABRICSCOPE_TEST(TightMemoryTest)
#include "tst_tight_memory.moc"
