#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/cases/randomcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kNs = 1000;

std::string messageOf(std::int64_t bytes)
{
    const std::string size = std::to_string(bytes) + " B";
    return "{send: " + size + ", to: 1, ranks: 0}, {receive: " + size + ", from: 0, ranks: 1}";
}

/// Delivery of one message over one link of 1 B/ns and 100 ns, in ps.
std::int64_t timeOf(const std::string& protocol, std::int64_t bytes)
{
    return onlyMessage(runNetwork(scenarioOf(graphDesign("gpu0-gpu1", "protocol: " + protocol, messageOf(bytes)))));
}

std::int64_t timeOfParams(const Scenario& plain, const ProtocolParams& protocol)
{
    NetworkParams network;
    network.protocols.push_back(protocol);
    return onlyMessage(runNetwork(withNetwork(plain, network)));
}

} // namespace

class TestProtocols : public QObject {
    Q_OBJECT

private slots:
    void latencyAndEfficiencyAreExact()
    {
        QCOMPARE(timeOf("{latency: 1 us}", 4096), (1000 + 100 + 4096) * kNs);
        QCOMPARE(timeOf("{efficiency: 4/8}", 4096), (100 + 8192) * kNs);
        QCOMPARE(timeOf("{efficiency: 120/128, latency: 250 ns}", 1200), (250 + 100 + 1280) * kNs);
        QCOMPARE(timeOf("{efficiency: 120/128}", 1), (100 + 2) * kNs); // ceil(128 / 120)
        // Over several pieces: wire bytes are those of the whole.
        QCOMPARE(timeOf("{efficiency: 1/3}", 1'000'000), (100 + 3'000'000) * kNs);
        // Presets: 0.6 us and half the bytes; 1.9 us and 120 of 128; 3.4 us and all.
        QCOMPARE(timeOf("LL", 4096), (600 + 100 + 8192) * kNs);
        QCOMPARE(timeOf("LL128", 1200), (1900 + 100 + 1280) * kNs);
        QCOMPARE(timeOf("Simple", 4096), (3400 + 100 + 4096) * kNs);
        QCOMPARE(timeOf("{preset: Simple, latency: 1 us}", 4096), (1000 + 100 + 4096) * kNs);
    }

    void theCrossoverMovesWithTheLatency()
    {
        // a + 2 x = b + x at x = b - a.
        for (const std::int64_t slow : {5000, 9000, 60000}) {
            const std::string fine = "{latency: 1 us, efficiency: 4/8}";
            const std::string coarse = "{latency: " + std::to_string(slow) + " ns}";
            const std::int64_t crossover = slow - 1000;
            QVERIFY(timeOf(fine, crossover - 1) < timeOf(coarse, crossover - 1));
            QCOMPARE(timeOf(fine, crossover), timeOf(coarse, crossover));
            QVERIFY(timeOf(fine, crossover + 1) > timeOf(coarse, crossover + 1));
        }
    }

    void rulesApplyToTheirSizes()
    {
        const auto time = [](std::int64_t bytes) {
            return onlyMessage(runNetwork(scenarioOf(graphDesign("gpu0-gpu1", "protocols: [{max_size: 1000 B, latency: 1 us}, {min_size: 2000 B, latency: 2 us}]", messageOf(bytes)))));
        };
        QCOMPARE(time(1000), (1000 + 100 + 1000) * kNs);
        QCOMPARE(time(1001), (100 + 1001) * kNs);
        QCOMPARE(time(1999), (100 + 1999) * kNs);
        QCOMPARE(time(2000), (2000 + 100 + 2000) * kNs);
    }

    void controlMessagesTravelBeforeTheData()
    {
        QCOMPARE(timeOf("{transfer: get}", 4096), (64 + 100 + 4096 + 100) * kNs);
        QCOMPARE(timeOf("{transfer: get, control_size: 256 B}", 4096), (256 + 100 + 4096 + 100) * kNs);
        QCOMPARE(timeOf("{handshake: true}", 4096), (2 * (64 + 100) + 4096 + 100) * kNs);
        QCOMPARE(timeOf("{transfer: get, handshake: true}", 4096), (2 * (64 + 100) + 4096 + 100) * kNs);
        QCOMPARE(timeOf("{signal: true}", 4096), (4096 + 64 + 100) * kNs);
        // They cross the links like everything else.
        const Scenario scenario = scenarioOf(graphDesign("gpu0-gpu1", "protocol: {handshake: true, signal: true}", messageOf(4096)));
        const auto bytes = bytesByLink(scenario, runNetwork(scenario));
        QCOMPARE(bytes.at("gpu0>gpu1"), std::int64_t{64 + 4096 + 64});
        QCOMPARE(bytes.at("gpu1>gpu0"), std::int64_t{64});
    }

