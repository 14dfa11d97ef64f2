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

HeldBytes PlacedProgram::held(const PlacedGraph& graph, bool backward, int segments) const
{
    HeldBytes held{std::vector<double>(at(segments), 0), 0};
    std::set<std::pair<int, std::uint8_t>> forms;
    double transient = 0;
    for (const PlacedStep& step : steps) {
        if (step.ofGradient || step.makes.none() || !forms.emplace(step.tensor, step.makes.code()).second)
            continue;
        const PlacedTensor& tensor = graph.tensors[at(step.tensor)];
        const double bytes = tensor.bytes * (tensor.role == TensorRole::Parameter && tensor.gradient && backward && step.from.none() ? 2 : 1);
        if (tensor.role == TensorRole::Parameter && step.kind == PlacedStep::Kind::Collective)
            transient = std::max(transient, bytes);
        else if (step.makes.isGather())
            held.shared[step.terms.empty() ? 0 : at(step.terms.front().segment)] += bytes;
        else
            held.whole += bytes;
    }
    held.whole += transient;
    return held;
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
