#include "core/base/index.h"
#include "core/synthesis/exact.h"
#include "core/synthesis/exactproblem.h"

#include "core/base/units.h"
#include "core/program/programbuilder.h"
#include "core/verify/verify.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

using Place = ProgramBuilder::Place;

constexpr std::int32_t kMostChunks = 6;
constexpr std::int32_t kStepsBeyondFewest = 1;

/// The collective whose schedule is searched for: reductions are made of their duals.
CollectiveOp dual(CollectiveOp op)
{
    return op == CollectiveOp::ReduceScatter || op == CollectiveOp::AllReduce ? CollectiveOp::AllGather
        : op == CollectiveOp::Reduce                                            ? CollectiveOp::Broadcast
                                                                                : op;
}

bool reduces(CollectiveOp op)
{
    return op == CollectiveOp::ReduceScatter || op == CollectiveOp::AllReduce || op == CollectiveOp::Reduce;
}

/// Where every chunk of a collective without sums is on its way.
class Places {
public:
    Places(CollectiveOp op, std::int32_t ranks, std::int32_t root, std::int32_t share)
        : m_op(op)
        , m_ranks(ranks)
        , m_root(root)
        , m_share(share)
    {
    }

    /// The place of a chunk at a rank.
    Place of(std::int32_t chunk, std::int32_t rank)
    {
        const std::int32_t shard = chunk / m_share;
        const std::int32_t part = chunk % m_share;
        switch (m_op) {
        case CollectiveOp::Broadcast:
            return {rank, rank == m_root ? BufferKind::Input : BufferKind::Output, chunk};
        case CollectiveOp::AllGather:
            return {rank, BufferKind::Output, chunk};
        case CollectiveOp::Gather:
            return rank == shard ? Place{rank, BufferKind::Input, part} : rank == m_root ? Place{rank, BufferKind::Output, chunk} : scratch(chunk, rank);
        case CollectiveOp::Scatter:
            return rank == m_root ? Place{rank, BufferKind::Input, chunk} : rank == shard ? Place{rank, BufferKind::Output, part} : scratch(chunk, rank);
        default: { // All-to-all: shard = source * ranks + target.
            const std::int32_t source = shard / m_ranks;
            const std::int32_t target = shard % m_ranks;
            return rank == source ? Place{rank, BufferKind::Input, target * m_share + part}
                : rank == target  ? Place{rank, BufferKind::Output, source * m_share + part}
                                  : scratch(chunk, rank);
        }
        }
    }
    /// First chunk of the large side that has its size.
    std::int32_t sizeChunk(std::int32_t chunk) const { return m_op == CollectiveOp::AllToAll ? chunk / m_share % m_ranks * m_share + chunk % m_share : chunk; }

private:
    Place scratch(std::int32_t chunk, std::int32_t rank)
    {
        const auto [entry, added] = m_scratch.try_emplace({rank, chunk}, 0);
        if (added)
            entry->second = m_used[rank]++;
        return {rank, BufferKind::Scratch, entry->second};
    }

    CollectiveOp m_op;
    std::int32_t m_ranks;
    std::int32_t m_root;
    std::int32_t m_share;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> m_scratch;
    std::map<std::int32_t, std::int32_t> m_used;
};

/// What stays where it is but changes buffers.
void addOwnCopies(ProgramBuilder& builder, CollectiveOp op, std::int32_t ranks, std::int32_t root, std::int32_t share)
{
    if (op == CollectiveOp::Gather)
        builder.local({root, BufferKind::Input, 0}, {root, BufferKind::Output, root * share}, share, {});
    if (op == CollectiveOp::Scatter)
        builder.local({root, BufferKind::Input, root * share}, {root, BufferKind::Output, 0}, share, {});
    for (std::int32_t rank = 0; op == CollectiveOp::AllToAll && rank < ranks; ++rank)
        builder.local({rank, BufferKind::Input, rank * share}, {rank, BufferKind::Output, rank * share}, share, {});
}

