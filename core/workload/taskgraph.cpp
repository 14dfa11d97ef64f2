#include "core/workload/taskgraph.h"

#include "core/base/index.h"

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

std::string_view RankGraph::tensorName(std::size_t tensor) const
{
    const std::uint32_t begin = tensor == 0 ? 0 : tensors[tensor - 1].nameEnd;
    if (tensors[tensor].nameEnd > begin)
        return std::string_view(tensorNames).substr(begin, tensors[tensor].nameEnd - begin);
    return tensors[tensor].producer < 0 ? std::string_view() : name(tensors[tensor].producer);
}

std::span<const TaskIndex> RankGraph::users(std::size_t tensor) const
{
    const std::uint32_t begin = tensor == 0 ? 0 : tensors[tensor - 1].usersEnd;
    return {tensorUsers.data() + begin, tensors[tensor].usersEnd - begin};
}

std::int64_t Workload::taskCount() const
{
    if (graphOfRank.empty())
        return graphs.empty() ? 0 : std::int64_t{graphs[0]->size()} * rankCount;
    std::int64_t count = 0;
    for (const std::int32_t index : graphOfRank)
        count += graphs[at(index)]->size();
    return count;
}

} // namespace fabricscope
