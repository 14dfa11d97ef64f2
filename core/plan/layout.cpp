#include "core/plan/layout.h"

#include "core/plan/inference/servingchecks.h"
#include "core/plan/layoutchecks.h"
#include "core/platform/platform.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostStages = std::int64_t{1} << 16;
constexpr std::int64_t kMostPlanMicroBatches = std::int64_t{1} << 20;

/// Fills a layout step by step; the first problem ends it.
class Layouter {
public:
    Layouter(const ModelSpec* model, const PlanSpec& plan) : m_model(model), m_plan(plan) {}

    Result<PlanLayout> run(std::int64_t ranks)
    {
        auto grid = PlanGrid::create(m_plan.mesh, ranks);
        if (!grid)
            return std::move(grid).error();
        m_layout.grid = std::move(grid).value();
        m_layout.recompute = m_plan.recompute;
        m_layout.inference = m_plan.inference;
        for (const auto step : {&Layouter::readAxes, &Layouter::formGroups, &Layouter::formStates, &Layouter::formStages, &Layouter::formBatch, &Layouter::formShape}) {
            if (Status status = (this->*step)(); !status)
                return std::move(status).error();
        }
        if (m_model) {
            if (Status status = checkDivisions(*m_model, m_layout); !status)
                return std::move(status).error();
        }
        return std::move(m_layout);
    }

private:
    /// The axis a section is about; -1: the mesh has none, which is right only where the plan has not named it.
    Result<std::int32_t> axisOf(const std::string& name, const char* section, bool given)
    {
        const std::int32_t axis = m_layout.grid.find(name);
        if (axis < 0) {
            if (!given)
                return axis;
            return planError(std::string(section) + ".axis", "the mesh has no axis \"" + name + "\"", "one of " + axisNames());
        }
        if (m_usedBy.empty())
            m_usedBy.resize(m_layout.grid.axes().size());
        std::string& by = m_usedBy[static_cast<std::size_t>(axis)];
        if (!by.empty())
            return planError(std::string(section) + ".axis", "axis \"" + name + "\" is used by " + by + ", too", "an axis of its own");
        by = section;
        return axis;
    }

    std::string axisNames() const
    {
        std::string names;
        for (const PlanGrid::Axis& axis : m_layout.grid.axes())
            names += (names.empty() ? "" : ", ") + axis.name;
        return names;
    }

    PlanGroup groupOf(std::int32_t axis) const
    {
        if (axis < 0)
            return {};
        const PlanGrid::Axis& along = m_layout.grid.axes()[static_cast<std::size_t>(axis)];
        PlanGroup group{along.name, {}};
        if (along.size > 1)
            group.axes.push_back({along.size, along.stride});
        return group;
    }

    Status readAxes()
    {
        m_layout.data = m_plan.data.value_or(DataPlan{});
        m_layout.tensor = m_plan.tensor.value_or(TensorPlan{});
        m_layout.pipeline = m_plan.pipeline.value_or(PipelinePlan{});
        m_layout.expert = m_plan.expert.value_or(ExpertPlan{});
        m_layout.context = m_plan.context.value_or(ContextPlan{});
        struct Section {
            const std::string& name;
            const char* section;
            bool given;
            std::int32_t* axis;
        };
        // Experts may be inside another axis: no axis of their own is no error.
        for (const Section& one : {Section{m_layout.data.axis, "data", m_plan.data.has_value(), &m_layout.dataAxis}, Section{m_layout.tensor.axis, "tensor", m_plan.tensor.has_value(), &m_tensorAxis},
                                   Section{m_layout.pipeline.axis, "pipeline", m_plan.pipeline.has_value(), &m_layout.pipelineAxis}, Section{m_layout.context.axis, "context", m_plan.context.has_value(), &m_contextAxis},
                                   Section{m_layout.expert.axis, "expert", false, &m_expertAxis}}) {
            const Result<std::int32_t> axis = axisOf(one.name, one.section, one.given);
            if (!axis)
                return axis.error();
            *one.axis = axis.value();
        }
        for (std::size_t i = 0; i < m_layout.grid.axes().size(); ++i) {
            const PlanGrid::Axis& axis = m_layout.grid.axes()[i];
            if (axis.size > 1 && (i >= m_usedBy.size() || m_usedBy[i].empty()))
                return planError("mesh.axes", "nothing is split over axis \"" + axis.name + "\"", "data, tensor, pipeline, expert or context with axis: " + axis.name);
        }
        return {};
    }

