// Units, streams and orders of tasks: small cases worked out by hand.
#include "core/sim/simulate.h"
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using fabricscope::test::simulated;

namespace {

/// Four NPUs, private links of 1 B/ns and 10 ns.
const std::string kClique = "fabricscope: 1\nplatform: {dimensions: [{shape: fully_connected, size: 4, bandwidth: 1 GB/s, latency: 10 ns}]}\n";
const std::string kPair = "fabricscope: 1\nplatform: {dimensions: [{shape: fully_connected, size: 2, bandwidth: 1 GB/s, latency: 10 ns}]}\n"
                          "collectives: {default: {algorithm: direct, chunks: 1}}\n";

/// Start of every task of a rank, ns.
std::vector<std::int64_t> startsOf(const RunRecord& record, std::int64_t rank)
{
    for (const RankClass& row : record.classes) {
        if (!row.ranks.contains(rank))
            continue;
        std::vector<std::int64_t> starts;
        for (const std::int64_t ps : row.tasks->issuePs)
            starts.push_back(ps / 1000);
        return starts;
    }
    return {};
}

std::vector<std::int64_t> endsOf(const RunRecord& record, std::int64_t rank)
{
    for (const RankClass& row : record.classes) {
        if (!row.ranks.contains(rank))
            continue;
        std::vector<std::int64_t> ends;
        for (const std::int64_t ps : row.tasks->endPs)
            ends.push_back(ps / 1000);
        return ends;
    }
    return {};
}

using Times = std::vector<std::int64_t>;

} // namespace

