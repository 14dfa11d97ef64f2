// The fabrics and hosts a design can start from: they are what their titles and sources say.
#include "core/platform/fabric/samples.h"
#include "core/platform/fabric/hostof.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/presets.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <cctype>
#include <set>

using namespace fabricscope;

class tst_fabric_gallery : public QObject
{
    Q_OBJECT
private slots:
    void everySampleIsAMachineWithATitleAndASource()
    {
        std::set<std::string_view> names;
        std::set<std::string_view> titles;
        bool hosts = false;
        for (const FabricSample& sample : fabricSamples()) {
            QVERIFY2(names.insert(sample.name).second, sample.name.data());
            QVERIFY2(!titleOf(sample).empty() && titles.insert(titleOf(sample)).second, sample.name.data());
            QVERIFY2(!sample.origin.empty() && sourceOf(sample).size() > 40, sample.name.data());
            QVERIFY2(!hosts || sample.host, sample.name.data()); // Hosts stand behind fabrics.
            hosts = sample.host;
            QCOMPARE(fabricSample(sample.name), &sample);
            for (const bool small : {false, true}) {
                const Result<PlatformSpec> spec = samplePlatform(sample, small);
                QVERIFY2(spec, spec ? "" : (std::string(sample.name) + ": " + spec.error().text()).c_str());
                const auto platform = Platform::create(spec.value());
                QVERIFY2(platform, platform ? "" : platform.error().text().c_str());
                QVERIFY2(!small || platform.value().npuCount() <= 512, sample.name.data());
            }
        }
        QVERIFY(hosts);
        QVERIFY(!fabricSample("no-such-sample"));
    }

    /// A row without a line is a preset, which knows its source.
    void samplesWithoutALineArePresets()
    {
        for (const FabricSample& sample : fabricSamples()) {
            const bool preset = std::ranges::any_of(presets(), [&](const PresetInfo& info) { return info.name == sample.name; });
            QCOMPARE(sample.line.empty(), preset);
            QCOMPARE(sample.title.empty(), preset);
            QCOMPARE(sample.source.empty(), preset);
        }
    }

    void hostsCanStandAtThePlacesOfAFabric()
    {
        for (const FabricSample& sample : fabricSamples()) {
            if (!sample.host)
                continue;
            const Result<FabricHost> host = hostOf(samplePlatform(sample, false).value());
            QVERIFY2(host, host ? "" : host.error().text().c_str());
            const Result<Fabric> fabric = fabricOfLine(std::string(sample.name) + " x4 / rails x2 / spine switches 1");
            QVERIFY2(fabric, fabric ? "" : fabric.error().text().c_str());
            QCOMPARE(fabric.value().npus(), std::int64_t{host.value().npus} * 8);
        }
    }

    /// What the literature says of the shapes, in closed form.
    void countsAreThoseOfTheSources_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<qint64>("npus");
        QTest::addColumn<qint64>("switches"); // Of the network, not of the hosts.
        QTest::newRow("4 units of 32 hosts of 8, 8 leaves each, 32 x 32 / 64 spines") << "superpod-h100-1024" << qint64{4 * 32 * 8} << qint64{4 * 8 + 16};
        QTest::newRow("half of the cables up, half of the spines") << "rail-pod-1024" << qint64{1024} << qint64{32 + 8};
        QTest::newRow("a leaf per rail") << "rail-only-256" << qint64{256} << qint64{8};
        QTest::newRow("16 leaves of 32, 16 x 32 / 64 spines") << "leaf-spine-512" << qint64{512} << qint64{16 + 8};
        QTest::newRow("k^3 / 4, 5 k^2 / 4") << "fat-tree-1024" << qint64{16 * 16 * 16 / 4} << qint64{5 * 16 * 16 / 4};
        QTest::newRow("a h + 1 groups of a p") << "dragonfly-1056" << qint64{(8 * 4 + 1) * 8 * 4} << qint64{(8 * 4 + 1) * 8};
        QTest::newRow("8 x 8 of 8") << "hyperx-512" << qint64{512} << qint64{64};
        QTest::newRow("2 q^2 switches of (3 q - 1) / 4 rounded up") << "slim-fly-200" << qint64{2 * 5 * 5 * 4} << qint64{2 * 5 * 5};
        QTest::newRow("32 of 8") << "expander-256" << qint64{256} << qint64{32};
        QTest::newRow("2^8") << "hypercube-256" << qint64{256} << qint64{0};
        QTest::newRow("4 x 4 x 8") << "twisted-torus-128" << qint64{128} << qint64{0};
    }

    void countsAreThoseOfTheSources()
    {
        QFETCH(QString, name);
        QFETCH(qint64, npus);
        QFETCH(qint64, switches);
        const FabricSample* sample = fabricSample(name.toStdString());
        QVERIFY(sample);
        const Result<Fabric> fabric = fabricOfLine(sample->line);
        QVERIFY2(fabric, fabric ? "" : fabric.error().text().c_str());
        QCOMPARE(qint64{fabric.value().npus()}, npus);
        const std::int64_t inHosts = fabric.value().spec().host ? npus / fabric.value().spec().host->npus * fabric.value().spec().host->switches : 0;
        QCOMPARE(qint64{fabric.value().switches() - inHosts}, switches);
    }
};

FABRICSCOPE_TEST(tst_fabric_gallery)
#include "tst_fabric_gallery.moc"
