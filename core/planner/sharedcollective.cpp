#include "core/planner/sharedcollective.h"

#include "core/base/index.h"
#include "core/planner/shareparts.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

/// The dimension along which the parts of a step lie: of what is gathered, or of what is made.
int dimensionOfParts(const PlacedStep& step)
{
    return step.from.isGather() ? step.from.dim() : step.makes.isGather() ? step.makes.dim() : 0;
}

} // namespace

double SharedCollective::partBytes(std::size_t device) const
{
    const std::int64_t all = std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
    return bytes * static_cast<double>(parts[device]) / static_cast<double>(all);
}

double SharedCollective::largestPart() const
{
    return parts.empty() ? bytes : partBytes(static_cast<std::size_t>(std::max_element(parts.begin(), parts.end()) - parts.begin()));
}

bool SharedCollective::hasEqualParts() const
{
    return std::all_of(parts.begin(), parts.end(), [this](std::int64_t part) { return part == parts.front(); });
}

SimTime ChosenForm::time() const
{
    const auto own = std::find_if(alone.begin(), alone.end(), [this](const auto& each) { return each.first == form; });
    return own == alone.end() ? SimTime{} : own->second;
}

std::vector<ShareForm> SharedCollective::forms() const
{
    if (kind == ShareCollective::AllReduce)
        return {ShareForm::Padded};
    std::vector<ShareForm> all{ShareForm::Padded};
    if (!hasEqualParts())
        all.push_back(ShareForm::Exact);
    if (kind != ShareCollective::AllToAll)
        all.push_back(ShareForm::Grouped);
    return all;
}

SharedCollective collectiveOf(const PlacementProblem& problem, const PlacedStep& step, const RatioTerm& term, const std::vector<DeviceRatios>& ratios)
{
    SharedCollective made{term.collective, term.bytes, {}};
    if (term.collective == ShareCollective::AllReduce)
        return made;
    if (term.collective == ShareCollective::GroupedAllGather)
        made.kind = ShareCollective::AllGather;
    else if (term.collective == ShareCollective::GroupedReduceScatter)
        made.kind = ShareCollective::ReduceScatter;
    const PlacedTensor& tensor = problem.graph.tensors[at(step.tensor)];
    const int dim = dimensionOfParts(step);
    const std::vector<double>& own = ratios[at(term.segment)].ratios();
    // A scalar has no dimension; nothing of it is split.
    made.parts = at(dim) < tensor.shape.size() ? partsByRatios(tensor.shape[at(dim)], tensor.units[at(dim)], own) : partsByRatios(1, own);
    return made;
}

} // namespace fabricscope
