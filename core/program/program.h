#pragma once

#include "core/base/digest.h"
#include "core/base/index.h"
#include "core/base/units.h"
#include "core/program/collectiveop.h"
#include "core/program/conditions.h"
#include "core/program/explicitbody.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fabricscope {

enum class Algorithm : std::uint8_t { Ring, Direct, HalvingDoubling, DoubleBinaryTree, InNetwork, Bruck, Circulant };

/// "ring", ...: the word of its row, in nativerule.cpp.
std::string_view algorithmKey(Algorithm algorithm);

enum class PhaseKind : std::uint8_t { ReduceScatter, AllGather, AllReduce, AllToAll, Broadcast };

inline constexpr KeyTable<PhaseKind, 5> kPhaseKeys{{{"reduce_scatter", PhaseKind::ReduceScatter}, {"all_gather", PhaseKind::AllGather}, {"all_reduce", PhaseKind::AllReduce},
    {"all_to_all", PhaseKind::AllToAll}, {"broadcast", PhaseKind::Broadcast}}};

constexpr std::string_view phaseKey(PhaseKind kind) { return keyOf(kPhaseKeys, kind); }

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
/// 65,536 ranks cost nothing. Meaning of the phases: manual: models 4 and phaserules.h.
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
        const std::size_t order = orderOfChunk.empty() ? 0 : orderOfChunk[at(chunk)];
        return order == 0 ? phases : orders[order - 1];
    }
    friend bool operator==(const TemplateBody&, const TemplateBody&) = default;
};

/// Wire protocol of NCCL a program was written for: slots and efficiency (networkconfig.h has its figures). Any: not said.
enum class WireProtocol : std::uint8_t { Any, Simple, LL, LL128 };

inline constexpr KeyTable<WireProtocol, 4> kWireProtocolKeys{{{"any", WireProtocol::Any}, {"simple", WireProtocol::Simple}, {"ll", WireProtocol::LL}, {"ll128", WireProtocol::LL128}}};

constexpr std::string_view wireProtocolKey(WireProtocol protocol) { return keyOf(kWireProtocolKeys, protocol); }

/// A collective algorithm for a group of `ranks`: what moves where, in what order. Immutable, shared, hash-consed by `digest`.
struct Program {
    CollectiveOp op = CollectiveOp::AllReduce;
    std::int32_t ranks = 0;
    std::int32_t chunks = 1;          ///< Template: chunks S is cut in. Explicit: chunks of the large side.
    std::int32_t window = 0;          ///< Template: chunks in a phase at once per (rank, axis, direction of the phase); 0: all.
    std::int32_t root = 0;            ///< Broadcast, reduce, gather, scatter.
    WireProtocol protocol = WireProtocol::Any;
    bool inPlace = true;              ///< May run where input and output are one memory ...
    bool outOfPlace = true;           ///< ... and where they are not. Read only where the body has places.
    std::int64_t minBytes = 0;        ///< Large sides it is meant for, closed range; maxBytes 0: no limit.
    std::int64_t maxBytes = 0;
    std::shared_ptr<const Conditions> conditions; ///< Custom: what holds before and after; absent: unknown. Else absent.
    std::string name;                 ///< For people: "ring x direct".
    std::string provenance;           ///< File, script or generator, with seed where there is one.
    std::variant<TemplateBody, ExplicitBody> body;

    bool isTemplate() const { return body.index() == 0; }
    const TemplateBody& asTemplate() const { return std::get<0>(body); }
    const ExplicitBody& asExplicit() const { return std::get<1>(body); }
    /// Digest of everything but name and provenance.
    Digest digest() const;
};

using ProgramPtr = std::shared_ptr<const Program>;

} // namespace fabricscope
