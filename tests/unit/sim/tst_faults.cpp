#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/cases/randomcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kNs = 1000;
const std::string kOneMessage = "{send: 1 MiB, to: 1, ranks: 0}, {receive: 1 MiB, from: 0, ranks: 1}";
const std::string kDiamond = "gpu0-s0 gpu0-s1 s0-gpu1 s1-gpu1";

/// 1 MiB from gpu0 to gpu1 in four pieces of 262144 ns each at 1 B/ns; ns until it is delivered.
std::int64_t oneMessage(const std::string& links, const std::string& faults)
{
    const std::int64_t done = onlyMessage(runNetwork(scenarioOf(graphDesign(links, "faults: [" + faults + "]", kOneMessage))));
    return done % kNs == 0 ? done / kNs : -done;
}

/// What went in minus what went out, by node.
std::map<NodeId, std::int64_t> balance(const Scenario& scenario, const LinksRun& run)
{
    std::map<NodeId, std::int64_t> net;
    for (const LinkUse& use : run.record.links) {
        const LinkInfo info = scenario.structure->platform.linkInfo(use.link);
        net[info.from] -= use.bytes;
        net[info.to] += use.bytes;
    }
    for (const MessageRecord& message : run.messages) {
        const NodeId from = scenario.structure->placement.nodeOf(message.source);
        const NodeId to = scenario.structure->placement.nodeOf(message.target);
        if (from == to)
            continue;
        net[from] += message.bytes;
        net[to] -= message.bytes;
    }
    std::erase_if(net, [](const auto& entry) { return entry.second == 0; });
    return net;
}

/// All of a message but its times.
std::vector<std::vector<std::int64_t>> identities(const LinksRun& run)
{
    std::vector<std::vector<std::int64_t>> all;
    for (const MessageRecord& message : run.messages) {
        const auto words = message.words();
        all.emplace_back(words.begin(), words.begin() + 8);
    }
    return all;
}

CaseSpec graphCase(std::uint64_t seed)
{
    RandomLimits limits;
    limits.maxNpus = 8;
    limits.maxTasks = 8;
    limits.explicitGraph = true;
    limits.explicitPrograms = seed % 3 == 0;
    return openCase(seed, limits);
}

} // namespace

class TestFaults : public QObject {
    Q_OBJECT

private slots:
    void aLinkThatHalvesItsRateSlowsThePiecesPickedAfterThat()
    {
        // Picks at 0 and 262144 last 262144 ns, those at 524288 and 1048576 twice as long: left at 1572864, then two latencies.
        QCOMPARE(oneMessage(kDiamond, "{link: gpu0>s0, at: 500 us, factor: 1/2}"), 1573064);
        // The rate is back for the last one.
        QCOMPARE(oneMessage(kDiamond, "{link: gpu0>s0, at: 500 us, until: 1 ms, factor: 1/2}"), 1048576 + 262144 + 200);
        // On a transit link pieces whose head arrives after that pay: heads at 100 + k 262144; the last two end at 524388 + 2 * 524288.
        QCOMPARE(oneMessage(kDiamond, "{link: s0>gpu1, at: 500 us, bandwidth: 500 MB/s}"), 524388 + 2 * 524288 + 100);
    }

    void piecesThatHaveNotBeenPickedTakeADetour()
    {
        // Two pieces have gone; the others begin on the other way at 300000.
        QCOMPARE(oneMessage(kDiamond, "{link: gpu0>s0, at: 300 us, failed: true}"), 300000 + 2 * 262144 + 200);
        QCOMPARE(oneMessage(kDiamond, "{link: s0>gpu1, at: 300 us, failed: true}"), 300000 + 2 * 262144 + 200);
        // Before it began: as if it had always been so.
        QCOMPARE(oneMessage(kDiamond, "{link: gpu0>s0, at: 0 ns, failed: true}"), 4 * 262144 + 200);
    }

    void aPieceInFrontOfAFailedLinkGoesOnFromThere()
    {
        // The second piece is at s0 at 262244 and goes over s1, behind the third, which left gpu0 for s1 at 262200.
        QCOMPARE(oneMessage(kDiamond + " s0-s1", "{link: s0>gpu1, at: 262200 ns, failed: true}"), 1048832);
    }

    void withoutAnotherWayPiecesWaitForTheRepair()
    {
        const std::string line = "gpu0-s0 s0-gpu1";
        QCOMPARE(oneMessage(line, "{link: gpu0>s0, at: 300 us, until: 1 ms, failed: true}"), 1000000 + 2 * 262144 + 200);
        // The second piece waits at s0, the others at gpu0.
        QCOMPARE(oneMessage(line, "{link: s0>gpu1, at: 262200 ns, until: 1 ms, failed: true}"), 1786532);
        // Both ends of an NPU's links; two failures of one link last until both have ended.
        QCOMPARE(oneMessage(line, "{npu: 1, at: 0 ns, until: 1 ms, failed: true}"), 1000000 + 4 * 262144 + 200);
        QCOMPARE(oneMessage(line, "{npu: 1, at: 0 ns, until: 1 ms, failed: true}, {link: s0>gpu1, at: 1 us, until: 2 ms, failed: true}"),
                 2000000 + 4 * 262144 + 200);
    }

