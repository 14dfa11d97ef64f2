#pragma once

#include <cstdint>
#include <vector>

namespace fabricscope {

/// What an operation of rank r does. "source" and "target" are ranges of `count` chunks; an operation does all of it or nothing.
///
/// | kind | effect | peer |
/// |---|---|---|
/// | Send | message := source | receiving rank |
/// | Receive | target := message | sending rank |
/// | ReceiveReduce | target := message (+) source; both on r. Target None: the sum is only handed to a fused Send | sending rank |
/// | Copy | target := source | -1 |
/// | Reduce | target := target (+) source | -1 |
/// | Compute | nothing to chunks; takes `duration` | -1 |
/// | Put | target at the peer := source; one-sided, the peer does nothing | rank that is written to |
/// | Signal | tells the peer that all earlier Puts of this connection are there | rank that is told |
/// | Wait | until the next Signal of the peer on this connection | rank that signals |
/// | SwitchReduce | target := sum of `source` of all ranks of a team, formed in the switch. Target None: it is only handed to a fused SwitchMulticast | team |
/// | SwitchMulticast | target on all ranks of a team := source, copied by the switch | team |
///
/// (+) is element-wise, commutative and associative: union of multisets of contributions (conditions.h).
enum class OpKind : std::uint8_t { Send, Receive, ReceiveReduce, Copy, Reduce, Compute, Put, Signal, Wait, SwitchReduce, SwitchMulticast };

/// Input and Output are the user's buffers, Scratch is private and undefined at first. None: nothing is read or stored.
/// Fused (source of a Send only, and of a SwitchMulticast right behind a SwitchReduce for the same team, whose sum then goes to the team without
/// leaving the switch): what the operation before it in its fused group has just made, without reading memory.
enum class BufferKind : std::uint8_t { Input, Output, Scratch, None, Fused };

/// Chunks of the buffers of one rank.
struct BufferSizes {
    std::int32_t input = 0;
    std::int32_t output = 0;
    std::int32_t scratch = 0;
    friend bool operator==(const BufferSizes&, const BufferSizes&) = default;
};

/// Where an operation stands in the structure that people see; views fold and colour by it. -1: not said.
/// In a program with tags, `instance` and `phase` are the chunk and phase of the tie key (manual: models 3.6), -1 as 0.
struct OpTags {
    std::int16_t phase = -1;     ///< 0-based: reduce-scatter before all-gather, dimension by dimension.
    std::int16_t dimension = -1; ///< Axis of the group, or of the algorithm.
    std::int16_t tree = -1;      ///< Tree or ring of several.
    std::int16_t instance = -1;  ///< Copy of the program, where it was replicated; piece of the vector, where it was cut.
    friend bool operator==(const OpTags&, const OpTags&) = default;
};

/// Explicit body: operations as columns, sorted by rank; for imports, synthesis and algorithms without a template.
///
/// Three kinds of order, kept apart: `depends` (data, and what the producer says), the lane (a thread block does its operations one after
/// another, in the order of the columns), and the connection (sends of (source, target, connection) meet the receives in the order of the
/// columns, so one lane should do them). Nothing else orders operations.
/// Columns marked "may be empty" stand for their default in every row.
struct ExplicitBody {
    std::vector<std::uint32_t> rankBegin;      ///< ranks+1 entries: operations of rank r are [rankBegin[r], rankBegin[r+1]).
    std::vector<OpKind> kind;
    std::vector<std::int32_t> peer;            ///< See OpKind: a rank of the group (position), for switch operations an index into `teams`.
    std::vector<std::int32_t> connection;      ///< Channel or tag: sends and receives of (src, dst, connection) pair up in order.
    std::vector<std::int32_t> lane;            ///< Thread block; operations of a lane run in order. -1: no lane.
    std::vector<std::int32_t> chunk;           ///< First chunk of the large side that gives the size; -1 where `bytes` is absolute.
    std::vector<std::int32_t> count;           ///< Chunks.
    std::vector<std::int64_t> bytes;           ///< Absolute size; -1: that of chunks [chunk, chunk + count), see chunkWeights. May be empty: -1.
    std::vector<std::int64_t> duration;        ///< Compute: ps; else 0. May be empty: 0.
    std::vector<BufferKind> sourceBuffer;
    std::vector<BufferKind> targetBuffer;
    std::vector<std::int32_t> sourceOffset;    ///< In chunks.
    std::vector<std::int32_t> targetOffset;
    std::vector<std::int32_t> step;            ///< Part of the tie key.
    std::vector<std::int32_t> slot;            ///< Part of the tie key. May be empty: 0.
    std::vector<std::uint64_t> sourceId;       ///< Node id, step or line in the file it came from, for messages. May be empty: 0.
    std::vector<std::uint32_t> dependBegin;    ///< size()+1 entries into `depends`.
    std::vector<std::uint32_t> depends;        ///< Operations of the same rank that must finish first (indices into the columns).
    std::int32_t receiveSlots = 0;             ///< Receive slots per connection; 0: unlimited (eager).

