#pragma once

#include "core/base/index.h"
#include "core/base/rankset.h"
#include "core/base/units.h"
#include "core/program/program.h"
#include "core/workload/groups.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

enum class TaskKind : std::uint8_t {
    Compute,     ///< On the NPU's compute slot, or the host's with TaskFlag::Host.
    MemoryLoad,  ///< From remote memory.
    MemoryStore,
    Send,
    Receive,
    Collective,
    Metadata,    ///< Takes no time.
    Invalid      ///< A node of type INVALID; takes no time, reported.
};

namespace TaskFlag {
constexpr std::uint8_t kHost = 1;          ///< is_cpu_op: runs on the host's slot.
constexpr std::uint8_t kHasOperations = 2; ///< `operations` was given (it may be 0).
constexpr std::uint8_t kHasBytes = 4;      ///< `bytes` was given.
constexpr std::uint8_t kInvolvedGiven = 8; ///< `involved` was given.
constexpr std::uint8_t kGather = 16;       ///< MemoryLoad: gathered by the group of `family`; `bytes` is the whole of all shards.
} // namespace TaskFlag

using TaskIndex = std::int32_t;

/// The tasks of one rank as columns; shared by every rank whose tasks are the same. Immutable once built.
/// Peers are stored relative to the rank where that lets ranks share (see `peerIsRelative`).
struct RankGraph {
    // One entry per task, in ascending source id.
    std::vector<TaskKind> kind;
    std::vector<std::uint8_t> flags;
    std::vector<std::uint64_t> sourceId;   ///< Node id in the file, or the running number.
    std::vector<std::uint32_t> nameEnd;    ///< Name of task i: names[nameEnd[i-1], nameEnd[i]).
    std::vector<std::int64_t> durationUs;  ///< duration_micros as given; 0 also when absent.
    std::vector<std::int64_t> durationPs;  ///< Finer duration of our own steps; -1: use durationUs. May be empty: all -1.
    std::vector<std::int64_t> operations;  ///< Floating-point operations.
    std::vector<std::int64_t> bytes;       ///< Compute, memory: bytes moved. Send, receive: message. Collective: the large side S.
    std::vector<CollectiveOp> op;          ///< Collectives only, else AllReduce.
    std::vector<FamilyId> family;          ///< Collectives and gathered loads only; 0 is all ranks.
    std::vector<std::int32_t> peer;        ///< Send, receive: the other rank, or the difference to it.
    std::vector<std::uint32_t> tag;        ///< Send, receive.
    std::vector<std::uint32_t> involved;   ///< Collectives: bit d: dimension d takes part; only with kInvolvedGiven.
    std::vector<std::int32_t> priority;    ///< comm_priority; may be empty.
    std::vector<std::uint32_t> dependBegin; ///< size()+1 entries into `depends`.
    std::vector<TaskIndex> depends;        ///< Tasks that must finish first; unique per task.
    std::string names;
    bool peerIsRelative = false;

    /// Parts of an edge and of a collective that later planners need; sparse, sorted by the first field.
    struct EdgePart {
        std::uint32_t edge = 0;   ///< Index into `depends`.
        std::int64_t tensor = -1; ///< Tensor carried; -1: control only or unknown.
        bool partWise = false;    ///< Chunk c of the producer enables tile c of the consumer.
    };
    struct Shares {
        TaskIndex task = 0;
        std::vector<std::int64_t> weights; ///< Unequal shares of a collective's members, by position.
    };
    std::vector<EdgePart> edgeParts;
    std::vector<Shares> shares;

    /// Something in the memory of the NPU: there from the issue of `producer` to the end of its last user. In the order of producers.
    struct Tensor {
        TaskIndex producer = -1;    ///< -1: there from the start of the run.
        std::uint32_t usersEnd = 0; ///< Its users are tensorUsers[usersEnd of the tensor before, usersEnd); none: it stays to the end of the run.
        std::uint32_t nameEnd = 0;  ///< The same in tensorNames; empty: called like its producer.
        std::int64_t bytes = 0;
    };
    std::vector<Tensor> tensors;    ///< Empty: nothing is known of the memory.
    std::vector<TaskIndex> tensorUsers;
    std::string tensorNames;

    TaskIndex size() const { return static_cast<TaskIndex>(kind.size()); }
    std::string_view name(TaskIndex task) const;
    std::string_view tensorName(std::size_t tensor) const;
    std::span<const TaskIndex> users(std::size_t tensor) const;
    std::span<const TaskIndex> dependencies(TaskIndex task) const;
    std::int32_t peerRank(TaskIndex task, std::int32_t rank) const { return peer[at(task)] + (peerIsRelative ? rank : 0); }
    bool has(TaskIndex task, std::uint8_t flag) const { return (flags[at(task)] & flag) != 0; }
};

/// Everything to be executed: rank classes, communicator groups. Immutable and shared.
struct Workload {
    std::int32_t rankCount = 0;
    std::vector<std::shared_ptr<const RankGraph>> graphs; ///< One per class of identical ranks.
    std::vector<std::int32_t> graphOfRank;                ///< Empty: all ranks run graphs[0].
    std::vector<GroupFamily> families;                    ///< [0] is always the world.
    std::string source;                                   ///< For people: "trace traces/step (8 ranks)".

    const RankGraph& graph(std::int32_t rank) const { return *graphs[graphOfRank.empty() ? 0 : static_cast<std::size_t>(graphOfRank[at(rank)])]; }
    std::int64_t taskCount() const; ///< Over all ranks.
};

using WorkloadPtr = std::shared_ptr<const Workload>;

} // namespace fabricscope
