// What rules of collectives say beside algorithms, from physical/3 on: launch, ramp and protocol by collective, size and ranks; shares and efficiency of switches. Times by hand.
#include "core/choose/choose.h"
#include "core/design/file/readdesign.h"
#include "core/scenario/designplan.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// n NPUs on a switch of 100 GB/s and 1 us a link: a message takes 2 us and its bytes at 100 GB/s.
std::string onSwitch(int ranks, const std::string& rules, const std::string& workload, const std::string& more = {})
{
    return "fabricscope: 1\nplatform: {topology: Switch(" + std::to_string(ranks) + "), bandwidth: 100 GB/s, latency: 1 us}\ncollectives:\n  default: {algorithm: ring, chunks: 1}\n  rules: " + rules
        + "\nworkload: " + workload + "\n" + more;
}

Result<RunRecord> recordOf(const std::string& text, EngineChoice engine = EngineChoice::Auto)
{
    auto read = readDesignText(text, "design.yaml");
    if (!read)
        return read.error();
    const Result<ScenarioPtr> scenario = prepare(read.value().design);
    if (!scenario)
        return scenario.error();
    RunOptions options;
    options.engine = engine;
    return simulate(*scenario.value(), options);
}

std::int64_t finishPs(const std::string& text, EngineChoice engine = EngineChoice::Auto)
{
    const Result<RunRecord> record = recordOf(text, engine);
    return record ? record.value().finish.ps : -1;
}

/// 2 (n - 1) messages of S / n, each 2 us and S / n x wire / payload at 100 GB/s. \pre n divides S, and all is whole picoseconds
std::int64_t ringPs(std::int64_t ranks, std::int64_t bytes, std::int64_t wire = 1, std::int64_t payload = 1)
{
    return 2 * (ranks - 1) * (2'000'000 + bytes / ranks * wire / payload * 10);
}

const std::string kReduce8MiB = "{collective: all_reduce, size: 8 MiB}";

} // namespace

class LibraryTermsTest : public QObject {
    Q_OBJECT

private slots:
    void launchRampAndProtocolAreThoseOfTheRule()
    {
        const std::int64_t bytes = 8 << 20;
        QCOMPARE(finishPs(onSwitch(8, "[]", kReduce8MiB)), ringPs(8, bytes));
        QCOMPARE(finishPs(onSwitch(8, "[{op: all_reduce, launch: 30 us}]", kReduce8MiB)), ringPs(8, bytes) + 30'000'000);
        // 40 us x 8 MiB / (8 MiB + 24 MiB) = 10 us.
        QCOMPARE(finishPs(onSwitch(8, "[{ramp: 40 us, ramp_size: 24 MiB}]", kReduce8MiB)), ringPs(8, bytes) + 10'000'000);
        QCOMPARE(finishPs(onSwitch(8, "[{ramp: 40 us}]", kReduce8MiB)), ringPs(8, bytes) + 40'000'000);
        QCOMPARE(finishPs(onSwitch(8, "[{protocol: {efficiency: 1/4}}]", kReduce8MiB)), ringPs(8, bytes, 4, 1));
        QCOMPARE(finishPs(onSwitch(8, "[{protocol: {latency: 3 us}}]", kReduce8MiB)), ringPs(8, bytes) + 14 * std::int64_t{3'000'000});
        // The protocol of the rule stands instead of those by the size of messages, a launch instead of the general one; what a rule leaves out is general.
        const std::string general = "network: {launch: 7 us, protocols: [{latency: 1 us}]}\n";
        QCOMPARE(finishPs(onSwitch(8, "[{op: all_reduce, launch: 30 us, protocol: {efficiency: 1/2}}]", kReduce8MiB, general)), ringPs(8, bytes, 2, 1) + 30'000'000);
        QCOMPARE(finishPs(onSwitch(8, "[{op: all_reduce, protocol: {efficiency: 1/2}}]", kReduce8MiB, general)), ringPs(8, bytes, 2, 1) + 7'000'000);
        QCOMPARE(finishPs(onSwitch(8, "[{op: all_reduce, launch: 30 us}]", kReduce8MiB, general)), ringPs(8, bytes) + 14 * std::int64_t{1'000'000} + 30'000'000);
    }

    /// The first rule that fits by collective, size of the collective (not of its messages) and ranks.
    void rulesAreChosenByCollectiveSizeAndRanks()
    {
        const std::string rules = "[{op: all_gather, launch: 1 us}, {op: all_reduce, max_size: 4 MiB, launch: 2 us}, {op: all_reduce, max_ranks: 4, launch: 3 us}, {op: all_reduce, min_ranks: 8, launch: 4 us}]";
        const auto launchOf = [&](int ranks, std::int64_t mebibytes) {
            return finishPs(onSwitch(ranks, rules, "{collective: all_reduce, size: " + std::to_string(mebibytes) + " MiB}")) - ringPs(ranks, mebibytes << 20);
        };
        QCOMPARE(launchOf(8, 4), std::int64_t{2'000'000});
        QCOMPARE(launchOf(8, 8), std::int64_t{4'000'000});
        QCOMPARE(launchOf(4, 8), std::int64_t{3'000'000});
        QCOMPARE(launchOf(2, 8), std::int64_t{3'000'000});
        // Half of the steps of an all-reduce.
        QCOMPARE(finishPs(onSwitch(8, rules, "{collective: all_gather, size: 8 MiB}")), ringPs(8, 8 << 20) / 2 + 1'000'000);
    }

