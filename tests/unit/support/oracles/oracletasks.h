#pragma once

#include "core/scenario/scenario.h"
#include "core/scenario/taskscheduling.h"

#include <cstdint>

namespace fabricscope::test {

/// What a task needs and how long it takes, worked out anew for every question.
class OracleTasks {
public:
    explicit OracleTasks(const Scenario& scenario) : m_structure(*scenario.structure), m_params(*scenario.params), m_workload(*m_structure.workload) {}

    TaskScheduling scheduling() const;
    /// Slot of a task: 0 compute, 1 host, 2 remote memory, 3 communication (where its units are limited); -1: none.
    int slotOf(const RankGraph& graph, TaskIndex task) const;
    std::int32_t priorityOf(std::int32_t rank, TaskIndex task) const;
    /// In ps.
    std::int64_t durationOf(std::int32_t rank, TaskIndex task) const;

private:
    const Structure& m_structure;
    const Params& m_params;
    const Workload& m_workload;
};

} // namespace fabricscope::test