    void aRunWithoutAWayIsStuckAndNamesLinkAndTime()
    {
        const auto reasons = [](const std::string& faults) {
            const LinksRun run = runNetwork(scenarioOf(graphDesign("gpu0-s0 s0-gpu1", "faults: [" + faults + "]", kOneMessage)));
            std::string text;
            for (const Wait& wait : run.record.waits)
                text += std::to_string(wait.rank) + ": " + wait.reason + "\n";
            return run.record.complete ? std::string() : text;
        };
        const std::string expected = "there is no way from rank 0 to rank 1: link ";
        QCOMPARE(reasons("{link: gpu0>s0, at: 300 us, failed: true}"), "0: " + expected + "gpu0>s0 failed at 300 us\n1: " + expected + "gpu0>s0 failed at 300 us\n");
        // A piece that waits in front of the link; its sender is done.
        QCOMPARE(reasons("{link: s0>gpu1, at: 786500 ns, failed: true}"), "1: " + expected + "s0>gpu1 failed at 786.5 us\n");
    }

    void aStuckCollectiveNamesLinkAndTime()
    {
        const Scenario scenario = scenarioOf(graphDesign("gpu0-s0 gpu1-s0 gpu2-s0", "faults: [{link: gpu1>s0, at: 10 us, failed: true}]", "{collective: all_reduce, size: 3 MiB}"));
        const LinksRun run = runNetwork(scenario);
        QVERIFY(!run.record.complete);
        QCOMPARE(run.record.waits.size(), std::size_t{3});
        for (const Wait& wait : run.record.waits)
            QVERIFY2(wait.reason.find("link gpu1>s0 failed at 10 us") != std::string::npos, wait.reason.c_str());
    }

    void faultsThatMeetNobodyChangeNothing()
    {
        for (const std::uint64_t seed : Seeds(0, 1000)) {
            const auto plain = build(graphCase(seed));
            QVERIFY(plain);
            const LinksRun before = runNetwork(plain.value());
            if (!before.record.complete) // Its ranks wait for each other; there is no end to come after.
                continue;
            const Params& params = *plain.value().params;
            std::vector<LinkFault> faults;
            const LinkId links = plain.value().structure->platform.linkCount();
            for (LinkId link = 0; link < links; ++link) {
                // The rate it has; a failure after the end; a failure of links without traffic.
                const std::int64_t rate = params.linkRate[static_cast<std::size_t>(plain.value().structure->classOf(link))].bytesPerSecond;
                faults.push_back({link, SimTime{link * 1'000'000}, std::nullopt, rate, 0});
                faults.push_back({link, SimTime{before.record.finish.ps + 1}, std::nullopt, 0, 0});
                const bool used = std::any_of(before.record.links.begin(), before.record.links.end(), [&](const LinkUse& use) { return use.link == link; });
                if (!used)
                    faults.push_back({link, SimTime{0}, SimTime{before.record.finish.ps / 2 + 1}, 0, 0});
            }
            const LinksRun after = runNetwork(withNetwork(plain.value(), {}, faults));
            QVERIFY2(after.record.messages.value() == before.record.messages.value(), std::to_string(seed).c_str());
            QVERIFY2(after.record.fingerprint == before.record.fingerprint, std::to_string(seed).c_str());
        }
    }

    void noMessageAndNoByteIsLost()
    {
        std::int64_t rerouted = 0;
        for (const std::uint64_t seed : Seeds(0, 1500)) {
            const auto plain = build(graphCase(seed));
            QVERIFY(plain);
            const LinksRun before = runNetwork(plain.value());
            if (!before.record.complete)
                continue;
            std::mt19937_64 dice(seed);
            std::vector<LinkFault> faults;
            const auto links = static_cast<std::uint64_t>(plain.value().structure->platform.linkCount());
            const auto finish = static_cast<std::uint64_t>(before.record.finish.ps) + 1;
            for (std::uint64_t i = 0; i < 1 + dice() % 6; ++i) {
                const auto at = static_cast<std::int64_t>(dice() % finish);
                const auto until = at + 1 + static_cast<std::int64_t>(dice() % finish);
                faults.push_back({static_cast<LinkId>(dice() % links), SimTime{at}, SimTime{until}, 0, 0});
            }
            const Scenario scenario = withNetwork(plain.value(), {}, faults);
            const LinksRun run = runNetwork(scenario);
            const std::string name = std::to_string(seed);
            QVERIFY2(run.record.complete, name.c_str());
            QVERIFY2(identities(run) == identities(before), name.c_str());
            QVERIFY2(balance(scenario, run).empty(), name.c_str());
            rerouted += run.record.messages.value() == before.record.messages.value() ? 0 : 1;
            // No link carries more than its rate allows.
            for (const LinkUse& use : run.record.links) {
                QVERIFY2(use.busyPs <= run.record.finish.ps || scenario.model == Model::Ideal, name.c_str());
                const std::int64_t rate = scenario.params->linkRate[static_cast<std::size_t>(scenario.structure->classOf(use.link))].bytesPerSecond;
                QVERIFY2(use.busyPs + use.messages >= mulDivCeil(use.bytes, kPsPerSecond, rate), name.c_str()); // Shares of pieces are rounded.
            }
            // The same bytes again.
            QCOMPARE(runNetwork(scenario).record.messages.value(), run.record.messages.value());
        }
        QVERIFY(rerouted > cases(500));
    }

