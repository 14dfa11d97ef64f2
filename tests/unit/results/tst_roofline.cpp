// Computations and collectives of a run under what NPUs and links allow.
#include "core/design/file/readdesign.h"
#include "core/insight/explaintext.h"
#include "core/insight/limits/rooflinetext.h"
#include "core/program/busfactor.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/mixeddesign.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Null: refused.
RunResultPtr roofRunOf(const std::string& text)
{
    auto loaded = readDesignText(text, {});
    if (!loaded)
        return nullptr;
    const auto result = runDesign(std::make_shared<const Design>(std::move(loaded).value().design), {}, {}, {});
    return result ? result.value() : nullptr;
}

Roofline roofOf(const std::string& text)
{
    const RunResultPtr run = roofRunOf(text);
    if (!run)
        qFatal("not a design: %s", text.c_str());
    return rooflineOf(*run);
}

const RooflineKernel& kernelNamed(const Roofline& roofline, const std::string& name)
{
    for (const RooflineKernel& kernel : roofline.kernels) {
        if (kernel.name == name)
            return kernel;
    }
    qFatal("no computation %s", name.c_str());
}

/// Two NPUs of 1 TFLOP/s and 100 GB/s: the ridge is at 10 FLOP per byte.
std::string roofPair(const std::string& steps, const std::string& more = {})
{
    return "fabricscope: 1\nplatform:\n  topology: FullyConnected(2)\n  bandwidth: 1 GB/s\n  latency: 500 ns\n  npu: {peak: 1 TFLOP/s, memory_bandwidth: 100 GB/s}\n" + more + "workload:\n  steps:\n" + steps;
}

const char* const kRoofRing = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 500 ns}\n";

/// Two at once from 0 to 1 and one from 1 to 3, of 4000 B, and a small one from 2 to 3.
const char* const kRoofSends = "workload:\n  steps:\n"
                               "    - {send: 4000 B, to: 1, tag: 1, ranks: \"0\", name: grad 1, after: []}\n    - {send: 4000 B, to: 1, tag: 2, ranks: \"0\", name: grad 2, after: []}\n"
                               "    - {send: 4000 B, to: 3, tag: 3, ranks: \"1\", name: grad 3, after: []}\n    - {send: 40 B, to: 3, tag: 4, ranks: \"2\", after: []}\n"
                               "    - {receive: 4000 B, from: 0, tag: 1, ranks: \"1\", after: []}\n    - {receive: 4000 B, from: 0, tag: 2, ranks: \"1\", after: []}\n"
                               "    - {receive: 4000 B, from: 1, tag: 3, ranks: \"3\", after: []}\n    - {receive: 40 B, from: 2, tag: 4, ranks: \"3\", after: []}\n";

} // namespace

class TestRoofline : public QObject {
    Q_OBJECT

private slots:
    /// 10 GFLOP over 100 MB are 100 FLOP per byte: 10 ms at the peak, against 1 ms of memory. 1 GFLOP over 1 GB are 1: 10 ms of memory, 100 GFLOP/s.
    void computationsLieOnTheRoofThatBindsThem()
    {
        const Roofline roofline = roofOf(roofPair("    - {compute: 10 GFLOP, bytes: 100 MB, name: dense 1}\n    - {compute: 10 GFLOP, bytes: 100 MB, name: dense 2}\n    - {compute: 1 GFLOP, bytes: 1 GB, name: update}\n"));
        QCOMPARE(roofline.kernels.size(), std::size_t{2});
        const RooflineKernel& dense = kernelNamed(roofline, "dense");
        QCOMPARE(dense.count, std::int64_t{4}); // Two on each of two NPUs.
        QCOMPARE(dense.ranks.text(), std::string("0-1"));
        QCOMPARE(dense.operations, 40e9);
        QCOMPARE(dense.busyPs, 40e9);
        QCOMPARE(dense.intensity(), 100.0);
        QCOMPARE(dense.rate(), 1e12);
        QCOMPARE(dense.roof(), 1e12);
        QCOMPARE(roofWord(dense), "peak");
        QVERIFY(!dense.recorded);
        QCOMPARE(dense.task, TaskIndex{0});
        const RooflineKernel& update = kernelNamed(roofline, "update");
        QCOMPARE(update.intensity(), 1.0);
        QCOMPARE(update.rate(), 1e11);
        QCOMPARE(update.roof(), 1e11);
        QCOMPARE(roofWord(update), "memory");
        QCOMPARE(roofline.kernels.front().name, std::string("dense")); // 40 ms in all against 20 ms.
        QVERIFY(roofline.notes.empty());
    }

