#include "tests/unit/support/cases/goldencase.h"

#include "core/base/index.h"

#include <nlohmann/json.hpp>

#include <set>

namespace fabricscope::test {

namespace {

template <typename T>
std::string joined(const nlohmann::json& list)
{
    std::string text;
    for (const auto& item : list) {
        if (!text.empty())
            text += '|';
        if constexpr (std::is_same_v<T, std::string>)
            text += item.template get<std::string>();
        else
            text += std::to_string(item.template get<T>());
    }
    return text;
}

} // namespace

AstraCase goldenCase(const nlohmann::json& row)
{
    std::string topology;
    for (std::size_t k = 0; k < row["topology"].size(); ++k)
        topology += (k > 0 ? " x " : "") + row["topology"][k].get<std::string>() + '(' + std::to_string(row["npus_count"][k].get<int>()) + ')';
    AstraCase run(topology, joined<double>(row["bandwidth"]), joined<double>(row["latency"]));
    run.model = row["backend"] == "congestion_aware" ? Model::AstraAware : Model::AstraUnaware;
    run.useForAll(joined<std::string>(row["implementation"]));
    run.system.splits = row["preferred_dataset_splits"];
    run.system.activeChunks = row["active_chunks_per_dimension"];
    run.system.queuesPerDimension = row["num_queues_per_dim"];
    run.system.localBandwidthAware = row["collective_optimization"] == "localBWAware";
    run.system.endpointDelayNs = row["endpoint_delay"];
    run.system.localMemoryGBps = row["local_mem_bw"];
    const CollectiveOp op = collectiveNamed(row["collective"]);
    const std::int64_t size = row["comm_size"];

    std::set<std::int64_t> members;
    if (row.contains("group")) {
        run.groups.push_back(row["group"].get<std::vector<std::int64_t>>());
        members.insert(run.groups.back().begin(), run.groups.back().end());
    }
    for (std::int32_t rank = 0; rank < run.npus(); ++rank) {
        RankTasks tasks;
        RankTasks::After after;
        if (row.contains("start_ns_per_rank"))
            after = {tasks.compute(row["start_ns_per_rank"][at(rank)].get<std::int64_t>() / 1000)};
        if (members.empty() || members.contains(rank)) {
            const auto count = members.empty() ? run.npus() : static_cast<std::int32_t>(members.size());
            const TaskIndex task = tasks.collective(op, size, count, after, members.empty() ? 0 : 1);
            if (row.contains("involved_dim")) {
                std::uint32_t mask = 0;
                for (std::size_t k = 0; k < row["involved_dim"].size(); ++k)
                    mask |= row["involved_dim"][k].get<bool>() ? 1U << k : 0U;
                tasks.setInvolved(task, mask);
            }
        }
        run.ranks.push_back(tasks);
    }
    return run;
}

} // namespace fabricscope::test
