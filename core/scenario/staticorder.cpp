#include "core/scenario/staticorder.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <queue>

namespace fabricscope {

StaticOrder staticOrder(const RankGraph& graph, std::size_t families, const std::stop_token& stop)
{
    const auto count = static_cast<std::size_t>(graph.size());
    StaticOrder order;
    order.collectives.resize(families);
    order.ordinal.assign(count, -1);

    std::vector<std::uint32_t> childBegin(count + 1, 0);
    for (const TaskIndex parent : graph.depends) {
        checkStop(stop);
        ++childBegin[static_cast<std::size_t>(parent) + 1];
    }
    for (std::size_t i = 0; i < count; ++i)
        childBegin[i + 1] += childBegin[i];
    std::vector<TaskIndex> children(graph.depends.size());
    std::vector<std::uint32_t> fill(childBegin.begin(), childBegin.end() - 1);
    std::vector<std::uint32_t> open(count);
    std::priority_queue<TaskIndex, std::vector<TaskIndex>, std::greater<>> ready; // tasks are in ascending source id
    for (std::size_t i = 0; i < count; ++i) {
        checkStop(stop);
        const auto parents = graph.dependencies(static_cast<TaskIndex>(i));
        for (const TaskIndex parent : parents) {
            checkStop(stop);
            children[fill[at(parent)]++] = static_cast<TaskIndex>(i);
        }
        open[i] = static_cast<std::uint32_t>(parents.size());
        if (open[i] == 0)
            ready.push(static_cast<TaskIndex>(i));
    }
    while (!ready.empty()) {
        const auto task = static_cast<std::size_t>(ready.top());
        checkStop(stop);
        ready.pop();
        if (graph.kind[task] == TaskKind::Collective) {
            auto& list = order.collectives[at(graph.family[task])];
            order.ordinal[task] = static_cast<std::int32_t>(list.size());
            list.push_back(static_cast<TaskIndex>(task));
        }
        for (std::uint32_t c = childBegin[task]; c < childBegin[task + 1]; ++c) {
            checkStop(stop);
            if (--open[at(children[c])] == 0)
                ready.push(children[c]);
        }
    }
    return order;
}

} // namespace fabricscope
