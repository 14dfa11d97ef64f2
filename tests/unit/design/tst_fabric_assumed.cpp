// Figures of a generated fabric that nobody gave stand among what a run assumed, and only those.
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// What a run on the platform assumes of cables: "name = value", one per line.
std::string assumedOn(const std::string& platform)
{
    const Scenario scenario = scenarioOf("fabricscope: 1\nplatform: {" + platform + "}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
    std::string out;
    for (const Parameter& parameter : scenario.params->list) {
        if (parameter.assumed && parameter.name.find("cables") != std::string::npos)
            out += parameter.name + " = " + parameter.value + "\n";
    }
    return out;
}

const std::string kRate = "bandwidth of cables given none = 400 Gbit/s\n";
const std::string kTime = "latency of cables given none = 1 us\n";

} // namespace

class TestFabricAssumed : public QObject {
    Q_OBJECT

private slots:
    void linesSayWhatTheyLeaveOut()
    {
        QCOMPARE(assumedOn("topology: npu / fat_tree 4"), kRate + kTime);
        QCOMPARE(assumedOn("topology: npu / fat_tree 4 400G"), kTime);
        QCOMPARE(assumedOn("topology: npu / fat_tree 4 1us"), kRate);
        QCOMPARE(assumedOn("topology: npu / fat_tree 4 400G 1us"), std::string());
        QCOMPARE(assumedOn("topology: \"npu / torus 4x4\""), kRate + kTime);
        // A level without takes that of the one below; the lowest has none below.
        QCOMPARE(assumedOn("topology: \"npu x4 / leaf 8p 100G 2us x4 / spine\""), std::string());
        QCOMPARE(assumedOn("topology: \"npu x4 / leaf 8p x4 / spine 100G 2us\""), kRate + kTime);
        QCOMPARE(assumedOn("topology: \"Switch(4, 450 GB/s, 1 us) x4 / rails 64p 2us x2 / spine\""), kRate);
    }

    void platformsWithoutGeneratedCablesSayNothing()
    {
        QCOMPARE(assumedOn("topology: \"Ring(4)\", bandwidth: 50 GB/s, latency: 1 us"), std::string());
        QCOMPARE(assumedOn("preset: hgx-h100-8"), std::string());
    }
};

FABRICSCOPE_TEST(TestFabricAssumed)
#include "tst_fabric_assumed.moc"
