#include "core/synthesis/greedy.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/units.h"
#include "core/synthesis/plansearch.h"
#include "core/synthesis/planprogram.h"
#include "core/verify/verify.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fabricscope {

namespace {

/// Ranks behind switches whose ways through them are listed.
constexpr std::int32_t kMostUnwound = 4096;
/// Transfers of a program that is made and verified in about 50 ms.
constexpr std::int64_t kMostWhenStopped = 1 << 17;

bool isSupported(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::AllGather:
    case CollectiveOp::ReduceScatter:
    case CollectiveOp::AllReduce:
    case CollectiveOp::AllToAll:
    case CollectiveOp::Broadcast:
    case CollectiveOp::Reduce:
        return true;
    default:
        return false;
    }
}

bool isRooted(CollectiveOp op)
{
    return op == CollectiveOp::Broadcast || op == CollectiveOp::Reduce;
}

Status checkRequest(const SynthesisGraph& graph, const SynthesisOptions& options)
{
    if (!isSupported(options.op))
        return Error{ErrorCode::Unsupported, "greedy synthesis does not make " + std::string(collectiveKey(options.op)), {},
                     "all_gather, reduce_scatter, all_reduce, all_to_all, broadcast or reduce"};
    if (graph.ranks < 2 || graph.vertices < graph.ranks)
        return invalidInput("a graph of " + std::to_string(graph.ranks) + " ranks has nothing to exchange", {}, "at least 2");
    if (options.chunks < 1)
        return invalidInput("chunks is " + std::to_string(options.chunks), {}, "at least 1");
    if (options.bytes < 1)
        return invalidInput("size is " + std::to_string(options.bytes) + " bytes", {}, "at least 1");
    if (isRooted(options.op) && (options.root < 0 || options.root >= graph.ranks))
        return invalidInput("root is " + std::to_string(options.root), {}, "0 to " + std::to_string(graph.ranks - 1));
    for (const SynthesisGraph::Link& link : graph.links) {
        const bool inside = link.from >= 0 && link.from < graph.vertices && link.to >= 0 && link.to < graph.vertices;
        if (!inside || link.from == link.to || link.bytesPerSecond < 1 || link.latencyPs < 0)
            return invalidInput("link " + std::to_string(link.from) + " > " + std::to_string(link.to) + " is not usable", {},
                                "different vertices of the graph, a rate above 0, a latency of at least 0");
    }
    if (graph.vertices > graph.ranks && graph.ranks > kMostUnwound)
        return Error{ErrorCode::Unsupported, std::to_string(graph.ranks) + " ranks behind switches", {},
                     "at most " + std::to_string(kMostUnwound) + " for synthesis"};
    return {};
}

/// A rank that cannot be reached from rank 0, or cannot reach it; -1: none.
std::int32_t strandedRank(const SynthesisGraph& graph, const std::vector<std::int64_t>& timePs)
{
    for (const SynthesisGraph& way : {graph, reversed(graph)}) {
        const std::vector<std::int64_t> times = shortestTimes(way, timePs, outgoingLinks(way), 0);
        for (std::int32_t rank = 0; rank < graph.ranks; ++rank) {
            if (times[at(rank)] == INT64_MAX)
                return rank;
        }
    }
    return -1;
}

std::int64_t transferCount(const SynthesisGraph& graph, const SynthesisOptions& options)
{
    const std::int64_t others = graph.ranks - 1;
    const std::int64_t perPhase = isRooted(options.op) ? others * options.chunks : others * graph.ranks * options.chunks;
    return options.op == CollectiveOp::AllReduce ? 2 * perPhase : perPhase;
}

std::int64_t chunkBytes(const SynthesisGraph& graph, const SynthesisOptions& options)
{
    const std::int64_t parts = isRooted(options.op) ? options.chunks : std::int64_t{graph.ranks} * options.chunks;
    return (options.bytes + parts - 1) / parts;
}

SpreadTask spreadTask(const SynthesisGraph& graph, std::vector<std::int64_t> timePs, const SynthesisOptions& options)
{
    SpreadTask task{&graph, std::move(timePs), {}};
    if (isRooted(options.op)) {
        task.home.assign(at(options.chunks), options.root);
        return task;
    }
    for (std::int32_t rank = 0; rank < graph.ranks; ++rank)
        task.home.insert(task.home.end(), at(options.chunks), rank);
    return task;
}

