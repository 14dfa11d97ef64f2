// The queues at which `adaptive` leaves the straight way, by hand to the picosecond.
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <set>
#include <string>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A ring of nine switches, links of 1 B/ns and 100 ns, with an NPU at each of s1 to s8 (gpu3 to gpu10) and three at s0 (gpu0 to gpu2). At 0 ns gpu1 sends `up` bytes
/// to s1 and gpu2 `down` bytes to s8; their heads are at s0 at 100 ns, that of gpu1 by what its own link takes longer. At 100 ns gpu0 sends 10 B to the NPU of s3: its
/// head is at s0 at 200 ns.
std::string ringOfNine(int up, int down, const std::string& latencyOfGpu1, int seed)
{
    const auto number = [](int n) { return std::to_string(n); };
    std::string yaml = "fabricscope: 1\nplatform:\n  nodes:\n";
    for (int npu = 0; npu < 11; ++npu)
        yaml += "    - {name: gpu" + number(npu) + "}\n";
    for (int at = 0; at < 9; ++at)
        yaml += "    - {name: s" + number(at) + ", kind: switch}\n";
    yaml += "  links:\n";
    for (int npu = 0; npu < 11; ++npu) {
        const int at = npu < 3 ? 0 : npu - 2;
        yaml += "    - {between: [gpu" + number(npu) + ", s" + number(at) + "], bandwidth: 1 GB/s, latency: " + (npu == 1 ? latencyOfGpu1 : "100 ns") + "}\n";
    }
    for (int at = 0; at < 9; ++at)
        yaml += "    - {between: [s" + number(at) + ", s" + number((at + 1) % 9) + "], bandwidth: 1 GB/s, latency: 100 ns}\n";
    const std::string first = number(up) + " B";
    const std::string second = number(down) + " B";
    return yaml + "model: {name: links}\nnetwork: {routing: {policy: adaptive}, seed: " + number(seed) + "}\nworkload: {steps: [{send: " + first + ", to: 3, ranks: 1}, {receive: " + first
        + ", from: 1, ranks: 3}, {send: " + second + ", to: 10, ranks: 2}, {receive: " + second + ", from: 2, ranks: 10}, {compute: 100 ns, ranks: 0}, {send: 10 B, to: 5, ranks: 0}, "
          "{receive: 10 B, from: 0, ranks: 5}]}\n";
}

/// When the 10 B are there by so many links, the first of which they wait for: from 100 ns on. All else is there before.
std::int64_t arrivalOverNine(int links, std::int64_t waited)
{
    return 100'000 + std::int64_t{links} * 100'000 + waited + 10'000;
}

} // namespace

class TestWaysQueues : public QObject {
    Q_OBJECT

private slots:
    /// Straight the 10 B have H = 3 links between switches (s0 to s3) and 2 of NPUs. What is drawn is a switch: s5, s6 or s7 is reached the other way round, and s3 from
    /// there too, H = 6; by s8 there and back, H = 5; by s4 and back H = 5, and s0 to s3 lie on the straight way, both with its first link and so its queue. Queues are
    /// those of the two links at s0 at 200 ns. q = 3000 ps and 1000 ps: 3 * 3000 > 6 * 1000, drawn. 2000 ps and 1000 ps: equal, straight, but H = 5 is less. 2001 ps: drawn again.
    void straightUpToEqualProducts()
    {
        std::set<std::int64_t> met;
        for (int seed = 1; seed <= 24; ++seed) {
            // Until 100 + 103 ns and 100 + 101 ns.
            const std::int64_t longer = simulated(ringOfNine(103, 101, "100 ns", seed)).finish.ps;
            const std::int64_t equal = simulated(ringOfNine(102, 101, "100 ns", seed)).finish.ps;
            const std::int64_t more = simulated(ringOfNine(102, 101, "100.001 ns", seed)).finish.ps;
            met.insert(longer);
            // The same seed draws the same switch.
            if (longer == arrivalOverNine(2 + 6, 1000)) {
                QCOMPARE(equal, arrivalOverNine(2 + 3, 2000));
                QCOMPARE(more, longer);
            } else if (longer == arrivalOverNine(2 + 5, 1000)) {
                QCOMPARE(equal, longer);
                QCOMPARE(more, longer);
            } else {
                QCOMPARE(longer, arrivalOverNine(2 + 3, 3000));
                QCOMPARE(equal, arrivalOverNine(2 + 3, 2000));
                QCOMPARE(more, arrivalOverNine(2 + 3, 2001));
            }
        }
        // All three were drawn.
        QCOMPARE(met, (std::set<std::int64_t>{arrivalOverNine(5, 3000), arrivalOverNine(7, 1000), arrivalOverNine(8, 1000)}));
    }

    /// Nothing waits: straight, whatever is drawn.
    void straightWhereNothingWaits()
    {
        for (int seed = 1; seed <= 8; ++seed) {
            // Until 190 ns and 201 ns.
            QCOMPARE(simulated(ringOfNine(90, 101, "100 ns", seed)).finish.ps, arrivalOverNine(2 + 3, 0));
            // Only the drawn way waits.
            QCOMPARE(simulated(ringOfNine(100, 101, "100 ns", seed)).finish.ps, arrivalOverNine(2 + 3, 0));
        }
    }
};

FABRICSCOPE_TEST(TestWaysQueues)
#include "tst_ways_queues.moc"
