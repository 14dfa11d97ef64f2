#include "core/planner/best/planspace.h"

#include "core/plan/layout.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

std::vector<std::int64_t> divisorsOf(std::int64_t whole)
{
    std::vector<std::int64_t> below;
    std::vector<std::int64_t> above;
    for (std::int64_t value = 1; value <= whole / value; ++value) {
        if (whole % value != 0)
            continue;
        below.push_back(value);
        if (value != whole / value)
            above.push_back(whole / value);
    }
    below.insert(below.end(), above.rbegin(), above.rend());
    return below;
}

/// Axes of more than one rank, as they usually lie: tensor next to each other.
std::vector<std::string> usualOrder(const PlanSpec& plan, const PlanBlock& block)
{
    std::vector<std::string> axes;
    const std::array<std::pair<const std::string*, std::int64_t>, 4> sizes{{{&plan.pipeline->axis, block.pipeline}, {&plan.data->axis, block.data}, {&plan.context->axis, block.context}, {&plan.tensor->axis, block.tensor}}};
    for (const auto& [name, size] : sizes) {
        if (size > 1)
            axes.push_back(*name);
    }
    return axes;
}

/// The order of the axes of a layout, those of one rank left out.
std::vector<std::string> orderOf(const PlanLayout& layout)
{
    std::vector<PlanGrid::Axis> axes = layout.grid.axes();
    std::erase_if(axes, [](const PlanGrid::Axis& axis) { return axis.size == 1; });
    std::stable_sort(axes.begin(), axes.end(), [](const PlanGrid::Axis& a, const PlanGrid::Axis& b) { return a.stride > b.stride; });
    std::vector<std::string> names;
    for (const PlanGrid::Axis& axis : axes)
        names.push_back(axis.name);
    return names;
}

PlanChoice choiceOf(const PlanLayout& layout)
{
    PlanChoice choice;
    choice.block = {layout.tensorSize, layout.pipelineSize, layout.replicas, layout.expertSize, layout.contextSize, layout.microBatch, layout.recompute};
    choice.zero = layout.data.zero;
    choice.schedule = layout.shape.schedule;
    choice.chunks = layout.shape.schedule == PipelineSchedule::Interleaved ? layout.chunks : 1;
    choice.meshOrder = orderOf(layout);
    return choice;
}

Status checkMeshOrder(const PlanSpec& own, const PlanSearchSpec& search)
{
    const std::vector<std::string> axes{own.data.value_or(DataPlan{}).axis, own.tensor.value_or(TensorPlan{}).axis, own.pipeline.value_or(PipelinePlan{}).axis, own.context.value_or(ContextPlan{}).axis};
    for (std::size_t i = 0; i < search.fixed.meshOrder.size(); ++i) {
        const std::string& axis = search.fixed.meshOrder[i];
        const bool known = std::find(axes.begin(), axes.end(), axis) != axes.end();
        if (known && std::find(search.fixed.meshOrder.begin(), search.fixed.meshOrder.begin() + static_cast<std::ptrdiff_t>(i), axis) == search.fixed.meshOrder.begin() + static_cast<std::ptrdiff_t>(i))
            continue;
        Place place;
        place.field = "search.fixed.mesh_order[" + std::to_string(i) + "]";
        return invalidInput(known ? "axis " + axis + " stands here twice" : "there is no axis \"" + axis + "\"", std::move(place), listedWords(std::vector<std::string_view>(axes.begin(), axes.end()), "or"));
    }
    return {};
}

/// Blocks of unequal length tell ranks apart that do the same otherwise. Of so many each would be followed by itself, for a millionth of the step: their buckets are a little longer, of whole blocks.
double evenBucketMb(double bucketMb, const PlanBlock& block)
{
    constexpr std::int64_t kMostApart = 1024;
    constexpr double kBlocks = 65536; // Bytes: equal blocks of four chunks for 16,384 ranks, and for fewer that are a power of two.
    constexpr double kMostLonger = 1.0 / 16;
    if (block.ranks() <= kMostApart)
        return bucketMb;
    std::int64_t odd = block.data * block.context;
    while (odd % 2 == 0)
        odd /= 2;
    constexpr double kMega = 1e6;
    const double whole = kBlocks * static_cast<double>(odd);
    const double bytes = std::ceil(bucketMb * kMega / whole) * whole;
    return bytes <= bucketMb * kMega * (1 + kMostLonger) ? (bytes + 0.25) / kMega : bucketMb; // Not a byte less, as it is cut.
}

} // namespace

Status isSearchedPlan(const ModelSpec& model, const PlanSpec& own)
{
    if (own.placement == PlanPlacement::Hap)
        return planError("placement", "there is no mesh to search: placement: hap finds program and shares itself", "a plan over a mesh");
    if (own.inference)
        return planError("inference", "of a plan of inference `plan search` finds the largest batch; reports and the window have no section for it", "a plan of training");
    if (!own.mesh.deviceOrder.empty())
        return planError("mesh.device_order", "plans with an order of devices are not searched", "ranks on NPUs of their number");
    if (model.train.global <= 0) {
        Place place;
        place.field = "workload.model.train.global_batch";
        return invalidInput("plans are compared for the same batch, and nothing says how large it is", std::move(place), "train: {global_batch: N}");
    }
    return {};
}