    void modelsAndEnginesAgree()
    {
        const std::string rules = "[{op: all_reduce, launch: 30 us, ramp: 10 us, ramp_size: 8 MiB, protocol: {latency: 1 us, efficiency: 1/2}}]";
        const std::int64_t expected = ringPs(8, 8 << 20, 2, 1) + 14 * std::int64_t{1'000'000} + 35'000'000;
        for (const char* const model : {"links", "ideal", "flow"})
            QCOMPARE(finishPs(onSwitch(8, rules, kReduce8MiB, std::string("model: {name: ") + model + "}\n")), expected);
        QCOMPARE(finishPs(onSwitch(8, rules, kReduce8MiB), EngineChoice::Events), expected);
    }

    /// Ranks that are alike begin alike: one of them stands for all.
    void oneRankStandsForAllThatBeginLater()
    {
        std::mt19937 random(83);
        for (int k = 0; k < cases(20); ++k) {
            const auto number = [&](unsigned most) { return std::to_string(1 + random() % most); };
            const std::string steps = "{steps: [{repeat: " + number(12) + ", steps: [{collective: all_reduce, size: " + number(4096) + " KiB, name: a}, {compute: " + number(50) + " us, after: []}, {collective: all_gather, size: " + number(512)
                + " KiB, after: [a]}]}]}";
            const std::string rules = "[{op: all_reduce, launch: " + number(40) + " us, ramp: " + number(30) + " us, ramp_size: " + number(2000) + " KiB}]";
            const std::string text = onSwitch(2 << random() % 3, rules, steps, (random() % 2 == 0 ? "network: {launch: " + number(9) + " us}\n" : std::string()) + "model: {name: " + (random() % 3 == 0 ? "ideal" : random() % 2 == 0 ? "flow" : "links") + "}\n");
            const Result<RunRecord> all = recordOf(text, EngineChoice::Events);
            const Result<RunRecord> one = recordOf(text, EngineChoice::Symmetry);
            QVERIFY2(all && one, one ? "" : one.error().text().c_str());
            QCOMPARE(one.value().engines.front().engine, std::string("symmetry"));
            QCOMPARE(one.value().finish.ps, all.value().finish.ps);
            QVERIFY(one.value().fingerprint.hex() == all.value().fingerprint.hex());
            QVERIFY(one.value().messages.value().hex() == all.value().messages.value().hex());
        }
        // A protocol is followed message by message.
        QVERIFY(!recordOf(onSwitch(8, "[{protocol: {latency: 1 us}}]", kReduce8MiB), EngineChoice::Symmetry));
    }

    /// A message that takes a millisecond more by its protocol makes the algorithm with the fewest in a row the fastest, a launch changes no choice.
    void autoChoosesByWhatTheRuleSays()
    {
        const auto chosenBy = [](const std::string& rule) -> std::string {
            auto read = readDesignText(onSwitch(8, "[{op: all_reduce, algorithm: auto" + rule + "}]", "{collective: all_reduce, size: 64 MiB}"), "design.yaml");
            const Result<ScenarioPtr> scenario = read ? prepareChosen(read.value().design, 1) : Result<ScenarioPtr>(read.error());
            const Result<RunRecord> record = scenario ? simulate(*scenario.value()) : Result<RunRecord>(scenario.error());
            if (!record)
                return record.error().text();
            const CollectiveChoice& choice = scenario.value()->choices.front();
            // The time that decided is that of the run: launch and protocol are in it.
            return choice.candidates.front().name == choice.chosen && choice.candidates.front().timePs == record.value().finish.ps ? choice.chosen : "not the fastest";
        };
        const std::string usual = chosenBy("");
        QVERIFY2(usual.find("ring") != std::string::npos, usual.c_str());
        QCOMPARE(chosenBy(", launch: 30 us"), usual);
        QCOMPARE(chosenBy(", protocol: {latency: 1 ms}"), std::string("direct"));
    }

