#include "core/plan/lower/planworkload.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/plan/inference/servedwork.h"
#include "core/plan/lower/modelwork.h"
#include "core/plan/lower/timedstages.h"
#include "core/plan/plangraph.h"
#include "core/plan/sharded/devicetasks.h"
#include "core/sharding/partition/partition.h"
#include "core/workload/rankclasses.h"

#include <algorithm>

namespace fabricscope {

namespace {

Error below(const char* field, Error error)
{
    error.place.field = std::string("workload.plan.pipeline.") + (error.place.field.empty() ? field : error.place.field);
    return error;
}

Result<std::int64_t> sendBytesOf(const PipelinePlan& pipeline)
{
    constexpr double kMostBytes = 72057594037927936.0; // 2^56
    if (!pipeline.send)
        return 0;
    if (pipeline.send->measure == Measure::Size && pipeline.send->value >= 0 && pipeline.send->base() <= kMostBytes)
        return toBytes(*pipeline.send).value;
    return planError("pipeline.send", "\"" + pipeline.send->text() + "\" is not possible here", "a size of at most 64 PiB");
}

WorkPiece timedPiece(std::int64_t ps)
{
    WorkPiece piece;
    piece.cost.durationPs = ps;
    return piece;
}

/// Stages that take given times.
Result<PipelineWork> timedWork(const PipelinePlan& pipeline, const PipelineShape& shape)
{
    const auto ticks = timedStages(pipeline, shape);
    if (!ticks)
        return ticks.error();
    const auto send = sendBytesOf(pipeline);
    if (!send)
        return send.error();
    auto orders = pipelineOrders(shape);
    if (!orders)
        return below("schedule", std::move(orders).error());
    PipelineWork work;
    work.orders = std::move(orders).value();
    for (const StageTicks& stage : ticks.value()) {
        StageWork kind;
        kind.forward = {timedPiece(stage.forward)};
        kind.backward = {timedPiece(stage.backward)};
        kind.weight = {timedPiece(stage.weight)};
        kind.full = {timedPiece(stage.backward + stage.weight)};
        kind.pairPs = stage.paired();
        kind.sendBytes = std::max<std::int64_t>(send.value(), 1); // Who receives no bytes waits for nobody.
        work.kindOf.push_back(static_cast<std::int32_t>(work.kinds.size()));
        work.kinds.push_back(std::move(kind));
    }
    return work;
}

/// Stages of a model.
Result<PipelineWork> modelWork(const ModelSpec& model, const PlanLayout& layout, const NpuKernels* kernels, GroupFamilies& families)
{
    const auto spread = spreadModel(model, layout);
    if (!spread)
        return spread.error();
    auto orders = pipelineOrders(layout.shape);
    if (!orders)
        return below("schedule", std::move(orders).error());
    PipelineWork work;
    work.orders = std::move(orders).value();
    if (Status status = addModelWork(spread.value(), families, kernels, work); !status)
        return std::move(status).error();
    return work;
}

/// Joins the graphs of the places of the pipeline to a workload of all ranks.
class Spread {
public:
    explicit Spread(const PlanLayout& layout)
        : m_grid(layout.grid)
        , m_axis(layout.pipelineAxis)
        , m_ranks(layout.grid.ranks())
    {
        if (m_axis >= 0)
            m_stride = m_grid.axes()[at(m_axis)].stride;
        if (layout.context.kind == ContextPlan::Kind::Ring && layout.contextSize > 1)
            m_ring = layout.contextGroup.axes.front();
        for (std::int64_t rank = 0; rank < m_ranks; ++rank)
            m_regular = m_regular && m_grid.placeOf(rank) == rank;
    }

    Result<WorkloadPtr> run(const PipelineWork& work, std::vector<GroupFamily> families, std::string source, const std::stop_token& stop)
    {
        if (pipelineTaskCount(work) > kMaxPlanTasks / ringPlaces())
            return tooMany();
        auto workload = std::make_shared<Workload>();
        workload->rankCount = static_cast<std::int32_t>(m_ranks);
        workload->families = std::move(families);
        workload->source = std::move(source);
        std::vector<RankGraph> places;
        const auto classes = static_cast<std::int32_t>(ringPlaces());
        for (std::int32_t place = 0; place < work.orders.shape.ranks; ++place) {
            for (std::int32_t ring = 0; ring < classes; ++ring)
                places.push_back(pipelineTasks(work, placeOf(place, ring), stop));
        }
        if (m_regular) {
            addShared(std::move(places), *workload);
        } else if (Status status = addEach(places, *workload, stop); !status) {
            return std::move(status).error();
        }
        return WorkloadPtr(std::move(workload));
    }

private:
    static Error tooMany()
    {
        Place place;
        place.field = "workload.plan";
        return invalidInput("the plan makes more than " + std::to_string(kMaxPlanTasks) + " tasks", std::move(place), "fewer micro-batches or layers");
    }

    /// Places in a ring that differ: the first, those between, the last.
    std::int64_t ringPlaces() const { return m_ring.size > 1 ? 3 : 1; }