ProgramPtr programOf(const SynthesisGraph& graph, CollectiveOp op, std::int32_t root, const StepsRoundsChunks& point, const ExactSchedule& schedule)
{
    const CollectiveOp plain = dual(op);
    const std::int32_t share = point.chunks;
    const std::int32_t chunks = plain == CollectiveOp::Broadcast ? share : share * graph.ranks;
    ProgramBuilder builder(op, graph.ranks, chunks, root);
    const bool inPlace = plain == CollectiveOp::Broadcast || plain == CollectiveOp::AllGather;
    builder.header().inPlace = inPlace;
    builder.header().outOfPlace = !inPlace;
    for (const SynthesisGraph::Link& link : graph.links)
        builder.extras().routes.push_back(link.route);
    const auto route = [&](std::int32_t link) { return graph.links[at(link)].route.empty() ? -1 : link; };
    if (reduces(op)) {
        for (auto transfer = schedule.transfers.rbegin(); transfer != schedule.transfers.rend(); ++transfer) {
            // The schedule is one of the reversed graph: its link leads from where the sum goes.
            const SynthesisGraph::Link& link = graph.links[at(transfer->link)];
            ProgramBuilder::How how;
            how.reduce = true;
            how.step = point.steps - 1 - transfer->step;
            how.tags.phase = 0;
            how.route = route(transfer->link);
            builder.transfer({link.from, BufferKind::Input, transfer->chunk}, {link.to, BufferKind::Input, transfer->chunk}, 1, how);
        }
    }
    Places places(plain, graph.ranks, root, share);
    const bool spreads = !reduces(op);
    for (const ScheduledTransfer& transfer : schedule.transfers) {
        if (!spreads)
            break;
        const SynthesisGraph::Link& link = graph.links[at(transfer.link)];
        ProgramBuilder::How how;
        how.step = transfer.step;
        how.chunk = places.sizeChunk(transfer.chunk);
        how.tags.phase = 0;
        how.route = route(transfer.link);
        builder.transfer(places.of(transfer.chunk, link.from), places.of(transfer.chunk, link.to), 1, how);
    }
    addOwnCopies(builder, op, graph.ranks, root, share);
    if (std::all_of(builder.extras().routes.begin(), builder.extras().routes.end(), [](const auto& links) { return links.empty(); }))
        builder.extras().routes.clear();
    builder.inferDependencies();
    return builder.finish(std::to_string(point.steps) + " steps, " + std::to_string(point.rounds) + " rounds, " + std::to_string(point.chunks)
                              + (point.chunks == 1 ? " chunk" : " chunks"),
                          "exact search");
}

/// All-reduce: the sums of `scatter`, then the spreading of `gather`, in place.
ProgramPtr joined(const SynthesisGraph& graph, const StepsRoundsChunks& down, const ExactSchedule& scatter, const StepsRoundsChunks& up, const ExactSchedule& gather)
{
    ProgramBuilder builder(CollectiveOp::AllReduce, graph.ranks, graph.ranks * down.chunks);
    builder.header().outOfPlace = false;
    const bool routed = std::any_of(graph.links.begin(), graph.links.end(), [](const SynthesisGraph::Link& link) { return !link.route.empty(); });
    if (routed) {
        for (const SynthesisGraph::Link& link : graph.links)
            builder.extras().routes.push_back(link.route);
    }
    const auto add = [&](const ScheduledTransfer& transfer, bool reduce, std::int32_t step) {
        const SynthesisGraph::Link& link = graph.links[at(transfer.link)];
        ProgramBuilder::How how;
        how.reduce = reduce;
        how.step = step;
        how.tags.phase = reduce ? 0 : 1;
        how.route = link.route.empty() ? -1 : transfer.link;
        builder.transfer({link.from, BufferKind::Input, transfer.chunk}, {link.to, BufferKind::Input, transfer.chunk}, 1, how);
    };
    for (auto transfer = scatter.transfers.rbegin(); transfer != scatter.transfers.rend(); ++transfer)
        add(*transfer, true, down.steps - 1 - transfer->step);
    for (const ScheduledTransfer& transfer : gather.transfers)
        add(transfer, false, down.steps + transfer.step);
    builder.inferDependencies();
    return builder.finish(std::to_string(down.steps + up.steps) + " steps", "exact search");
}

std::string pointText(const StepsRoundsChunks& point)
{
    return '(' + std::to_string(point.steps) + ',' + std::to_string(point.rounds) + ',' + std::to_string(point.chunks) + ')';
}

} // namespace

