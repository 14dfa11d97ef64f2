#include "core/base/quantity.h"
#include "core/plan/statebytes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

/// What makes a rank keep less, whatever the mesh.
struct MemorySaving {
    std::int32_t zero = 0;
    bool sequence = false;
    Recompute recompute = Recompute::None;
};

/// Cheap changes first.
constexpr std::array<MemorySaving, 11> kSavings{{{0, true, Recompute::None},
                                                 {0, false, Recompute::Selective},
                                                 {1, false, Recompute::None},
                                                 {0, true, Recompute::Selective},
                                                 {1, true, Recompute::Selective},
                                                 {0, false, Recompute::Full},
                                                 {2, false, Recompute::None},
                                                 {1, false, Recompute::Full},
                                                 {3, false, Recompute::None},
                                                 {3, false, Recompute::Full},
                                                 {3, true, Recompute::Full}}};
/// Those that a smaller micro-batch, or another mesh, is tried with.
constexpr std::array<MemorySaving, 3> kFurtherSavings{{{}, {1, true, Recompute::Selective}, {1, true, Recompute::Full}}};

/// A plan that keeps less, and the changes in words.
struct SparingPlan {
    PlanSpec plan;
    std::int64_t microBatch = 1;
    std::vector<std::string> words;
};

std::string axisOfTensor(const PlanSpec& plan)
{
    return plan.tensor.value_or(TensorPlan{}).axis;
}

std::string axisOfPipeline(const PlanSpec& plan)
{
    return plan.pipeline.value_or(PipelinePlan{}).axis;
}

std::int64_t sizeAlong(const PlanMesh& mesh, const std::string& axis)
{
    const auto found = std::find(mesh.axes.begin(), mesh.axes.end(), axis);
    return found == mesh.axes.end() ? 1 : mesh.shape[static_cast<std::size_t>(found - mesh.axes.begin())];
}

SparingPlan withSaving(SparingPlan changed, const MemorySaving& saving)
{
    PlanSpec& plan = changed.plan;
    if (saving.zero > plan.data.value_or(DataPlan{}).zero) {
        if (!plan.data)
            plan.data.emplace();
        plan.data->zero = saving.zero;
        changed.words.push_back("data.zero: " + std::to_string(saving.zero));
    }
    if (saving.sequence && !plan.tensor.value_or(TensorPlan{}).sequenceParallel && sizeAlong(plan.mesh, axisOfTensor(plan)) > 1) {
        if (!plan.tensor)
            plan.tensor.emplace();
        plan.tensor->sequenceParallel = true;
        changed.words.push_back("tensor.sequence_parallel: true");
    }
    if (saving.recompute > plan.recompute) {
        plan.recompute = saving.recompute;
        changed.words.push_back("recompute: " + std::string(keyOf(kRecomputes, saving.recompute)));
    }
    return changed;
}

/// Neighbours are next to each other along tensor, and far apart along the pipeline.
void setSize(PlanMesh& mesh, const std::string& axis, std::int64_t size, bool fastest)
{
    const auto found = std::find(mesh.axes.begin(), mesh.axes.end(), axis);
    if (found != mesh.axes.end()) {
        mesh.shape[static_cast<std::size_t>(found - mesh.axes.begin())] = size;
        return;
    }
    if (size == 1)
        return;
    const bool last = fastest != (mesh.order == PlanMesh::Order::ColumnMajor);
    mesh.axes.insert(last ? mesh.axes.end() : mesh.axes.begin(), axis);
    mesh.shape.insert(last ? mesh.shape.end() : mesh.shape.begin(), size);
    if (mesh.order == PlanMesh::Order::Listed)
        mesh.slowestFirst.insert(fastest ? mesh.slowestFirst.end() : mesh.slowestFirst.begin(), axis);
}

std::string meshText(const PlanMesh& mesh)
{
    std::string axes;
    std::string shape;
    for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
        axes += (i > 0 ? ", " : "") + mesh.axes[i];
        shape += (i > 0 ? ", " : "") + std::to_string(mesh.shape[i]);
    }
    return "mesh: {axes: [" + axes + "], shape: [" + shape + "]}";
}

