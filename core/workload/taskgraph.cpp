#include "core/workload/taskgraph.h"

namespace fabricscope {

std::string_view RankGraph::name(TaskIndex task) const
{
    const auto index = static_cast<std::size_t>(task);
    const std::uint32_t begin = index == 0 ? 0 : nameEnd[index - 1];
    return std::string_view(names).substr(begin, nameEnd[index] - begin);
}

std::span<const TaskIndex> RankGraph::dependencies(TaskIndex task) const
{
    const auto index = static_cast<std::size_t>(task);
    return {depends.data() + dependBegin[index], dependBegin[index + 1] - dependBegin[index]};
}

std::int64_t Workload::taskCount() const
{
    if (graphOfRank.empty())
        return graphs.empty() ? 0 : std::int64_t{graphs[0]->size()} * rankCount;
    std::int64_t count = 0;
    for (const std::int32_t index : graphOfRank)
        count += graphs[static_cast<std::size_t>(index)]->size();
    return count;
}

} // namespace fabricscope