    /// A table by which half of the peak is reached; an NPU of half the speed has half the roof, and takes twice as long.
    void whatTheyDoNotReachIsBelowTheRoof()
    {
        const Roofline half = roofOf(roofPair("    - {compute: 10 GFLOP, bytes: 100 MB, name: dense}\n") + "compute: {efficiency: {operations: [{share: 0.5}]}}\n");
        QCOMPARE(kernelNamed(half, "dense").rate(), 5e11);
        QCOMPARE(kernelNamed(half, "dense").roof(), 1e12);
        const Roofline slow = roofOf(roofPair("    - {compute: 10 GFLOP, bytes: 100 MB, name: dense}\n", "  overrides: {npus: [{npu: 1, speed: 0.5}]}\n"));
        QCOMPARE(slow.kernels.size(), std::size_t{2});
        QCOMPARE(slow.kernels[0].ranks.text(), std::string("1"));
        QCOMPARE(slow.kernels[0].rank, 1);
        QCOMPARE(slow.kernels[0].rate(), 5e11);
        QCOMPARE(slow.kernels[0].roof(), 5e11);
        QCOMPARE(slow.kernels[1].rate(), 1e12);
    }

    /// 90 us for 180 MFLOP are 2 TFLOP/s, twice the peak: the time holds. A time alone is no point, FLOP without bytes are one of no intensity.
    void timesOfTheWorkloadMayLieAbove()
    {
        const Roofline roofline = roofOf(roofPair("    - {compute: 90 us, operations: 180 MFLOP, name: given}\n    - {compute: 5 us, name: plain}\n    - {compute: 1 GFLOP, name: unsaid}\n"));
        const RooflineKernel& given = kernelNamed(roofline, "given");
        QVERIFY(given.recorded);
        QCOMPARE(given.rate(), 2e12);
        QCOMPARE(given.roof(), 1e12);
        QCOMPARE(roofline.kernels.size(), std::size_t{2});
        QCOMPARE(kernelNamed(roofline, "unsaid").bytes, 0.0);
        QCOMPARE(kernelNamed(roofline, "unsaid").roof(), 1e12);
        QCOMPARE(roofline.notes, std::vector<std::string>{"computations that say no FLOP: 2"});
    }

    void kindsAreNamesWithoutTheirNumbers()
    {
        for (const auto& [name, kind] : {std::pair{"BW3 layer 12", "BW layer"}, {"FW0 layer 1 mlp", "FW layer mlp"}, {"h.12.attn", "h.attn"}, {"Conv2d_1x1", "Conv2d_1x1"}, {"17", "compute"}, {"layer_7", "layer"}}) {
            const Roofline roofline = roofOf(roofPair(std::string("    - {compute: 1 GFLOP, name: \"") + name + "\"}\n"));
            QCOMPARE(roofline.kernels.size(), std::size_t{1});
            QCOMPARE(roofline.kernels[0].name, std::string(kind));
        }
    }

    /// Every NPU sends 2 * 3 / 4 * 4000 B in 6 (500 + 1000) ns. It has two links of 1 GB/s, so that 3 us are the least; an empty message needs 2 hops of 500 ns.
    void aRingLiesBelowTheLinksOfAnNpu()
    {
        const Roofline roofline = roofOf(std::string(kRoofRing) + "workload: {collective: all_reduce, size: 4000 B}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n");
        QCOMPARE(roofline.collectives.size(), std::size_t{1});
        const RooflineCollective& ring = roofline.collectives.front();
        QCOMPARE(ring.bytesPerNpu, 6000.0);
        QCOMPARE(ring.row.best.ps, std::int64_t{9'000'000});
        QCOMPARE(ring.rate(), 6000.0 / 9e-6);
        QCOMPARE(ring.bandwidth(), 2e9);
        QCOMPARE(ring.roof(), 2e9);
        QCOMPARE(roofWord(ring), "bandwidth");
        QCOMPARE(ring.instance, 0);
        QVERIFY(roofline.kernels.empty());
        // 60 B in 6 (500 + 10) ns; 1 us of latency keeps them below 60 MB/s.
        const Roofline small = roofOf(std::string(kRoofRing) + "workload: {collective: all_reduce, size: 40 B}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n");
        QCOMPARE(small.collectives.front().rate(), 60.0 / 3.06e-6);
        QCOMPARE(small.collectives.front().roof(), 60e6);
        QCOMPARE(roofWord(small.collectives.front()), "latency");
    }

