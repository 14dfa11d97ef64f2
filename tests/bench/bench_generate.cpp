// Time per transfer of writing programs out: generators of each family, and templates. Baseline: a plain loop that fills the same columns
// with as many rows and nothing else (no places to look up, no lanes, no dependencies).
#include "core/generate/generate.h"

#include <benchmark/benchmark.h>

#include <algorithm>

using namespace fabricscope;

namespace {

std::int64_t transfersOf(const Program& program)
{
    const ExplicitBody& body = program.asExplicit();
    return std::count(body.kind.begin(), body.kind.end(), OpKind::Send);
}

void report(benchmark::State& state, std::int64_t transfers)
{
    state.counters["transfers"] = static_cast<double>(transfers);
    state.counters["per_transfer"] = benchmark::Counter(static_cast<double>(transfers), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void generate(benchmark::State& state, const char* key, CollectiveOp op, std::vector<std::int32_t> axes)
{
    GenerateRequest request;
    request.algorithm = key;
    request.op = op;
    request.axes = std::move(axes);
    std::int64_t transfers = 0;
    for (auto _ : state) {
        const auto program = generateProgram(request);
        if (!program) {
            state.SkipWithError(program.error().text().c_str());
            return;
        }
        const auto written = expandTemplate(program.value());
        if (!written) {
            state.SkipWithError(written.error().text().c_str());
            return;
        }
        transfers = transfersOf(*written.value());
    }
    report(state, transfers);
}

void fillColumns(benchmark::State& state)
{
    const std::int64_t ranks = state.range(0);
    const std::int64_t rows = 4 * ranks * (ranks - 1); // A send and a receive of every message of a ring all-reduce.
    for (auto _ : state) {
        ExplicitBody body;
        const auto fill = [rows](auto& column) {
            column.reserve(static_cast<std::size_t>(rows));
            for (std::int64_t i = 0; i < rows; ++i)
                column.push_back(static_cast<typename std::decay_t<decltype(column)>::value_type>(i & 1));
        };
        fill(body.kind);
        for (auto* column : {&body.peer, &body.connection, &body.lane, &body.chunk, &body.count, &body.sourceOffset, &body.targetOffset, &body.step})
            fill(*column);
        fill(body.sourceBuffer);
        fill(body.targetBuffer);
        fill(body.dependBegin);
        fill(body.depends);
        body.tags.resize(static_cast<std::size_t>(rows));
        benchmark::DoNotOptimize(body);
    }
    report(state, rows / 2);
}

} // namespace

BENCHMARK(fillColumns)->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, ring_64, "ring", CollectiveOp::AllReduce, {64})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, ring_256, "ring", CollectiveOp::AllReduce, {256})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, ring_1024, "ring", CollectiveOp::AllReduce, {1024})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, multi_ring_128, "multi_ring", CollectiveOp::AllGather, {128})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, hamiltonian_rings_32x32, "hamiltonian_rings", CollectiveOp::AllGather, {32, 32})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, bidirectional_ring_whole_1024, "bidirectional_ring_whole", CollectiveOp::AllGather, {1024})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, recursive_doubling_1024, "recursive_doubling", CollectiveOp::AllReduce, {1024})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, bruck_all_to_all_256, "bruck", CollectiveOp::AllToAll, {256})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, swing_1024, "swing", CollectiveOp::AllReduce, {32, 32})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, two_step_1024, "two_step", CollectiveOp::AllToAll, {8, 128})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generate, halving_doubling_1024, "halving_doubling", CollectiveOp::AllReduce, {1024})->Unit(benchmark::kMillisecond);
