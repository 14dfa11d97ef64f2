#include "core/base/index.h"
#include "core/bounds/bounds.h"
#include "core/bounds/maxflow.h"
#include "core/synthesis/forest.h"
#include "tests/unit/support/cases/referencegraphs.h"

#include <benchmark/benchmark.h>

#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

struct Arc {
    std::int32_t from;
    std::int32_t to;
    std::int64_t capacity;
};

std::vector<Arc> randomArcs(std::int32_t vertices)
{
    std::mt19937_64 random(1);
    std::vector<Arc> arcs;
    for (std::int32_t v = 0; v < vertices; ++v) {
        for (int i = 0; i < 8; ++i)
            arcs.push_back({v, static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(vertices)), static_cast<std::int64_t>(1 + random() % 1000)});
    }
    return arcs;
}

/// Baseline: Ford-Fulkerson with breadth-first paths (Edmonds-Karp) on adjacency lists.
std::int64_t plainMaxFlow(std::int32_t vertices, const std::vector<Arc>& arcs, std::int32_t source, std::int32_t sink)
{
    std::vector<std::vector<std::size_t>> halves(static_cast<std::size_t>(vertices));
    std::vector<std::int32_t> to;
    std::vector<std::int64_t> left;
    for (const Arc& arc : arcs) {
        halves[at(arc.from)].push_back(to.size());
        to.push_back(arc.to);
        left.push_back(arc.capacity);
        halves[at(arc.to)].push_back(to.size());
        to.push_back(arc.from);
        left.push_back(0);
    }
    std::int64_t total = 0;
    while (true) {
        std::vector<std::int64_t> via(static_cast<std::size_t>(vertices), -1);
        std::vector<std::int32_t> queue{source};
        for (std::size_t i = 0; i < queue.size() && via[at(sink)] < 0; ++i) {
            for (const std::size_t half : halves[at(queue[i])]) {
                if (left[half] > 0 && to[half] != source && via[at(to[half])] < 0) {
                    via[at(to[half])] = static_cast<std::int64_t>(half);
                    queue.push_back(to[half]);
                }
            }
        }
        if (via[at(sink)] < 0)
            return total;
        std::int64_t least = INT64_MAX;
        for (std::int32_t v = sink; v != source; v = to[static_cast<std::size_t>(via[at(v)]) ^ 1])
            least = std::min(least, left[at(via[at(v)])]);
        for (std::int32_t v = sink; v != source; v = to[static_cast<std::size_t>(via[at(v)]) ^ 1]) {
            left[at(via[at(v)])] -= least;
            left[static_cast<std::size_t>(via[at(v)]) ^ 1] += least;
        }
        total += least;
    }
}

void plainFlow(benchmark::State& state)
{
    const auto vertices = static_cast<std::int32_t>(state.range(0));
    const std::vector<Arc> arcs = randomArcs(vertices);
    for (auto _ : state)
        benchmark::DoNotOptimize(plainMaxFlow(vertices, arcs, 0, vertices - 1));
}

void maxFlow(benchmark::State& state)
{
    const auto vertices = static_cast<std::int32_t>(state.range(0));
    MaxFlow<std::int64_t> flow(vertices);
    for (const Arc& arc : randomArcs(vertices))
        flow.addArc(arc.from, arc.to, arc.capacity);
    for (auto _ : state)
        benchmark::DoNotOptimize(flow.run(0, vertices - 1));
}

Platform machine(std::int64_t number)
{
    switch (number) {
    case 0:
        return a100(1);
    case 1:
        return a100(2);
    case 2:
        return a100(4);
    case 3:
        return mi250(1);
    case 4:
        return mi250(2);
    default:
        return mi250(4);
    }
}

void setLabel(benchmark::State& state)
{
    // Time of the released implementation on the same graph (manual: synthesis 6): all trees; bound only where that is all there is.
    static const char* const kLabels[] = {"A100 x 1, there 0.05 s", "A100 x 2, there 12.1 s (bound 0.5 s)", "A100 x 4, there 1.6 s (bound)",
                                          "MI250 x 1, there 0.7 s (bound 0.2 s)", "MI250 x 2, there 53 s (bound 1.3 s)", "MI250 x 4, there 10.7 s (bound)"};
    state.SetLabel(kLabels[state.range(0)]);
}

void exactBound(benchmark::State& state)
{
    const Platform platform = machine(state.range(0));
    const std::vector<NodeId> members = allNpus(platform);
    for (auto _ : state)
        benchmark::DoNotOptimize(collectiveBound(platform, members, CollectiveOp::AllGather, 1 << 30));
    setLabel(state);
}

void forest(benchmark::State& state)
{
    const Platform platform = machine(state.range(0));
    const SynthesisGraph graph = synthesisGraph(platform, allNpus(platform)).value();
    std::size_t trees = 0;
    for (auto _ : state)
        trees = findForest(graph, {}).value().trees.size();
    state.counters["trees"] = static_cast<double>(trees);
    setLabel(state);
}

void closedForm(benchmark::State& state)
{
    PlatformSpec spec;
    for (int i = 0; i < 4; ++i) {
        Dimension dimension;
        dimension.shape = i == 3 ? Shape::Switch : Shape::Ring;
        dimension.size = 32;
        dimension.bandwidth = Quantity{100, "GB/s", Measure::Bandwidth};
        dimension.latency = Quantity{500, "ns", Measure::Time};
        spec.dimensions.push_back(dimension);
    }
    const Platform platform = Platform::create(spec).value();
    const std::vector<NodeId> members = allNpus(platform); // 2^20
    for (auto _ : state)
        benchmark::DoNotOptimize(collectiveBound(platform, members, CollectiveOp::AllReduce, std::int64_t{1} << 30));
}

BENCHMARK(plainFlow)->Arg(64)->Arg(512)->Arg(4096)->Unit(benchmark::kMicrosecond);
BENCHMARK(maxFlow)->Arg(64)->Arg(512)->Arg(4096)->Unit(benchmark::kMicrosecond);
BENCHMARK(closedForm)->Unit(benchmark::kMicrosecond);
BENCHMARK(exactBound)->DenseRange(0, 5)->Unit(benchmark::kMillisecond);
BENCHMARK(forest)->DenseRange(0, 5)->Unit(benchmark::kMillisecond);

} // namespace