    /// Of two kinds each is a point, with what its slowest reached: the second waits for the first, from whose issue on it counts.
    void collectivesOfOneKindAreOnePoint()
    {
        const Roofline roofline = roofOf(std::string(kRoofRing) + "workload:\n  steps:\n    - {collective: all_reduce, size: 4000 B, name: a}\n    - {collective: all_reduce, size: 4000 B, name: b, after: []}\n"
                                                               "    - {collective: all_gather, size: 4000 B, name: c, after: [a, b]}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n");
        QCOMPARE(roofline.collectives.size(), std::size_t{2});
        QCOMPARE(roofline.collectives[0].row.count, std::int64_t{2});
        QVERIFY(roofline.collectives[0].slowestRate() <= roofline.collectives[0].rate());
        QCOMPARE(roofline.collectives[1].bytesPerNpu, 3000.0);
        QCOMPARE(roofline.collectives[1].instance, 2);
    }

    void whereLinksAreNotSharedThereIsNoRoof()
    {
        const Roofline roofline = roofOf(std::string(kRoofRing) + "workload: {collective: all_reduce, size: 4000 B}\nmodel: {name: ideal}\n");
        QVERIFY(roofline.collectives.empty());
        QCOMPARE(roofline.noNetworkRoof, std::string("collectives and messages have no roof under ideal, which does not keep all traffic to the rates of the links as links and flow do"));
        QCOMPARE(roofline.notes, std::vector<std::string>{roofline.noNetworkRoof});
        QCOMPARE(rooflineText(roofline), "  note: " + roofline.noNetworkRoof + '\n');
        const Roofline sends = roofOf(std::string(kRoofRing) + kRoofSends + "model: {name: astra-unaware}\n");
        QVERIFY(sends.messages.empty() && sends.noNetworkRoof.find("under astra-unaware, ") != std::string::npos);
        QVERIFY(roofOf(roofPair("    - {compute: 1 GFLOP, bytes: 1 GB}\n") + "model: {name: ideal}\n").noNetworkRoof.empty()); // Nothing that would have one.
    }

