#include "core/design/joinjobs.h"

#include "core/base/index.h"

namespace fabricscope {

namespace {

/// The groups of a family, their ranks moved by `first`.
Result<GroupFamily> movedFamily(const GroupFamily& family, std::string name, std::int64_t first, std::int64_t ranks)
{
    std::vector<std::vector<std::int64_t>> lists;
    for (std::int64_t group = 0; group < family.groupCount(); ++group) {
        lists.emplace_back();
        for (std::int64_t position = 0; position < family.groupSize(group); ++position)
            lists.back().push_back(first + family.member(group, position));
    }
    return GroupFamily::listed(std::move(name), std::move(lists), ranks);
}

/// The graph with family f called firstFamily + f, and absolute peers moved by `first`.
std::shared_ptr<const RankGraph> movedGraph(const RankGraph& graph, FamilyId firstFamily, std::int64_t first)
{
    auto moved = std::make_shared<RankGraph>(graph);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        const auto i = static_cast<std::size_t>(task);
        const TaskKind kind = graph.kind[i];
        if (kind == TaskKind::Send || kind == TaskKind::Receive)
            moved->peer[i] += graph.peerIsRelative ? 0 : static_cast<std::int32_t>(first);
        else
            moved->family[i] += firstFamily;
    }
    return moved;
}

} // namespace

Result<WorkloadPtr> joinJobs(const std::vector<WorkloadPtr>& parts, const std::vector<Placement::Job>& jobs)
{
    std::int64_t ranks = 0;
    for (const WorkloadPtr& part : parts)
        ranks += part->rankCount;
    auto joined = std::make_shared<Workload>();
    joined->rankCount = static_cast<std::int32_t>(ranks);
    joined->families.push_back(GroupFamily::world(ranks));
    joined->graphOfRank.reserve(static_cast<std::size_t>(ranks));
    std::int64_t first = 0;
    for (std::size_t j = 0; j < parts.size(); ++j) {
        const Workload& part = *parts[j];
        const std::string job = jobs[j].name.empty() ? "job " + std::to_string(j) : jobs[j].name;
        const auto firstFamily = static_cast<FamilyId>(joined->families.size());
        for (const GroupFamily& family : part.families) {
            auto moved = movedFamily(family, job + "." + (family.isWorld() ? std::string("world") : family.name()), first, ranks);
            if (!moved)
                return std::move(moved).error();
            joined->families.push_back(std::move(moved).value());
        }
        const auto firstGraph = static_cast<std::int32_t>(joined->graphs.size());
        for (const auto& graph : part.graphs)
            joined->graphs.push_back(movedGraph(*graph, firstFamily, first));
        for (std::int32_t rank = 0; rank < part.rankCount; ++rank)
            joined->graphOfRank.push_back(firstGraph + (part.graphOfRank.empty() ? 0 : part.graphOfRank[at(rank)]));
        joined->source += (j == 0 ? "" : "; ") + job + ": " + part.source;
        first += part.rankCount;
    }
    return WorkloadPtr(std::move(joined));
}

Result<Design> onlyJob(const Design& design, const std::string& name)
{
    const auto* several = design.workload ? std::get_if<JobsWorkload>(design.workload.get()) : nullptr;
    if (!several)
        return invalidInput("the design has no workload.jobs", {}, "a design with several jobs");
    std::string names;
    for (std::size_t j = 0; j < several->jobs.size() && j < design.jobs.size(); ++j) {
        const std::string number = std::to_string(j);
        if (name == design.jobs[j].name || name == number) {
            Design alone = design;
            alone.jobs = {design.jobs[j]};
            JobsWorkload one;
            one.jobs.push_back(several->jobs[j]);
            alone.workload = std::make_shared<const WorkloadSpec>(std::move(one));
            return alone;
        }
        names += (names.empty() ? "" : ", ") + (design.jobs[j].name.empty() ? number : design.jobs[j].name);
    }
    return invalidInput("there is no job \"" + name + "\"", {}, names);
}

} // namespace fabricscope
