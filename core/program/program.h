#pragma once

#include "core/base/digest.h"
#include "core/base/units.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fabricscope {

enum class CollectiveOp : std::uint8_t { AllReduce, Reduce, AllGather, Gather, Scatter, Broadcast, AllToAll, ReduceScatter, Barrier, Custom };

/// "all_reduce", ...: the spelling of our files and results.
std::string_view collectiveKey(CollectiveOp op);

enum class Algorithm : std::uint8_t { Ring, Direct, HalvingDoubling, DoubleBinaryTree, InNetwork };

std::string_view algorithmKey(Algorithm algorithm);

enum class PhaseKind : std::uint8_t { ReduceScatter, AllGather, AllReduce, AllToAll, Broadcast };

std::string_view phaseKey(PhaseKind kind);

/// One phase of a chunk: an algorithm along one axis of the group. Pure rule, no storage per rank.
struct PhaseTemplate {
    PhaseKind kind = PhaseKind::ReduceScatter;
    Algorithm algorithm = Algorithm::Ring;
    std::int32_t axis = 0;       ///< Index into TemplateBody::axes.
    std::int32_t window = 0;     ///< Direct: messages of a rank in flight at once; 0: all.
    bool minus = false;          ///< Ring: towards -1 instead of +1.
    friend bool operator==(const PhaseTemplate&, const PhaseTemplate&) = default;
};

/// SPMD body: every rank runs the same phases; peers and blocks are expressions of its position.
/// 65,536 ranks cost nothing. Meaning of the phases: physical_semantics section 4 and phaserules.h.
struct TemplateBody {
    std::vector<std::int32_t> axes;    ///< Extents; axis 0 is the fastest part of the position. All > 1.
    std::vector<PhaseTemplate> phases; ///< In the order a chunk runs them; phase number = index.
    /// Other orders of the dimensions for some chunks (Themis): order 0 is `phases`, order k > 0 is orders[k - 1]. All have as many phases.
    std::vector<std::vector<PhaseTemplate>> orders;
    std::vector<std::uint16_t> orderOfChunk;  ///< By chunk; empty: all chunks run `phases`.
    std::vector<std::int64_t> chunkWeights;   ///< By chunk: share of S is weight / sum; empty: equal. Chunk i ends at floor(S * sum(w_0..w_i) / sum(w)).

    /// The phases chunk `chunk` runs.
    const std::vector<PhaseTemplate>& phasesOf(std::int32_t chunk) const
    {
        const std::size_t order = orderOfChunk.empty() ? 0 : orderOfChunk[static_cast<std::size_t>(chunk)];
        return order == 0 ? phases : orders[order - 1];
    }
    friend bool operator==(const TemplateBody&, const TemplateBody&) = default;
};

enum class OpKind : std::uint8_t { Send, Receive, ReceiveReduce, Copy, Reduce, Compute };
enum class BufferKind : std::uint8_t { Input, Output, Scratch };

/// Explicit body: operations as columns, sorted by rank; for imports and synthesis.
struct ExplicitBody {
    std::vector<std::uint32_t> rankBegin;      ///< ranks+1 entries: operations of rank r are [rankBegin[r], rankBegin[r+1]).
    std::vector<OpKind> kind;
    std::vector<std::int32_t> peer;            ///< Send, Receive*: the other rank; else -1.
    std::vector<std::int32_t> connection;      ///< Channel or tag: sends and receives of (src, dst, connection) pair up in order.
    std::vector<std::int32_t> lane;            ///< Thread block; operations of a lane run in order. -1: no lane.
    std::vector<std::int32_t> chunk;           ///< First chunk of the range; -1 where `bytes` is absolute.
    std::vector<std::int32_t> count;           ///< Chunks.
    std::vector<std::int64_t> bytes;           ///< Absolute size; -1: count * S / chunksTotal.
    std::vector<std::int64_t> duration;        ///< Compute: ps; else 0.
    std::vector<BufferKind> sourceBuffer;
    std::vector<BufferKind> targetBuffer;
    std::vector<std::int32_t> sourceOffset;
    std::vector<std::int32_t> targetOffset;
    std::vector<std::int32_t> step;            ///< Part of the tie key.
    std::vector<std::int32_t> slot;            ///< Part of the tie key.
    std::vector<std::uint64_t> sourceId;       ///< Node id in the file it came from, for messages.
    std::vector<std::uint32_t> dependBegin;    ///< size()+1 entries into `depends`.
    std::vector<std::uint32_t> depends;        ///< Operations of the same rank that must finish first (indices into the columns).
    std::int32_t receiveSlots = 0;             ///< Receive slots per connection; 0: unlimited (eager).

    std::uint32_t size() const { return static_cast<std::uint32_t>(kind.size()); }
};

/// A collective algorithm for a group of `ranks`: what moves where, in what order. Immutable, shared, hash-consed by `digest`.
struct Program {
    CollectiveOp op = CollectiveOp::AllReduce;
    std::int32_t ranks = 0;
    std::int32_t chunks = 1;          ///< Template: chunks S is cut in. Explicit: chunks of the large side.
    std::int32_t window = 0;          ///< Template: chunks in a phase at once per (rank, axis, direction of the phase); 0: all.
    std::string name;                 ///< For people: "ring x direct".
    std::string provenance;           ///< File or generator.
    std::variant<TemplateBody, ExplicitBody> body;

    bool isTemplate() const { return body.index() == 0; }
    const TemplateBody& asTemplate() const { return std::get<0>(body); }
    const ExplicitBody& asExplicit() const { return std::get<1>(body); }
    /// Digest of everything but name and provenance.
    Digest digest() const;
};

using ProgramPtr = std::shared_ptr<const Program>;

} // namespace fabricscope
