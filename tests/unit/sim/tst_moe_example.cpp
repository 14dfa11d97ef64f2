#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cstdio>

using namespace fabricscope;

namespace {

constexpr std::int64_t kExperts = 128 << 20;
constexpr std::int64_t kLayers = 4;
constexpr std::int64_t kCompute = kLayers * 600'000'000; // 400 us and 200 us a layer.

struct Variant {
    std::int64_t finish = 0;
    std::int64_t exposed = 0; ///< Longest of all ranks: no computing under way.
    std::int64_t memory = 0;
};

Variant runExample(const std::string& name, const std::vector<FieldOverride>& overrides = {})
{
    const std::string path = std::string(FABRICSCOPE_SOURCE_DIR) + "/resources/examples/" + name;
    auto loaded = readDesign(path, overrides);
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    auto scenario = prepare(loaded.value().design);
    if (!scenario)
        qFatal("%s", scenario.error().text().c_str());
    auto record = simulate(*scenario.value());
    if (!record)
        qFatal("%s", record.error().text().c_str());
    Variant variant;
    variant.finish = record.value().finish.ps;
    for (const RankClass& each : record.value().classes) {
        if (each.times.compute.ps != kCompute)
            qFatal("%s computes for %lld ps", name.c_str(), static_cast<long long>(each.times.compute.ps));
        variant.exposed = std::max(variant.exposed, each.times.finish.ps - each.times.compute.ps);
        variant.memory = std::max(variant.memory, each.times.memory.ps);
    }
    return variant;
}

void print(const char* name, const Variant& variant)
{
    std::printf("%-32s finish %8.3f ms, exposed %8.3f ms, of it remote memory %8.3f ms\n", name, static_cast<double>(variant.finish) / 1e9,
                static_cast<double>(variant.exposed) / 1e9, static_cast<double>(variant.memory) / 1e9);
}

} // namespace

class TestMoeExample : public QObject {
    Q_OBJECT

private slots:
    void exposedTimesFollowTheBandwidthOfTheMemory()
    {
        const Variant own = runExample("moe-remote-memory.yaml");
        const Variant pool100 = runExample("moe-pool-100.yaml");
        const Variant pool500 = runExample("moe-pool-500.yaml");
        print("memory of every GPU, 100 GB/s", own);
        print("pool, 100 GB/s per group", pool100);
        print("pool, 500 GB/s per group", pool500);

        // A GPU's own memory: 1 us + 128 MiB / 100 GB/s, four times.
        QCOMPARE(own.memory, kLayers * (1'000'000 + 1'342'177'280));
        // All 256 GPUs load at once from groups, ports to nodes and ports to GPUs that carry 256, 16 and one share: at least one share and 1 us, and at
        // most the time in which the last pieces of all 16 GPUs of a node and of the GPU itself pass one after the other (256 KiB at one share each).
        const auto share = [](std::int64_t gigabytes) { return kExperts * 1000 / gigabytes; };
        for (const auto& [variant, gigabytes] : {std::pair{pool100, std::int64_t{100}}, std::pair{pool500, std::int64_t{500}}}) {
            const std::int64_t least = kLayers * (1'000'000 + share(gigabytes));
            QVERIFY(variant.memory >= least);
            QVERIFY(variant.memory <= least + kLayers * 2 * (256 * 1024 * 1000 / gigabytes));
        }
        QVERIFY(pool500.exposed < own.exposed);
        QVERIFY(own.exposed <= pool100.exposed);
        // The steps differ by nothing but the loads; GPUs that get their experts a little apart send their tokens a little apart.
        const std::int64_t saved = pool100.exposed - pool500.exposed;
        const std::int64_t expected = kLayers * (share(100) - share(500));
        QVERIFY(saved > expected - expected / 50 && saved < expected + expected / 50);
    }

    void aPoolBehindNarrowSwitchesIsAsFastAsTheSwitches()
    {
        // Groups of 500 GB/s, out-of-node switches that still give a node 16 x 100 GB/s: as slow as groups of 100 GB/s.
        const Variant narrow = runExample("moe-pool-500.yaml", {{"platform.remote_memory.out_node.bandwidth", "100 GB/s"}});
        const Variant pool100 = runExample("moe-pool-100.yaml");
        print("pool, 500 GB/s, switches 100 GB/s", narrow);
        QVERIFY(std::abs(narrow.exposed - pool100.exposed) < pool100.exposed / 50);
    }
};

FABRICSCOPE_TEST(TestMoeExample)
#include "tst_moe_example.moc"
