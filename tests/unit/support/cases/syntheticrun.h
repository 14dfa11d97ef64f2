#pragma once

#include "core/record/runrecord.h"
#include "core/workload/taskgraph.h"

#include <cstdint>

namespace fabricscope::test {

/// A record with its workload, made up: for views and their tests, not a result of an engine.
struct SyntheticRun {
    RunRecordPtr record;
    WorkloadPtr workload;
};

/// Adds tasks with given times to a rank graph, column by column.
class RunBuilder {
public:
    TaskIndex compute(std::string_view name, std::int64_t beginPs, std::int64_t endPs, bool host = false);
    TaskIndex memory(std::string_view name, std::int64_t bytes, std::int64_t beginPs, std::int64_t endPs);
    TaskIndex collective(std::string_view name, CollectiveOp op, FamilyId family, std::int64_t bytes, std::int64_t issuePs, std::int64_t endPs);
    TaskIndex send(std::string_view name, std::int32_t peer, std::int64_t bytes, std::int64_t beginPs, std::int64_t endPs);
    TaskIndex receive(std::string_view name, std::int32_t peer, std::int64_t bytes, std::int64_t beginPs, std::int64_t endPs);
    std::shared_ptr<const RankGraph> graph() const { return m_graph; }
    std::shared_ptr<const TaskTimes> times() const { return m_times; }
    std::int64_t lastEnd() const { return m_lastEnd; }

private:
    TaskIndex add(TaskKind kind, std::string_view name, std::int64_t bytes, std::int64_t beginPs, std::int64_t endPs);

    std::shared_ptr<RankGraph> m_graph = std::make_shared<RankGraph>();
    std::shared_ptr<TaskTimes> m_times = std::make_shared<TaskTimes>();
    std::int64_t m_lastEnd = 0;
};

/// One class of all ranks with these tasks.
SyntheticRun oneClass(const RunBuilder& builder, std::int32_t ranks = 4);

/// FullyConnected(8) x Ring(4) x Switch(4), four transformer layers, tensor parallel 8, data parallel 16, one slow link
/// (37 -> D2 switch): three rank classes, three dimensions and the odd link.
SyntheticRun trainingStep(bool slowLink = true);

/// `intervals` intervals in `classes` classes: compute with collectives between, lengths spread over four decades. Deterministic.
SyntheticRun manyIntervals(std::int64_t intervals, std::int32_t classes);

} // namespace fabricscope::test