    void aStallEndsWithTheRepair()
    {
        // Everything fails for a while: what was not under way then is not delivered before the repair.
        for (const std::uint64_t seed : Seeds(0, 300)) {
            const auto plain = build(graphCase(seed));
            QVERIFY(plain);
            const std::int64_t repair = 1'000'000'000;
            std::vector<LinkFault> faults;
            for (LinkId link = 0; link < plain.value().structure->platform.linkCount(); ++link)
                faults.push_back({link, SimTime{0}, SimTime{repair}, 0, 0});
            const LinksRun run = runNetwork(withNetwork(plain.value(), {}, faults));
            QCOMPARE(run.record.complete, runNetwork(plain.value()).record.complete);
            for (const MessageRecord& message : run.messages) {
                const bool travels = plain.value().structure->placement.nodeOf(message.source) != plain.value().structure->placement.nodeOf(message.target);
                QVERIFY(!travels || message.donePs > repair);
            }
        }
    }

    void budgetsOfNpusHoldOnExplicitGraphs()
    {
        // Two links of 1 B/ns leave gpu0; injection at 1 B/ns lets 2 x 1 MiB out in 2 MiB: the last tail at 2097152 + 100, then one link more.
        const std::string graph = "gpu0-s0 gpu0-s1 s0-gpu1 s1-gpu2";
        std::string design = graphDesign(graph, "", "{send: 1 MiB, to: 1, ranks: 0, after: []}, {send: 1 MiB, to: 2, ranks: 0, after: []}, {receive: 1 MiB, from: 0, ranks: 1-2}");
        const auto last = [](const LinksRun& run) { return std::max(run.messages[0].donePs, run.messages[1].donePs); };
        QCOMPARE(last(runNetwork(scenarioOf(design))), (1048576 + 200) * kNs);
        const std::string links = "  links:\n";
        design.insert(design.find(links), "  budgets: {injection: 1 GB/s}\n");
        QCOMPARE(last(runNetwork(scenarioOf(design))), (2097152 + 200) * kNs);
        // Ejection at half the rate of the link.
        std::string one = graphDesign(kDiamond, "", kOneMessage);
        one.insert(one.find(links), "  budgets: {ejection: 500 MB/s}\n");
        QCOMPARE(onlyMessage(runNetwork(scenarioOf(one))), (2097152 + 200) * kNs);
    }

    void wrongFaultsAreRefusedWithTheirPlace()
    {
        const auto problems = [](const std::string& fault) { return problemsOf(graphDesign(kDiamond, "faults: [" + fault + "]", kOneMessage)); };
        const auto says = [&](const std::string& fault, const std::string& text) {
            const std::string found = problems(fault);
            return found.find(text) != std::string::npos && found.find("test.yaml:") != std::string::npos;
        };
        QCOMPARE(problems("{link: gpu0>s0, at: 1 us, failed: true}"), std::string());
        QVERIFY(says("{link: gpu0>s9, at: 1 us, failed: true}", "there is no link \"gpu0>s9\""));
        QVERIFY(says("{link: gpu0>s0, at: 2 us, until: 1 us, failed: true}", "ends before it begins"));
        QVERIFY(says("{link: gpu0>s0, at: 2 us}", "it is not clear what happens"));
        QVERIFY(says("{at: 2 us, failed: true}", "it is not clear what is struck"));
        QVERIFY(says("{npu: 7, at: 2 us, failed: true}", "there is no NPU 7"));
        QVERIFY(says("{link: gpu0>s0, at: 2 us, factor: 3/2}", "is no share"));
        QVERIFY(says("{link: gpu0>s0, at: 2, failed: true}", "at"));
        QVERIFY(says("{link: gpu0>s0, at: 2 us, factor: 1/2}, {link: gpu0>s0, at: 3 us, factor: 1/4}", "another rate at the same time"));
        QVERIFY(says("{link: gpu0>s0, at: 2 us, failed: true, colour: red}", "colour"));
    }
};

FABRICSCOPE_TEST(TestFaults)
#include "tst_faults.moc"
