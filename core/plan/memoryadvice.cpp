#include "core/base/quantity.h"
#include "core/plan/statebytes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

struct Advice {
    const char* text;
    void (*apply)(PlanSpec& plan);
};

void splitSequence(PlanSpec& plan)
{
    if (!plan.tensor)
        plan.tensor.emplace();
    plan.tensor->sequenceParallel = true;
}

void shareStates(PlanSpec& plan, std::int32_t zero)
{
    if (!plan.data)
        plan.data.emplace();
    plan.data->zero = std::max(plan.data->zero, zero);
}

/// Cheap changes first.
constexpr std::array<Advice, 10> kAdvice{{
    {"tensor.sequence_parallel: true", splitSequence},
    {"recompute: selective", [](PlanSpec& plan) { plan.recompute = std::max(plan.recompute, Recompute::Selective); }},
    {"data.zero: 1", [](PlanSpec& plan) { shareStates(plan, 1); }},
    {"tensor.sequence_parallel: true with recompute: selective",
     [](PlanSpec& plan) {
         splitSequence(plan);
         plan.recompute = std::max(plan.recompute, Recompute::Selective);
     }},
    {"data.zero: 1 with tensor.sequence_parallel: true and recompute: selective",
     [](PlanSpec& plan) {
         shareStates(plan, 1);
         splitSequence(plan);
         plan.recompute = std::max(plan.recompute, Recompute::Selective);
     }},
    {"recompute: full", [](PlanSpec& plan) { plan.recompute = Recompute::Full; }},
    {"data.zero: 2", [](PlanSpec& plan) { shareStates(plan, 2); }},
    {"data.zero: 1 with recompute: full",
     [](PlanSpec& plan) {
         shareStates(plan, 1);
         plan.recompute = Recompute::Full;
     }},
    {"data.zero: 3", [](PlanSpec& plan) { shareStates(plan, 3); }},
    {"data.zero: 3 with recompute: full",
     [](PlanSpec& plan) {
         shareStates(plan, 3);
         plan.recompute = Recompute::Full;
     }},
}};

std::string sizeText(std::int64_t bytes)
{
    return Quantity{std::round(static_cast<double>(bytes) / 1e7) / 100, "GB", Measure::Size}.text();
}

} // namespace

std::optional<Diagnostic> memoryFinding(const std::vector<PlanMemory>& rows, std::int64_t memory, const PlanSpec& plan, const std::function<std::optional<std::int64_t>(const PlanSpec& changed)>& peakOf)
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
    std::string advice = "a larger tensor or pipeline axis, or NPUs with at least " + sizeText(worst->peak()) + " of memory";
    for (const Advice& one : kAdvice) {
        PlanSpec changed = plan;
        one.apply(changed);
        if (changed == plan)
            continue;
        const std::optional<std::int64_t> peak = peakOf(changed);
        if (!peak || *peak > memory)
            continue;
        advice = std::string(one.text) + ", which needs " + sizeText(*peak);
        break;
    }
    Error error = planError("mesh", "ranks " + worst->ranks.text() + (worst->ranks.count() == 1 ? " needs " : " need ") + sizeText(worst->peak()) + " and an NPU has " + sizeText(memory) + ": " + filled, advice);
    return finding("memory", std::move(error));
}

} // namespace fabricscope