Result<PlanSpace> PlanSpace::create(const ModelSpec& model, const PlanSpec& own, std::int64_t ranks, const PlanSearchSpec& search, std::int64_t used)
{
    if (Status status = isSearchedPlan(model, own); !status)
        return std::move(status).error();
    if (Status status = checkMeshOrder(own, search); !status)
        return std::move(status).error();
    PlanSpace space;
    space.m_model = &model;
    space.m_search = search;
    space.m_ranks = used;
    space.m_plan = own;
    space.m_plan.data = own.data.value_or(DataPlan{});
    space.m_plan.tensor = own.tensor.value_or(TensorPlan{});
    space.m_plan.pipeline = own.pipeline.value_or(PipelinePlan{});
    space.m_plan.context = own.context.value_or(ContextPlan{});
    const Result<PlanLayout> layout = layoutOf(&model, own, ranks);
    const bool keepsSome = std::any_of(kPlanVariables.begin(), kPlanVariables.end(), [&](const auto& entry) { return entry.second != PlanVariable::Npus && !search.varies(entry.second); });
    if (!layout && keepsSome)
        return layout.error();
    if (layout) {
        space.m_own = choiceOf(layout.value());
        space.m_hasOwn = used == ranks;
    }
    for (const std::int64_t tensor : divisorsOf(used)) {
        if (!space.allows(PlanVariable::Tensor, search.fixed.tensor, space.m_own.block.tensor, tensor))
            continue;
        for (const std::int64_t pipeline : divisorsOf(used / tensor)) {
            if (!space.allows(PlanVariable::Pipeline, search.fixed.pipeline, space.m_own.block.pipeline, pipeline))
                continue;
            for (const std::int64_t context : divisorsOf(used / tensor / pipeline))
                space.addDegrees(tensor, pipeline, context);
            if (space.m_blocks.size() > kMostBlocks)
                return Error{ErrorCode::Unsupported, "more than " + std::to_string(kMostBlocks) + " mixes of degrees, micro-batch and recomputation", {}, "fewer to vary, or some of them in search.fixed"};
        }
    }
    if (space.m_blocks.empty())
        return invalidInput("no plan of " + std::to_string(used) + " ranks is as search.fixed and the plan say", {}, "degrees whose product is the number of ranks");
    return space;
}

bool PlanSpace::allows(PlanVariable variable, const std::optional<std::int64_t>& given, std::int64_t own, std::int64_t value) const
{
    return given ? value == *given : m_search.varies(variable) || value == own;
}

void PlanSpace::addDegrees(std::int64_t tensor, std::int64_t pipeline, std::int64_t context)
{
    const FixedPlan& fixed = m_search.fixed;
    const std::int64_t data = m_ranks / tensor / pipeline / context;
    if (!allows(PlanVariable::Context, fixed.context, m_own.block.context, context) || !allows(PlanVariable::Data, fixed.data, m_own.block.data, data))
        return;
    const std::int64_t experts = m_model->family == ComputeFamily::Transformer ? m_model->transformer.moe.experts : 0;
    for (const std::int64_t expert : divisorsOf(data)) {
        if ((experts == 0 && expert > 1) || (experts > 0 && experts % expert != 0) || !allows(PlanVariable::Expert, fixed.expert, m_own.block.expert, expert))
            continue;
        addBatches({tensor, pipeline, data, expert, context, 1, Recompute::None});
    }
}

void PlanSpace::addBatches(PlanBlock block)
{
    const std::int64_t global = m_model->train.global;
    const std::int64_t own = std::max<std::int64_t>(1, m_model->train.micro);
    if (global % block.data != 0)
        return;
    for (const std::int64_t micro : divisorsOf(global / block.data)) {
        if (!allows(PlanVariable::MicroBatch, m_search.fixed.microBatch, own, micro))
            continue;
        block.microBatch = micro;
        for (const auto& [word, recompute] : kRecomputes) {
            const bool allowed = m_search.fixed.recompute ? recompute == *m_search.fixed.recompute : m_search.varies(PlanVariable::Recompute) || recompute == m_plan.recompute;
            block.recompute = recompute;
            if (allowed)
                m_blocks.push_back(block);
        }
    }
}

std::vector<std::int32_t> PlanSpace::zeros(const PlanBlock& block) const
{
    if (m_search.fixed.zero)
        return {*m_search.fixed.zero};
    if (!m_search.varies(PlanVariable::Zero))
        return {m_plan.data->zero};
    // Alone there is nobody to share with.
    return block.data * block.context > 1 ? std::vector<std::int32_t>{0, 1, 2, 3} : std::vector<std::int32_t>{0};
}

