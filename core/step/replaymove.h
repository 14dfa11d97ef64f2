#pragma once

#include "core/platform/platform.h"
#include "core/step/partmap.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// One message of a collective as it happened in a run. Positions are places in the group, 0..size-1.
struct ReplayMove {
    std::int32_t source = 0;       ///< Position.
    std::int32_t target = 0;       ///< Position.
    std::int32_t chunk = 0;
    std::int32_t phase = 0;
    std::int32_t step = 0;
    std::int32_t slot = 0;
    std::int64_t bytes = 0;
    std::int64_t readyPs = 0;      ///< It could leave: data there, connection free, endpoint overhead paid.
    std::int64_t leftPs = 0;       ///< The last byte left the link of its source.
    std::int64_t donePs = 0;       ///< Delivered and, where it reduces, reduced.
    std::uint32_t firstPart = 0;   ///< Into CollectiveReplay::partsOf: parts it carries.
    std::uint32_t partCount = 0;
    std::int32_t ways = -1;        ///< CollectiveReplay::waysOf(); -1: the one of Platform::route().
    bool reduces = false;          ///< The target adds it to what it holds; else it replaces.
    MoveEffect effect = MoveEffect::Copies; ///< What happens to the parts it carries.
};

/// One step of one chunk: the moves with the same phase and step number.
struct ReplayStep {
    std::int32_t chunk = 0;
    std::int32_t phase = 0;
    std::int32_t step = 0;         ///< Inside the phase.
    PhaseKind kind = PhaseKind::AllReduce; ///< Of the phase; ReduceScatter or AllGather colour it.
    std::int32_t dimension = -1;   ///< Platform dimension its moves run in; -1: several, or an explicit graph.
    std::int32_t level = -1;       ///< Level of the group on a graph its moves run in (CollectiveReplay::lineName); -1: the group has none.
    std::uint32_t firstMove = 0;   ///< Moves of the step are moves()[firstMove, firstMove + moveCount).
    std::uint32_t moveCount = 0;
    std::int64_t bytesEach = 0;    ///< Of the largest move.
    std::int64_t beginPs = 0;      ///< Earliest readyPs.
    std::int64_t endPs = 0;        ///< Latest donePs.
};

/// What the time of one move consists of; the parts add up to the duration exactly, all >= 0. In ps.
struct MoveWhy {
    std::int64_t waiting = 0;       ///< For links, ports and the reducer busy with other messages, for links that failed or ran slower.
    std::int64_t serialisation = 0; ///< Bytes over the slowest link of the way (budgets included), on an idle path: arrival - latency.
    std::int64_t latency = 0;       ///< Sum over the hops.
    std::int64_t reduction = 0;     ///< What reduction adds behind the arrival, on an idle path.
    std::int64_t duration() const { return waiting + serialisation + latency + reduction; }
    std::int32_t hops = 0;
    std::int64_t slowestRate = 0;   ///< bytes/s of the slowest link of the way.
    std::vector<LinkId> route;      ///< The way it took; the one most of its bytes took where a failure parted them.
    /// Move of the same collective and source that held the source's first link for the longest part of the wait; -1: none.
    std::int64_t waitedFor = -1;
};

/// What a rank holds of a part. Over all ranks the contributions to a part never change while it is being reduced or travels.
struct PartState {
    std::int32_t contributions = 0; ///< How many ranks' data are summed in it; all-gather, all-to-all: 1 when it is there. 0: nothing.
    bool passedOn = false;          ///< It held something that it has sent away for good (a reduce-scatter's other parts); contributions are then 0.
    friend bool operator==(const PartState&, const PartState&) = default;
};

} // namespace fabricscope