    Status formGroups()
    {
        m_layout.tensorGroup = groupOf(m_tensorAxis);
        m_layout.contextGroup = groupOf(m_contextAxis);
        m_layout.pipelineGroup = groupOf(m_layout.pipelineAxis);
        const PlanGroup data = groupOf(m_layout.dataAxis);
        PlanGroup dataOfExperts = data;
        m_layout.expertGroup = groupOf(m_expertAxis);
        if (m_expertAxis < 0 && m_plan.expert) {
            if (m_layout.expert.inside != m_layout.data.axis)
                return planError("expert.inside", "experts cannot be inside \"" + m_layout.expert.inside + "\"", m_layout.data.axis + ", the axis of data");
            const std::int64_t whole = data.size();
            const std::int64_t degree = m_layout.expert.degree == 0 ? whole : m_layout.expert.degree;
            std::optional<SplitGroup> split = splitGroup(data, degree);
            if (!split)
                return planError("expert.degree", std::to_string(degree) + " ranks do not divide the " + std::to_string(whole) + " along \"" + m_layout.data.axis + "\"", nearestDivisors(whole, degree));
            m_layout.expertGroup = std::move(split->inner);
            m_layout.expertGroup.name = m_layout.expert.axis;
            dataOfExperts = std::move(split->outer);
        } else if (m_expertAxis >= 0 && m_layout.expert.degree != 0 && m_layout.expert.degree != m_layout.expertGroup.size()) {
            return planError("expert.degree", "the mesh has an axis \"" + m_layout.expert.axis + "\" of " + std::to_string(m_layout.expertGroup.size()), "no degree, or an axis the mesh has not");
        }
        m_layout.dataSize = data.size();
        m_layout.tensorSize = m_layout.tensorGroup.size();
        m_layout.pipelineSize = m_layout.pipelineGroup.size();
        m_layout.contextSize = m_layout.contextGroup.size();
        m_layout.expertSize = m_layout.expertGroup.size();
        m_layout.replicas = m_layout.dataSize * (m_expertAxis >= 0 ? m_layout.expertSize : 1);
        const PlanGroup shared = m_expertAxis >= 0 ? joinedGroup(data, m_layout.expertGroup) : data;
        m_layout.denseGroup = joinedGroup(shared, m_layout.contextGroup);
        m_layout.expertDataGroup = joinedGroup(dataOfExperts, m_layout.contextGroup);
        return {};
    }

    /// Who shares states of ZeRO.
    Status formStates()
    {
        const std::int64_t whole = m_layout.denseGroup.size();
        const std::int64_t wanted = m_layout.data.shard;
        if (wanted != 0 && m_layout.data.zero == 0)
            return planError("data.shard", "without ZeRO no states are shared", "zero: 1, 2 or 3");
        const std::int64_t shared = m_layout.data.zero == 0 ? 1 : wanted == 0 ? whole : wanted;
        std::optional<SplitGroup> dense = splitGroup(m_layout.denseGroup, shared);
        if (!dense)
            return planError("data.shard", std::to_string(shared) + " ranks do not divide the " + std::to_string(whole) + " that have the same parameters", nearestDivisors(whole, shared));
        m_layout.denseShard = std::move(dense->inner);
        m_layout.denseCopies = std::move(dense->outer);
        const std::int64_t all = m_layout.expertDataGroup.size();
        const std::int64_t ofExperts = m_layout.data.zero == 0 ? 1 : wanted == 0 ? all : std::gcd(all, std::max<std::int64_t>(1, wanted / m_layout.expertSize));
        std::optional<SplitGroup> experts = splitGroup(m_layout.expertDataGroup, ofExperts);
        if (!experts)
            experts = splitGroup(m_layout.expertDataGroup, 1);
        m_layout.expertShard = std::move(experts->inner);
        m_layout.expertCopies = std::move(experts->outer);
        return {};
    }