std::vector<std::pair<PipelineSchedule, std::int32_t>> PlanSpace::schedules(const PlanBlock& block) const
{
    const std::int32_t ownChunks = m_plan.pipeline->virtualStages;
    if (block.pipeline == 1)
        return {{PipelineSchedule::OneForwardOneBackward, 1}};
    const auto layers = static_cast<std::int64_t>(m_model->family == ComputeFamily::Transformer ? m_model->transformer.layers : 0);
    std::vector<std::pair<PipelineSchedule, std::int32_t>> found;
    for (const auto& [word, schedule] : kPipelineSchedules) {
        const bool allowed = m_search.fixed.schedule ? schedule == *m_search.fixed.schedule : m_search.varies(PlanVariable::Schedule) || schedule == m_plan.pipeline->schedule;
        if (!allowed)
            continue;
        if (schedule != PipelineSchedule::Interleaved) {
            found.emplace_back(schedule, 1);
            continue;
        }
        if (!m_search.varies(PlanVariable::Schedule) && ownChunks > 1) {
            found.emplace_back(schedule, ownChunks);
            continue;
        }
        for (const std::int64_t chunks : layers % block.pipeline == 0 ? divisorsOf(layers / block.pipeline) : std::vector<std::int64_t>{}) {
            if (chunks > 1)
                found.emplace_back(schedule, static_cast<std::int32_t>(chunks));
        }
        // Where nothing else is asked for it is counted as what cannot be.
        if (found.empty() && (m_search.fixed.schedule || !m_search.varies(PlanVariable::Schedule)))
            found.emplace_back(schedule, 1);
    }
    return found;
}

std::vector<std::vector<std::string>> PlanSpace::orders(const PlanBlock& block) const
{
    std::vector<std::string> axes = usualOrder(m_plan, block);
    const auto kept = [&](const std::vector<std::string>& wanted) {
        // Axes of one rank do not matter; those that the wanted order does not know stand where they usually do, outside.
        std::vector<std::string> order;
        for (const std::string& axis : axes) {
            if (std::find(wanted.begin(), wanted.end(), axis) == wanted.end())
                order.push_back(axis);
        }
        for (const std::string& axis : wanted) {
            if (std::find(axes.begin(), axes.end(), axis) != axes.end())
                order.push_back(axis);
        }
        return order;
    };
    if (!m_search.fixed.meshOrder.empty())
        return {kept(m_search.fixed.meshOrder)};
    if (!m_search.varies(PlanVariable::MeshOrder))
        return {kept(m_own.meshOrder)};
    std::sort(axes.begin(), axes.end());
    std::vector<std::vector<std::string>> all{usualOrder(m_plan, block)}; // First, so that it wins among equals.
    do {
        if (axes != all.front())
            all.push_back(axes);
    } while (std::next_permutation(axes.begin(), axes.end()));
    return all;
}

PlanSpec PlanSpace::planOf(const PlanChoice& choice) const
{
    PlanSpec plan = m_plan;
    const PlanBlock& block = choice.block;
    plan.mesh = {};
    for (const std::string& axis : choice.meshOrder) {
        plan.mesh.axes.push_back(axis);
        plan.mesh.shape.push_back(axis == plan.tensor->axis ? block.tensor : axis == plan.pipeline->axis ? block.pipeline : axis == plan.context->axis ? block.context : block.data);
    }
    // Data shares its states with context, so its section is said even for one rank; the others have none then.
    if (block.data == 1) {
        plan.mesh.axes.insert(plan.mesh.axes.begin(), plan.data->axis);
        plan.mesh.shape.insert(plan.mesh.shape.begin(), 1);
    }
    plan.data->zero = choice.zero;
    plan.data->shard = choice.zero > 0 && choice.block.data == m_own.block.data ? plan.data->shard : 0;
    plan.pipeline->schedule = choice.schedule;
    plan.pipeline->virtualStages = choice.chunks;
    // Layers that are spread by hand stay where the stages are those of the design.
    if (block.pipeline != m_own.block.pipeline || choice.schedule != m_own.schedule || choice.chunks != m_own.chunks)
        plan.pipeline->layers.clear();
    plan.pipeline->microBatches.reset();
    plan.recompute = block.recompute;
    if (!plan.inference)
        plan.data->bucketMb = evenBucketMb(plan.data->bucketMb, block);
    if (block.tensor == 1)
        plan.tensor.reset();
    if (block.pipeline == 1)
        plan.pipeline.reset();
    if (block.context == 1)
        plan.context.reset();
    if (block.expert > 1 || plan.expert) {
        ExpertPlan expert = plan.expert.value_or(ExpertPlan{});
        expert.axis = expert.axis == plan.data->axis ? "ep" : expert.axis;
        expert.inside = plan.data->axis;
        expert.degree = block.expert;
        plan.expert = std::move(expert); // Also alone: it says how tokens go to experts.
    }
    return plan;
}

} // namespace fabricscope
