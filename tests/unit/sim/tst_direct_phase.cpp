// One direct phase answered as a whole (singlephase.h): what the event engine says, in every field and of every message, on fabrics of all kinds.
#include "tests/unit/support/cases/networkcase.h"

#include "core/sim/direct/singlephase.h"
#include "core/sim/direct/timewindows.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/draw.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <array>
#include <map>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::array kLines{
    "npu / leaf_spine 4,4,4,4 400G 1us", "npu / leaf_spine 4,4,2,2 400G 1us", "npu / leaf_spine 2,8,4,8 400G 500ns", "npu x8 / leaf 400G 1us x2 / spine up 2 switches 2",
    "npu / fat_tree 4 400G 1us", "npu / fat_tree 4 400G 700ns", "npu / clos m 4,4,2 w 1,2,2 400G 1us", "npu / rails 2,4,4,2,2 400G 1us",
    "Switch(4, 450 GB/s, 1 us) x4 / rails 8p 400G 1us x2 / spine 2:1", "Switch(4, 50 GB/s, 300 ns) x4 / rails 8p 400G 1us x4 / spine 16p 1:1", "npu / dragonfly 2,4,2 groups 3 100G 1us",
    "npu / hyperx 3x3 npus 3 100G 1us", "npu / nvl72", "npu / cube_mesh", "npu / expander 16,4,2 seed 1 100G 1us", "Switch(9, 50 GB/s, 300 ns)", "Switch(12, 50 GB/s, 1 us)",
    "FullyConnected(8, 50 GB/s, 300 ns)", "Ring(8, 50 GB/s, 1 us)"};
constexpr std::array kPolicies{"", "ecmp, per: stream", "ecmp, per: stream", "ecmp, per: stream", "balanced", "shortest", "up_down"};
constexpr std::array kSizes{"1 MB", "300 kB", "3 MiB", "40001 B", "16 MiB"};

/// A collective of all ranks or of some, after computations that may take longer on some NPUs.
std::string designOf(std::uint64_t seed)
{
    Draw draw(seed);
    const std::string line = draw.of(kLines);
    const bool graph = line.find('/') != std::string::npos && line.front() == 'n';
    const std::string platform = "platform:\n  topology: \"" + line + "\"\n";
    std::string overrides;
    if (draw.below(3) == 0) {
        for (int npu = 0; npu < 8; ++npu)
            overrides += "      - {npu: " + std::to_string(npu) + ", speed: 0." + std::to_string(1 + draw.below(9)) + "}\n";
        overrides = "    npus:\n" + overrides;
    }
    if (line.ends_with("s)") && draw.below(2) == 0) // One dimension with a slow link.
        overrides += std::string("    links:\n      - {link: \"d0 0>") + (line.front() == 'S' ? "switch" : "1") + "\", bandwidth: " + draw.of(std::array{"10 GB/s", "25 GB/s"}) + "}\n";
    if (!overrides.empty())
        overrides = "  overrides:\n" + overrides;
    std::string network = "network:\n  seed: " + std::to_string(draw.below(1000)) + "\n";
    if (const std::string policy = draw.of(kPolicies); !policy.empty() && (graph || policy != "up_down"))
        network += "  routing: {policy: " + policy + "}\n";
    const bool some = draw.below(4) == 0;
    std::string workload = "workload:\n";
    if (some)
        workload += "  groups:\n    - {name: some, lists: [[3, 0, 1, 7, 4, 6]]}\n";
    workload += "  steps:\n    - {compute: " + std::to_string(1 + draw.below(3)) + " us}\n    - {collective: " + (draw.below(3) == 0 ? "all_gather" : "all_to_all") + ", size: " + draw.of(kSizes)
        + (some ? ", group: some" : "") + "}\n    - {compute: 2 us}\n";
    return "fabricscope: 1\n" + platform + overrides + workload + "collectives:\n  default: {algorithm: direct, chunks: " + std::to_string(1 + draw.below(4)) + "}\n"
        + (draw.below(3) == 0 ? "model: {endpoint_delay: 700 ns}\n" : "") + network;
}

struct Told {
    Result<RunRecord> record;
    std::multimap<std::array<std::int64_t, 4>, MessageRecord> messages; ///< By source, target, chunk, slot.
};

Told eventsOf(const Scenario& scenario, bool direct)
{
    Told told{RunRecord{}, {}};
    RunOptions options;
    options.engine = direct ? EngineChoice::Auto : EngineChoice::Events;
    options.messageDigest = true;
    options.message = [&](const MessageRecord& message) { told.messages.emplace(std::array<std::int64_t, 4>{message.source, message.target, message.chunk, message.slot}, message); };
    told.record = direct ? simulateOnePhase(scenario, options, {}) : simulate(scenario, options);
    return told;
}

} // namespace

