// Kernels in estimates of plans: tiles and waves of products, starts, what the host launches, starts of collectives. By hand.
#include "core/design/design.h"
#include "core/model/kernelterms.h"
#include "core/plan/kernelseconds.h"
#include "core/scenario/designplan.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>

using namespace fabricscope;

namespace {

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::abs(b) + 1e-13;
}

constexpr int kLayers = 3;
constexpr int kMicroBatches = 4;

KernelTerms started(double microseconds)
{
    KernelTerms terms;
    terms.start = microseconds * 1e-6;
    return terms;
}

KernelTerms launched(double milliseconds)
{
    KernelTerms terms;
    terms.layer = milliseconds * 1e-3;
    return terms;
}

KernelTerms shared(double linears, double attention)
{
    KernelTerms terms;
    terms.share = linears;
    terms.attention = attention;
    return terms;
}

/// Seconds of a step on two ranks of 100 TFLOP/s, copies of the model or along `tensor`; no memory bandwidth is known, so kernels move bytes in no time.
double stepOf(const KernelTerms& terms, const std::string& plan = "", bool tensor = false, const std::string& more = "")
{
    const std::string text = "fabricscope: 1\nplatform: {dimensions: [{shape: switch, size: 2, bandwidth: 100 GB/s, latency: 1 us}], npu: {peak: 100 TFLOP/s}}\n" + more
        + "workload:\n  model: {family: transformer, transformer: {layers: 3, hidden: 256, heads: 4, vocab: 1024, seq: 128, flash_attention: true, dropout: false}, train: {global_batch: " + std::to_string(kMicroBatches * (tensor ? 1 : 2))
        + ", micro_batch: 1}}\n  plan: {mesh: {axes: [dp, tp], shape: " + (tensor ? "[1, 2]" : "[2, 1]") + "}" + plan + "}\n";
    const auto loaded = readDesignText(text, "made.yaml");
    if (!loaded)
        qFatal("%s\n%s", loaded.error().text().c_str(), text.c_str());
    const Design& design = loaded.value().design;
    const auto platform = Platform::create(*design.platform);
    const auto& planned = std::get<PlannedWorkload>(*design.workload);
    const auto step = kernelStep(*planned.model, *planned.plan, 2, planNpuOf(design, platform.value()), terms);
    if (!step)
        qFatal("%s", step.error().text().c_str());
    return step.value();
}

} // namespace

class KernelSecondsTest : public QObject {
    Q_OBJECT

private slots:
    void productsRunInWholeWavesOfTiles()
    {
        KernelTerms terms;
        terms.units = 100;
        terms.share = 0.5;
        terms.start = 3e-6;
        constexpr double kPeak = 1e14; // 0.5e12 of each unit.
        const auto wave = [](double depth) { return 2.0 * 128 * 128 * depth / 0.5e12; };
        // 8 x 8 tiles: one wave, whose depth is k and 256 bytes.
        QVERIFY(close(productSeconds({terms, kPeak, 0}, {1024, 1024, 512, 1, 2, 0}), 3e-6 + wave(512 + 128)));
        QVERIFY(close(productSeconds({terms, kPeak, 0}, {1024, 1024, 512, 1, 1, 0}), 3e-6 + wave(512 + 256)));
        // 10 x 10 fill the wave, one row more begins another.
        QVERIFY(close(productSeconds({terms, kPeak, 0}, {1280, 1280, 512, 1, 2, 0}), 3e-6 + wave(640)));
        QVERIFY(close(productSeconds({terms, kPeak, 0}, {1281, 1280, 512, 1, 2, 0}), 3e-6 + 2 * wave(640)));
        QVERIFY(close(productSeconds({terms, kPeak, 0}, {1280, 1280, 512, 3, 2, 0}), 3e-6 + 3 * wave(640)));
        // 4 x 4 tiles are cut in 6 along k, but not into less than 1,024.
        QVERIFY(close(productSeconds({terms, kPeak, 0}, {512, 512, 6144, 1, 2, 0}), 3e-6 + wave(1024 + 128)));
        QVERIFY(close(productSeconds({terms, kPeak, 0}, {512, 512, 1024, 1, 2, 0}), 3e-6 + wave(1024 + 128)));
        // Bytes decide where they take longer.
        terms.memory = 0.5;
        QVERIFY(close(productSeconds({terms, kPeak, 1e12}, {128, 128, 128, 1, 2, 1e9}), 3e-6 + 2e-3));
        // Without units operations alone.
        terms.units = 0;
        QVERIFY(close(productSeconds({terms, kPeak, 0}, {1281, 1280, 512, 3, 2, 0}), 3e-6 + 2.0 * 1281 * 1280 * 512 * 3 / 0.5e14));
    }

