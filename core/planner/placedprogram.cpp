#include "core/planner/placedprogram.h"

#include "core/base/index.h"

#include <algorithm>
#include <set>

namespace fabricscope {

std::vector<RatioTerm> PlacedProgram::terms() const
{
    std::vector<RatioTerm> all;
    for (const PlacedStep& step : steps)
        all.insert(all.end(), step.terms.begin(), step.terms.end());
    return all;
}

std::vector<std::pair<HeldKind, HeldBytes>> PlacedProgram::heldByKind(const PlacedGraph& graph, const TheoryOptions& options, int segments) const
{
    std::vector<std::pair<HeldKind, HeldBytes>> kinds;
    for (const auto& [word, kind] : kHeldKinds)
        kinds.push_back({kind, {std::vector<double>(at(segments), 0), 0}});
    const auto add = [&](HeldKind kind, const PlacedStep& step, double bytes) {
        HeldBytes& held = kinds[static_cast<std::size_t>(kind)].second;
        if (step.makes.isGather())
            held.shared[step.terms.empty() ? 0 : at(step.terms.front().segment)] += bytes;
        else
            held.whole += bytes;
    };
    std::set<std::pair<int, std::uint8_t>> forms;
    double& gathered = kinds[static_cast<std::size_t>(HeldKind::Gathered)].second.whole;
    for (const PlacedStep& step : steps) {
        if (step.ofGradient || step.makes.none() || !forms.emplace(step.tensor, step.makes.code()).second)
            continue;
        const PlacedTensor& tensor = graph.tensors[at(step.tensor)];
        if (tensor.role != TensorRole::Parameter) {
            add(tensor.role == TensorRole::Input ? HeldKind::Inputs : HeldKind::Results, step, tensor.bytes);
        } else if (step.kind == PlacedStep::Kind::Collective) {
            gathered = std::max(gathered, tensor.bytes);
        } else {
            add(HeldKind::Parameters, step, tensor.bytes);
            if (options.backward && tensor.gradient && step.from.none()) {
                add(HeldKind::Gradients, step, tensor.bytes * options.gradientBytes);
                add(HeldKind::Optimizer, step, tensor.bytes * options.optimizerBytes);
            }
        }
    }
    return kinds;
}

HeldBytes PlacedProgram::held(const PlacedGraph& graph, const TheoryOptions& options, int segments) const
{
    HeldBytes all{std::vector<double>(at(segments), 0), 0};
    for (const auto& [kind, held] : heldByKind(graph, options, segments)) {
        all.whole += held.whole;
        for (std::size_t s = 0; s < held.shared.size(); ++s)
            all.shared[s] += held.shared[s];
    }
    return all;
}

std::string_view wordOf(const PlacedStep& step)
{
    switch (step.kind) {
    case PlacedStep::Kind::Compute:
        return "compute";
    case PlacedStep::Kind::Collective:
        return keyOf(kShareCollectiveWords, step.collective);
    case PlacedStep::Kind::Slice:
        return "slice";
    }
    return {};
}

std::string madeBy(const PlacedGraph& graph, const PlacedStep& step)
{
    const std::string& name = graph.tensors[at(step.tensor)].name;
    if (step.ofGradient)
        return "grad " + name;
    return step.kind == PlacedStep::Kind::Compute && step.op >= 0 ? name : name + " as " + step.makes.text();
}

} // namespace fabricscope