class TestDirectPhase : public QObject {
    Q_OBJECT

private slots:
    void answersAreThoseOfTheEventEngine()
    {
        std::map<std::string, int> refused;
        int followed = 0;
        int messages = 0;
        for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(cases(300)); ++seed) {
            const std::string text = designOf(seed);
            const Scenario scenario = scenarioOf(text);
            Status status = followsOnePhase(scenario);
            const Told direct = status ? eventsOf(scenario, true) : Told{status.error(), {}};
            if (!direct.record) {
                QCOMPARE(direct.record.error().code, ErrorCode::Unsupported);
                ++refused[direct.record.error().message];
                continue;
            }
            ++followed;
            const Told truth = eventsOf(scenario, false);
            QVERIFY2(truth.record, text.c_str());
            QVERIFY2(direct.messages.size() == truth.messages.size() && !truth.messages.empty(), text.c_str());
            for (auto one = direct.messages.begin(), other = truth.messages.begin(); one != direct.messages.end(); ++one, ++other) {
                std::string numbers;
                for (const std::int64_t word : one->second.words())
                    numbers += std::to_string(word) + ' ';
                for (const std::int64_t word : other->second.words())
                    numbers += ' ' + std::to_string(word);
                QVERIFY2(one->second.words() == other->second.words(), (numbers + '\n' + text).c_str());
                ++messages;
            }
            const std::string found = difference(direct.record.value(), truth.record.value());
            QVERIFY2(found.empty(), (found + '\n' + text).c_str());
            QCOMPARE(direct.record.value().engines.front().engine, std::string("direct"));
            QCOMPARE(direct.record.value().engines.front().messages, static_cast<std::int64_t>(direct.messages.size()));
        }
        for (const auto& [why, times] : refused)
            qInfo("%d refused: %s", times, why.c_str());
        QCOMPARE_GE(followed, cases(150));
        QCOMPARE_GE(messages, cases(50'000));
    }

    /// A large one is answered this way by itself, and without asking for messages the rest is the same.
    void manyMessagesAreAnsweredAsAWhole()
    {
        const Scenario scenario = scenarioOf("fabricscope: 1\nplatform: {topology: \"npu / fat_tree 8 400G 1us\"}\nworkload: {collective: all_to_all, size: 64 MiB}\n"
                                             "network: {seed: 3, routing: {policy: ecmp, per: stream}}\n");
        RunOptions options;
        const Result<RunRecord> found = simulate(scenario, options);
        QVERIFY(found);
        QCOMPARE(found.value().engines.front().engine, std::string("direct"));
        options.engine = EngineChoice::Events;
        const Result<RunRecord> truth = simulate(scenario, options);
        QVERIFY(truth);
        QCOMPARE(truth.value().engines.front().engine, std::string("events"));
        QCOMPARE(difference(found.value(), truth.value()), std::string());
    }

    /// A way of more links than are counted, latencies that leave most windows empty: both are left to the event engine.
    void whatWouldNotFitIsRefused_data()
    {
        QTest::addColumn<int>("switches");
        QTest::addColumn<QString>("latency");
        QTest::addColumn<QString>("why");
        QTest::newRow("a long way") << 65'536 << "1 ns" << "the ways have too many links";
        QTest::newRow("short and long latencies") << 2 << "200 us" << "latencies of links differ by more than 65,000 times";
        QTest::newRow("a way that fits") << 20 << "1 us" << "";
    }
    void whatWouldNotFitIsRefused()
    {
        QFETCH(const int, switches);
        QFETCH(const QString, latency);
        QFETCH(const QString, why);
        std::string text = "fabricscope: 1\nplatform:\n  nodes:\n    - {name: a, forwards: false}\n    - {name: b, forwards: false}\n";
        std::string links = "  links:\n    - {between: [a, s0], bandwidth: 10 GB/s, latency: " + latency.toStdString() + "}\n";
        for (int i = 0; i < switches; ++i) {
            text += "    - {name: s" + std::to_string(i) + ", kind: switch}\n";
            links += "    - {between: [s" + std::to_string(i) + ", " + (i + 1 < switches ? "s" + std::to_string(i + 1) : "b") + "], bandwidth: 10 GB/s, latency: 1 ns}\n";
        }
        const Scenario scenario = scenarioOf(text + links + "workload: {collective: all_to_all, size: 1 MB}\ncollectives: {default: {algorithm: direct, chunks: 2}}\n");
        QVERIFY(followsOnePhase(scenario));
        const Result<RunRecord> record = simulateOnePhase(scenario, {}, {});
        QCOMPARE(record ? QString() : QString::fromStdString(record.error().message), why);
    }

    /// What is in flight counts: all messages of 100 ranks are, for a second of latency.
    void theLimitOfMemoryHolds()
    {
        const Scenario scenario = scenarioOf("fabricscope: 1\nplatform: {topology: \"npu / leaf_spine 10,10,5,5 400G 1s\"}\nworkload: {collective: all_to_all, size: 100 kB}\n"
                                             "collectives: {default: {algorithm: direct, chunks: 8}}\n");
        QVERIFY(followsOnePhase(scenario));
        RunOptions options;
        QVERIFY(simulateOnePhase(scenario, options, {}));
        options.memoryLimit = 4'000'000; // 79,200 heads of 64 bytes.
        const Result<RunRecord> record = simulateOnePhase(scenario, options, {});
        QVERIFY(!record);
        QCOMPARE(record.error().code, ErrorCode::MemoryLimit);
    }

    void totalsOnlyKeepNoBusyTimes()
    {
        const Scenario scenario = scenarioOf("fabricscope: 1\nplatform: {topology: \"npu / fat_tree 4 400G 1us\"}\nworkload: {collective: all_to_all, size: 1 MiB}\n");
        RunOptions options;
        const Result<RunRecord> all = simulateOnePhase(scenario, options, {});
        options.busyOverTime = false;
        const Result<RunRecord> totals = simulateOnePhase(scenario, options, {});
        QVERIFY(all && totals);
        QCOMPARE(all.value().dimensions.size(), totals.value().dimensions.size());
        for (std::size_t i = 0; i < all.value().dimensions.size(); ++i) {
            QCOMPARE_GT(all.value().dimensions[i].busy.total(), 0);
            QCOMPARE(totals.value().dimensions[i].busy.total(), 0);
            QCOMPARE(totals.value().dimensions[i].busyPs, all.value().dimensions[i].busyPs);
        }
    }

    void whatItDoesNotFollowIsRefused_data()
    {
        QTest::addColumn<QString>("change");
        QTest::newRow("a message has a way of its own") << "network: {routing: {policy: ecmp, per: message}}";
        QTest::newRow("spray") << "network: {routing: {policy: spray}}";
        QTest::newRow("queues") << "network: {routing: {policy: adaptive}}";
        QTest::newRow("jitter") << "network: {jitter: {latency: {distribution: lognormal, deviation: 0.1}}}";
        QTest::newRow("a protocol") << "network: {protocol: LL}";
        QTest::newRow("a link fails") << "network: {faults: [{npu: 0, at: 1 us, until: 2 us, failed: true}]}";
        QTest::newRow("a budget") << "  budgets: {injection: 10 GB/s}";
        QTest::newRow("a ring") << "collectives: {default: {algorithm: ring}}";
        QTest::newRow("a window") << "collectives: {default: {algorithm: direct4}}";
    }
    void whatItDoesNotFollowIsRefused()
    {
        QFETCH(const QString, change);
        const Scenario scenario = scenarioOf("fabricscope: 1\nworkload: {collective: all_to_all, size: 64 MiB}\nplatform:\n  topology: \"npu / fat_tree 4 400G 1us\"\n" + change.toStdString() + "\n");
        const Status status = followsOnePhase(scenario);
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::Unsupported);
    }

