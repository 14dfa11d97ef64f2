#include "core/base/decimal.h"
#include "core/base/quantity.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>
#include <limits>

using namespace fabricscope;

namespace {

std::int64_t integerOf(const Quantity& q)
{
    switch (q.measure) {
    case Measure::Time:
        return toSimTime(q).ps;
    case Measure::Size:
        return toBytes(q).value;
    case Measure::Bandwidth:
        return toBandwidth(q).bytesPerSecond;
    case Measure::ComputeRate:
        return toComputeRate(q).flopsPerSecond;
    default:
        return toOperations(q);
    }
}

} // namespace

class QuantityTest : public QObject {
    Q_OBJECT

private slots:
    void readsUnitsExactly_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("measure");
        QTest::addColumn<qint64>("expected");
        const auto row = [](const char* text, Measure measure, qint64 expected) { QTest::newRow(text) << QString::fromUtf8(text) << int(measure) << expected; };
        const auto time = Measure::Time;
        row("1 ps", time, 1);
        row("500 ns", time, 500'000);
        row("0.5us", time, 500'000);
        row("0.5 µs", time, 500'000);
        row("2.5\xCE\xBCs", time, 2'500'000);
        row("1e3 ns", time, 1'000'000);
        row("1.5E-3 ms", time, 1'500'000);
        row("936.25 ns", time, 936'250);
        row("0.0006 ns", time, 1);
        row("0.0004 ns", time, 0);
        row("  7 s ", time, 7'000'000'000'000);
        row("9223372.03 s", time, 9'223'372'030'000'000'000); // nearly 2^63 ps
        const auto size = Measure::Size;
        row("4096 B", size, 4096);
        row("64MiB", size, 67'108'864);
        row("64 MB", size, 64'000'000);
        row("1 KB", size, 1000);
        row("1 kB", size, 1000);
        row("1 KiB", size, 1024);
        row("0.1 GB", size, 100'000'000); // 0.1 is not a double: rounding up or down would give one byte less or more
        row("0.3 GB", size, 300'000'000);
        row("1.1 TB", size, 1'100'000'000'000);
        row("0.7 TiB", size, 769'658'139'443); // 769658139443.2
        row("8 Gbit", size, 1'000'000'000);
        row("0 B", size, 0);
        row("4 bytes", size, 4);
        const auto rate = Measure::Bandwidth;
        row("50 GB/s", rate, 50'000'000'000);
        row("50 GiB/s", rate, 53'687'091'200);
        row("400 Gbps", rate, 50'000'000'000);
        row("400 Gbit/s", rate, 50'000'000'000);
        row("400 Gb/s", rate, 50'000'000'000);
        row("1.6 Tb/s", rate, 200'000'000'000);
        row("3.35 TB/s", rate, 3'350'000'000'000);
        row("900GBps", rate, 900'000'000'000);
        row("12 b/s", rate, 2); // 1.5 B/s: halves go up
        row("1 b/s", rate, 1);  // positive rates stay positive
        row("112.5 Gb/s", rate, 14'062'500'000);
        const auto compute = Measure::ComputeRate;
        row("989 TFLOP/s", compute, 989'000'000'000'000);
        row("15.7 TFLOPS", compute, 15'700'000'000'000);
        row("1 PFLOP/s", compute, 1'000'000'000'000'000);
        row("1.5 EFLOPS", compute, 1'500'000'000'000'000'000);
        const auto operations = Measure::Operations;
        row("2.5 GFLOP", operations, 2'500'000'000);
        row("17 FLOP", operations, 17);
        row("1 PFLOP", operations, 1'000'000'000'000'000);
    }
    void readsUnitsExactly()
    {
        QFETCH(QString, text);
        QFETCH(int, measure);
        QFETCH(qint64, expected);

        const auto quantity = parseQuantity(text.toStdString(), static_cast<Measure>(measure));

        QVERIFY2(quantity, quantity ? "" : quantity.error().text().c_str());
        QCOMPARE(integerOf(quantity.value()), expected);
    }

    void refusesWhatIsNoQuantity_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("measure");
        const auto row = [](const char* text, Measure measure) { QTest::newRow(text[0] ? text : "empty") << QString(text) << int(measure); };
        for (const char* text : {"", " ", "50", "GB/s", "nan GB/s", "inf GB/s", "-1 GB/s", "-0 GB/s", "1 gb/s", "1 mB/s", "1 GB", "1 ns", "1,5 GB/s",
                                 "1 GB/s x", "0x10 GB/s", "1e400 GB/s", "1e30 GB/s", "1 G", "+1 GB/s", "--", "1 /s", "1 iB/s", "1e", "1..2 GB/s"})
            row(text, Measure::Bandwidth);
        for (const char* text : {"1 GB", "1 m", "9223372.1 s", "1 S", "1 NS", "5 e3 ns"})
            row(text, Measure::Time);
        for (const char* text : {"8 EiB", "1 GB/s", "1 ZB", "1 kk"})
            row(text, Measure::Size);
        for (const char* text : {"1 TFLOPS", "1 B"})
            row(text, Measure::Operations);
        for (const char* text : {"1 TFLOP", "10 EFLOP/s"})
            row(text, Measure::ComputeRate);
        row("3 B", Measure::Count);
    }
    void refusesWhatIsNoQuantity()
    {
        QFETCH(QString, text);
        QFETCH(int, measure);

        const auto quantity = parseQuantity(text.toStdString(), static_cast<Measure>(measure));

        QVERIFY(!quantity);
        QVERIFY(!quantity.error().message.empty());
        QVERIFY(!quantity.error().expected.empty());
    }

    void keepsNumberAndUnitAsWritten_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown");
        QTest::newRow("plain") << "50 GB/s" << "50 GB/s";
        QTest::newRow("no space") << "2.50Gbps" << "2.5 Gbps";
        QTest::newRow("exponent") << "1e3 GB/s" << "1000 GB/s";
        QTest::newRow("small") << "0.001 GB/s" << "0.001 GB/s";
    }
    void keepsNumberAndUnitAsWritten()
    {
        QFETCH(QString, text);
        QFETCH(QString, shown);
        const auto quantity = parseQuantity(text.toStdString(), Measure::Bandwidth);
        QVERIFY(quantity);

        QCOMPARE(quantity.value().text(), shown.toStdString());
        QCOMPARE(parseQuantity(quantity.value().text(), Measure::Bandwidth).value(), quantity.value());
    }

    void astraNumbersComeBackUnchanged()
    {
        QCOMPARE(astraBandwidth(50).text(), std::string("50 GiB/s"));
        QCOMPARE(toBandwidth(astraBandwidth(50)).bytesPerSecond, 53'687'091'200);
        for (const double number : {0.1, 741.34, 936.25, 3.39, 1.0 / 3})
            QVERIFY(inGibPerSecond(astraBandwidth(number)) == number && inNanoseconds(astraLatency(number)) == number);
        QCOMPARE(inNanoseconds(parseQuantity("2.5 us", Measure::Time).value()), 2500.0);
        QCOMPARE(inNanoseconds(parseQuantity("1 ps", Measure::Time).value()), 0.001);
        QCOMPARE(inGibPerSecond(parseQuantity("1 TiB/s", Measure::Bandwidth).value()), 1024.0);
    }

    void handMadeValuesStopAtTheEnds()
    {
        QCOMPARE(toBandwidth(astraBandwidth(1e300)).bytesPerSecond, std::numeric_limits<qint64>::max());
        QCOMPARE(toBandwidth(astraBandwidth(std::numeric_limits<double>::infinity())).bytesPerSecond, std::numeric_limits<qint64>::max());
        QCOMPARE(toSimTime(astraLatency(-1)).ps, 0);
        QCOMPARE(toSimTime(astraLatency(std::nan(""))).ps, 0);
        QCOMPARE(toSimTime(astraLatency(5e-324)).ps, 0);
    }

    void baseIsInBaseUnits()
    {
        QCOMPARE(parseQuantity("2 ms", Measure::Time).value().base(), 0.002);
        QCOMPARE(parseQuantity("8 Gbit/s", Measure::Bandwidth).value().base(), 1e9);
        QCOMPARE(parseQuantity("3", Measure::Count).value().base(), 3.0);
    }

    void showsTimes_data()
    {
        QTest::addColumn<qint64>("ps");
        QTest::addColumn<QString>("shown");
        QTest::addColumn<QString>("ns");
        QTest::newRow("zero") << qint64{0} << "0 ps" << "0";
        QTest::newRow("one") << qint64{1} << "1 ps" << "0.001";
        QTest::newRow("ns") << qint64{1'500} << "1.5 ns" << "1.5";
        QTest::newRow("us") << qint64{1'234'000} << "1.234 us" << "1234";
        QTest::newRow("rounded") << qint64{1'234'567} << "1.235 us" << "1234.567";
        QTest::newRow("carried over") << qint64{999'999'600} << "1 ms" << "999999.6";
        QTest::newRow("not carried over") << qint64{999'999'400} << "999.999 us" << "999999.4";
        QTest::newRow("worked number") << qint64{41'179'698} << "41.18 us" << "41179.698";
        QTest::newRow("hours") << qint64{7'200'000'000'000'000} << "7200 s" << "7200000000000";
        QTest::newRow("negative") << qint64{-1'050} << "-1.05 ns" << "-1.05";
        QTest::newRow("lowest") << std::numeric_limits<qint64>::min() << "-9223372.037 s" << "-9223372036854775.808";
    }
    void showsTimes()
    {
        QFETCH(qint64, ps);
        QFETCH(QString, shown);
        QFETCH(QString, ns);
        QCOMPARE(QString::fromStdString(showTime({ps})), shown);
        QCOMPARE(QString::fromStdString(nsText({ps})), ns);
    }

    void showsSizesAndRates_data()
    {
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<QString>("shown");
        QTest::newRow("zero") << qint64{0} << "0 B";
        QTest::newRow("bytes") << qint64{999} << "999 B";
        QTest::newRow("kilo") << qint64{1000} << "1 kB";
        QTest::newRow("kibi") << qint64{1024} << "1 KiB";
        QTest::newRow("mebi") << qint64{67'108'864} << "64 MiB";
        QTest::newRow("9999 KiB") << qint64{9999 * 1024} << "9999 KiB";
        QTest::newRow("not 10001 KiB") << qint64{10'001 * 1024} << "10.241 MB";
        QTest::newRow("decimal") << qint64{1'500'000'000} << "1.5 GB";
        QTest::newRow("largest") << std::numeric_limits<qint64>::max() << "9.223 EB";
    }
    void showsSizesAndRates()
    {
        QFETCH(qint64, bytes);
        QFETCH(QString, shown);
        QCOMPARE(QString::fromStdString(showBytes({bytes})), shown);
        QCOMPARE(QString::fromStdString(showBandwidth({bytes})), shown + "/s");
    }

    void decimalsOfIntegersAreExact_data()
    {
        QTest::addColumn<qint64>("units");
        QTest::addColumn<int>("decimals");
        QTest::addColumn<QString>("fixed");
        QTest::addColumn<QString>("shortest");
        QTest::newRow("nothing") << qint64{0} << 0 << "0" << "0";
        QTest::newRow("zeros") << qint64{0} << 3 << "0.000" << "0";
        QTest::newRow("no decimals") << qint64{1200} << 0 << "1200" << "1200";
        QTest::newRow("cut off") << qint64{1200} << 2 << "12.00" << "12";
        QTest::newRow("one zero cut off") << qint64{1210} << 2 << "12.10" << "12.1";
        QTest::newRow("zero between") << qint64{1205} << 2 << "12.05" << "12.05";
        QTest::newRow("below one") << qint64{7} << 3 << "0.007" << "0.007";
        QTest::newRow("as many digits as decimals") << qint64{250} << 3 << "0.250" << "0.25";
        QTest::newRow("negative") << qint64{-1205} << 2 << "-12.05" << "-12.05";
        QTest::newRow("negative below one") << qint64{-5} << 1 << "-0.5" << "-0.5";
        QTest::newRow("negative zeros") << qint64{-70} << 2 << "-0.70" << "-0.7";
        QTest::newRow("largest") << std::numeric_limits<qint64>::max() << 18 << "9.223372036854775807" << "9.223372036854775807";
        QTest::newRow("smallest") << std::numeric_limits<qint64>::min() << 18 << "-9.223372036854775808" << "-9.223372036854775808";
    }
    void decimalsOfIntegersAreExact()
    {
        QFETCH(qint64, units);
        QFETCH(int, decimals);
        QTEST(QString::fromStdString(fixedDecimal(units, decimals)), "fixed");
        QTEST(QString::fromStdString(shortDecimal(units, decimals)), "shortest");
    }
};

FABRICSCOPE_TEST(QuantityTest)
#include "tst_quantity.moc"
