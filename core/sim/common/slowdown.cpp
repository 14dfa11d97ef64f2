#include "core/sim/common/slowdown.h"

namespace fabricscope {

std::int64_t Slowdown::endOf(const Running& running, std::int32_t collectives) const
{
    const Wide operations = pace(m_params.smShare, collectives);
    const Wide bytes = pace(m_params.bandwidthShare, collectives);
    const Wide left = std::max((running.operations + operations - 1) / operations, (running.bytes + bytes - 1) / bytes);
    const Wide longest = INT64_MAX / 2 - running.since; // a time no run can reach
    return running.since + static_cast<std::int64_t>(std::min(left, std::max<Wide>(longest, 0)));
}

std::int64_t Slowdown::begin(std::int32_t rank, TaskIndex task, const ComputeWork& work, std::int64_t now)
{
    Rank& at = m_ranks[static_cast<std::size_t>(rank)];
    Running running;
    running.task = task;
    running.since = now;
    running.operations = Wide{work.operationsPs} * kMillion;
    running.bytes = Wide{work.bytesPs} * kMillion;
    running.end = endOf(running, at.collectives);
    at.running.push_back(running);
    return running.end;
}

void Slowdown::collectives(std::int32_t rank, std::int32_t by, std::int64_t now, std::vector<End>& moved)
{
    Rank& at = m_ranks[static_cast<std::size_t>(rank)];
    const Wide operations = pace(m_params.smShare, at.collectives);
    const Wide bytes = pace(m_params.bandwidthShare, at.collectives);
    at.collectives += by;
    for (Running& running : at.running) {
        const Wide passed = now - running.since;
        running.operations = std::max<Wide>(running.operations - passed * operations, 0);
        running.bytes = std::max<Wide>(running.bytes - passed * bytes, 0);
        running.since = now;
        const std::int64_t end = endOf(running, at.collectives);
        if (end == running.end)
            continue;
        running.end = end;
        moved.emplace_back(running.task, end);
    }
}

bool Slowdown::ends(std::int32_t rank, TaskIndex task, std::int64_t now)
{
    std::vector<Running>& running = m_ranks[static_cast<std::size_t>(rank)].running;
    const auto found = std::find_if(running.begin(), running.end(), [&](const Running& entry) { return entry.task == task; });
    if (found == running.end() || found->end != now)
        return false;
    running.erase(found);
    return true;
}

std::int64_t Slowdown::reducerRate(std::int64_t rate) const
{
    return rate <= 0 ? rate : std::max<std::int64_t>(static_cast<std::int64_t>(Wide{rate} * (kMillion - m_params.reducerLoss) / kMillion), 1);
}

} // namespace fabricscope
