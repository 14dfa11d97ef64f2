#include "core/sim/events/enginestate.h"

#include "core/base/stop.h"
#include "core/sim/common/runpace.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fabricscope::events {

EngineState::EngineState(const Scenario& scenario_, const RunOptions& options_, Engine& engine)
    : Setting(scenario_, options_)
    , tasks(*this, agenda, halt, engine)
    , routes(structure, costs)
    , plans(structure)
{
}

Status EngineState::build(const std::stop_token& stop)
{
    return untilStopped([&]() -> Status {
        const std::int64_t bytesOfEndpoints = (routes.isFolded() ? 1 : std::int64_t{structure.platform.npuCount()}) * static_cast<std::int64_t>(sizeof(Endpoint));
        if (Status status = tasks.build(bytesOfEndpoints, stop); !status)
            return status;
        makeGroups();
        if (endpoints.empty())
            makeEndpoints();
        busy.resize(structure.platform.isExplicit() ? 1 : structure.platform.dimensions().size());
        return {};
    });
}

void EngineState::makeGroups()
{
    runOfInstance.assign(structure.instances.size(), kNone);
    std::int32_t groupCount = 0;
    for (const GroupFamily& family : workload.families) {
        groupBase.push_back(groupCount);
        groupCount += static_cast<std::int32_t>(family.groupCount());
        progress.emplace_back(static_cast<std::size_t>(workload.rankCount), 0);
        if (scheduling && scheduling->streams > 1)
            begunByRank.emplace_back(static_cast<std::size_t>(workload.rankCount), 0);
    }
    groups.resize(static_cast<std::size_t>(groupCount));
}

void EngineState::makeEndpoints()
{
    endpoints.resize(routes.isFolded() ? 1 : static_cast<std::size_t>(structure.platform.npuCount()));
    const std::int64_t rate = params.reducerRate ? params.reducerRate->bytesPerSecond : 0;
    for (Endpoint& endpoint : endpoints)
        endpoint.reducerRate = rate;
    for (const NpuOverride& entry : structure.platform.spec().npuOverrides) {
        if (entry.memoryBandwidth)
            endpoints[static_cast<std::size_t>(entry.node)].reducerRate = toBandwidth(*entry.memoryBandwidth).bytesPerSecond;
    }
}

std::int64_t EngineState::memoryBytes() const
{
    return tasks.bytes() + runBytes + static_cast<std::int64_t>(links.capacity() * sizeof(Link) + endpoints.size() * sizeof(Endpoint));
}

void EngineState::addLinks()
{
    const std::vector<LinkId>& ids = routes.linkIds();
    for (std::size_t number = links.size(); number < ids.size(); ++number) {
        Link link;
        link.resource = structure.classOf(ids[number]);
        link.latency = costs.latency(link.resource);
        link.dimension = structure.platform.isExplicit() ? 0 : structure.platform.linkInfo(ids[number]).dimension;
        if (const Transfers::LinkNow* const now = transfers ? transfers->now(ids[number]) : nullptr)
            change(link, ids[number], *now);
        links.push_back(link);
    }
}

void EngineState::change(Link& link, LinkId id, const Transfers::LinkNow& now)
{
    link.resource = now.resource.value_or(structure.classOf(id));
    link.down = now.failures > 0;
}

std::int64_t EngineState::reduction(const Endpoint& endpoint, std::int64_t bytes, std::int32_t k) const
{
    if (endpoint.reducerRate <= 0)
        return 0;
    constexpr std::int64_t kNarrow = INT64_MAX / kPsPerSecond; // Below this the product fits in 63 bits.
    if (k == 1 && bytes < kNarrow / 3)
        return (bytes * 3 * kPsPerSecond + endpoint.reducerRate - 1) / endpoint.reducerRate;
    __extension__ using Wide = __int128;
    const Wide rate = Wide{k} * endpoint.reducerRate;
    return static_cast<std::int64_t>((Wide{bytes} * (k + 2) * kPsPerSecond + rate - 1) / rate);
}

} // namespace fabricscope::events