    Status formStages()
    {
        const PipelinePlan& pipeline = m_layout.pipeline;
        const PipelineSchedule schedule = pipeline.schedule;
        const bool bent = schedule == PipelineSchedule::ZeroBubbleV || schedule == PipelineSchedule::DualPipeV;
        if (m_layout.pipelineSize > 1 && pipeline.virtualStages > 1 && schedule != PipelineSchedule::Interleaved && !(bent && pipeline.virtualStages == 2))
            return planError("pipeline.virtual", std::string(keyOf(kPipelineSchedules, schedule)) + " has " + (bent ? "always two chunks" : "one chunk") + " per rank, not " + std::to_string(pipeline.virtualStages), "virtual: 1, or schedule: interleaved");
        m_layout.chunks = m_layout.pipelineSize == 1 ? 1 : bent ? 2 : pipeline.virtualStages;
        if (m_layout.chunks > kMostStages / m_layout.pipelineSize)
            return planError("pipeline.virtual", "more than " + std::to_string(kMostStages) + " stages", "fewer chunks");
        const std::int64_t stages = m_layout.pipelineSize * m_layout.chunks;
        if (!m_model) {
            if (!pipeline.layers.empty())
                return planError("pipeline.layers", "there is no model whose layers these are", "times alone");
            m_layout.stageLayers.assign(static_cast<std::size_t>(stages), 0);
            if (pipeline.times.size() == 1 || static_cast<std::int64_t>(pipeline.times.size()) == m_layout.pipelineSize)
                return {};
            return planError("pipeline.times", std::to_string(pipeline.times.size()) + " times of " + std::to_string(m_layout.pipelineSize) + " stages", "a model, or one entry for every rank of the pipeline, or one for all");
        }
        if (!pipeline.times.empty())
            return planError("pipeline.times", "times are given, and a model that has its own", "one of them");
        return spreadLayers(stages);
    }

    Status spreadLayers(std::int64_t stages)
    {
        const std::int64_t layers = m_model->family == ComputeFamily::Transformer ? m_model->transformer.layers : 0;
        if (stages > 1 && m_model->family != ComputeFamily::Transformer)
            return planError("pipeline.axis", "only transformers are split into stages", "an axis of 1");
        const std::vector<std::int64_t>& given = m_layout.pipeline.layers;
        if (!given.empty()) {
            if (static_cast<std::int64_t>(given.size()) != stages)
                return planError("pipeline.layers", std::to_string(given.size()) + " numbers of layers of " + std::to_string(stages) + " stages", "one for every stage");
            std::int64_t sum = 0;
            for (const std::int64_t one : given) {
                if (one < 0 || one > layers)
                    return planError("pipeline.layers", "a stage of " + std::to_string(one) + " layers", "0 to " + std::to_string(layers));
                sum += one;
            }
            if (sum != layers)
                return planError("pipeline.layers", "the stages have " + std::to_string(sum) + " layers together and the model " + std::to_string(layers), "numbers whose sum is " + std::to_string(layers));
            m_layout.stageLayers = given;
            return {};
        }
        if (stages > 1 && stages > layers) {
            const std::int64_t most = std::max<std::int64_t>(1, layers / m_layout.chunks);
            return planError(m_layout.chunks > 1 && layers >= m_layout.pipelineSize ? "pipeline.virtual" : "pipeline.axis",
                             std::to_string(stages) + " stages (" + std::to_string(m_layout.pipelineSize) + " ranks of " + std::to_string(m_layout.chunks) + ") for " + std::to_string(layers) + " layers",
                             layers >= m_layout.pipelineSize && m_layout.chunks > 1 ? "at most " + std::to_string(layers / m_layout.pipelineSize) + " chunks per rank" : "an axis of at most " + std::to_string(most));
        }
        for (std::int64_t stage = 0; stage < stages; ++stage)
            m_layout.stageLayers.push_back(layers / stages + (stage < layers % stages ? 1 : 0));
        return {};
    }

    /// Inference: a batch for each replica; micro-batches only where the plan says so.
    Status formServedBatch()
    {
        m_layout.microBatches = m_layout.pipeline.microBatches.value_or(1);
        const std::int64_t batch = m_layout.inference->batch;
        if (m_layout.microBatches < 1 || m_layout.microBatches > batch || batch % m_layout.microBatches != 0)
            return planError("pipeline.micro_batches", std::to_string(m_layout.microBatches) + " micro-batches of a batch of " + std::to_string(batch), nearestDivisors(batch, m_layout.microBatches));
        m_layout.microBatch = batch / m_layout.microBatches;
        return {};
    }