/// The same ranks with more of them along tensor or pipeline and fewer along data, the smallest changes first.
std::vector<SparingPlan> otherMeshes(const PlanSpec& plan, std::int64_t microBatch)
{
    const std::string data = plan.data.value_or(DataPlan{}).axis;
    const std::int64_t tensor = sizeAlong(plan.mesh, axisOfTensor(plan));
    const std::int64_t pipeline = sizeAlong(plan.mesh, axisOfPipeline(plan));
    const std::int64_t copies = sizeAlong(plan.mesh, data);
    struct Degrees {
        std::int64_t tensor = 1;
        std::int64_t pipeline = 1;
    };
    std::vector<Degrees> all;
    for (std::int64_t more = 2; more <= copies; ++more) {
        for (std::int64_t ofTensor = more; ofTensor >= 1 && copies % more == 0; --ofTensor) {
            if (more % ofTensor == 0)
                all.push_back({tensor * ofTensor, pipeline * (more / ofTensor)});
        }
    }
    std::vector<SparingPlan> meshes;
    for (const Degrees& degrees : plan.mesh.deviceOrder.empty() ? all : std::vector<Degrees>{}) {
        SparingPlan& changed = meshes.emplace_back(SparingPlan{plan, microBatch, {}});
        PlanMesh& mesh = changed.plan.mesh;
        setSize(mesh, data, copies * tensor * pipeline / degrees.tensor / degrees.pipeline, false);
        setSize(mesh, axisOfPipeline(plan), degrees.pipeline, false);
        setSize(mesh, axisOfTensor(plan), degrees.tensor, true);
        changed.words.push_back(meshText(mesh));
    }
    return meshes;
}

std::string sizeText(std::int64_t bytes)
{
    return Quantity{std::round(static_cast<double>(bytes) / 1e7) / 100, "GB", Measure::Size}.text();
}

/// "a with b, c and d"
std::string joinedWords(const std::vector<std::string>& words)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i == 1 ? " with " : i + 1 < words.size() ? ", " : " and ") + words[i];
    return text;
}

/// The first change that fits, in words; empty where none does.
std::string firstThatFits(const PlanSpec& plan, std::int64_t microBatch, std::int64_t memory, const PlanPeak& peakOf)
{
    std::string advice;
    const auto fits = [&](const SparingPlan& changed) {
        const std::optional<std::int64_t> peak = changed.words.empty() ? std::nullopt : peakOf(changed.plan, changed.microBatch);
        if (!peak || *peak > memory)
            return false;
        advice = joinedWords(changed.words) + ", which needs " + sizeText(*peak);
        return true;
    };
    for (const MemorySaving& saving : kSavings) {
        if (fits(withSaving({plan, microBatch, {}}, saving)))
            return advice;
    }
    std::vector<SparingPlan> further;
    if (microBatch > 1)
        further.push_back({plan, 1, {"train.micro_batch: 1"}});
    for (SparingPlan& mesh : otherMeshes(plan, microBatch))
        further.push_back(std::move(mesh));
    for (const SparingPlan& changed : further) {
        for (const MemorySaving& saving : kFurtherSavings) {
            if (fits(withSaving(changed, saving)))
                return advice;
        }
    }
    return {};
}

} // namespace

std::optional<Diagnostic> memoryFinding(const std::vector<PlanMemory>& rows, std::int64_t memory, const PlanSpec& plan, std::int64_t microBatch, const PlanPeak& peakOf)
{
    const auto worst = std::max_element(rows.begin(), rows.end(), [](const PlanMemory& a, const PlanMemory& b) { return a.peak() < b.peak(); });
    if (worst == rows.end() || worst->peak() <= memory)
        return std::nullopt;
    std::array<std::pair<const char*, std::int64_t>, 5> parts{{{"parameters", worst->parameters}, {"gradients", worst->gradients}, {"states of the optimizer", worst->optimizer}, {"activations", worst->activations}, {"buffers", worst->buffers}}};
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string filled;
    for (const auto& [name, bytes] : parts) {
        if (bytes > worst->peak() / 100)
            filled += (filled.empty() ? "" : ", ") + std::string(name) + ' ' + sizeText(bytes);
    }
    std::string advice = firstThatFits(plan, microBatch, memory, peakOf);
    if (advice.empty())
        advice = "more NPUs, or NPUs with at least " + sizeText(worst->peak()) + " of memory: no larger tensor or pipeline axis is enough";
    constexpr std::size_t kLongest = 32;
    const std::string listed = worst->ranks.text();
    const std::string ranks = listed.size() <= kLongest ? "ranks " + listed : std::to_string(worst->ranks.count()) + " ranks from " + std::to_string(worst->ranks.intervals().front().first);
    Error error = planError("mesh", ranks + " need " + sizeText(worst->peak()) + " and an NPU has " + sizeText(memory) + ": " + filled, advice);
    return finding("memory", std::move(error));
}

} // namespace fabricscope
