#pragma once

#include "core/sim/simulate.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope::test {

/// Builds the tasks of one rank. Ids count from 1 in the order of the calls; `after` names tasks by what the calls returned.
class RankTasks {
public:
    using After = std::vector<TaskIndex>;

    TaskIndex compute(std::int64_t micros, After after = {});                                  ///< duration_micros.
    /// num_ops, tensor_size; duration_micros counts without roofline.
    TaskIndex operations(std::int64_t operations, std::int64_t bytes, After after = {}, std::int64_t micros = 0);
    TaskIndex host(std::int64_t micros, After after = {});                                     ///< is_cpu_op.
    /// `commSize` as in the trace: of an all-gather one rank's shard, `members` ranks.
    TaskIndex collective(CollectiveOp op, std::int64_t commSize, std::int32_t members, After after = {}, FamilyId family = 0);
    TaskIndex broadcast(std::int64_t bytes, std::int64_t micros, After after = {});
    TaskIndex send(std::int32_t to, std::int64_t bytes, std::uint32_t tag = 0, After after = {});
    TaskIndex receive(std::int32_t from, std::int64_t bytes, std::uint32_t tag = 0, After after = {});
    TaskIndex memory(TaskKind kind, std::int64_t bytes, After after = {});
    TaskIndex nothing(TaskKind kind, After after = {});                                        ///< METADATA or INVALID.
    void setInvolved(TaskIndex task, std::uint32_t mask);
    void setHost(TaskIndex task);

    std::shared_ptr<const RankGraph> graph() const { return std::make_shared<const RankGraph>(m_graph); }

private:
    TaskIndex add(TaskKind kind, const After& after);
    RankGraph m_graph;
};

/// A scenario for astra-* put together in memory, with the defaults of the golden runs: endpoint-delay 10, one chunk, one active,
/// one queue, local-mem-bw 50, baseline.
struct AstraCase {
    /// "Ring(4) x Switch(2)"; one bandwidth (GiB/s) and latency (ns) per dimension, separated by |.
    AstraCase(const std::string& topology, const std::string& bandwidth, const std::string& latency);

    Model model = Model::AstraUnaware;
    PlatformSpec platform;
    AstraSystem system;
    RemoteMemory memory;
    std::vector<std::vector<std::int64_t>> groups;  ///< Families 1, 2, ...
    std::vector<RankTasks> ranks;                   ///< One: the same for all ranks.
    std::vector<std::pair<std::string, ProgramPtr>> customPrograms;

    std::int32_t npus() const;
    /// "ring|direct4|oneRing" for one collective, or for all.
    void use(CollectiveOp op, const std::string& algorithms);
    void useForAll(const std::string& algorithms);
    /// All ranks run one collective.
    void runCollective(CollectiveOp op, std::int64_t commSize);
    Scenario scenario() const;
    Result<RunRecord> run(const RunOptions& options = {}, std::stop_token stop = {}) const;
};

/// "ALL_REDUCE" or "all_reduce".
CollectiveOp collectiveNamed(const std::string& name);
std::vector<std::string> splitText(const std::string& text, char separator);
/// The rows of a golden CSV file as lists of cells, without its header; comment lines start with #.
std::vector<std::vector<std::string>> csvRows(const std::string& name);

/// Finish of every rank in ns; -1 for a rank that did not finish.
std::vector<std::int64_t> finishPerRank(const RunRecord& record);
/// The times of one rank.
RankTimes timesOf(const RunRecord& record, std::int32_t rank);
bool hasWarning(const RunRecord& record, const std::string& rule);

} // namespace fabricscope::test
