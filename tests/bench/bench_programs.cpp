// Programs of collectives written out operation by operation, next to the same collective as a template.
#include "core/base/index.h"
#include "core/program/operationbytes.h"
#include "core/program/programbuilder.h"
#include "core/sim/common/explicitplan.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases/linkscase.h"

#include <benchmark/benchmark.h>

namespace fabricscope {

namespace {

/// Ring all-reduce in place: n - 1 rounds of sums, n - 1 of copies; one lane and one connection per rank.
ProgramPtr explicitRing(std::int32_t n)
{
    ProgramBuilder builder(CollectiveOp::AllReduce, n, n);
    std::vector<ProgramBuilder::Op> last(static_cast<std::size_t>(n), ProgramBuilder::kNone); // receive of the step before
    for (std::int32_t step = 0; step < 2 * (n - 1); ++step) {
        std::vector<ProgramBuilder::Op> received(static_cast<std::size_t>(n));
        for (std::int32_t r = 0; r < n; ++r) {
            const std::int32_t chunk = ((r - step) % n + n) % n;
            const std::int32_t next = (r + 1) % n;
            ProgramBuilder::How how;
            how.reduce = step < n - 1;
            how.step = step;
            const auto transfer = builder.transfer({r, BufferKind::Input, chunk}, {next, BufferKind::Input, chunk}, 1, how);
            if (last[at(r)] != ProgramBuilder::kNone)
                builder.depend(transfer.send, last[at(r)]);
            received[at(next)] = transfer.receive;
        }
        last = std::move(received);
    }
    return builder.finish("ring, written out", "benchmark");
}

const ProgramPtr& ringOf(std::int32_t n)
{
    static std::map<std::int32_t, ProgramPtr> made;
    ProgramPtr& program = made[n];
    if (!program)
        program = explicitRing(n);
    return program;
}

Scenario scenarioOf(std::int32_t n, ProgramPtr program)
{
    test::LinksScenario links(test::astraPlatform("Ring(" + std::to_string(n) + ")", {50}, {500}));
    for (std::int32_t rank = 0; rank < n; ++rank)
        links.collective(rank, 0, std::int64_t{n} * 4096, program, {n});
    return links.build();
}

void run(benchmark::State& state, const Scenario& scenario, EngineChoice engine)
{
    const auto n = static_cast<double>(state.range(0));
    RunOptions options;
    options.engine = engine;
    options.taskTimes = false;
    std::int64_t finish = 0;
    for (auto _ : state) {
        const auto record = simulate(scenario, options);
        finish = record.value().finish.ps;
        benchmark::DoNotOptimize(finish);
    }
    state.counters["transfers/s"] = benchmark::Counter(2 * n * (n - 1) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
    state.counters["finish_us"] = static_cast<double>(finish) / 1e6;
}

/// Pairs, order and dependants of the operations: what has to be known before a run.
void planExplicitRing(benchmark::State& state)
{
    const ProgramPtr program = ringOf(static_cast<std::int32_t>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(events::ExplicitPlan(program->asExplicit()).wayCount);
    state.counters["transfers"] = static_cast<double>(program->asExplicit().size()) / 2;
}

void runExplicitRing(benchmark::State& state)
{
    const auto n = static_cast<std::int32_t>(state.range(0));
    run(state, scenarioOf(n, ringOf(n)), EngineChoice::Events);
}

void runTemplateRing(benchmark::State& state)
{
    const auto n = static_cast<std::int32_t>(state.range(0));
    run(state, scenarioOf(n, test::templateProgram(CollectiveOp::AllReduce, {n}, {Algorithm::Ring})), EngineChoice::Events);
}

} // namespace

BENCHMARK(planExplicitRing)->Arg(128)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(runExplicitRing)->Arg(128)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(runTemplateRing)->Arg(128)->Arg(1024)->Unit(benchmark::kMillisecond);

} // namespace fabricscope
