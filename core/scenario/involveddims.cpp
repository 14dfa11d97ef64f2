#include "core/scenario/involveddims.h"

#include "core/base/index.h"

#include <map>

namespace fabricscope {

namespace {

/// Bits of the dimensions that matter: those with more than one NPU.
std::uint32_t wholeMask(const Platform& platform)
{
    std::uint32_t mask = 0;
    for (std::size_t d = 0; d < platform.dimensions().size() && d < 32; ++d) {
        if (platform.dimensions()[d].size > 1)
            mask |= 1U << d;
    }
    return mask;
}

bool restricts(const RankGraph& graph, TaskIndex task, std::uint32_t whole)
{
    const auto i = static_cast<std::size_t>(task);
    return graph.kind[i] == TaskKind::Collective && graph.family[i] == 0 && graph.has(task, TaskFlag::kInvolvedGiven)
        && (graph.involved[i] & whole) != whole;
}

std::string familyName(std::uint32_t mask)
{
    std::string name = "dimensions";
    for (unsigned d = 0; d < 32; ++d) {
        if ((mask >> d & 1U) != 0)
            name += ' ' + std::to_string(d);
    }
    return name;
}

} // namespace

Result<WorkloadPtr> resolveInvolvedDimensions(WorkloadPtr workload, const Platform& platform, const Placement& placement)
{
    const std::uint32_t whole = wholeMask(platform);
    std::map<std::uint32_t, FamilyId> families; // by mask
    for (const auto& graph : workload->graphs) {
        for (TaskIndex task = 0; task < graph->size(); ++task) {
            if (restricts(*graph, task, whole))
                families.emplace(graph->involved[at(task)] & whole, 0);
        }
    }
    if (families.empty())
        return workload;
    if (platform.isExplicit() || !placement.isIdentity() || placement.rankCount() != platform.npuCount()) {
        return Error{ErrorCode::Unsupported, "involved_dim needs a platform of dimensions with one rank on every NPU, in order", {},
                     "communicator groups (pg_name) instead"};
    }

    auto resolved = std::make_shared<Workload>(*workload);
    for (auto& [mask, id] : families) {
        std::vector<GroupFamily::Axis> axes;
        for (std::size_t d = 0; d < platform.dimensions().size() && d < 32; ++d) {
            if ((mask >> d & 1U) != 0)
                axes.push_back({platform.dimensions()[d].size, platform.stride(d)});
        }
        if (axes.empty())
            axes.push_back({1, 1});
        auto family = GroupFamily::strided(familyName(mask), std::move(axes), workload->rankCount);
        if (!family)
            return std::move(family).error();
        id = static_cast<FamilyId>(resolved->families.size());
        resolved->families.push_back(std::move(family).value());
    }
    for (auto& graph : resolved->graphs) {
        auto copy = std::make_shared<RankGraph>(*graph);
        for (TaskIndex task = 0; task < graph->size(); ++task) {
            if (restricts(*graph, task, whole))
                copy->family[at(task)] = families.at(graph->involved[at(task)] & whole);
        }
        graph = std::move(copy);
    }
    return WorkloadPtr(std::move(resolved));
}

} // namespace fabricscope