    void slotsHoldBackWhatHasNoPlace()
    {
        // Two slots of 1024 B: the third is ready when the first is delivered and its word is back.
        QCOMPARE(timeOf("{slots: 2, slot_size: 1024 B}", 4096), (4096 + 100) * kNs);
        // One slot: every part waits for one round trip.
        QCOMPARE(timeOf("{slots: 1, slot_size: 1024 B}", 4096), (4 * 1024 + 100 + 3 * 200) * kNs);
        QCOMPARE(timeOf("{slots: 1, slot_size: 1024 B}", 1024), (1024 + 100) * kNs);
        // Over a long way: slots 0 and 1 at 0; 2 when 0 has been acknowledged.
        std::string yaml = graphDesign("gpu0-gpu1", "protocol: {slots: 2, slot_size: 1024 B}", messageOf(4096));
        yaml.replace(yaml.find("100 ns"), 6, "5 us");
        QCOMPARE(onlyMessage(runNetwork(scenarioOf(yaml))), (1024 + 5000 + 5000 + 1024 + 1024 + 5000) * kNs);
    }

    void messagesOfAConnectionShareItsSlots()
    {
        // Two messages of one slot each on one pair with one slot: the second waits for delivery and word of the first.
        const std::string steps = "{send: 1000 B, to: 1, ranks: 0, after: []}, {send: 1000 B, to: 1, tag: 1, ranks: 0, after: []}, "
                                  "{receive: 1000 B, from: 0, ranks: 1, after: []}, {receive: 1000 B, from: 0, tag: 1, ranks: 1, after: []}";
        const LinksRun run = runNetwork(scenarioOf(graphDesign("gpu0-gpu1", "protocol: {slots: 1, slot_size: 4 KiB}", steps)));
        QCOMPARE(run.messages.size(), std::size_t{2});
        QCOMPARE(run.messages[0].donePs, std::int64_t{1100} * kNs);
        QCOMPARE(run.messages[1].donePs, std::int64_t{1200 + 1100} * kNs);
    }

    void reducersWorkOnThePayload()
    {
        // Ring all-reduce of two: reduce-scatter of 500000 B with a reducer of 3 B/ns does 3 x in 500000 ns, beginning with the head.
        const std::string steps = "{collective: all_reduce, size: 1 MB}";
        std::string yaml = graphDesign("gpu0-gpu1", "protocol: {efficiency: 1/2}", steps) + "collectives: {default: {algorithm: ring, chunks: 1}}\n";
        yaml.insert(yaml.find("  links:\n"), "  npu: {memory_bandwidth: 1 GB/s}\n");
        // Wire 1000000 ns each way; the reduction of 500000 B takes 1500000 ns and is slower: 100 + 1500000 + 1000000 + 100.
        QCOMPARE(runNetwork(scenarioOf(yaml)).record.finish.ps, std::int64_t{100 + 1'500'000 + 1'000'000 + 100} * kNs);
    }

