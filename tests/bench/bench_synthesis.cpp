// Greedy synthesis of all-gathers on the cases of the TACOS table: 1 MiB per NPU, 50 GiB/s, 0.5 us. "plan" finds the schedule; "program" also
// writes the program and has the verifier check it. The baseline is the published procedure (manual: synthesis 4), plainly written:
// at every event all unsatisfied pairs are listed, shuffled and served from a random one of the fastest free links.
#include "core/base/index.h"
#include "core/synthesis/greedy.h"
#include "core/synthesis/plansearch.h"
#include "tests/unit/support/cases/tacoscase.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <queue>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

TacosCase caseOf(const std::string& kind, const std::vector<std::int32_t>& dims)
{
    TacosCase out;
    out.kind = kind;
    out.dims = dims;
    out.npus = 1;
    for (const std::int32_t size : dims)
        out.npus *= size;
    out.gibPerSecond = kind == "rfs" ? std::vector<double>{100, 50, 6.25} : std::vector<double>{50};
    out.latencyUs = {0.5};
    out.chunkBytes = 1 << 20;
    return out;
}

SynthesisOptions optionsOf(const TacosCase& test)
{
    SynthesisOptions options;
    options.bytes = test.chunkBytes * test.npus;
    return options;
}

SpreadTask taskOf(const SynthesisGraph& graph, const TacosCase& test)
{
    SpreadTask task{&graph, transferTimes(graph, test.chunkBytes), {}};
    for (std::int32_t rank = 0; rank < test.npus; ++rank)
        task.home.push_back(rank);
    return task;
}

void plan(benchmark::State& state, const TacosCase& test)
{
    const SynthesisGraph graph = tacosGraph(test);
    const SpreadTask task = taskOf(graph, test);
    std::int64_t finish = 0;
    std::int64_t bound = 0;
    for (auto _ : state) {
        const SynthesisOptions options = optionsOf(test);
        PlanSearch search(options);
        const Result<FoundPlan> found = search.spread(task);
        if (!found)
            return state.SkipWithError("no plan");
        finish = found.value().plan.finishPs;
        bound = found.value().boundPs;
    }
    state.counters["collective_us"] = static_cast<double>(finish) * 1e-6;
    state.counters["bound_us"] = static_cast<double>(bound) * 1e-6;
}

void program(benchmark::State& state, const TacosCase& test)
{
    const SynthesisGraph graph = tacosGraph(test);
    std::int64_t finish = 0;
    for (auto _ : state) {
        const Result<Synthesis> found = synthesizeGreedy(graph, optionsOf(test));
        if (!found)
            return state.SkipWithError(found.error().text().c_str());
        finish = found.value().plannedPs;
    }
    state.counters["collective_us"] = static_cast<double>(finish) * 1e-6;
}

/// The published procedure, without the replacement of chunks at the end of a transfer, which uses what a rank got after it had sent.
std::int64_t publishedGreedy(const SynthesisGraph& graph, const SpreadTask& task, std::uint32_t seed)
{
    std::mt19937 random(seed);
    const auto ranks = static_cast<std::size_t>(graph.ranks);
    std::vector<std::vector<std::uint8_t>> has(ranks, std::vector<std::uint8_t>(ranks, 0)); // by rank, by chunk
    for (std::size_t rank = 0; rank < ranks; ++rank)
        has[rank][rank] = 1;
    std::vector<std::vector<std::size_t>> into(ranks);
    for (std::size_t link = 0; link < graph.links.size(); ++link)
        into[at(graph.links[link].to)].push_back(link);
    std::vector<std::int64_t> freeAt(graph.links.size(), 0);
    std::vector<std::int32_t> carries(graph.links.size(), -1);
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> events;
    events.push(0);
    std::int64_t last = 0;
    while (!events.empty()) {
        const std::int64_t now = events.top();
        while (!events.empty() && events.top() == now)
            events.pop();
        for (std::size_t link = 0; link < graph.links.size(); ++link) {
            if (carries[link] < 0 || freeAt[link] > now)
                continue;
            auto& there = has[at(graph.links[link].to)][at(carries[link])];
            if (!there)
                last = now;
            there = 1;
            carries[link] = -1;
        }
        std::vector<std::pair<std::int32_t, std::int32_t>> open;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            for (std::size_t chunk = 0; chunk < ranks; ++chunk) {
                if (!has[rank][chunk])
                    open.emplace_back(static_cast<std::int32_t>(chunk), static_cast<std::int32_t>(rank));
            }
        }
        std::shuffle(open.begin(), open.end(), random);
        for (const auto& pair : open) {
            std::vector<std::size_t> best;
            for (const std::size_t link : into[at(pair.second)]) {
                if (carries[link] >= 0 || !has[at(graph.links[link].from)][at(pair.first)])
                    continue;
                if (!best.empty() && task.timePs[link] < task.timePs[best.front()])
                    best.clear();
                if (best.empty() || task.timePs[link] == task.timePs[best.front()])
                    best.push_back(link);
            }
            if (best.empty())
                continue;
            const std::size_t link = best[random() % best.size()];
            carries[link] = pair.first;
            freeAt[link] = now + task.timePs[link];
            events.push(freeAt[link]);
        }
    }
    return last;
}

void published(benchmark::State& state, const TacosCase& test)
{
    const SynthesisGraph graph = tacosGraph(test);
    const SpreadTask task = taskOf(graph, test);
    std::int64_t finish = 0;
    std::uint32_t seed = 1;
    for (auto _ : state)
        finish = publishedGreedy(graph, task, seed++);
    state.counters["collective_us"] = static_cast<double>(finish) * 1e-6;
}

} // namespace

BENCHMARK_CAPTURE(published, torus_16x16, caseOf("torus2d", {16, 16}))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, torus_16x16, caseOf("torus2d", {16, 16}))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(program, torus_16x16, caseOf("torus2d", {16, 16}))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(published, mesh_16x16, caseOf("mesh2d", {16, 16}))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, mesh_16x16, caseOf("mesh2d", {16, 16}))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, rfs_2x4x16, caseOf("rfs", {2, 4, 16}))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, torus_32x32, caseOf("torus2d", {32, 32}))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(program, torus_32x32, caseOf("torus2d", {32, 32}))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, torus_10x10x10, caseOf("torus3d", {10, 10, 10}))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(program, torus_10x10x10, caseOf("torus3d", {10, 10, 10}))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, mesh_32x32, caseOf("mesh2d", {32, 32}))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, torus_64x64, caseOf("torus2d", {64, 64}))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(program, torus_64x64, caseOf("torus2d", {64, 64}))->Unit(benchmark::kMillisecond)->Iterations(1);
