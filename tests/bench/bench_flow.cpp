#include "core/base/index.h"
#include "core/sim/events/flownetwork.h"
#include "tests/unit/support/cases/fattree.h"
#include "tests/unit/support/oracles/fairshare.h"
#include "tests/unit/support/startflow.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kRate = 50'000'000'000;
constexpr std::int64_t kDistinctSizes = 1000;

struct Traffic {
    std::vector<std::vector<std::int32_t>> routes; ///< Of every flow.
    std::vector<std::int64_t> sizes;
};

/// A random permutation p of the flows: flow i starts at host i mod hosts and ends at host p(i) mod hosts.
Traffic randomPermutation(const FatTree& tree, std::int32_t flows, std::uint64_t seed)
{
    Random random(seed);
    const std::vector<std::int32_t> targets = permutation(flows, random);
    Traffic traffic;
    for (std::int32_t flow = 0; flow < flows; ++flow) {
        const std::int32_t source = flow % tree.hosts();
        std::int32_t target = targets[at(flow)] % tree.hosts();
        if (target == source)
            target = (target + 1) % tree.hosts();
        traffic.routes.push_back(tree.route(source, target, random.next()));
        traffic.sizes.push_back(1'000'000 + 20'011 * random.below(kDistinctSizes));
    }
    return traffic;
}

/// Ends all flows under way; returns the instants at which some did.
std::int64_t endAll(FlowNetwork& network, std::int64_t& now)
{
    std::vector<std::int32_t> ended;
    std::int64_t instants = 0;
    for (; network.nextEnd() != FlowNetwork::kNever; ++instants) {
        now = network.nextEnd();
        ended.clear();
        network.firstToEnd(ended);
        for (const std::int32_t flow : ended)
            network.finish(flow);
        network.solve(now);
    }
    return instants;
}

FlowNetwork linksOf(const FatTree& tree)
{
    FlowNetwork network(kRate);
    for (std::int32_t link = 0; link < tree.links(); ++link)
        network.addResource(kRate);
    return network;
}

void startAll(FlowNetwork& network, const Traffic& traffic)
{
    for (std::size_t flow = 0; flow < traffic.routes.size(); ++flow)
        startFlow(network, traffic.routes[flow], traffic.sizes[flow]);
}

/// All flows start together; a new permutation begins when the last one is done.
void fatTreePermutation(benchmark::State& state)
{
    const FatTree tree(static_cast<std::int32_t>(state.range(0)));
    std::vector<Traffic> traffic;
    for (std::int64_t round = 0; round < state.range(2); ++round)
        traffic.push_back(randomPermutation(tree, static_cast<std::int32_t>(state.range(1)), static_cast<std::uint64_t>(round)));
    std::int64_t solved = 0;
    std::int64_t now = 0;
    std::int64_t instants = 0;
    for (auto _ : state) {
        FlowNetwork network = linksOf(tree);
        now = 0;
        instants = 0;
        for (const Traffic& round : traffic) {
            startAll(network, round);
            network.solve(now);
            instants += endAll(network, now);
        }
        solved = network.solvedFlows();
        benchmark::DoNotOptimize(now);
    }
    state.counters["links"] = tree.links();
    state.counters["instants"] = static_cast<double>(instants);
    state.counters["flows_per_solve"] = static_cast<double>(solved) / static_cast<double>(std::max<std::int64_t>(instants, 1));
    state.counters["finish_us"] = static_cast<double>(now) / 1e6;
}

/// The baseline: at every end, progressive filling of all flows from nothing, in floating point.
long double fullFilling(const FatTree& tree, std::int32_t count)
{
    const std::vector<std::int64_t> capacities(static_cast<std::size_t>(tree.links()), kRate);
    const Traffic traffic = randomPermutation(tree, count, 0);
    std::vector<FluidFlow> flows;
    for (std::size_t flow = 0; flow < traffic.routes.size(); ++flow)
        flows.push_back({traffic.routes[flow], static_cast<long double>(traffic.sizes[flow]), 0});
    const std::vector<long double> ends = fluidEnds(capacities, flows);
    return *std::max_element(ends.begin(), ends.end());
}

void fatTreeFullFilling(benchmark::State& state)
{
    const FatTree tree(static_cast<std::int32_t>(state.range(0)));
    long double finish = 0;
    for (auto _ : state)
        finish = fullFilling(tree, static_cast<std::int32_t>(state.range(1)));
    state.counters["links"] = tree.links();
    state.counters["finish_us"] = static_cast<double>(finish / 1e6L);
}

/// Runs n, 2n and 4n flows, and says how long each took and the exponent e of time ~ n^e by least squares.
template <typename Run>
void growth(benchmark::State& state, std::int64_t flows, Run&& run)
{
    double logs[3] = {};
    for (auto _ : state) {
        for (int doubled = 0; doubled < 3; ++doubled) {
            const std::int64_t count = flows << doubled;
            const std::clock_t begin = std::clock();
            run(static_cast<std::int32_t>(count));
            const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
            state.counters["s_" + std::to_string(count)] = seconds;
            logs[doubled] = std::log2(std::max(seconds, 1e-6));
        }
    }
    state.counters["exponent"] = (logs[2] - logs[0]) / 2; // Steps are equal, so the one between has no part in the slope.
}

void fatTreeGrowth(benchmark::State& state)
{
    const FatTree tree(static_cast<std::int32_t>(state.range(0)));
    growth(state, state.range(1), [&](std::int32_t count) {
        FlowNetwork network = linksOf(tree);
        startAll(network, randomPermutation(tree, count, 0));
        network.solve(0);
        std::int64_t now = 0;
        endAll(network, now);
        benchmark::DoNotOptimize(now);
    });
}

void fatTreeFullFillingGrowth(benchmark::State& state)
{
    const FatTree tree(static_cast<std::int32_t>(state.range(0)));
    growth(state, state.range(1), [&](std::int32_t count) { benchmark::DoNotOptimize(fullFilling(tree, count)); });
}

/// Flows of different sizes into one link: every end concerns all that are left.
void incast(benchmark::State& state)
{
    for (auto _ : state) {
        FlowNetwork network(kRate);
        const std::vector<std::int32_t> route{network.addResource(kRate)};
        for (std::int64_t flow = 0; flow < state.range(0); ++flow)
            startFlow(network, route, 1'000'000 + 1000 * flow);
        std::int64_t now = 0;
        network.solve(now);
        endAll(network, now);
    }
}

} // namespace

// Ports of a switch, flows, rounds. k = 20: 12,000 directed links, 2,000 hosts.
BENCHMARK(fatTreePermutation)->Args({20, 10'000, 10})->Args({8, 640, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(fatTreeFullFilling)->Args({8, 640})->Unit(benchmark::kMillisecond);
// Ports of a switch, flows of the smallest of three runs.
BENCHMARK(fatTreeGrowth)->Args({20, 7'500})->Args({8, 2'000})->Args({8, 160})->Unit(benchmark::kMillisecond);
BENCHMARK(fatTreeFullFillingGrowth)->Args({8, 160})->Unit(benchmark::kMillisecond);
BENCHMARK(incast)->Arg(2000)->Unit(benchmark::kMillisecond);
