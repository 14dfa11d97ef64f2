// Prices, power and failures of fabrics against the check values of the facts, and what is left of a job's time against tables, closed forms and simulations.
#include "core/cost/checkpointing.h"
#include "core/cost/hardwarebill.h"
#include "core/design/design.h"
#include "core/design/file/costsection.h"
#include "core/platform/fabric/parseline.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>

using namespace fabricscope;

namespace {

HardwareBill billOfLine(const char* line, const CostConfig& costs)
{
    const auto fabric = fabricOfLine(line);
    if (!fabric)
        qFatal("%s", fabric.error().text().c_str());
    return hardwareBill(fabric.value(), {}, &costs);
}

double moneyOf(const HardwareBill& bill, BillRow::Kind kind)
{
    double sum = 0;
    for (const BillRow& row : bill.rows)
        sum += row.kind == kind ? static_cast<double>(row.count) * row.price.value_or(NAN) : 0;
    return sum;
}

HardwareBill billOfText(const std::string& platform, const std::string& costs)
{
    const std::string text = "fabricscope: 1\nplatform: " + platform + "\nworkload: {collective: all_reduce, size: 1 MiB}\n" + costs;
    const auto loaded = readDesignText(text, "d.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    const auto document = YamlDocument::parse(text, "d.yaml");
    const auto said = readCosts(document.value());
    const auto bill = hardwareBill(*loaded.value().design.platform, said.value() ? &*said.value() : nullptr);
    if (!bill)
        qFatal("%s", bill.error().text().c_str());
    return bill.value();
}

} // namespace

class BillTest : public QObject {
    Q_OBJECT

private slots:
    /// 128 hosts of 8 H100, 32 leaves and 16 spines of 64 ports, 2048 cables at one price: the public sheet.
    void theSheetOfAThousandIsMet()
    {
        CostConfig costs;
        costs.cables = CablePricing::Plain;
        const HardwareBill bill = billOfLine("hgx-h100 x32 / rails 64p 400G x4 / spine 1:1", costs);
        QCOMPARE(moneyOf(bill, BillRow::Kind::Host), 39'680'000.0);
        QCOMPARE(moneyOf(bill, BillRow::Kind::Switch), 1'728'000.0);
        QCOMPARE(moneyOf(bill, BillRow::Kind::Cable), 2'621'440.0);
        QCOMPARE(moneyOf(bill, BillRow::Kind::Facility), 6'400'000.0);
        QCOMPARE(bill.capital.value(), 50'429'440.0);
        QVERIFY(bill.missing.empty());
        QCOMPARE(bill.watts.value(), 1'373'712.0);
        QCOMPARE(bill.siteWatts().value(), 1'717'140.0);
        QVERIFY(std::abs(bill.energyPerYear().value() - 1'203'371.71) < 0.01);
        // Capital over four years, energy, and 2 % of the capital.
        QVERIFY(std::abs(bill.perYear().value() - (50'429'440.0 / 4 + 1'203'371.712 + 0.02 * 50'429'440.0)) < 0.01);

        const HardwareBill half = billOfLine("hgx-h100 x32 / rails 64p 400G x4 / spine 2:1", costs);
        QCOMPARE(moneyOf(half, BillRow::Kind::Switch), 1'440'000.0);
        QCOMPARE(moneyOf(half, BillRow::Kind::Cable), 1'966'080.0);
    }

