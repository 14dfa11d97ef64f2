#pragma once

#include "core/sim/simulate.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope::test {

/// "Ring(4)_Switch(8)" with the link bandwidths of an ASTRA-sim file ("50" is 50 GiB/s) and latencies in ns.
PlatformSpec astraPlatform(const std::string& topology, const std::vector<double>& bandwidths, const std::vector<double>& latencies);

/// A program of phases over the given axes: all-reduce RS up and AG down, all-gather down, the others up.
ProgramPtr templateProgram(CollectiveOp op, const std::vector<std::int32_t>& axes, const std::vector<Algorithm>& algorithms, std::int32_t chunks = 1,
                           std::int32_t window = 0, std::int32_t directWindow = 0);

/// Builds scenarios for `links` and `ideal` in memory, without a design: tasks of every rank, programs per collective.
class LinksScenario {
public:
    explicit LinksScenario(PlatformSpec platform);

    // Parameters; the reducer defaults to none.
    Model model = Model::Links;
    std::optional<std::int64_t> reducerRate; ///< Bytes/s.
    std::optional<std::int64_t> injection;
    std::optional<std::int64_t> ejection;
    std::int64_t endpointDelayPs = 0;
    std::int64_t pieceBytes = 256 * 1024;
    bool rendezvous = false;
    RemoteMemory remoteMemory;
    std::vector<Placement::Job> jobs;        ///< Empty: rank r on node r.

    using Tasks = std::vector<TaskIndex>;
    /// Adds a family of listed groups; position i of a group is its i-th rank. Family 0 is the world.
    FamilyId addFamily(std::vector<std::vector<std::int64_t>> groups);
    TaskIndex compute(std::int32_t rank, std::int64_t ps, const Tasks& after = {}, bool host = false);
    TaskIndex load(std::int32_t rank, std::int64_t bytes, const Tasks& after = {});
    TaskIndex send(std::int32_t rank, std::int32_t peer, std::int64_t bytes, std::uint32_t tag = 0, const Tasks& after = {});
    TaskIndex receive(std::int32_t rank, std::int32_t peer, std::int64_t bytes, std::uint32_t tag = 0, const Tasks& after = {});
    /// The n-th collective a rank issues in a group is the n-th of the others. `axes`: extents of the program's positions.
    TaskIndex collective(std::int32_t rank, FamilyId family, std::int64_t bytes, ProgramPtr program, const std::vector<std::int32_t>& axes,
                         const Tasks& after = {});
    /// The same collective by all ranks over the dimensions of the platform that are larger than 1.
    void collectiveByAll(CollectiveOp op, std::int64_t bytes, const std::vector<Algorithm>& algorithms, std::int32_t chunks = 1, std::int32_t window = 0);

    Scenario build() const;
    const Platform& platform() const { return m_platform; }

private:
    struct Task {
        TaskKind kind = TaskKind::Compute;
        std::uint8_t flags = 0;
        std::int64_t ps = -1;
        std::int64_t bytes = 0;
        std::int32_t peer = 0;
        std::uint32_t tag = 0;
        FamilyId family = 0;
        std::int32_t ordinal = -1;
        CollectiveOp op = CollectiveOp::AllReduce;
        Tasks after;
    };
    struct Planned {
        ProgramPtr program;
        std::int64_t bytes = 0;
        std::vector<std::int32_t> axes;
    };
    TaskIndex add(std::int32_t rank, Task task);

    Platform m_platform;
    std::vector<GroupFamily> m_families;
    std::vector<std::vector<Task>> m_tasks;
    std::map<std::pair<FamilyId, std::int64_t>, std::vector<Planned>> m_collectives;
    std::map<std::pair<std::int32_t, FamilyId>, std::int32_t> m_issued;
};

/// Runs and keeps every message; fails the process on an error of the engine.
struct LinksRun {
    RunRecord record;
    std::vector<MessageRecord> messages;
};
LinksRun runLinks(const Scenario& scenario);

} // namespace fabricscope::test