    void everyOperationIsAKernel()
    {
        // Forward: two norms, qkv, attention, out, two residuals, up, activation, down. Backward: another one for each of the four weights. Before: embedding and positions, forward and back. Behind: norm, logits, loss, and one
        // more backward. And the optimizer.
        constexpr int kKernels = kMicroBatches * (kLayers * (10 + 14) + 4 + 7) + 1;
        const double one = stepOf(started(1));
        const double two = stepOf(started(2));
        QVERIFY2(close(two - one, kKernels * 1e-6), QByteArray::number((two - one) * 1e6).constData());
        // What recomputing adds is a forward pass of the layers.
        const double again = stepOf(started(2), ", recompute: full") - stepOf(started(1), ", recompute: full");
        QVERIFY2(close(again, (kKernels + kMicroBatches * kLayers * 10) * 1e-6), QByteArray::number(again * 1e6).constData());
    }

    void sharesOfThePeak()
    {
        // All of a step is products but for the exchange of gradients, which nothing hides here.
        const std::string shown = ", data: {overlap: false}";
        const double whole = stepOf(shared(1, 1), shown);
        const double linears = stepOf(shared(0.5, 1), shown);
        // 24 h^2 of the linears of a layer and 2 h V of the logits, which a token takes; twice that backward.
        const double products = 128.0 * kMicroBatches * 3 * (kLayers * 24.0 * 256 * 256 + 2.0 * 256 * 1024) / 1e14;
        QVERIFY2(std::abs((linears - whole) / products - 1) < 1e-6, QByteArray::number((linears - whole) / products, 'g', 12).constData());
        // Causal attention is 2 h s of a token forward, fused 2.5 times that backward.
        const double attention = 128.0 * kMicroBatches * 3.5 * kLayers * 2.0 * 256 * 128 / 1e14;
        const double both = stepOf(shared(0.5, 0.5), shown);
        QVERIFY2(std::abs((both - linears) / attention - 1) < 1e-6, QByteArray::number((both - linears) / attention, 'g', 12).constData());
    }

    void theHostLaunchesLayers()
    {
        // Far more than anything computes: forward one third, backward two.
        const double more = stepOf(launched(2)) - stepOf(launched(1));
        QVERIFY2(close(more, kMicroBatches * kLayers * 1e-3), QByteArray::number(more).constData());
        const double again = stepOf(launched(2), ", recompute: full") - stepOf(launched(1), ", recompute: full");
        QVERIFY2(close(again, kMicroBatches * kLayers * 4e-3 / 3), QByteArray::number(again).constData());
        // Less than what computes: nothing.
        KernelTerms both = started(1);
        both.layer = 1e-9;
        QVERIFY(close(stepOf(both), stepOf(started(1))));
    }

    void collectivesAreLaunched()
    {
        // Two all-reduces of a layer forward and two back; embedding one, logits one back and three of the loss.
        const double more = stepOf(started(1), "", true, "network: {launch: 10 us}\n") - stepOf(started(1), "", true);
        QVERIFY2(close(more, kMicroBatches * (kLayers * 4 + 5) * 10e-6), QByteArray::number(more * 1e6).constData());
    }
};

FABRICSCOPE_TEST(KernelSecondsTest)
#include "tst_kernelseconds.moc"