    /// A leaf with 48 of 64 ports in use: 0.6 x 747 + 0.4 x 747 x 48 / 64.
    void portsWithoutACableTakeLess()
    {
        QCOMPARE(switchPower(747, 48, 64), 0.6 * 747 + 0.4 * 747 * 0.75);
        QCOMPARE(switchPower(1000, 0, 64), 600.0);
        QCOMPARE(switchPrice(128, 400).price, 72'000.0);
        QCOMPARE(switchPrice(64, 600).price, (36'000.0 + 75'000.0) / 2);
        QVERIFY(switchPrice(64, 600).estimated && !switchPrice(64, 400).estimated);
    }

    void aCableIsWhatReachesItsLength()
    {
        for (const auto& [metres, price] : {std::pair{3.0, 150.0}, {3.5, 350.0}, {7.0, 350.0}, {50.0, 2 * 600 + 50 + 75.0}, {51.0, 2 * 700 + 50 + 76.5}, {500.0, 2 * 700 + 50 + 750.0}, {2000.0, 2 * 900 + 50 + 3000.0}})
            QCOMPARE(cablePrice(400, metres)->price, price);
        QCOMPARE(cablePrice(800, 2)->price, 300.0);
        QCOMPARE(cablePrice(800, 60)->price, 2 * 800 + 50 + 90.0);
        QCOMPARE(cablePrice(200, 3)->price, 75.0);
        QCOMPARE(cablePrice(1600, 2)->price, 600.0);
        QVERIFY(!cablePrice(400, 2001));
        CostConfig costs;
        costs.length = 2000;
        costs.cable.mtbf = 1e6;
        QCOMPARE(moneyOf(billOfLine("hgx-h100 x32 / rails 64p 400G x4 / spine 1:1", costs), BillRow::Kind::Cable), 2048 * 4850.0);
    }

    /// Only copper without electronics outlives a cable with optics five times (the table's DAC); an AEC has ends that fail.
    void activeCopperFailsAsOptics()
    {
        for (const auto& [metres, hours] : {std::pair{3.0, 3e6}, {5.0, 6e5}, {60.0, 6e5}}) {
            CostConfig costs;
            costs.length = metres;
            int cables = 0;
            for (const BillRow& row : billOfLine("hgx-h100 x32 / rails 64p 400G x4 / spine 1:1", costs).rows) {
                if (row.kind != BillRow::Kind::Cable)
                    continue;
                QCOMPARE(row.mtbf.value(), hours);
                ++cables;
            }
            QVERIFY(cables > 0);
        }
    }

    /// What a design says goes over the table; what nobody says is named and leaves no total.
    void theDesignComesFirst()
    {
        const std::string ring = "{dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}";
        const HardwareBill bare = billOfText(ring, "");
        QVERIFY(!bare.capital && !bare.saysAnything());
        QCOMPARE(bare.missing, (std::vector<std::string>{"costs.npu.price", "costs.npu.power"}));
        // Four NPUs, four cables with two ends at NPUs.
        const HardwareBill said = billOfText(ring, "costs: {npu: {price: 1000, power: 100, mtbf: 1000}, cable: {price: 10, power: 1, mtbf: 1000}, software_mtbf: 500, pue: 2, electricity: 0.5}\n");
        QCOMPARE(said.capital.value(), 4040.0);
        QCOMPARE(said.watts.value(), 404.0);
        QCOMPARE(said.energyPerYear().value(), 2 * 0.404 * 8760 * 0.5);
        QCOMPARE(said.mtbfHours(), 1 / (4 / 1000.0 + 4 / 1000.0 + 1 / 500.0));
        QCOMPARE(billOfText(ring, "costs: {npu: {price: 1000, power: 100, mtbf: 1000}, cable: {mtbf: 1}, software_mtbf: 500, reroute: true}\n").mtbfHours(), 1 / (4 / 1000.0 + 1 / 500.0));
        // A preset with a name in the table: 32 hosts, their own switches and cables inside; what is between them has ports by its cables.
        const HardwareBill clos = billOfText("{preset: clos-h100-256}", "costs: {switch: {price: 7}, cable: {price: 1}}\n");
        QCOMPARE(moneyOf(clos, BillRow::Kind::Host), 32 * 310'000.0);
        QCOMPARE(moneyOf(clos, BillRow::Kind::Switch), 8 * 7.0);
        QCOMPARE(moneyOf(clos, BillRow::Kind::Cable), 256.0);
    }

    /// Llama 3 on 16 384 H100: rates of its parts add up to the measured 3.09 h.
    void ratesOfLlamaAddUp()
    {
        const double perHour = 16384 / 79'230.0 + 16384 / 606'676.0 + 2048 / 126'391.0 + 1 / 20.57 + 1 / 40.5;
        QVERIFY(std::abs(1 / perHour - 3.0931) < 0.002);
    }

    void intervalsAndGoodputOfTheTable_data()
    {
        QTest::addColumn<QList<double>>("row"); // M, d, R, Young, Daly, exact, goodput at Young, exact
        QTest::newRow("llama") << QList<double>{11135.1, 60, 600, 1155.9, 1116.3, 1116.3, .85250, .85255};
        QTest::newRow("rsc") << QList<double>{28440, 60, 600, 1847.4, 1807.6, 1807.6, .91688, .91689};
        QTest::newRow("large") << QList<double>{6480, 120, 600, 1247.1, 1168.4, 1168.4, .74692, .74720};
        QTest::newRow("huge") << QList<double>{828, 30, 300, 222.9, 203.3, 203.4, .52456, .52511};
        QTest::newRow("calm") << QList<double>{86400, 300, 600, 7200.0, 7001.4, 7001.4, .91258, .91261};
        QTest::newRow("hopeless") << QList<double>{1000, 600, 600, 1095.4, 732.0, 737.5, .13513, .14406};
    }
    void intervalsAndGoodputOfTheTable()
    {
        QFETCH(const QList<double>, row);
        const FailureTimes times{row[0], row[1], row[2]};
        QVERIFY(std::abs(youngInterval(times) - row[3]) <= 0.051);
        QVERIFY(std::abs(dalyInterval(times) - row[4]) <= 0.051);
        const double best = bestInterval(times);
        QVERIFY(std::abs(best - row[5]) <= 0.051);
        QVERIFY(std::abs(goodput(times, youngInterval(times)) - row[6]) <= 0.0000051);
        QVERIFY(std::abs(goodput(times, best) - row[7]) <= 0.0000051);
        // The equation itself, and no neighbour is better.
        QVERIFY(std::abs((best / times.mtbf - 1) * std::exp(best / times.mtbf - 1) + std::exp(-times.checkpoint / times.mtbf - 1)) < 1e-12);
        QVERIFY(goodput(times, best) >= goodput(times, best * 1.01) && goodput(times, best) >= goodput(times, best * 0.99));
    }

    /// d from far below to far above M: numbers, and the equation v + log(1 - v) = -x of v = t / M, in series and in logarithms.
    void intervalsAreNumbersWhateverTheCheckpoint()
    {
        for (const double x : {1e-30, 1e-20, 1e-12, 1e-6, 1e-3}) {
            const double v = bestInterval({1, x, 0});
            double sum = 0;
            for (int power = 40; power >= 2; --power)
                sum += std::pow(v, power) / power;
            QVERIFY2(std::abs(sum / x - 1) < 1e-9, QByteArray::number(x).constData());
        }
        for (const double x : {29.0, 31.0, 37.0, 100.0, 1e6, 1e300}) {
            const double best = bestInterval({1, x, 0});
            QVERIFY2(best > 0.999 && best <= 1, QByteArray::number(x).constData());
            const double share = goodput({1, x, x}, best);
            QVERIFY(share >= 0 && share < 1e-12);
        }
        QCOMPARE(goodput({1, 1e-3, 1e5}, 0.1), 0.0); // No restart ever ends.
    }

    void dalyEndsAtTheMeanTime() { QCOMPARE(dalyInterval({100, 200, 0}), 100.0); }

    void theSimulationDrawsAsWritten()
    {
        const FailureTimes times{10000, 60, 600};
        const SimulatedGoodput few = simulateGoodput(times, 1095, 100, 1);
        QCOMPARE(few.failures, std::int64_t{14});
        QVERIFY(std::abs(few.clock - 131089.213) < 1e-3);
        QVERIFY(std::abs(few.share - .835309) < 1e-6);
        for (const auto& [seed, failures, share] : {std::tuple{1, 2705, .838352}, {2, 2604, .842784}}) {
            const SimulatedGoodput many = simulateGoodput(times, 1095, 20'000, static_cast<std::uint64_t>(seed));
            QCOMPARE(many.failures, std::int64_t{failures});
            QVERIFY(std::abs(many.share - share) < 1e-6);
            QVERIFY(std::abs(many.share - goodput(times, 1095)) < 0.01);
        }
        const FailureTimes often{3600, 30, 300};
        const SimulatedGoodput worse = simulateGoodput(often, 465, 20'000, 1);
        QCOMPARE(worse.failures, std::int64_t{3318});
        QVERIFY(std::abs(worse.share - .801258) < 1e-6);
        QVERIFY(std::abs(goodput(often, 465) - .806226) < 1e-6);
    }

    void aDesignSaysItsCheckpoints()
    {
        HardwareBill bill;
        bill.failuresPerHour = 1 / 2.5;
        CostConfig costs;
        QVERIFY(!checkpointing(bill, &costs) && !checkpointing(bill, nullptr));
        costs.checkpoint.bytes = Quantity{3, "TB", Measure::Size};
        costs.checkpoint.rate = Quantity{50, "GB/s", Measure::Bandwidth};
        costs.checkpoint.restart = Quantity{600, "s", Measure::Time};
        const auto kept = checkpointing(bill, &costs);
        QCOMPARE(kept->times.mtbf, 9000.0);
        QCOMPARE(kept->times.checkpoint, 60.0);
        QCOMPARE(kept->share, goodput({9000, 60, 600}, bestInterval({9000, 60, 600})));
        QVERIFY(kept->warnings.empty());
        costs.checkpoint.interval = Quantity{1000, "s", Measure::Time};
        QCOMPARE(checkpointing(bill, &costs)->share, goodput({9000, 60, 600}, 1000));
        costs.checkpoint = {};
        costs.checkpoint.time = Quantity{901, "s", Measure::Time};
        QCOMPARE(checkpointing(bill, &costs)->warnings.size(), std::size_t{1});
        costs.checkpoint.time = Quantity{0, "s", Measure::Time};
        costs.checkpoint.restart = Quantity{900, "s", Measure::Time};
        QCOMPARE(checkpointing(bill, &costs)->share, std::exp(-0.1));
    }

    /// 10^6 US$ a year, 1000 tokens a second, all useful: 10^6 / (1000 x 31 536 000).
    void aTokenCostsItsPartOfAYear() { QCOMPARE(costPerToken(1e6, 1000), 1e6 / 3.1536e10); }
};

FABRICSCOPE_TEST(BillTest)
#include "tst_bill.moc"
