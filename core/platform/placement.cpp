#include "core/platform/placement.h"

#include "core/base/index.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace fabricscope {

namespace {

Error jobError(std::size_t job, const char* key, std::string message, std::string expected)
{
    Place place;
    place.field = "jobs[" + std::to_string(job) + "]." + key;
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

} // namespace

Placement Placement::identity(std::int32_t ranks)
{
    Placement placement;
    Job job;
    job.ranks = ranks;
    placement.m_jobs.push_back(std::move(job));
    placement.m_firstRank.push_back(0);
    placement.m_rankCount = ranks;
    return placement;
}

Result<Placement> Placement::create(std::vector<Job> jobs, std::int32_t npus)
{
    Placement placement;
    std::vector<bool> used(at(npus), false);
    std::int64_t total = 0;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        const Job& job = jobs[j];
        if (job.ranks < 1 || job.ranks > npus)
            return jobError(j, "ranks", std::to_string(job.ranks) + " ranks on a platform of " + std::to_string(npus) + " NPUs",
                            "1 to " + std::to_string(npus));
        if (!job.nodes.empty() && at(job.ranks) != job.nodes.size())
            return jobError(j, "nodes", std::to_string(job.nodes.size()) + " nodes for " + std::to_string(job.ranks) + " ranks", "one node per rank");
        placement.m_firstRank.push_back(static_cast<std::int32_t>(total));
        for (std::int32_t r = 0; r < job.ranks; ++r) {
            const std::int64_t node = job.nodes.empty() ? job.firstNode + std::int64_t{r} * job.stride : job.nodes[at(r)];
            const char* key = job.nodes.empty() ? "first_node" : "nodes";
            if (node < 0 || node >= npus)
                return jobError(j, key, "rank " + std::to_string(r) + " is on node " + std::to_string(node) + ", which is not an NPU",
                                "0 to " + std::to_string(npus - 1));
            if (used[at(node)])
                return jobError(j, key, "node " + std::to_string(node) + " is used twice", "one rank per node");
            used[at(node)] = true;
            placement.m_identity = placement.m_identity && node == total + r;
        }
        total += job.ranks;
    }
    placement.m_rankCount = static_cast<std::int32_t>(total); // each rank has a node of its own, so total <= npus
    placement.m_jobs = std::move(jobs);
    return placement;
}

Placement Placement::onRemaining(const Platform& platform, std::int32_t ranks)
{
    Placement placement = identity(ranks);
    if (platform.remainingNpus() == platform.npuCount())
        return placement;
    std::vector<NodeId>& nodes = placement.m_jobs.front().nodes;
    for (NodeId node = 0; node < platform.npuCount() && nodes.size() < at(ranks); ++node) {
        if (platform.isNpuRemoved(node))
            continue;
        placement.m_identity = placement.m_identity && at(node) == nodes.size();
        nodes.push_back(node);
    }
    if (placement.m_identity)
        nodes.clear();
    return placement;
}

Result<Placement> Placement::create(std::vector<Job> jobs, const Platform& platform)
{
    auto placement = create(std::move(jobs), platform.npuCount());
    if (!placement || platform.remainingNpus() == platform.npuCount())
        return placement;
    const Placement& made = placement.value();
    for (std::int32_t rank = 0; rank < made.rankCount(); ++rank) {
        const auto j = at(made.jobOf(rank));
        const NodeId node = made.nodeOf(rank);
        if (platform.isNpuRemoved(node)) {
            return jobError(j, made.jobs()[j].nodes.empty() ? "first_node" : "nodes",
                            "rank " + std::to_string(rank - made.m_firstRank[j]) + " is on NPU " + std::to_string(node) + ", which is removed",
                            "NPUs that are left");
        }
    }
    return placement;
}

std::int32_t Placement::jobOf(std::int32_t rank) const
{
    assert(rank >= 0 && rank < m_rankCount);
    return static_cast<std::int32_t>(std::upper_bound(m_firstRank.begin(), m_firstRank.end(), rank) - m_firstRank.begin()) - 1;
}

NodeId Placement::nodeOf(std::int32_t rank) const
{
    if (m_identity)
        return rank;
    const std::size_t j = at(jobOf(rank));
    const Job& job = m_jobs[j];
    const std::int32_t local = rank - m_firstRank[j];
    return job.nodes.empty() ? job.firstNode + local * job.stride : job.nodes[at(local)];
}

} // namespace fabricscope