    /// Against a sorted list: windows near and far, in any order of putting.
    void windowsComeInOrder()
    {
        for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(cases(200)); ++seed) {
            Draw draw(seed);
            const std::size_t near = std::size_t{64} << 3 * draw.below(4); // Up to 32,768: several words of words.
            events::TimeWindows<int> windows(near);
            std::multimap<std::int64_t, int> truth;
            std::int64_t now = -1;
            int next = 0;
            std::vector<int> items;
            for (int step = 0; step < 400; ++step) {
                for (int puts = draw.below(4); puts > 0; --puts) {
                    const std::int64_t window = now + 1 + draw.below(draw.below(3) == 0 ? 16 * static_cast<int>(near) : 70);
                    windows.put(window, next);
                    truth.emplace(window, next++);
                }
                const std::int64_t first = truth.empty() ? INT64_MAX : truth.begin()->first;
                QCOMPARE(windows.next(), first);
                if (truth.empty())
                    continue;
                if (draw.below(4) == 0 && first > now + 1) {
                    now = now + 1 + draw.below(static_cast<int>(first - now - 1));
                    windows.skipTo(now);
                    continue;
                }
                windows.take(first, items);
                now = first;
                std::vector<int> expected;
                for (auto entry = truth.begin(); entry != truth.end() && entry->first == first; entry = truth.erase(entry))
                    expected.push_back(entry->second);
                std::sort(items.begin(), items.end());
                QCOMPARE(items, expected);
            }
        }
    }
};

FABRICSCOPE_TEST(TestDirectPhase)
#include "tst_direct_phase.moc"
