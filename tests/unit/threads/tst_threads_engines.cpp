// Every engine and every part of the simulation gives the same bytes on 1, 2 and 8 threads at once. Run under the thread sanitizer.
#include "core/base/index.h"
#include "core/report/runjson.h"
#include "core/report/runsummary.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/recorddifference.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

using namespace fabricscope;

namespace {

const std::string kRings = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n"
                           "    - {shape: ring, size: 8, bandwidth: 25 GB/s, latency: 1 us}\n";
const std::string kSlowLink = "  overrides: {links: [{link: d1 4>8, bandwidth: 12 GB/s}]}\n";
const std::string kMemory = "  npu: {memory_bandwidth: 2 TB/s}\n";
const std::string kOne = "workload: {collective: all_reduce, size: 1 MiB}\n";
const std::string kLayers = "workload:\n  steps:\n    - repeat: 200\n      steps:\n        - {compute: 10 us}\n        - {collective: all_reduce, size: 1 MiB}\n";

struct Kind {
    const char* name;
    std::string design;
    const char* engine; ///< That does most of it.
};

std::vector<Kind> kinds()
{
    const std::string spines = "fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}, {name: c}, {name: d}, {name: s0, kind: switch}, {name: s1, kind: switch}]\n  links:\n"
                               "    - {between: [a, s0], bandwidth: 25 GB/s, latency: 1 us}\n    - {between: [b, s0], bandwidth: 25 GB/s, latency: 1 us}\n"
                               "    - {between: [c, s0], bandwidth: 25 GB/s, latency: 1 us}\n    - {between: [d, s0], bandwidth: 25 GB/s, latency: 1 us}\n"
                               "    - {between: [a, s1], bandwidth: 25 GB/s, latency: 1 us}\n    - {between: [b, s1], bandwidth: 25 GB/s, latency: 1 us}\n"
                               "    - {between: [c, s1], bandwidth: 25 GB/s, latency: 1 us}\n    - {between: [d, s1], bandwidth: 25 GB/s, latency: 1 us}\n";
    return {
        {"symmetry", kRings + kMemory + kOne, "symmetry"},
        {"sweep", kRings + kSlowLink + kOne, "sweep"},
        {"memo", kRings + kSlowLink + kLayers, "memo"},
        {"events", kRings + kMemory + kSlowLink + kOne, "events"},
        {"flow", kRings + kMemory + kSlowLink + kOne + "model: {name: flow}\n", "events"},
        {"flow of one for all", kRings + kMemory + kOne + "model: {name: flow}\n", "symmetry"},
        {"routing and a failing link", spines + kOne + "network:\n  seed: 3\n  routing: {policy: ecmp, per: message}\n  faults: [{link: a>s0, at: 20 us, until: 80 us, failed: true}]\n", "events"},
        {"jitter", kRings + kLayers + "network: {seed: 5, jitter: {compute: {distribution: lognormal, deviation: 0.1}, latency: {distribution: exponential, deviation: 1}}}\n", "events"},
        {"protocols", kRings + kOne + "network: {protocol: LL128}\n", "events"},
        {"themis", kRings + kOne + "collectives: {default: {chunks: 16}}\nscheduling: {dimensions: themis}\n", "symmetry"},
    };
}

} // namespace

class ThreadsEnginesTest : public QObject {
    Q_OBJECT

private slots:
    void sameBytesOnOneTwoAndEightThreads_data()
    {
        QTest::addColumn<int>("kind");
        int number = 0;
        for (const Kind& kind : kinds())
            QTest::addRow("%s", kind.name) << number++;
    }

    void sameBytesOnOneTwoAndEightThreads()
    {
        QFETCH(int, kind);
        const Kind wanted = kinds()[at(kind)];
        const auto loaded = readDesignText(wanted.design, "d.yaml");
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        const auto scenario = prepare(loaded.value().design);
        QVERIFY2(scenario, scenario ? "" : scenario.error().text().c_str());
        const auto alone = simulate(*scenario.value());
        QVERIFY2(alone, alone ? "" : alone.error().text().c_str());
        const auto& shares = alone.value().engines;
        const auto most = std::max_element(shares.begin(), shares.end(), [](const EngineShare& a, const EngineShare& b) { return a.messages < b.messages; });
        QVERIFY(most != shares.end());
        QCOMPARE(most->engine, std::string(wanted.engine));
        const auto text = [&](const RunRecord& record) {
            return runJson(summarise(loaded.value().design, *scenario.value(), std::make_shared<const RunRecord>(record)), RunCost{}, RankRows::All);
        };
        const std::string expected = text(alone.value());

        for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{8}}) {
            std::vector<std::optional<RunRecord>> records(count);
            {
                std::vector<std::jthread> threads;
                for (auto& slot : records) {
                    threads.emplace_back([&slot, &scenario] {
                        if (auto record = simulate(*scenario.value()))
                            slot = std::move(record).value();
                    });
                }
            }
            for (const auto& record : records) {
                QVERIFY(record);
                QCOMPARE(test::difference(*record, alone.value()), std::string());
                QCOMPARE(text(*record), expected);
            }
        }
    }
};

FABRICSCOPE_TEST(ThreadsEnginesTest)
#include "tst_threads_engines.moc"
