// The eight published runs of dense transformers on TPU v3 (GSPMD, 2021), simulated on their torus: which is faster than which, and how far off.
#include "core/run/simulateshard.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>

using namespace fabricscope;

namespace {

/// A configuration as its authors give it, and the tokens per second they state.
struct PublishedRun {
    const char* name;
    int layers, width, inner, heads, headSize;
    bool gated;
    int sequence, batch, x, y;
    bool transposed; ///< The first axis of the mesh has the neighbours.
    double tokensPerSecond;
};

constexpr PublishedRun kRuns[] = {
    {"128B 8x8", 64, 8192, 65536, 128, 128, true, 1024, 16, 8, 16, false, 3700},
    {"128B 16x16", 64, 8192, 65536, 128, 128, true, 1024, 128, 16, 32, false, 18000},
    {"128B 32x32", 64, 8192, 65536, 128, 128, true, 1024, 512, 32, 64, false, 62000},
    {"175B 32x32", 96, 12288, 49152, 96, 128, false, 2048, 1024, 64, 32, true, 51530},
    {"1T 16x16", 128, 16384, 131072, 256, 128, true, 512, 16, 16, 32, false, 1400},
    {"41B 16x16", 24, 12288, 49152, 96, 128, false, 2048, 256, 16, 32, false, 53800},
    {"41B 8x8", 24, 12288, 49152, 96, 128, false, 2048, 64, 8, 16, false, 17400},
    {"162B 16x16", 96, 12288, 49152, 96, 128, false, 2048, 64, 16, 32, false, 12500},
};

/// One layer, forward and backward, as resources/examples/shard/dense-2d.yaml with norms, and gated where the model is.
std::string layerText(const PublishedRun& run)
{
    const auto n = [](int value) { return std::to_string(value); };
    const std::string m = n(run.width);
    const std::string mesh = run.transposed ? "{y: " + n(run.y) + ", x: " + n(run.x) + "}" : "{x: " + n(run.x) + ", y: " + n(run.y) + "}";
    const std::string heads = n(run.heads) + ", " + n(run.headSize);
    std::string text = "fabricscope: 1\nshard:\n  mesh: " + mesh + "\n  dtype: bf16\n  tensors: {x: [" + n(run.batch) + ", " + n(run.sequence) + ", " + m + "]";
    for (const char* name : {"wq", "wk", "wv"})
        text += std::string(", ") + name + ": [" + m + ", " + heads + "]";
    text += ", wo: [" + heads + ", " + m + "], w1: [" + m + ", " + n(run.inner) + "], w2: [" + n(run.inner) + ", " + m + "]" + (run.gated ? ", wg: [" + m + ", " + n(run.inner) + "]" : "") + "}\n  ops:\n";
    text += "    - {name: n1, op: layer_norm, in: [x], dim: 2}\n";
    for (const char* name : {"q", "k", "v"})
        text += std::string("    - {name: ") + name + ", op: einsum, eq: \"bsm,mnd->bsnd\", in: [n1, w" + name + "]}\n";
    text += "    - {name: scores, op: einsum, eq: \"bsnd,btnd->bnst\", in: [q, k]}\n    - {name: probs, op: softmax, in: [scores], dim: 3}\n"
            "    - {name: mixed, op: einsum, eq: \"bnst,btnd->bsnd\", in: [probs, v]}\n    - {name: o, op: einsum, eq: \"bsnd,ndm->bsm\", in: [mixed, wo]}\n"
            "    - {name: x1, op: add, in: [x, o]}\n    - {name: n2, op: layer_norm, in: [x1], dim: 2}\n    - {name: up, op: einsum, eq: \"bsm,mh->bsh\", in: [n2, w1]}\n";
    text += run.gated ? "    - {name: gate, op: einsum, eq: \"bsm,mh->bsh\", in: [n2, wg]}\n    - {name: bent, op: gelu, in: [up]}\n    - {name: act, op: mul, in: [bent, gate]}\n" : "    - {name: act, op: gelu, in: [up]}\n";
    text += "    - {name: z, op: einsum, eq: \"bsh,hm->bsm\", in: [act, w2]}\n    - {name: y, op: add, in: [x1, z]}\n  annotations:\n    - {tensor: x, dims: [[x], [], [y]]}\n";
    for (const char* name : {"wq", "wk", "wv"})
        text += std::string("    - {tensor: ") + name + ", dims: [[x], [y], []]}\n";
    text += "    - {tensor: wo, dims: [[y], [], [x]]}\n    - {tensor: w1, dims: [[x], [y]]}\n    - {tensor: w2, dims: [[y], [x]]}\n    - {tensor: o, dims: [[x], [], [y]]}\n    - {tensor: z, dims: [[x], [], [y]]}\n";
    text += run.gated ? "    - {tensor: wg, dims: [[x], [y]]}\n" : "";
    return text + "  wanted: {y: [[x], [], [y]]}\n  options: {backward: true, regather: parameters}\n";
}

/// Chips in a square, two cores each; a core has half of a chip: 61.5 TFLOP/s, 450 GB/s, and both directions of half a link of 70 GB/s,
/// which a ring one way round has whole.
Design torusOf(int cores)
{
    const int side = static_cast<int>(std::lround(std::sqrt(cores / 2)));
    const std::string ring = "    - {shape: ring, size: " + std::to_string(side) + ", bandwidth: 70 GB/s, latency: 1 us}\n";
    auto loaded = readDesignText("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 2, bandwidth: 300 GB/s, latency: 500 ns}\n" + ring + ring
                                     + "  npu: {peak: 61.5 TFLOP/s, memory_bandwidth: 450 GB/s}\nworkload: {collective: all_reduce, size: 1 MiB}\nmodel: {version: physical/3}\n", "torus");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

} // namespace

class ShardPublishedTest : public QObject {
    Q_OBJECT

private slots:
    /// Nothing is fitted: products at peak, no input or output layer, no optimizer. So all are too fast, each by about as much, and in the measured order.
    void theEightRunsComeInTheMeasuredOrder()
    {
        std::vector<std::pair<double, double>> rates; // Simulated, measured.
        for (const PublishedRun& run : kRuns) {
            const auto problem = readShardText(layerText(run), run.name);
            QVERIFY2(problem, run.name);
            const auto plan = partition(problem.value());
            QVERIFY2(plan, run.name);
            const auto times = simulateSharding(torusOf(run.x * run.y), plan.value().program, {});
            QVERIFY2(times, times ? "" : times.error().text().c_str());
            const double step = static_cast<double>(times.value().finishPs) * 1e-12 * run.layers;
            const double rate = run.batch * static_cast<double>(run.sequence) / step;
            std::fprintf(stderr, "%-10s %8.0f tokens/s simulated, %6.0f measured; step %.2f s, products %.2f s\n", run.name, rate, run.tokensPerSecond, step,
                static_cast<double>(times.value().computePs) * 1e-12 * run.layers);
            QVERIFY2(rate / run.tokensPerSecond > 1.2 && rate / run.tokensPerSecond < 1.7, run.name);
            rates.emplace_back(rate, run.tokensPerSecond);
        }
        for (std::size_t i = 0; i < rates.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j)
                QCOMPARE(rates[i].first > rates[j].first, rates[i].second > rates[j].second);
        }
    }
};

FABRICSCOPE_TEST(ShardPublishedTest)
#include "tst_shard_published.moc"
