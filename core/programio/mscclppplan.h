#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

// An execution plan of MSCCL++ as it stands in its file, every number of a channel or buffer resolved: between the reader (mscclppreader.cpp) and what
// makes operations of it (mscclpplowering.h).

/// A place an operation names.
struct PlanPlace {
    enum class Where : std::uint8_t { Local, Remote, Switch };
    Where where = Where::Local;
    BufferKind buffer = BufferKind::None;
    std::int32_t rank = 0;   ///< Whose memory it is. Switch: that of the operation.
    std::int32_t team = -1;  ///< Switch: index into MscclppPlan::teams.
    std::int32_t index = 0;  ///< In chunks of the program (parts of those of the plan).
    std::int32_t size = 1;
    friend bool operator==(const PlanPlace&, const PlanPlace&) = default;
};

enum class PlanChannelKind : std::uint8_t { Memory, Port, Switch };

/// A channel a thread block names: the `number`-th (from 0) of its kind between the rank and `peer`, or of the same team.
struct PlanChannel {
    PlanChannelKind kind = PlanChannelKind::Memory;
    std::int32_t peer = -1; ///< Switch: index into MscclppPlan::teams.
    std::int32_t number = 0;
    friend auto operator<=>(const PlanChannel&, const PlanChannel&) = default;
};

enum class PlanVerb : std::uint8_t { Put, Get, Copy, Reduce, SwitchReduce, SwitchStore, SwitchBoth, Signal, Wait, Barrier, Acquire, Release };

/// One operation. nop and flush are left out: a thread block is sequential. Pipelines are written out, one slice.
struct PlanOp {
    PlanVerb verb = PlanVerb::Copy;
    bool takesPackets = false;  ///< Waits for its sources (Reduce: those behind the first) to have come as packets.
    bool givesPackets = false;  ///< Writes its targets (Reduce: those of other ranks) as packets, whose readers wait for them.
    bool keepsPackets = false;  ///< Reduce: the second target is a local copy as packets.
    bool signals = false;       ///< Put: tells the peer.
    std::int32_t share = 0;     ///< Does part `share` of `shares` of its places.
    std::int32_t shares = 1;
    std::int32_t barrier = 0;
    std::int32_t members = 1;   ///< Thread blocks that meet at the barrier.
    std::int32_t number = 0;    ///< In "ops".
    std::int32_t inner = -1;    ///< In the "ops" of a pipeline.
    std::vector<PlanPlace> sources;
    std::vector<PlanPlace> targets;
    std::vector<PlanChannel> channels;   ///< Signal, Wait: each. Put: one per target, where said.
    std::vector<std::int32_t> semaphores;
};

struct MscclppBlock {
    std::int32_t id = 0;
    std::vector<PlanOp> ops;
};

struct PlanGpu {
    BufferSizes sizes; ///< In chunks of the program.
    std::vector<std::int32_t> semaphores; ///< Value each begins with.
    std::vector<MscclppBlock> blocks;
};

struct MscclppPlan {
    Program header;
    std::string file;
    std::int32_t chunks = 0; ///< Of the large side, in chunks of the program.
    std::vector<PlanGpu> gpus;
    std::vector<std::vector<std::int32_t>> teams;
    Diagnostics notes;

    /// "gpus[0].threadblocks[1].ops[2]".
    static std::string path(std::size_t gpu, std::size_t block, const PlanOp& op);
};

/// Reads the document. Errors name the file and the path of the key. Told to stop: throws StopRequested (stop.h). O(document).
Result<MscclppPlan> readMscclppPlan(const nlohmann::json& root, const std::string& file, const std::stop_token& stop);

} // namespace fabricscope
