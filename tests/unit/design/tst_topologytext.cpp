#include "core/platform/topologytext.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

class TopologyTextTest : public QObject {
    Q_OBJECT

private slots:
    void readsDimensionsInAnySpelling_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"Ring(4)_FullyConnected(2)_Switch(8)", "ring(4)_fully_connected(2)_switch(8)", "Ring(4) x FullyConnected(2) x Switch(8)",
                                 "Ring(4)×FC(2)×Switch(8)", " Ring ( 4 )_FC(2) X Switch(8) ", "Ring(4)xFC(2)xSwitch(8)"})
            QTest::newRow(text) << QString::fromUtf8(text);
    }
    void readsDimensionsInAnySpelling()
    {
        QFETCH(QString, text);

        const auto result = parseTopologyText(text.toStdString(), "100, 50,25", "500,1000,0");

        QVERIFY2(result, result ? "" : result.error().text().c_str());
        const auto& d = result.value().dimensions;
        QCOMPARE(d.size(), 3u);
        QVERIFY(d[0].shape == Shape::Ring && d[1].shape == Shape::FullyConnected && d[2].shape == Shape::Switch);
        QVERIFY(d[0].size == 4 && d[1].size == 2 && d[2].size == 8);
        QCOMPARE(d[1].linkBandwidth().bytesPerSecond, 53'687'091'200); // 50 * 2^30
        QCOMPARE(d[1].bandwidth.text(), std::string("50 GiB/s"));
        QCOMPARE(d[1].latencyNs(), 1000.0);
        QVERIFY(!d[1].bandwidthIsPerNpu);
        QVERIFY(Platform::create(result.value()));
    }

    void valuesMayHaveUnits()
    {
        const auto result = parseTopologyText("Ring(4)_Switch(8)", "400Gbps,50 GB/s", "0.5us,700 ns");
        QVERIFY(result);
        QCOMPARE(result.value().dimensions[0].linkBandwidth().bytesPerSecond, 50'000'000'000);
        QCOMPARE(result.value().dimensions[1].linkBandwidth().bytesPerSecond, 50'000'000'000);
        QCOMPARE(result.value().dimensions[0].linkLatency().ps, 500'000);
    }

    void refusesWithTheOptionAtFault_data()
    {
        QTest::addColumn<QString>("topology");
        QTest::addColumn<QString>("bandwidth");
        QTest::addColumn<QString>("latency");
        QTest::addColumn<QString>("message");
        QTest::newRow("too few bandwidths") << "Ring(4)_Switch(8)" << "100" << "1,1" << "--bandwidth: 1 value for 2 dimensions";
        QTest::newRow("too many latencies") << "Ring(4)" << "100" << "1,1" << "--latency: 2 values for 1 dimension";
        QTest::newRow("zero") << "Ring(4)" << "0" << "1" << "--bandwidth: \"0\" is not above 0";
        QTest::newRow("empty entry") << "Ring(4)_Ring(2)" << "1," << "1,1" << "--bandwidth: empty value";
        QTest::newRow("none") << "Ring(4, 1 us)_Ring(2)" << "" << "1" << "--bandwidth: no bandwidth of 2 dimensions";
        QTest::newRow("a part of a fabric without") << "Ring(3, 1 us)_Switch(2) x4 / leaf 64p 400G" << "" << "" << "--topology: \"Ring(3, 1 us)_Switch(2)\": no bandwidth of 2 dimensions (expected it in the brackets";
        QTest::newRow("negative") << "Ring(4)" << "1" << "-1" << "--latency: \"-1\" is negative";
        QTest::newRow("nan") << "Ring(4)" << "nan" << "1" << "--bandwidth: ";
        QTest::newRow("inf") << "Ring(4)" << "inf" << "1" << "--bandwidth: ";
        QTest::newRow("huge") << "Ring(4)" << "1e300" << "1" << "--bandwidth: ";
        QTest::newRow("mesh") << "Mesh(4)" << "1" << "1" << "--topology: \"Mesh\" is not a topology (expected Ring, FullyConnected or Switch";
        QTest::newRow("no size") << "Ring" << "1" << "1" << "--topology: \"Ring\" has no size";
        QTest::newRow("open bracket") << "Ring(4" << "1" << "1" << "--topology: ";
        QTest::newRow("size 0") << "Ring(0)" << "1" << "1" << "--topology: \"0\" is not a size (expected 1 to 1048576)";
        QTest::newRow("size 4.5") << "Ring(4.5)" << "1" << "1" << "--topology: \"4.5\" is not a size";
        QTest::newRow("size huge") << "Ring(99999999999)" << "1" << "1" << "--topology: ";
        QTest::newRow("trailing") << "Ring(4)_" << "1" << "1" << "--topology: ";
        QTest::newRow("glued") << "Ring(4)Ring(2)" << "1,1" << "1,1" << "--topology: \"Ring(2)\" follows a dimension";
        QTest::newRow("empty") << "" << "" << "" << "--topology: empty";
    }
    void refusesWithTheOptionAtFault()
    {
        QFETCH(QString, topology);
        QFETCH(QString, bandwidth);
        QFETCH(QString, latency);
        QFETCH(QString, message);

        const auto result = parseTopologyText(topology.toStdString(), bandwidth.toStdString(), latency.toStdString());

        QVERIFY(!result);
        const QString text = QString::fromStdString(result.error().text());
        QVERIFY2(text.startsWith(message), qPrintable(text));
        QCOMPARE(exitCode(result.error().code), 2);
    }
};

FABRICSCOPE_TEST(TopologyTextTest)
#include "tst_topologytext.moc"