std::string provenanceOf(const SynthesisOptions& options, std::uint64_t seed)
{
    return "greedy synthesis, seed " + std::to_string(seed) + ", " + std::to_string(options.chunks) + (options.chunks == 1 ? " chunk" : " chunks")
        + (isRooted(options.op) ? "" : " per rank") + ", planned for " + std::to_string(options.bytes) + " bytes";
}

std::int32_t distinctStarts(const TransferPlan& plan)
{
    std::int32_t count = 0;
    for (std::size_t i = 0; i < plan.transfers.size(); ++i)
        count += i == 0 || plan.transfers[i].startPs != plan.transfers[i - 1].startPs ? 1 : 0;
    return count;
}

} // namespace

Result<Synthesis> synthesizeGreedy(const SynthesisGraph& given, const SynthesisOptions& options)
{
    if (Status status = checkRequest(given, options); !status)
        return std::move(status).error();
    if (transferCount(given, options) > kMostPlanned)
        return Error{ErrorCode::Unsupported, "the program would have " + std::to_string(transferCount(given, options)) + " transfers", {},
                     "at most " + std::to_string(kMostPlanned) + ": fewer ranks or chunks"};
    const SynthesisGraph graph = given.vertices > given.ranks ? unwound(given) : given;
    const std::vector<std::int64_t> timePs = transferTimes(graph, chunkBytes(graph, options));
    if (const std::int32_t rank = strandedRank(graph, timePs); rank >= 0)
        return invalidInput("rank " + std::to_string(rank) + " and rank 0 cannot reach each other both ways");

    PlanSearch search(options);
    Synthesis out;
    std::vector<TransferPhase> phases;
    const auto take = [&](Result<FoundPlan> found, bool reduces) -> Status {
        if (!found)
            return std::move(found).error();
        FoundPlan& plan = found.value();
        out.seed = plan.seed;
        out.boundPs += plan.boundPs;
        out.cutShort |= plan.cutShort;
        out.plannedPs += plan.plan.finishPs;
        out.steps += distinctStarts(plan.plan);
        phases.push_back({reduces ? mirrored(std::move(plan.plan)) : std::move(plan.plan), reduces});
        return {};
    };

    Status status;
    const bool reduces = options.op == CollectiveOp::ReduceScatter || options.op == CollectiveOp::AllReduce || options.op == CollectiveOp::Reduce;
    const bool spreads = options.op == CollectiveOp::AllGather || options.op == CollectiveOp::AllReduce || options.op == CollectiveOp::Broadcast;
    search.setPhases((reduces ? 1 : 0) + (spreads || !reduces ? 1 : 0));
    if (options.op == CollectiveOp::AllToAll)
        status = take(search.allToAll(graph, timePs), false);
    if (reduces) {
        const SynthesisGraph backwards = reversed(graph);
        status = take(search.spread(spreadTask(backwards, timePs, options)), true);
    }
    if (status && spreads)
        status = take(search.spread(spreadTask(graph, timePs, options)), false);
    if (!status)
        return std::move(status).error();

    out.optimal = out.plannedPs <= out.boundPs && options.op != CollectiveOp::AllReduce;
    out.note = search.note();
    if (options.op == CollectiveOp::AllReduce)
        out.note += "; the bound is that of reduce-scatter and then all-gather";
    // The best so far of a search that was stopped is still made where that takes a moment only.
    const std::stop_token stop = transferCount(given, options) <= kMostWhenStopped ? std::stop_token{} : options.stop;
    Result<ProgramPtr> made = planProgram(graph, options.op, options.chunks, isRooted(options.op) ? options.root : 0, phases,
                                          std::string(collectiveKey(options.op)) + ", greedy matching", provenanceOf(options, out.seed), stop);
    if (!made)
        return std::move(made).error();
    out.program = std::move(made).value();
    VerifyOptions checks;
    checks.hints = false;
    checks.stop = stop;
    const Verification verdict = verify(*out.program, checks);
    if (verdict.cancelled)
        return stoppedError();
    if (!verdict.valid)
        return Error{ErrorCode::Internal, "the verifier refuses the program: " + (verdict.findings.empty() ? std::string("no reason given") : verdict.findings.front().message), {}, {}};
    return out;
}

} // namespace fabricscope