class StreamsTest : public QObject {
    Q_OBJECT

private slots:
    void computeUnitsRunTasksSideBySide()
    {
        std::string steps = "workload:\n  steps:\n";
        for (int i = 0; i < 5; ++i)
            steps += "    - {compute: 100 ns, after: []}\n";
        QCOMPARE(simulated(kClique + steps).finish.ps, std::int64_t{500'000});
        QCOMPARE(startsOf(simulated(kClique + steps + "scheduling: {units: {compute: 2}}\n"), 0), (Times{0, 0, 100, 100, 200}));
        QCOMPARE(simulated(kClique + steps + "scheduling: {units: {compute: 8}}\n").finish.ps, std::int64_t{100'000});
    }

    void oneRankStandsForAllUnderScheduling()
    {
        const std::string steps = "workload:\n  steps:\n    - {compute: 100 ns, after: []}\n    - {compute: 70 ns, after: []}\n    - {collective: all_reduce, size: 4096 B}\n"
                                  "scheduling: {units: {compute: 2, communication: 1}, order: lifo, inside: smallest_first, streams: 2}\n";
        const RunRecord one = simulated(kClique + steps);
        QCOMPARE(one.engines.front().engine, std::string("symmetry"));
        const RunRecord all = simulated(kClique + steps, EngineChoice::Events);
        QCOMPARE(one.finish.ps, all.finish.ps);
        QCOMPARE(one.fingerprint.hex(), all.fingerprint.hex());
    }

    void readyTasksGoInTheOrderAsked()
    {
        // b, c, d become ready at 10, 20, 30 ns on the host's word while a runs on the NPU until 100 ns. b lasts 5, c 6, d 7.
        const std::string steps = "workload:\n  steps:\n"
                                  "    - {compute: 100 ns, name: a, after: []}\n"
                                  "    - {load: 0 B, name: w1, after: []}\n    - {load: 0 B, name: w2, after: w1}\n    - {load: 0 B, name: w3, after: w2}\n"
                                  "    - {compute: 5 ns, name: d, after: w3, priority: 1}\n"
                                  "    - {compute: 6 ns, name: c, after: w2, priority: 3}\n"
                                  "    - {compute: 7 ns, name: b, after: w1, priority: 2}\n";
        const std::string memory = "fabricscope: 1\nplatform:\n  dimensions: [{shape: fully_connected, size: 4, bandwidth: 1 GB/s, latency: 10 ns}]\n"
                                   "  remote_memory: {kind: per_npu, latency: 10 ns, bandwidth: 1 GB/s}\n";
        const auto starts = [&](const std::string& order) {
            const Times all = startsOf(simulated(memory + steps + (order.empty() ? "" : "scheduling: {order: " + order + "}\n")), 0);
            return Times(all.end() - 3, all.end()); // d, c, b
        };
        QCOMPARE(starts(""), (Times{100, 105, 111}));         // by id
        QCOMPARE(starts("standard"), (Times{100, 105, 111}));
        QCOMPARE(starts("fifo"), (Times{113, 107, 100}));     // b, c, d
        QCOMPARE(starts("lifo"), (Times{100, 105, 111}));     // d, c, b
        QCOMPARE(starts("explicit"), (Times{113, 100, 106})); // c, b, d
    }

    void streamsOfAGroupOverlapCollectives()
    {
        // All-reduce of 2 B between two: two messages of 1 B, each 10 + 1 ns. Two at once: the second is 1 ns behind on the link.
        const std::string steps = "workload:\n  steps:\n    - {collective: all_reduce, size: 2 B, after: []}\n    - {collective: all_reduce, size: 2 B, after: []}\n"
                                  "    - {collective: all_reduce, size: 2 B, after: []}\n";
        QCOMPARE(endsOf(simulated(kPair + steps), 0), (Times{22, 44, 66}));
        QCOMPARE(endsOf(simulated(kPair + steps + "scheduling: {streams: 2}\n"), 0), (Times{22, 23, 44}));
        QCOMPARE(endsOf(simulated(kPair + steps + "scheduling: {streams: 3}\n"), 0), (Times{22, 23, 24}));
        for (const char* streams : {"1", "2", "3"}) {
            const std::string text = kPair + steps + "scheduling: {streams: " + streams + ", inside: smallest_first}\n";
            QCOMPARE(simulated(text).fingerprint.hex(), simulated(text, EngineChoice::Events).fingerprint.hex());
        }
    }

    void communicationUnitsLimitCollectivesOfAllGroups()
    {
        // Three groups of the same two ranks: at once without a limit.
        const std::string steps = "workload:\n  groups: [{name: x, lists: [[0, 1]]}, {name: y, lists: [[0, 1]]}, {name: z, lists: [[1, 0]]}]\n  steps:\n"
                                  "    - {collective: all_reduce, size: 2 B, group: x, after: []}\n    - {collective: all_reduce, size: 2 B, group: y, after: []}\n"
                                  "    - {collective: all_reduce, size: 2 B, group: z, after: []}\n";
        QCOMPARE(simulated(kPair + steps).finish.ps, std::int64_t{24'000});
        QCOMPARE(endsOf(simulated(kPair + steps + "scheduling: {units: {communication: 1}}\n"), 0), (Times{22, 44, 66}));
        QCOMPARE(endsOf(simulated(kPair + steps + "scheduling: {units: {communication: 2}}\n"), 0), (Times{22, 23, 44}));
        QCOMPARE(startsOf(simulated(kPair + steps + "scheduling: {units: {communication: 1}}\n"), 0), (Times{0, 22, 44}));
    }

    void sendsTakeUnitsAndReceivesDoNot()
    {
        const std::string steps = "workload:\n  steps:\n"
                                  "    - {send: 100 B, to: 1, ranks: \"0\", after: []}\n    - {send: 100 B, to: 2, ranks: \"0\", after: []}\n    - {send: 100 B, to: 3, ranks: \"0\", after: []}\n"
                                  "    - {receive: 100 B, from: 0, ranks: 1-3, after: []}\n";
        // Private links: all three at once, or one after the other as each has left.
        QCOMPARE(endsOf(simulated(kClique + steps), 0), (Times{100, 100, 100}));
        QCOMPARE(endsOf(simulated(kClique + steps + "scheduling: {units: {communication: 1}}\n"), 0), (Times{100, 200, 300}));
        QCOMPARE(startsOf(simulated(kClique + steps + "scheduling: {units: {communication: 1}}\n"), 3), (Times{0}));
    }

    void priorityDecidesBetweenCollectivesOfAGroup()
    {
        // The first is under way when the others are issued together at 1 ns.
        const std::string steps = "workload:\n  steps:\n    - {collective: all_reduce, size: 2 B, after: [], name: first}\n    - {compute: 1 ns, after: [], name: c}\n"
                                  "    - {collective: all_reduce, size: 2 B, after: c, priority: 1}\n    - {collective: all_reduce, size: 2 B, after: c, priority: 2}\n";
        QCOMPARE(endsOf(simulated(kPair + steps), 0), (Times{22, 1, 44, 66}));
        QCOMPARE(endsOf(simulated(kPair + steps + "scheduling: {order: explicit}\n"), 0), (Times{22, 1, 66, 44}));
        // Of one instant, lifo keeps the sequence; issued later goes first.
        QCOMPARE(endsOf(simulated(kPair + steps + "scheduling: {order: lifo}\n"), 0), (Times{22, 1, 44, 66}));
        const std::string later = "workload:\n  steps:\n    - {collective: all_reduce, size: 2 B, after: [], name: first}\n    - {compute: 1 ns, after: [], name: c}\n"
                                  "    - {collective: all_reduce, size: 2 B, after: c}\n    - {compute: 1 ns, after: c, name: d}\n    - {collective: all_reduce, size: 2 B, after: d}\n";
        QCOMPARE(endsOf(simulated(kPair + later + "scheduling: {order: fifo}\n"), 0), (Times{22, 1, 44, 2, 66}));
        QCOMPARE(endsOf(simulated(kPair + later + "scheduling: {order: lifo}\n"), 0), (Times{22, 1, 66, 2, 44}));
    }

    void collectivesThatSomebodyHasNotIssuedDoNotOvertake()
    {
        // Rank 1 issues its second and third only after the first two: with lifo the third would wait for ever in front of the second.
        const std::string steps = "workload:\n  steps:\n    - {collective: all_reduce, size: 2 B, after: [], name: one}\n"
                                  "    - {collective: all_reduce, size: 4 B, after: [], ranks: \"0\"}\n    - {collective: all_reduce, size: 4 B, after: one, ranks: \"1\", name: two}\n"
                                  "    - {collective: all_reduce, size: 6 B, after: [], ranks: \"0\"}\n    - {collective: all_reduce, size: 6 B, after: two, ranks: \"1\"}\n";
        const RunRecord record = simulated(kPair + steps + "scheduling: {order: lifo}\n");
        QVERIFY(record.complete);
        QCOMPARE(endsOf(record, 0), (Times{22, 22 + 24, 22 + 24 + 26}));
    }

    void priorityDecidesAtTheLink()
    {
        // Two streams over one up-link of a switch, four pieces of 256 KiB each, 262144 ns a piece.
        const std::string platform = "fabricscope: 1\nplatform: {dimensions: [{shape: switch, size: 4, bandwidth: 1 GB/s, latency: 10 ns}]}\n";
        const std::string steps = "workload:\n  steps:\n    - {send: 1 MiB, to: 1, ranks: \"0\", after: [], priority: 1}\n    - {send: 1 MiB, to: 2, ranks: \"0\", after: [], priority: 2}\n"
                                  "    - {receive: 1 MiB, from: 0, ranks: 1-2, after: []}\n";
        const std::int64_t piece = 262'144;
        QCOMPARE(endsOf(simulated(platform + steps), 0), (Times{7 * piece, 8 * piece}));
        QCOMPARE(endsOf(simulated(platform + steps + "scheduling: {order: explicit}\n"), 0), (Times{8 * piece, 4 * piece}));
    }

    void unitsThatWaitForEachOtherAreReported()
    {
        // Each rank sits in the collective the other enters later.
        const std::string steps = "workload:\n  groups: [{name: x, lists: [[0, 1]]}, {name: y, lists: [[0, 1]]}]\n  steps:\n"
                                  "    - {collective: all_reduce, size: 2 B, group: x, ranks: \"0\", after: []}\n    - {collective: all_reduce, size: 2 B, group: y, after: []}\n"
                                  "    - {collective: all_reduce, size: 2 B, group: x, ranks: \"1\", after: []}\n";
        QVERIFY(simulated(kPair + steps).complete);
        const RunRecord stuck = simulated(kPair + steps + "scheduling: {units: {communication: 1}}\n");
        QVERIFY(!stuck.complete);
        QVERIFY(!stuck.waits.empty());
    }
};

FABRICSCOPE_TEST(StreamsTest)
#include "tst_streams.moc"
