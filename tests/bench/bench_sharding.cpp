// Partitioning of a decoder of 96 layers, forward and backward: time must not depend on the number of devices (within 1.3 of 8 at 2,048, both under a second).
#include "core/plan/sharded/devicetasks.h"
#include "core/sharding/partition/partition.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

using namespace fabricscope;

namespace {

constexpr int kLayers = 96;

/// Layers as in resources/examples/shard/dense-2d.yaml, one behind the other.
std::string decoderText(int x, int y)
{
    std::string tensors = "x0: [1024, 2048, 12288]";
    std::string ops;
    std::string notes = "    - {tensor: x0, dims: [[x], [], [y]]}\n";
    const auto op = [&](const std::string& name, const std::string& rest) { ops += "    - {name: " + name + ", " + rest + "}\n"; };
    const auto note = [&](const std::string& name, const std::string& dims) { notes += "    - {tensor: " + name + ", dims: " + dims + "}\n"; };
    for (int l = 0; l < kLayers; ++l) {
        const std::string n = std::to_string(l);
        const std::string in = "x" + n;
        for (const char* w : {"q", "k", "v"}) {
            tensors += ", w" + std::string(w) + n + ": [12288, 96, 128]";
            note("w" + std::string(w) + n, "[[x], [y], []]");
            op(w + n, "op: einsum, eq: \"bsm,mnd->bsnd\", in: [" + in + ", w" + w + n + "]");
        }
        tensors += ", wo" + n + ": [96, 128, 12288], wi" + n + ": [12288, 49152], wz" + n + ": [49152, 12288]";
        note("wo" + n, "[[y], [], [x]]");
        note("wi" + n, "[[x], [y]]");
        note("wz" + n, "[[y], [x]]");
        op("s" + n, "op: einsum, eq: \"bsnd,btnd->bnst\", in: [q" + n + ", k" + n + "]");
        op("p" + n, "op: softmax, in: [s" + n + "], dim: 3");
        op("m" + n, "op: einsum, eq: \"bnst,btnd->bsnd\", in: [p" + n + ", v" + n + "]");
        op("o" + n, "op: einsum, eq: \"bsnd,ndm->bsm\", in: [m" + n + ", wo" + n + "]");
        op("a" + n, "op: add, in: [" + in + ", o" + n + "]");
        op("u" + n, "op: einsum, eq: \"bsm,mh->bsh\", in: [a" + n + ", wi" + n + "]");
        op("g" + n, "op: gelu, in: [u" + n + "]");
        op("z" + n, "op: einsum, eq: \"bsh,hm->bsm\", in: [g" + n + ", wz" + n + "]");
        op("x" + std::to_string(l + 1), "op: add, in: [a" + n + ", z" + n + "]");
        note("o" + n, "[[x], [], [y]]");
        note("z" + n, "[[x], [], [y]]");
    }
    return "fabricscope: 1\nshard:\n  mesh: {x: " + std::to_string(x) + ", y: " + std::to_string(y) + "}\n  dtype: bf16\n  tensors: {" + tensors + "}\n  ops:\n" + ops + "  annotations:\n" + notes
        + "  options: {backward: true}\n";
}

ShardProblem decoder(const benchmark::State& state)
{
    auto problem = readShardText(decoderText(static_cast<int>(state.range(0)), static_cast<int>(state.range(1))), "decoder");
    if (!problem)
        std::abort();
    return std::move(problem).value();
}

void partitionOfADecoder(benchmark::State& state)
{
    const ShardProblem problem = decoder(state);
    for (auto _ : state) {
        auto plan = partition(problem);
        benchmark::DoNotOptimize(plan);
    }
}

void loweringOfADecoder(benchmark::State& state)
{
    const auto plan = partition(decoder(state));
    for (auto _ : state) {
        auto workload = lowerSharding(plan.value().program);
        benchmark::DoNotOptimize(workload);
    }
}

} // namespace

BENCHMARK(partitionOfADecoder)->Args({4, 2})->Args({64, 32})->Unit(benchmark::kMillisecond);
BENCHMARK(loweringOfADecoder)->Args({4, 2})->Args({64, 32})->Unit(benchmark::kMillisecond);