    /// The estimate of plans: 64 MiB among 8 on a switch are 14 steps of 2 us and 7/4 of the bytes at 100 GB/s.
    void plansAreEstimatedByTheSameTerms()
    {
        const auto secondsOf = [](const std::string& rules) {
            auto read = readDesignText(onSwitch(8, rules, kReduce8MiB, "network: {launch: 5 us}\n"), "design.yaml");
            if (!read)
                qFatal("%s", read.error().text().c_str());
            const auto platform = Platform::create(*read.value().design.platform);
            PlanCommunication row;
            row.group = {"tensor", {{8, 1}}};
            row.groupSize = 8;
            row.bytes = 64 << 20;
            return planNpuOf(read.value().design, platform.value()).communication(row);
        };
        const double bare = secondsOf("[]");
        const auto isMore = [&](const std::string& rules, double seconds) { return std::abs(secondsOf(rules) - bare - seconds) < 1e-12; };
        QVERIFY(std::abs(secondsOf("[{launch: 30 us}]") - bare - 25e-6) < 1e-12);
        QVERIFY(isMore("[{op: all_gather, launch: 30 us}]", 0));
        QVERIFY(isMore("[{group: tensor, launch: 30 us}]", 25e-6) && isMore("[{group: data, launch: 30 us}]", 0));
        QVERIFY(isMore("[{max_ranks: 4, launch: 30 us}, {min_ranks: 8, launch: 6 us}]", 1e-6));
        QVERIFY(isMore("[{ramp: 40 us, ramp_size: 192 MiB}]", 10e-6));
        const double steps = 2 * std::log2(8); // What `standard` takes on a switch.
        QVERIFY2(isMore("[{protocol: {latency: 3 us}}]", steps * 3e-6), qPrintable(QString::number((secondsOf("[{protocol: {latency: 3 us}}]") - bare) * 1e6)));
        QVERIFY(isMore("[{protocol: {efficiency: 1/2}}]", 1.75 * (64 << 20) / 100e9));
    }

    void olderRulesRefuseThem()
    {
        for (const char* const version : {"physical/1", "physical/2"}) {
            const Result<RunRecord> record = recordOf(onSwitch(8, "[{launch: 1 us}]", kReduce8MiB, std::string("model: {version: ") + version + "}\n"));
            QVERIFY(!record);
            QVERIFY2(record.error().text().find("collectives.rules[0]") != std::string::npos && record.error().text().find("physical/3") != std::string::npos, record.error().text().c_str());
            for (const std::string key : {"shares: true", "efficiency: 3/4"}) {
                const Result<RunRecord> offload = recordOf("fabricscope: 1\nplatform: {dimensions: [{shape: switch, size: 8, bandwidth: 100 GB/s, latency: 1 us, in_network: {reduction: 1 GB/s, " + key
                                                           + "}}]}\nworkload: " + kReduce8MiB + "\nmodel: {version: " + version + "}\n");
                QVERIFY2(!offload && offload.error().text().find("dimensions[0].in_network." + key.substr(0, key.find(':'))) != std::string::npos, key.c_str());
            }
        }
        for (const char* const wrong : {"[{ramp_size: 1 MiB}]", "[{launch: -1 us}]", "[{min_ranks: 8, max_ranks: 2}]", "[{protocol: LL256}]", "[{protocol: {max_size: 1 MiB}}]", "[{launch: 1 MiB}]"})
            QVERIFY2(!recordOf(onSwitch(8, wrong, kReduce8MiB)), wrong);
    }

    void withoutTermsAnswersAreThoseOfTheSecondVersion()
    {
        std::mt19937 random(81);
        for (int k = 0; k < cases(20); ++k) {
            const int ranks = static_cast<int>(2 + random() % 7);
            const std::string workload = "{collective: " + std::string(random() % 2 == 0 ? "all_reduce" : "all_to_all") + ", size: " + std::to_string(1 + random() % 4096) + " KiB}";
            const std::string rules = random() % 2 == 0 ? "[]" : "[{op: all_reduce, algorithm: direct, chunks: 2}]";
            const Result<RunRecord> before = recordOf(onSwitch(ranks, rules, workload, "model: {version: physical/2}\n"));
            const Result<RunRecord> now = recordOf(onSwitch(ranks, rules, workload, "model: {version: physical/3}\n"));
            QVERIFY(before && now);
            QCOMPARE(now.value().finish.ps, before.value().finish.ps);
            QVERIFY(now.value().fingerprint.hex() == before.value().fingerprint.hex());
            QVERIFY(now.value().messages.value().hex() == before.value().messages.value().hex());
        }
    }

    /// 8 MiB up and down, one operation: 2 us, and its bytes at 100 GB/s; with shares 8 + 1 of 8 of them, with an efficiency of 3/4 a third more.
    void switchesThatReduceMayLoadTheirLinksMore()
    {
        const auto reduced = [](const std::string& more) {
            return finishPs("fabricscope: 1\nplatform: {dimensions: [{shape: switch, size: 8, bandwidth: 100 GB/s, latency: 1 us, in_network: {reduction: 1000 GB/s, latency: 1 ps" + more
                            + "}}]}\ncollectives: {default: {algorithm: in_network, chunks: 1}}\nworkload: {collective: all_reduce, size: 6 MiB}\n");
        };
        const std::int64_t bytes = 6 << 20;
        const std::int64_t plain = reduced("");
        QVERIFY(plain > 2'000'000 + bytes * 10);
        QCOMPARE(reduced(", shares: true") - plain, bytes / 8 * 10);
        QCOMPARE(reduced(", efficiency: 3/4") - plain, bytes / 3 * 10);
        QCOMPARE(reduced(", shares: true, efficiency: 3/4") - plain, bytes * 9 / 8 * 4 / 3 * 10 - bytes * 10);
    }
};

FABRICSCOPE_TEST(LibraryTermsTest)
#include "tst_libraryterms.moc"