    /// 4000 B over one link of 1 GB/s and 500 ns are there after 4.5 us, over two after 5 us: roofs are that of the link, not of the latency. The second of two at once
    /// begins on the link when the first has left it. 40 B meet the latency, 500 ns: 80 MB/s, and take 40 ns more.
    void messagesOfOneKindAreOnePoint()
    {
        const Roofline roofline = roofOf(std::string(kRoofRing) + kRoofSends);
        QVERIFY(roofline.notes.empty() && roofline.collectives.empty());
        QCOMPARE(roofline.messages.size(), std::size_t{3});
        const auto of = [&](std::int64_t bytes, std::int64_t latency) -> const RooflineMessages& {
            return *std::ranges::find_if(roofline.messages, [&](const RooflineMessages& one) { return one.bytes == bytes && one.latency.ps == latency; });
        };
        const RooflineMessages& near = of(4000, 500'000);
        QCOMPARE(near.name, std::string("grad"));
        QCOMPARE(near.count, std::int64_t{2});
        QCOMPARE(near.best.ps, std::int64_t{4'500'000});
        QCOMPARE(near.worst.ps, std::int64_t{8'500'000});
        QCOMPARE(near.rate(), 4000 / 4.5e-6);
        QCOMPARE(near.roof(), 1e9);
        QCOMPARE(near.rank, 0);
        QCOMPARE(roofWord(near), "bandwidth");
        QCOMPARE(of(4000, 1'000'000).rate(), 4000 / 5e-6); // Rank 1 to rank 3.
        const RooflineMessages& small = of(40, 500'000);
        QCOMPARE(small.name, std::string("send"));
        QCOMPARE(small.rate(), 40 / 540e-9);
        QCOMPARE(small.roof(), 80e6);
        QCOMPARE(roofWord(small), "latency");
        QCOMPARE(messagesTitle(small), std::string("send of 40 B"));
    }

    /// The receive begins when the message has long been there: when it came is not kept.
    void messagesThatWaitedForTheirReceiveAreNone()
    {
        const Roofline roofline = roofOf(std::string(kRoofRing) + "workload:\n  steps:\n    - {send: 4000 B, to: 1, tag: 1, ranks: \"0\"}\n    - {compute: 1 ms, name: c, ranks: \"1\"}\n"
                                         "    - {receive: 4000 B, from: 0, tag: 1, ranks: \"1\", after: [c]}\n");
        QVERIFY(roofline.messages.empty());
        QVERIFY(std::ranges::find(roofline.notes, "messages that were there before their receive began: 1") != roofline.notes.end());
    }

    /// As nccl-tests has them.
    void factorsAreThoseOfTheBus()
    {
        for (const auto& [op, factor] : {std::pair{CollectiveOp::AllReduce, 1.5}, {CollectiveOp::AllGather, 0.75}, {CollectiveOp::ReduceScatter, 0.75}, {CollectiveOp::AllToAll, 0.75},
                                         {CollectiveOp::Gather, 0.75}, {CollectiveOp::Scatter, 0.75}, {CollectiveOp::Broadcast, 1.0}, {CollectiveOp::Reduce, 1.0}, {CollectiveOp::Barrier, 0.0}})
            QCOMPARE(busFactorOf(op, 4).value(), factor);
    }

    void jsonAndTextSayThePoints()
    {
        const std::string text = roofPair("    - {compute: 1 GFLOP, bytes: 1 GB, name: update}\n    - {collective: all_gather, size: 4000 B}\n") + "collectives: {default: {algorithm: ring, chunks: 1}}\n";
        auto loaded = readDesignText(text, {});
        QVERIFY(loaded);
        const auto explained = explainDesign(std::make_shared<const Design>(std::move(loaded).value().design), {}, {}, {});
        QVERIFY(explained);
        const auto json = nlohmann::json::parse(explanationJson(explained.value()))["result"]["roofline"];
        const auto& update = json["compute"][0];
        QCOMPARE(update["name"].get<std::string>(), std::string("update"));
        QCOMPARE(update["flop"].get<double>(), 2e9);
        QCOMPARE(update["busy_ps"].get<std::int64_t>(), std::int64_t{20'000'000'000});
        QCOMPARE(update["flop_per_byte"].get<double>(), 1.0);
        QCOMPARE(update["roof"].get<std::string>(), std::string("memory"));
        QCOMPARE(update["roof_flop_per_s"].get<double>(), 1e11);
        QCOMPARE(update["share"].get<double>(), 1.0);
        const auto& gather = json["network"][0];
        QCOMPARE(gather["bytes_per_npu"].get<double>(), 2000.0);
        QCOMPARE(gather["best_ps"].get<std::int64_t>(), std::int64_t{2'500'000}); // 2000 B and 500 ns.
        QCOMPARE(gather["bytes_per_s"].get<double>(), 8e8);
        QCOMPARE(gather["share"].get<double>(), 0.8); // Of the link of 1 GB/s.
        const QString shown = QString::fromStdString(explanationText(explained.value())).simplified();
        QVERIFY2(shown.contains(QStringLiteral("update 1 100 GFLOP/s 100 GFLOP/s 100.0 % memory")), qPrintable(shown));
        QVERIFY2(shown.contains(QStringLiteral("all_gather of 4 kB 2 kB 800 MB/s 1 GB/s 80.0 % bandwidth")), qPrintable(shown));
    }

    /// Rates and times are whole numbers, rounded against the run where the model is ours: no point lies above its roof.
    void noPointOfRandomDesignsLiesAboveItsRoof()
    {
        constexpr double kRounding = 1 + 1e-9;
        int kernels = 0;
        int collectives = 0;
        int messages = 0;
        for (const std::uint64_t seed : Seeds(8800, 90, 12)) {
            const RunResultPtr run = roofRunOf(mixedDesign(seed, {seed % 3 == 0 ? "flow" : seed % 3 == 1 ? "links" : "ideal", {}, false}));
            if (!run || !run->record().complete)
                continue;
            const Roofline roofline = rooflineOf(*run);
            for (const RooflineKernel& kernel : roofline.kernels) {
                if (kernel.recorded || kernel.roof() <= 0)
                    continue;
                ++kernels;
                QVERIFY2(kernel.rate() <= kernel.roof() * kRounding, qPrintable(QStringLiteral("seed %1, %2: %3 of %4 FLOP/s").arg(seed).arg(QString::fromStdString(kernel.name)).arg(kernel.rate()).arg(kernel.roof())));
            }
            for (const RooflineCollective& collective : roofline.collectives) {
                ++collectives;
                QVERIFY2(collective.rate() <= collective.roof() * kRounding, qPrintable(QStringLiteral("seed %1, %2: %3 of %4 B/s").arg(seed).arg(QString::fromStdString(collectiveTitle(collective))).arg(collective.rate()).arg(collective.roof())));
                QVERIFY(collective.instance >= 0);
            }
            for (const RooflineMessages& one : roofline.messages) {
                ++messages;
                QVERIFY2(one.rate() <= one.roof() * kRounding, qPrintable(QStringLiteral("seed %1, %2: %3 of %4 B/s").arg(seed).arg(QString::fromStdString(messagesTitle(one))).arg(one.rate()).arg(one.roof())));
            }
        }
        QVERIFY2(kernels >= cases(5, 1) && collectives >= cases(20, 1) && messages >= cases(10, 1), qPrintable(QStringLiteral("%1, %2 and %3").arg(kernels).arg(collectives).arg(messages)));
    }
};

FABRICSCOPE_TEST(TestRoofline)
#include "tst_roofline.moc"