    void aProtocolThatCostsNothingChangesNothing()
    {
        for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(cases(1500)); ++seed) {
            RandomLimits limits;
            limits.maxNpus = 8;
            limits.maxTasks = 8;
            limits.explicitGraph = seed % 3 == 0;
            limits.explicitPrograms = seed % 5 == 0;
            const auto plain = build(openCase(seed, limits));
            QVERIFY(plain);
            NetworkParams network;
            network.protocols.push_back({});
            network.protocols.push_back({});
            network.protocols[0].maxBytes = 5000;
            if (seed % 2 == 0) { // Slots nobody runs out of, cut where pieces are.
                network.protocols[1].slotCount = 1 << 20;
                network.protocols[1].slotBytes = plain.value().params->pieceBytes;
            }
            const LinksRun before = runNetwork(plain.value());
            const LinksRun after = runNetwork(withNetwork(plain.value(), network));
            QVERIFY2(after.record.messages.value() == before.record.messages.value(), std::to_string(seed).c_str());
            QVERIFY2(after.record.fingerprint == before.record.fingerprint, std::to_string(seed).c_str());
        }
    }

    void everyMessageArrivesUnderAnyProtocol()
    {
        int complete = 0;
        for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(cases(1500)); ++seed) {
            RandomLimits limits;
            limits.maxNpus = 8;
            limits.maxTasks = 8;
            limits.explicitGraph = seed % 3 == 0;
            limits.explicitPrograms = seed % 5 == 0;
            limits.ties = seed % 4 == 0;
            const auto plain = build(openCase(seed, limits));
            QVERIFY(plain);
            ProtocolParams protocol;
            protocol.latency = SimTime{static_cast<std::int64_t>(seed % 7) * 100'000};
            protocol.payload = static_cast<std::int64_t>(1 + seed % 8);
            protocol.wire = protocol.payload + static_cast<std::int64_t>(seed % 5);
            protocol.slotCount = static_cast<std::int32_t>(seed % 3);
            protocol.slotBytes = 1024 << seed % 9;
            protocol.controls = static_cast<std::int32_t>(seed % 3);
            protocol.signal = protocol.controls == 0 && seed % 2 == 0;
            protocol.controlBytes = 64;
            NetworkParams network;
            network.protocols.push_back(protocol);
            const LinksRun before = runNetwork(plain.value());
            const Scenario scenario = withNetwork(plain.value(), network);
            const LinksRun after = runNetwork(scenario);
            const std::string name = std::to_string(seed);
            if (!before.record.complete || !after.record.complete) // Ranks that issue collectives of a group in another order wait for ever.
                continue;
            ++complete;
            QCOMPARE(after.messages.size(), before.messages.size());
            for (std::size_t i = 0; i < after.messages.size(); ++i)
                QVERIFY2(after.messages[i].bytes == before.messages[i].bytes && after.messages[i].source == before.messages[i].source, name.c_str());
            for (const LinkUse& use : after.record.links)
                QVERIFY2(use.busyPs <= after.record.finish.ps || scenario.model == Model::Ideal, name.c_str());
            QVERIFY2(runNetwork(scenario).record.messages.value() == after.record.messages.value(), name.c_str());
        }
        QVERIFY(complete > cases(1000));
    }

    void moreSlotsAreNeverSlowerForOneMessage()
    {
        for (const std::uint64_t seed : Seeds(0, 300)) {
            const auto bytes = static_cast<std::int64_t>(1 + seed * 7919 % 300'000);
            const Scenario plain = scenarioOf(graphDesign("gpu0-s0 s0-gpu1", "", messageOf(bytes)));
            ProtocolParams protocol;
            protocol.slotBytes = 1024 << seed % 8;
            std::int64_t previous = INT64_MAX;
            for (const std::int32_t count : {1, 2, 3, 8, 1000}) {
                protocol.slotCount = count;
                const std::int64_t time = timeOfParams(plain, protocol);
                QVERIFY(time <= previous);
                previous = time;
            }
            QCOMPARE(previous, (bytes + 200) * kNs); // Bounded by the links alone.
        }
    }

    void wrongProtocolsAreRefusedWithTheirPlace()
    {
        const auto says = [](const std::string& protocol, const std::string& text) {
            const std::string found = problemsOf(graphDesign("gpu0-gpu1", "protocol: " + protocol, messageOf(1)));
            return found.find(text) != std::string::npos && found.find("test.yaml:") != std::string::npos;
        };
        QVERIFY(says("LL64", "unknown protocol"));
        QVERIFY(says("{preset: LL64}", "unknown protocol"));
        QVERIFY(says("{efficiency: 9/8}", "is no share"));
        QVERIFY(says("{efficiency: 0/8}", "is no share"));
        QVERIFY(says("{slots: 4}", "slots without a size"));
        QVERIFY(says("{slots: 4}", "network.protocol.slots"));
        QVERIFY(says("{slots: 4, slot_size: 10 B}", "at least 1024 B"));
        QVERIFY(says("{slot_size: 4 KiB}", "a slot size without slots"));
        QVERIFY(says("{transfer: get, signal: true}", "needs no signal"));
        QVERIFY(says("{control_size: 64 B}", "no control messages"));
        QVERIFY(says("{transfer: get, control_size: 0 B}", "1 B to 64 KiB"));
        QVERIFY(says("{transfer: get, control_size: 65537 B}", "1 B to 64 KiB") && !says("{transfer: get, control_size: 64 KiB}", "1 B to 64 KiB"));
        QVERIFY(says("{min_size: 2 KiB, max_size: 1 KiB}", "no size"));
        QVERIFY(says("{dimension: 0}", "no dimension 0"));
        QVERIFY(says("{latency: 5}", "latency"));
        QVERIFY(says("{latency: 1.1 s}", "at most 1 s") && !says("{latency: 1 s}", "at most 1 s"));
    }

    void modelsWithoutProtocolsSayThatTheyDoNotUseThem()
    {
        const std::string yaml = "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 100 ns}]}\n"
                                 "workload: {collective: all_reduce, size: 1 MB}\nmodel: {name: astra-unaware}\n"
                                 "network: {protocol: LL, jitter: {latency: {distribution: normal, deviation: 0.1}}, faults: [{link: \"d0 0>1\", at: 1 us, factor: 1/2}]}\n";
        const Scenario scenario = scenarioOf(yaml);
        std::string texts;
        for (const Diagnostic& found : scenario.diagnostics)
            texts += found.rule + " " + found.message + "\n";
        for (const char* part : {"network.protocols is not used", "network.faults is not used", "network.jitter.latency is not used"})
            QVERIFY2(texts.find(part) != std::string::npos, texts.c_str());
        QVERIFY(!scenario.params->network);
    }
};

FABRICSCOPE_TEST(TestProtocols)
#include "tst_protocols.moc"
