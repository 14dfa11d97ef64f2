#pragma once

#include "core/base/result.h"
#include "core/formats/astra/systemsettings.h"
#include "core/sim/astra/backends.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace fabricscope {

/// One phase of every chunk of a collective, with all numbers its step machine needs (manual: astra 5.4 and 6).
struct AstraPhase {
    /// Which queues of its dimension a phase may use (5.5).
    enum class Queues : std::uint8_t { All, FirstHalf, SecondHalf };

    PhaseKind kind = PhaseKind::AllReduce;
    Algorithm algorithm = Algorithm::Ring;
    Queues queues = Queues::All;
    std::int32_t dimension = -1;      ///< Physical dimension its messages stay in; -1: any two NPUs.
    std::int32_t queueDimension = 0;  ///< Logical dimension whose queues it uses.
    std::int32_t size = 1;            ///< Members n.
    std::int32_t stride = 1;          ///< Between neighbours, in positions of the group.
    std::int32_t window = 1;          ///< W.
    std::int32_t charged = 0;         ///< C.
    std::int32_t sends = 0;
    std::int32_t sizeIndices = 1;     ///< Entries of the tables below: 1 (all messages alike) or one per message.
    std::vector<std::int64_t> bytes;  ///< Message sizes.
    std::vector<std::int64_t> reduce; ///< R of those sizes, ns.
    std::vector<double> wire;         ///< Size / rate in ns; only with dimension >= 0.
    std::vector<std::int32_t> offset; ///< Halving-doubling: distance of the partner, per message.
    std::uint32_t firstBox = 0;       ///< First mailbox of the phase in a record.
    bool manyBoxes = false;           ///< Direct: a mailbox per source, kept in bytes.

    std::size_t tableIndex(std::int32_t message) const
    {
        return sizeIndices == 1 ? 0 : static_cast<std::size_t>(message < sizeIndices ? message : sizeIndices - 1);
    }
};

/// How a collective of one size runs in one kind of group: chunks and phases. Shared by every instance alike.
struct AstraPlan {
    CollectiveOp op = CollectiveOp::AllReduce;
    std::int32_t members = 0;
    std::int64_t chunkBytes = 0;
    std::int64_t chunks = 0;
    std::int64_t handlingNs = 0;      ///< e.
    std::vector<AstraPhase> phases;   ///< Empty: nothing to do.
    std::uint32_t boxes = 0;          ///< Counted mailboxes of a record.
    std::uint32_t manyBoxes = 0;      ///< Byte mailboxes of a record.
    std::int64_t messages = 0;        ///< Of all members and chunks; saturates.
    bool usesTree = false;
    Diagnostics diagnostics;
};

/// What a plan depends on.
struct AstraPlanRequest {
    CollectiveOp op = CollectiveOp::AllReduce;
    std::int64_t bytes = 0;           ///< The large side.
    std::int32_t members = 0;
    bool whole = true;                ///< All NPUs: the logical dimensions; else one ring in listed order.
    bool involvedGiven = false;
    std::uint32_t involved = 0;
    bool noHandling = false;          ///< e = 0, in small groups too.
    bool bundledRings = false;        ///< See AstraVariant, also the next.
    bool wholeShares = false;
    bool splitAllReduce = false;      ///< Scatter up and gather down in every dimension, where its algorithms can.
};

/// Plans a native collective. Errors: no or too many algorithms, no splits, an algorithm that cannot run on the group.
Result<std::shared_ptr<const AstraPlan>> planAstra(const AstraPlanRequest& request, const AstraSystem& system,
                                                   const std::vector<AstraDimension>& dimensions, std::int64_t npus);

/// R(x) = 3 floor(10^9 x / (local-mem-bw 10^9)) ns; 0 without a memory bandwidth.
std::int64_t astraReduction(const AstraSystem& system, std::int64_t bytes);

/// Partner of a member in halving-doubling; outside 0..size-1 never.
constexpr std::int32_t astraPartner(std::int32_t index, std::int32_t offset, std::int32_t size)
{
    if (index / offset % 2 == 1)
        return index - offset;
    return index + offset < size ? index + offset : index + offset - size;
}

/// Place of a member in one of the two trees of doubleBinaryTree over 2^k members (manual: astra 6.4).
struct AstraTreeNode {
    static constexpr std::int32_t kNobody = -1;
    std::int32_t parent = kNobody;
    std::int32_t left = kNobody;  ///< The root has its only child here.
    std::int32_t right = kNobody;
    std::int32_t children() const { return (left != kNobody ? 1 : 0) + (right != kNobody ? 1 : 0); }
};
AstraTreeNode astraTreeNode(std::int32_t member, std::int32_t size, bool second);

} // namespace fabricscope