    std::vector<std::uint8_t> fused;           ///< 1: one step with the operation before it (same rank and lane). May be empty: 0.
    std::vector<OpTags> tags;                  ///< May be empty.
    std::vector<std::int64_t> startPs;         ///< Planned start after that of the collective; -1: none. May be empty. Information: no engine holds operations back to it.
    std::vector<std::int32_t> route;           ///< Send, Put: index into `routes`; -1: as the platform routes. May be empty.
    std::vector<std::vector<std::int64_t>> routes; ///< Links (LinkId) in order, on the platform the program was made for.
    std::vector<std::int64_t> chunkWeights;    ///< By chunk: share of S is weight / sum, chunk i ends at floor(S * sum(w_0..w_i) / sum). Empty: equal.
    std::vector<BufferSizes> buffers;          ///< By rank. Empty: the producer says nothing of places (Chakra graphs): offsets mean nothing.
    std::vector<std::vector<std::int32_t>> teams; ///< Ranks of switch operations, ascending.

    std::uint32_t size() const { return static_cast<std::uint32_t>(kind.size()); }
    std::int32_t rankCount() const { return static_cast<std::int32_t>(rankBegin.size()) - 1; }
    std::int64_t bytesOf(std::size_t op) const { return bytes.empty() ? -1 : bytes[op]; }
    std::int64_t durationOf(std::size_t op) const { return duration.empty() ? 0 : duration[op]; }
    std::int32_t slotOf(std::size_t op) const { return slot.empty() ? 0 : slot[op]; }
    std::uint64_t sourceIdOf(std::size_t op) const { return sourceId.empty() ? 0 : sourceId[op]; }
    bool isFused(std::size_t op) const { return !fused.empty() && fused[op] != 0; }
    OpTags tagsOf(std::size_t op) const { return tags.empty() ? OpTags{} : tags[op]; }
    std::int64_t startOf(std::size_t op) const { return startPs.empty() ? -1 : startPs[op]; }
    std::int32_t routeOf(std::size_t op) const { return route.empty() ? -1 : route[op]; }
    /// Does the switch pass the sum on to the SwitchMulticast behind it (table of OpKind)?
    bool passesSumOn(std::size_t op) const
    {
        return op + 1 < kind.size() && isFused(op + 1) && kind[op + 1] == OpKind::SwitchMulticast && sourceBuffer[op + 1] == BufferKind::Fused;
    }
    /// Are buffers and offsets meaningful, so that values can be followed?
    bool hasPlaces() const { return !buffers.empty(); }
    friend bool operator==(const ExplicitBody&, const ExplicitBody&) = default;
};

constexpr bool receives(OpKind kind) { return kind == OpKind::Receive || kind == OpKind::ReceiveReduce; }

} // namespace fabricscope
