// How fast programs are verified: a ring all-reduce of 1024 ranks in explicit form (2.1 million transfers), the largest file of the corpus, and
// templates of 65,536 ranks. Baseline: execution with exact multisets in maps, without any check of races or slots, on a smaller ring (it would take
// hours on the large one).
#include "core/program/programbuilder.h"
#include "core/programio/mscclxml.h"
#include "core/verify/verify.h"
#include "tests/unit/support/corpus.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <map>
#include <set>

using namespace fabricscope;

namespace {

/// In the input; `lanes`: one lane a rank, else dependencies alone.
ProgramPtr ring(std::int32_t ranks, bool lanes)
{
    ProgramBuilder b(CollectiveOp::AllReduce, ranks, ranks);
    b.header().outOfPlace = false;
    for (std::int32_t step = 0; step < 2 * (ranks - 1); ++step) {
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            const std::int32_t chunk = ((rank - step) % ranks + 2 * ranks) % ranks;
            ProgramBuilder::How how;
            how.reduce = step < ranks - 1;
            how.sendLane = how.receiveLane = lanes ? 0 : -1;
            how.step = step;
            b.transfer({rank, BufferKind::Input, chunk}, {(rank + 1) % ranks, BufferKind::Input, chunk}, 1, how);
        }
    }
    if (!lanes)
        b.inferDependencies();
    return b.finish("ring", "bench");
}

void check(benchmark::State& state, const Program& program, const VerifyOptions& options = {})
{
    std::int64_t transfers = 0;
    for (auto _ : state) {
        const Verification result = verify(program, options);
        if (!result.valid) {
            state.SkipWithError("not valid");
            return;
        }
        transfers = result.transfers;
    }
    state.counters["transfers"] = static_cast<double>(transfers);
}

void BM_ExplicitRing(benchmark::State& state)
{
    VerifyOptions options;
    options.slotCounts = {1, 2, 8};
    check(state, *ring(static_cast<std::int32_t>(state.range(0)), state.range(1) != 0), options);
}

/// The plain way: a map of multisets, queues in a map, every lane tried again and again.
void BM_BaselineMaps(benchmark::State& state)
{
    const ProgramPtr program = ring(static_cast<std::int32_t>(state.range(0)), true);
    const ExplicitBody& body = program->asExplicit();
    for (auto _ : state) {
        std::map<std::pair<int, int>, std::multiset<std::pair<int, int>>> memory;
        std::map<std::tuple<int, int, int>, std::vector<std::multiset<std::pair<int, int>>>> queues;
        std::map<std::tuple<int, int, int>, std::size_t> taken;
        for (int rank = 0; rank < program->ranks; ++rank) {
            for (int i = 0; i < program->chunks; ++i)
                memory[{rank, i}] = {{rank, i}};
        }
        std::vector<std::uint32_t> next(body.rankBegin.begin(), body.rankBegin.end() - 1);
        for (bool moved = true; moved;) {
            moved = false;
            for (int rank = 0; rank < program->ranks; ++rank) {
                auto& at = next[static_cast<std::size_t>(rank)];
                for (; at < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++at) {
                    if (body.kind[at] == OpKind::Send) {
                        queues[{rank, body.peer[at], body.connection[at]}].push_back(memory[{rank, body.sourceOffset[at]}]);
                    } else {
                        const std::tuple key{body.peer[at], rank, body.connection[at]};
                        auto& queue = queues[key];
                        if (taken[key] == queue.size())
                            break;
                        auto value = queue[taken[key]++];
                        auto& cell = memory[{rank, body.targetOffset[at]}];
                        if (body.kind[at] == OpKind::ReceiveReduce)
                            cell.insert(value.begin(), value.end());
                        else
                            cell = std::move(value);
                    }
                    moved = true;
                }
            }
        }
        bool right = true;
        for (int rank = 0; rank < program->ranks; ++rank) {
            for (int i = 0; i < program->chunks; ++i)
                right = right && memory[{rank, i}].size() == static_cast<std::size_t>(program->ranks);
        }
        if (!right) {
            state.SkipWithError("not right");
            return;
        }
    }
    const double transfers = static_cast<double>(body.size()) / 2;
    state.counters["transfers"] = transfers;
}

void BM_LargestCorpusFile(benchmark::State& state)
{
    const auto shared = test::sharedFolder();
    if (!shared) {
        state.SkipWithError("the shared folder is absent (FABRICSCOPE_SHARED)");
        return;
    }
    const std::string path = *shared + "/corpus/msccl_xml/allreduce_rccl_ring_both_modes_16r.xml";
    const bool withReading = state.range(0) != 0;
    const auto read = readMsccl(path);
    if (!read) {
        state.SkipWithError("cannot be read");
        return;
    }
    for (auto _ : state) {
        const auto again = withReading ? readMsccl(path) : read;
        const Verification result = verify(*again.value().program);
        if (!result.valid)
            state.SkipWithError("not valid");
    }
}

Program allReduce(std::vector<std::int32_t> axes, Algorithm algorithm)
{
    Program program;
    program.ranks = 1;
    TemplateBody body;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        program.ranks *= axes[axis];
        body.phases.push_back({PhaseKind::ReduceScatter, algorithm, static_cast<std::int32_t>(axis), 0, false});
    }
    for (std::size_t axis = axes.size(); axis-- > 0;)
        body.phases.push_back({PhaseKind::AllGather, algorithm, static_cast<std::int32_t>(axis), 0, false});
    if (algorithm == Algorithm::DoubleBinaryTree)
        body.phases = {{PhaseKind::AllReduce, algorithm, 0, 0, false}};
    body.axes = std::move(axes);
    program.body = std::move(body);
    return program;
}

void BM_Template(benchmark::State& state, const std::vector<std::int32_t>& axes, Algorithm algorithm)
{
    check(state, allReduce(axes, algorithm));
}

} // namespace

BENCHMARK(BM_ExplicitRing)->ArgsProduct({{128, 1024}, {0, 1}})->ArgNames({"ranks", "lanes"})->Unit(benchmark::kMillisecond);
BENCHMARK(BM_BaselineMaps)->Arg(128)->ArgName("ranks")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(BM_LargestCorpusFile)->Arg(0)->Arg(1)->ArgName("with_reading")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Template, ring, std::vector<std::int32_t>({65536}), Algorithm::Ring)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Template, ring_square, std::vector<std::int32_t>({256, 256}), Algorithm::Ring)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Template, direct, std::vector<std::int32_t>({65536}), Algorithm::Direct)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Template, halving_doubling, std::vector<std::int32_t>({65536}), Algorithm::HalvingDoubling)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Template, double_binary_tree, std::vector<std::int32_t>({65536}), Algorithm::DoubleBinaryTree)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Template, in_network, std::vector<std::int32_t>({65536}), Algorithm::InNetwork)->Unit(benchmark::kMillisecond);
