#pragma once

#include "core/workload/taskgraph.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Writes the columns of a RankGraph, one task after the other.
class TaskWriter {
public:
    /// What a task costs.
    struct Cost {
        std::int64_t durationPs = -1; ///< -1: from operations and bytes.
        std::int64_t operations = 0;
        std::int64_t bytes = 0;
        bool roofline = false;        ///< `operations` and `bytes` are known.
    };

    TaskWriter();

    TaskIndex compute(std::string_view name, const Cost& cost, const std::vector<TaskIndex>& after);
    /// On the slot of the host.
    TaskIndex host(std::string_view name, std::int64_t durationPs, const std::vector<TaskIndex>& after);
    /// `bytes`: the large side.
    TaskIndex collective(std::string_view name, CollectiveOp op, std::int64_t bytes, FamilyId family, const std::vector<TaskIndex>& after);
    /// `peer`: the difference to the rank.
    TaskIndex message(TaskKind kind, std::string_view name, std::int64_t bytes, std::int32_t peer, std::uint32_t tag, const std::vector<TaskIndex>& after);

    TaskIndex size() const { return m_graph.size(); }
    /// Peers are relative.
    RankGraph take() { return std::move(m_graph); }

private:
    TaskIndex add(TaskKind kind, std::string_view name, const std::vector<TaskIndex>& after);

    RankGraph m_graph;
    std::vector<TaskIndex> m_sorted; ///< Dependencies of the task at hand.
};

} // namespace fabricscope
