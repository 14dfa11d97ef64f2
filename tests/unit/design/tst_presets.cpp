#include "core/base/index.h"
#include "core/platform/presets.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <map>
#include <set>

using namespace fabricscope;

class PresetsTest : public QObject {
    Q_OBJECT

private slots:
    void everyPresetIsAValidPlatformWithASource()
    {
        std::set<std::string_view> names;
        for (const PresetInfo& info : presets()) {
            QVERIFY(names.insert(info.name).second);
            QVERIFY(!info.title.empty() && !info.shape.empty());
            QVERIFY(info.source.size() > 40);
            const auto spec = presetPlatform(info.name);
            QVERIFY(spec);
            QCOMPARE(spec.value().source, std::string(info.source));
            const auto platform = Platform::create(spec.value());
            QVERIFY2(platform, platform ? "" : platform.error().text().c_str());
            QVERIFY(platform.value().npuCount() > 1);
        }
        QCOMPARE(names.size(), 26u);
    }

    void bandwidthsEqualThePublishedFigures_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("npus");
        QTest::addColumn<int>("dimension");
        QTest::addColumn<double>("npuGBps");
        QTest::addColumn<double>("linkGBps");
        const auto row = [](const char* name, int npus, int dimension, double npu, double link, const char* citation) {
            QTest::newRow(qPrintable(QString("%1 d%2: %3").arg(name).arg(dimension).arg(citation))) << QString(name) << npus << dimension << npu << link;
        };
        row("hgx-h100-8", 8, 0, 450, 450, "H100 data sheet: NVLink 900 GB/s, two directions");
        row("clos-h100-256", 256, 0, 450, 450, "H100 data sheet");
        row("clos-h100-256", 256, 1, 50, 50, "DGX SuperPOD H100: 400 Gb/s per GPU");
        row("dgx-a100-8", 8, 0, 300, 300, "A100 data sheet: NVLink 600 GB/s, two directions");
        row("dgx-a100-pod", 160, 1, 25, 25, "DGX SuperPOD A100: 200 Gb/s per GPU");
        row("dgx-2", 16, 0, 150, 150, "V100: 6 links of 25 GB/s");
        row("gb200-nvl72", 72, 0, 900, 900, "GB200 NVL72: 1.8 TB/s, two directions");
        row("tpu-v3-1024", 1024, 0, 140, 70, "ISCA 2023 table 4: 4 links of 70 GB/s, two per dimension");
        row("tpu-v4-64", 64, 2, 100, 50, "ISCA 2023 table 4: 6 links of 50 GB/s, two per dimension");
        row("tpu-v4-4096", 4096, 1, 100, 50, "ISCA 2023 table 4");
        row("dgx-a100-8-40gb", 8, 0, 300, 300, "A100 data sheet: NVLink 600 GB/s, two directions");
        row("hgx-h200-8", 8, 0, 450, 450, "H200 data sheet: NVLink 900 GB/s, two directions");
        row("hgx-b200-8", 8, 0, 900, 900, "DGX B200 data sheet: NVLink 1.8 TB/s, two directions");
        row("mi300x-8", 8, 0, 448, 64, "MI300X platform: 7 links of 128 GB/s, two directions");
        row("tpu-v5e-256", 256, 1, 100, 50, "TPU v5e: 400 GB/s over 4 ports, two directions; bisection 1.6 TB/s = 32 x 50 GB/s");
        row("tpu-v5p-64", 64, 0, 200, 100, "TPU v5p: 1200 GB/s over 6 ports, two directions");
        row("tpu-v5p-8960", 8960, 2, 200, 100, "TPU v5p: 1200 GB/s over 6 ports, two directions");
        row("tpu-v6e-256", 256, 0, 200, 100, "TPU v6e: 800 GB/s over 4 ports, two directions; bisection 3.2 TB/s = 32 x 100 GB/s");
        row("w-1d-350", 512, 0, 350, 350, "per NPU");
        row("w-1d-500", 512, 0, 500, 500, "per NPU");
        row("w-1d-600", 512, 0, 600, 600, "per NPU");
        row("w-2d", 512, 1, 250, 250, "per NPU");
        row("conv-3d", 512, 0, 200, 100, "per NPU, two ring links");
        row("conv-3d", 512, 1, 100, 100.0 / 7, "per NPU, seven peers");
        row("conv-3d", 512, 2, 50, 50, "per NPU");
        row("conv-4d", 512, 0, 250, 250, "Ring(2) has one link");
        row("conv-4d", 512, 1, 200, 200.0 / 7, "per NPU, seven peers");
        row("conv-4d", 512, 2, 100, 50, "per NPU, two ring links");
        row("conv-4d", 512, 3, 50, 50, "per NPU");
    }
    void bandwidthsEqualThePublishedFigures()
    {
        QFETCH(QString, name);
        QFETCH(int, npus);
        QFETCH(int, dimension);
        QFETCH(double, npuGBps);
        QFETCH(double, linkGBps);
        const Platform platform = Platform::create(presetPlatform(name.toStdString()).value()).value();

        const Dimension& d = platform.dimensions()[at(dimension)];

        QCOMPARE(platform.npuCount(), npus);
        QCOMPARE(d.npuBandwidth().bytesPerSecond, static_cast<qint64>(npuGBps * 1e9));
        QCOMPARE(d.linkBandwidth().bytesPerSecond, static_cast<qint64>(linkGBps * 1e9));
    }

    void npuFiguresEqualTheDataSheets_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("teraflops");
        QTest::addColumn<double>("memoryGBps");
        QTest::addColumn<qint64>("memory");
        QTest::newRow("H100 SXM") << "hgx-h100-8" << 989.0 << 3350.0 << qint64{80'000'000'000};
        QTest::newRow("A100 80 GB SXM") << "dgx-a100-8" << 312.0 << 2039.0 << qint64{80'000'000'000};
        QTest::newRow("A100 40 GB SXM4") << "dgx-a100-8-40gb" << 312.0 << 1555.0 << qint64{40'000'000'000};
        QTest::newRow("H200 SXM") << "hgx-h200-8" << 989.0 << 4800.0 << qint64{141'000'000'000};
        QTest::newRow("B200, HGX") << "hgx-b200-8" << 2250.0 << 8000.0 << qint64{180'000'000'000};
        QTest::newRow("MI300X") << "mi300x-8" << 1307.4 << 5300.0 << qint64{192'000'000'000};
        QTest::newRow("TPU v5e") << "tpu-v5e-256" << 197.0 << 819.0 << qint64{16'000'000'000};
        QTest::newRow("TPU v5p") << "tpu-v5p-64" << 459.0 << 2765.0 << qint64{95} * 1024 * 1024 * 1024;
        QTest::newRow("TPU v6e") << "tpu-v6e-256" << 918.0 << 1638.0 << qint64{32'000'000'000};
        QTest::newRow("V100 32 GB") << "dgx-2" << 125.0 << 900.0 << qint64{32'000'000'000};
        QTest::newRow("P100") << "dgx-1p" << 21.2 << 732.0 << qint64{16'000'000'000};
        QTest::newRow("GB200: 180 PFLOPS, 576 TB/s, 13.4 TB over 72") << "gb200-nvl72" << 2500.0 << 8000.0 << qint64{186'000'000'000};
        QTest::newRow("TPU v3, ISCA 2023 table 4") << "tpu-v3-1024" << 123.0 << 900.0 << qint64{32} * 1024 * 1024 * 1024;
        QTest::newRow("TPU v4, ISCA 2023 table 4") << "tpu-v4-4096" << 275.0 << 1200.0 << qint64{32} * 1024 * 1024 * 1024;
    }
    void npuFiguresEqualTheDataSheets()
    {
        QFETCH(QString, name);
        QFETCH(double, teraflops);
        QFETCH(double, memoryGBps);
        QFETCH(qint64, memory);
        const NpuSpec npu = presetPlatform(name.toStdString()).value().npu;
        QCOMPARE(npu.peak->base(), teraflops * 1e12);
        QCOMPARE(npu.memoryBandwidth->base(), memoryGBps * 1e9);
        QCOMPARE(toBytes(*npu.memory).value, memory);
    }

    void cubeMeshesHaveTheNvLinksOfTheirGpus_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("perGpuGBps");
        QTest::newRow("P100: 4 x 20 GB/s") << "dgx-1p" << 80.0;
        QTest::newRow("V100: 6 x 25 GB/s") << "dgx-1v" << 150.0;
        QTest::newRow("NDv2: 6 x 25 GB/s") << "ndv2" << 150.0;
    }
    void cubeMeshesHaveTheNvLinksOfTheirGpus()
    {
        QFETCH(QString, name);
        QFETCH(double, perGpuGBps);
        const PlatformSpec spec = presetPlatform(name.toStdString()).value();
        std::map<NodeId, double> out;
        std::map<NodeId, double> in;
        std::map<NodeId, int> neighbours;
        for (const ExplicitLink& link : spec.links) {
            out[link.from] += link.bandwidth.base();
            in[link.to] += link.bandwidth.base();
            ++neighbours[link.from];
        }
        QCOMPARE(spec.links.size(), 32u);
        for (NodeId gpu = 0; gpu < 8; ++gpu) {
            QCOMPARE(out[gpu], perGpuGBps * 1e9);
            QCOMPARE(in[gpu], perGpuGBps * 1e9);
            QCOMPARE(neighbours[gpu], 4);
        }
        // A cube mesh has diameter 2.
        const Platform platform = Platform::create(spec).value();
        for (NodeId src = 0; src < 8; ++src) {
            for (NodeId dst = 0; dst < 8; ++dst) {
                std::vector<LinkId> links;
                platform.route(src, dst, links);
                QVERIFY(links.size() <= 2);
            }
        }
    }

    void unknownNamesAreRefusedWithTheKnownOnes()
    {
        const auto result = presetPlatform("hgx-h100");
        QVERIFY(!result);
        QVERIFY(result.error().expected.find("hgx-h100-8, ") != std::string::npos);
    }
};

FABRICSCOPE_TEST(PresetsTest)
#include "tst_presets.moc"
