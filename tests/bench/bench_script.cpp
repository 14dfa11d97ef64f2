// Scripts of collectives: the ring all-reduce of N ranks as a script, next to ProgramBuilder making the same program in C++.
#include "core/language/script.h"
#include "core/program/programbuilder.h"

#include <benchmark/benchmark.h>

using namespace fabricscope;

namespace {

constexpr std::string_view kRing = R"(
local n = param("ranks", 8)
collective("all_reduce", {ranks = n, chunks = n})
for c = 0, n - 1 do
  local sum = chunk(c, "input", c)
  for s = 1, n - 1 do
    sum = chunk((c + s) % n, "input", c):reduce(sum)
  end
  for s = 0, n - 2 do
    sum = sum:copy((c + s) % n)
  end
end
)";

void script(benchmark::State& state)
{
    ScriptRequest request;
    request.text = kRing;
    request.parameters["ranks"] = static_cast<double>(state.range(0));
    std::int64_t transfers = 0;
    for (auto _ : state) {
        const Result<Script> made = compileScript(request);
        if (!made) {
            state.SkipWithError(made.error().text().c_str());
            return;
        }
        transfers += made.value().program->asExplicit().size() / 2;
    }
    state.SetItemsProcessed(transfers);
}
BENCHMARK(script)->Name("ring all-reduce as script")->Arg(8)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

void builder(benchmark::State& state)
{
    const auto n = static_cast<std::int32_t>(state.range(0));
    std::int64_t transfers = 0;
    for (auto _ : state) {
        ProgramBuilder builder(CollectiveOp::AllReduce, n, n);
        builder.header().outOfPlace = false;
        for (std::int32_t c = 0; c < n; ++c) {
            for (std::int32_t s = 0; s < 2 * n - 2; ++s) {
                ProgramBuilder::How how;
                how.reduce = s < n - 1;
                how.sendLane = 1;
                how.receiveLane = 0;
                how.step = s;
                builder.transfer({(c + s) % n, BufferKind::Input, c}, {(c + s + 1) % n, BufferKind::Input, c}, 1, how);
            }
        }
        builder.inferDependencies();
        const ProgramPtr program = builder.finish("ring", "baseline");
        transfers += program->asExplicit().size() / 2;
        benchmark::DoNotOptimize(program.get());
    }
    state.SetItemsProcessed(transfers);
}
BENCHMARK(builder)->Name("baseline: ProgramBuilder directly")->Arg(8)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

} // namespace