    RankPlace placeOf(std::int32_t rank, std::int32_t ring) const
    {
        const auto back = static_cast<std::int32_t>((m_ring.size - 1) * m_ring.stride);
        const auto step = static_cast<std::int32_t>(m_ring.stride);
        return {rank, static_cast<std::int32_t>(m_stride), ring == 2 ? -back : step, ring == 0 ? back : -step};
    }

    /// Which of the graphs a rank has.
    std::int64_t graphOf(std::int64_t rank) const
    {
        const std::int64_t coordinate = m_axis < 0 ? 0 : m_grid.coordinate(rank, m_axis);
        const std::int64_t inRing = m_grid.placeOf(rank) / m_ring.stride % m_ring.size;
        return coordinate * ringPlaces() + (m_ring.size == 1 || inRing == 0 ? 0 : inRing + 1 == m_ring.size ? 2 : 1);
    }

    void addShared(std::vector<RankGraph> places, Workload& workload) const
    {
        for (RankGraph& graph : places)
            workload.graphs.push_back(std::make_shared<const RankGraph>(std::move(graph)));
        if (workload.graphs.size() == 1)
            return;
        workload.graphOfRank.resize(at(m_ranks));
        for (std::int64_t rank = 0; rank < m_ranks; ++rank)
            workload.graphOfRank[at(rank)] = static_cast<std::int32_t>(graphOf(rank));
    }

    Status addEach(const std::vector<RankGraph>& places, Workload& workload, const std::stop_token& stop) const
    {
        RankClasses classes(m_ranks);
        std::int64_t tasks = 0;
        for (std::int64_t rank = 0; rank < m_ranks; ++rank) {
            checkStop(stop);
            RankGraph graph = places[at(graphOf(rank))];
            tasks += graph.size();
            if (tasks > kMaxPlanTasks)
                return tooMany();
            for (std::size_t task = 0; task < graph.kind.size(); ++task) {
                if (graph.kind[task] == TaskKind::Send || graph.kind[task] == TaskKind::Receive)
                    graph.peer[task] = static_cast<std::int32_t>(m_grid.rankAt(m_grid.placeOf(rank) + graph.peer[task]));
            }
            graph.peerIsRelative = false;
            classes.add(rank, std::move(graph));
        }
        classes.finish(workload);
        return {};
    }

    const PlanGrid& m_grid;
    std::int32_t m_axis;
    std::int64_t m_ranks;
    std::int64_t m_stride = 0;
    GroupFamily::Axis m_ring; ///< Of the context group, where messages go round it.
    bool m_regular = true; ///< Neighbours in the pipeline are equally far apart everywhere.
};

/// The steps of a sharded graph in the order of its program.
Result<WorkloadPtr> lowerGraph(const ShardProblem& problem, std::int32_t ranks, const std::stop_token& stop)
{
    if (Status fits = checkGraphRanks(problem, ranks); !fits)
        return fits.error();
    const auto plan = partition(problem, stop);
    if (!plan)
        return plan.error();
    auto lowered = lowerSharding(plan.value().program, {}, stop);
    if (!lowered)
        return lowered.error();
    return std::move(lowered).value().workload;
}

Result<WorkloadPtr> lower(const PlanSpec& plan, const ModelSpec* model, std::int32_t ranks, const std::stop_token& stop, const NpuKernels* kernels)
{
    const auto layout = layoutOf(model, plan, ranks);
    if (!layout)
        return layout.error();
    const PipelineShape& shape = layout.value().shape;
    if (Status status = checkPipeline(shape); !status)
        return below("schedule", std::move(status).error());
    if (layout.value().inference)
        return lowerInference(*model, layout.value(), "inference of " + (model->name.empty() ? std::string("a model") : model->name) + " (" + std::to_string(ranks) + " ranks)", stop, kernels);
    GroupFamilies families(layout.value().grid);
    auto work = model ? modelWork(*model, layout.value(), kernels, families) : timedWork(layout.value().pipeline, shape);
    if (!work)
        return std::move(work).error();
    std::string source = "plan" + (model && !model->name.empty() ? " of " + model->name : std::string());
    if (shape.ranks > 1)
        source += ", " + std::string(keyOf(kPipelineSchedules, shape.schedule)) + " of " + std::to_string(shape.ranks) + " stages";
    return Spread(layout.value()).run(work.value(), families.take(), source + " (" + std::to_string(ranks) + " ranks)", stop);
}

} // namespace

Status checkGraphRanks(const ShardProblem& problem, std::int64_t ranks)
{
    const std::int64_t devices = problem.mesh.devices();
    if (devices <= ranks)
        return {};
    Place place;
    place.field = "workload.shard";
    return invalidInput("the mesh has " + std::to_string(devices) + " devices, the platform " + std::to_string(ranks) + " ranks", std::move(place), "at most as many devices");
}

Result<WorkloadPtr> lowerPlan(const PlanSpec& plan, const ModelSpec* model, std::int32_t ranks, const std::stop_token& stop, const NpuKernels* kernels)
{
    if (plan.graph)
        return lowerGraph(plan.graph->problem, ranks, stop);
    return untilStopped([&] { return lower(plan, model, ranks, stop, kernels); });
}

} // namespace fabricscope
