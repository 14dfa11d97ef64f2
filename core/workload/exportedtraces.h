#pragma once

#include "core/base/result.h"
#include "core/trace/etnode.h"
#include "core/workload/taskgraph.h"

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

class OutputFiles;

/// When the tasks of a rank were issued and when they ended in a run, in ps, by task; -1: never.
struct TaskMoments {
    std::span<const std::int64_t> issuePs;
    std::span<const std::int64_t> endPs;
};

/// A workload as Chakra traces, one file per rank, and its communicator groups, as workloadFromTraces() reads them back (manual: pipelines 5).
///
/// | task | node |
/// |---|---|
/// | computation | COMP: duration_micros, or num_ops and tensor_size |
/// | send, receive | COMM_SEND, COMM_RECV: comm_dst or comm_src, comm_tag, comm_size |
/// | collective | COMM_COLL: comm_type, comm_size (of all-gathers and gathers one member's part), pg_name except among all ranks |
/// | load, store | MEM_LOAD, MEM_STORE: tensor_size |
///
/// Nodes have the numbers of their tasks; data_deps are their dependencies. With the moments of a run each that was issued has start_time_micros, rounded down, and start_ps; each
/// that ended duration_micros, rounded to the nearest (not to 0), and duration_ps; no other has a duration.
class ExportedTraces {
public:
    static constexpr std::int64_t kMostNodes = 200'000'000; ///< Of all ranks; more are refused.

    /// `moments`: by rank; empty: there is no run. \pre the workload and the moments outlive it
    explicit ExportedTraces(const Workload& workload, std::vector<TaskMoments> moments = {});

    /// Nodes of a rank, ascending ids. O(tasks of the rank).
    std::vector<EtNode> nodesOf(std::int32_t rank) const;
    /// {"1": [0, 1], "2": [2, 3]}: every group that a collective uses; empty: none does. O(members).
    std::string groupsText() const;
    /// What the traces do not keep: without a run durations that are no whole microseconds (rounded, not to 0); parts of an all-gather that do not divide its size (rounded up),
    /// tensors, priorities, unequal shares, gathered loads; tasks that never ended. O(tasks of the distinct ranks), with a run O(tasks).
    Diagnostics notes() const;
    /// Writes PREFIX.0.et, PREFIX.1.et, ... Each appears whole or not at all. Errors: NotWritable, Cancelled, InvalidInput (too many nodes).
    Status write(const std::string& prefix, OutputFiles* files, const std::stop_token& stop) const;

private:
    EtNode nodeOf(const RankGraph& graph, TaskIndex task, std::int32_t rank) const;
    void describeCollective(const RankGraph& graph, TaskIndex task, std::int32_t rank, EtNode& node) const;

    void addMoments(TaskIndex task, std::int32_t rank, EtNode& node) const;
    std::int64_t neverEnded() const;

    const Workload& m_workload;
    std::vector<TaskMoments> m_moments;
    std::vector<std::int64_t> m_firstGroup; ///< By family: the name of its first group; 0: all ranks, or unused.
};

} // namespace fabricscope