Result<Synthesis> synthesizeExact(const SynthesisGraph& given, const SynthesisOptions& options)
{
    const SynthesisGraph graph = given.vertices > given.ranks ? unwound(given) : given;
    const CollectiveOp op = options.op;
    if (op == CollectiveOp::Barrier || op == CollectiveOp::Custom)
        return Error{ErrorCode::Unsupported, "the exact search does not make a collective of kind " + std::string(collectiveKey(op)), {}, "all_gather, reduce_scatter, all_reduce, broadcast, reduce, gather, scatter or all_to_all"};
    if (graph.ranks < 2 || options.root < 0 || options.root >= graph.ranks)
        return invalidInput("the exact search needs at least two ranks, and a root among them");
    const std::int32_t mostChunks = options.chunks > 1 ? options.chunks : kMostChunks;
    const ExactProblem problem(graph, dual(op), options.root, mostChunks);
    if (problem.fewestSteps() >= ExactProblem::kFar)
        return invalidInput("the links do not lead from every rank to every other", {}, "a connected group");
    const std::int32_t mostSteps = problem.fewestSteps() + kStepsBeyondFewest;
    const std::int64_t variables = std::int64_t{problem.chunks} * static_cast<std::int64_t>(problem.links.size()) * mostSteps;
    if (variables > kMostExactVariables) {
        return Error{ErrorCode::Unsupported, "the exact search would have " + std::to_string(variables) + " choices", {},
                     "at most " + std::to_string(kMostExactVariables) + " (chunks x links x steps); the other methods take larger groups"};
    }

    ExactLimits limits;
    limits.seconds = options.timeLimitSeconds;
    limits.stop = options.stop;
    limits.conflicts = 200'000;
    const SynthesisGraph searched = reduces(op) ? reversed(graph) : graph;
    std::vector<ParetoPoint> points = paretoSchedules(searched, dual(op), options.root, mostSteps, mostChunks, limits);
    std::erase_if(points, [&](const ParetoPoint& point) { return options.chunks > 1 && point.point.chunks != options.chunks; });
    if (options.chunks > 1 && points.empty()) {
        for (std::int32_t rounds = problem.fewestRounds(); points.empty() && rounds <= 2 * problem.fewestRounds() + mostSteps; ++rounds) {
            const StepsRoundsChunks question{problem.fewestSteps(), std::max(rounds, problem.fewestSteps()), options.chunks};
            ExactSchedule schedule = exactSchedule(searched, dual(op), options.root, question, limits);
            if (schedule.feasible == Feasible::Yes)
                points.push_back({question, std::move(schedule), false});
            if (options.stop.stop_requested())
                break;
        }
    }
    if (points.empty())
        return Error{ErrorCode::Cancelled, "no schedule was found within the limits", {}, {}};

    std::int64_t latency = 0;
    for (const SynthesisGraph::Link& link : graph.links)
        latency = std::max(latency, link.latencyPs);
    const std::int32_t shards = dual(op) == CollectiveOp::Broadcast ? 1 : graph.ranks;
    const auto timeOf = [&](const ParetoPoint& point) {
        const double round = static_cast<double>(options.bytes) / shards / point.point.chunks / static_cast<double>(problem.unit) * static_cast<double>(kPsPerSecond);
        return static_cast<double>(point.point.steps) * static_cast<double>(latency) + static_cast<double>(point.point.rounds) * round;
    };
    const auto best = std::min_element(points.begin(), points.end(), [&](const ParetoPoint& a, const ParetoPoint& b) { return timeOf(a) < timeOf(b); });

    Synthesis out;
    double factor = 1;
    if (op == CollectiveOp::AllReduce) {
        ExactSchedule gather = exactSchedule(graph, CollectiveOp::AllGather, 0, best->point, limits);
        if (gather.feasible != Feasible::Yes)
            return Error{ErrorCode::Cancelled, "no all-gather to go with the reduce-scatter was found within the limits", {}, {}};
        out.program = joined(graph, best->point, best->schedule, best->point, gather);
        factor = 2;
    } else {
        out.program = programOf(graph, op, options.root, best->point, best->schedule);
    }
    const Verification verification = verify(*out.program);
    if (!verification.valid)
        return Error{ErrorCode::Internal, "the exact search made a faulty program: " + verification.findings.front().message, {}, {}};
    out.plannedPs = static_cast<std::int64_t>(factor * timeOf(*best));
    out.steps = best->point.steps * static_cast<std::int32_t>(factor);
    out.seed = options.seed;
    out.optimal = best->proven && op != CollectiveOp::AllReduce && options.chunks <= 1;
    out.cutShort = options.stop.stop_requested();
    out.note = "steps, rounds, chunks:";
    for (const ParetoPoint& point : points)
        out.note += ' ' + pointText(point.point) + (point.proven ? "" : " (not proven best)");
    out.note += "; used " + pointText(best->point);
    return out;
}

} // namespace fabricscope