    Status formBatch()
    {
        if (m_layout.inference)
            return formServedBatch();
        const std::optional<std::int64_t>& given = m_layout.pipeline.microBatches;
        const std::int64_t global = m_model ? m_model->train.global : 0;
        m_layout.microBatch = m_model ? std::max<std::int64_t>(1, m_model->train.micro) : 1;
        if (given)
            m_layout.microBatches = *given;
        if (m_layout.microBatches < 1 || m_layout.microBatches > kMostPlanMicroBatches)
            return planError("pipeline.micro_batches", std::to_string(m_layout.microBatches) + " micro-batches", "1 to " + std::to_string(kMostPlanMicroBatches));
        if (!m_model)
            return given ? Status() : Status(planError("pipeline.micro_batches", "without a model nothing says how many micro-batches there are", "micro_batches: N"));
        if (global == 0)
            return given ? Status() : Status(planError("pipeline.micro_batches", "nothing says how many micro-batches there are", "micro_batches: N, or train: {global_batch: N} of the model"));
        if (m_layout.microBatch > global || m_layout.replicas > global / m_layout.microBatch || global % (m_layout.replicas * m_layout.microBatch) != 0) {
            const std::int64_t part = std::min(global, m_layout.replicas) * m_layout.microBatch; // at most 2^20 x micro
            const std::int64_t below = global / std::max<std::int64_t>(1, part) * part;
            Error error = planError("mesh.shape", "a global batch of " + std::to_string(global) + " is not divided by " + std::to_string(m_layout.replicas) + " replicas x micro-batches of " + std::to_string(m_layout.microBatch),
                                    "a global batch of " + (below > 0 ? std::to_string(below) + " or " : std::string()) + std::to_string(below + part) + ", or replicas x micro_batch of " + nearestDivisors(global, part));
            return error;
        }
        const std::int64_t count = global / (m_layout.replicas * m_layout.microBatch);
        if (given && *given != count)
            return planError("pipeline.micro_batches", std::to_string(*given) + " micro-batches, and a global batch of " + std::to_string(global) + " on " + std::to_string(m_layout.replicas) + " replicas makes " + std::to_string(count),
                             std::to_string(count) + ", or nothing");
        if (count > kMostPlanMicroBatches)
            return planError("pipeline.micro_batches", std::to_string(count) + " micro-batches", "at most " + std::to_string(kMostPlanMicroBatches));
        m_layout.microBatches = count;
        return {};
    }

    Status formShape()
    {
        // One rank, or one chunk where several are usual, makes every schedule 1f1b.
        const bool chunked = m_layout.pipeline.schedule == PipelineSchedule::Interleaved;
        m_layout.shape.microBatches = m_layout.microBatches;
        m_layout.shape.ranks = static_cast<std::int32_t>(m_layout.pipelineSize);
        if (m_layout.inference)
            return checkInference(m_model, m_layout);
        if (m_layout.pipelineSize > 1 && !(chunked && m_layout.chunks == 1)) {
            m_layout.shape.schedule = m_layout.pipeline.schedule;
            m_layout.shape.chunks = chunked ? m_layout.chunks : 1;
        }
        Status status = checkPipeline(m_layout.shape);
        if (status)
            return {};
        Error error = std::move(status).error();
        error.place.field = "workload.plan.pipeline." + (error.place.field.empty() ? std::string("schedule") : error.place.field);
        return error;
    }

    const ModelSpec* m_model;
    const PlanSpec& m_plan;
    PlanLayout m_layout;
    std::vector<std::string> m_usedBy;
    std::int32_t m_tensorAxis = -1;
    std::int32_t m_contextAxis = -1;
    std::int32_t m_expertAxis = -1;
};

} // namespace

Error planError(const std::string& key, std::string message, std::string expected)
{
    Place place;
    place.field = "workload.plan." + key;
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

std::vector<std::int64_t> PlanLayout::stagesOfRank(std::int64_t coordinate) const
{
    if (isDual()) {
        const std::int64_t other = pipelineSize - 1 - coordinate;
        return {std::min(coordinate, other), std::max(coordinate, other)};
    }
    std::vector<std::int64_t> found;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        const std::int64_t stage = chunk * pipelineSize + coordinate;
        const std::int64_t mirrored = chunk * pipelineSize + pipelineSize - 1 - coordinate;
        found.push_back(rankOfStage(stage) == coordinate ? stage : mirrored);
    }
    return found;
}

std::int64_t PlanLayout::firstLayer(std::int64_t stage) const
{
    return std::accumulate(stageLayers.begin(), stageLayers.begin() + stage, std::int64_t{0});
}

Result<PlanLayout> layoutOf(const ModelSpec* model, const PlanSpec& plan, std::int64_t ranks)
{
    if (plan.placement == PlanPlacement::Hap) {
        Place place;
        place.field = "workload.plan.placement";
        return Error{ErrorCode::Unsupported, "placement: hap has no layout of ranks: it is searched where the design is run", std::move(place), "simulate, plan, or a plan with a mesh"};
    }
    return Layouter(model, plan).run(ranks);
}

} // namespace fabricscope
