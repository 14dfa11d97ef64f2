#include "core/workload/tracetensors.h"

#include "core/base/stop.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>

namespace fabricscope {

namespace {

constexpr std::int64_t kLargestBytes = std::int64_t{1} << 56;

struct Found {
    TaskIndex producer = -1;
    bool taken = false;
    std::int64_t bytes = 0;
    std::vector<TaskIndex> users;
};

using Tensors = std::map<std::string, Found>;

Error badList(const TraceSet& traces, std::int64_t rank, std::uint32_t node, const char* field)
{
    Place place = traces.place(rank, node);
    place.field = field;
    return invalidInput("the list of tensors is no list of pairs", std::move(place), "name, size in bytes, name, size, ...");
}

std::optional<std::int64_t> sizeOf(const std::string& text)
{
    std::int64_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (error != std::errc{} || end != text.data() + text.size() || bytes < 0 || bytes > kLargestBytes)
        return std::nullopt;
    return bytes;
}

/// False when the list is malformed.
bool take(const std::vector<std::string>& list, TaskIndex task, bool puts, Tensors& tensors)
{
    if (list.size() % 2 != 0)
        return false;
    for (std::size_t i = 0; i < list.size(); i += 2) {
        const auto bytes = sizeOf(list[i + 1]);
        if (!bytes)
            return false;
        Found& tensor = tensors[list[i]];
        tensor.bytes = std::max(tensor.bytes, *bytes);
        if (puts && tensor.producer < 0)
            tensor.producer = task;
        else
            tensor.users.push_back(task);
        tensor.taken = tensor.taken || !puts;
    }
    return true;
}

} // namespace

Status addTraceTensors(const TraceSet& traces, std::int64_t rank, const std::vector<std::uint32_t>& nodeOfTask, RankGraph& graph,
                       const std::stop_token& stop)
{
    Tensors tensors;
    for (std::size_t task = 0; task < nodeOfTask.size(); ++task) {
        checkStop(stop);
        auto node = traces.node(rank, nodeOfTask[task]);
        if (!node)
            return std::move(node).error();
        for (const auto& [name, puts] : {std::pair("inputs", false), {"outputs", true}}) {
            for (const EtAttribute& attribute : node.value().attributes) {
                if (attribute.name == name && isTextKind(attribute.kind) && !take(attribute.strings, static_cast<TaskIndex>(task), puts, tensors))
                    return badList(traces, rank, nodeOfTask[task], name);
            }
        }
    }
    std::vector<const Tensors::value_type*> order;
    for (const auto& entry : tensors) {
        if (entry.second.bytes > 0)
            order.push_back(&entry);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->second.producer < b->second.producer; });
    for (const auto* entry : order) {
        checkStop(stop);
        const Found& tensor = entry->second;
        if (tensor.taken) {
            graph.tensorUsers.insert(graph.tensorUsers.end(), tensor.users.begin(), tensor.users.end());
            if (tensor.producer >= 0)
                graph.tensorUsers.push_back(tensor.producer);
        }
        graph.tensorNames += entry->first;
        RankGraph::Tensor added;
        added.producer = tensor.producer;
        added.bytes = tensor.bytes;
        added.usersEnd = static_cast<std::uint32_t>(graph.tensorUsers.size());
        added.nameEnd = static_cast<std::uint32_t>(graph.tensorNames.size());
        graph.tensors.push_back(added);
    }
    return {};
}

} // namespace fabricscope
