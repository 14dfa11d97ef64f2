#pragma once

#include "core/program/explicitbody.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Row of the columns of an explicit body.
using OpIndex = std::uint32_t;
constexpr OpIndex kNoOp = UINT32_MAX;

/// First operation of the fused group an operation belongs to; the operation itself where nothing is fused. A group is named by it.
inline OpIndex groupOf(const ExplicitBody& body, OpIndex op)
{
    if (!body.fused.empty()) {
        while (body.fused[op] != 0)
            --op;
    }
    return op;
}

/// One past the last operation of the group that begins at `group`.
inline OpIndex groupEnd(const ExplicitBody& body, OpIndex group)
{
    OpIndex end = group + 1;
    while (end < body.size() && body.isFused(end))
        ++end;
    return end;
}

/// Program order: the groups of every lane one after another. 12 bytes per operation. \pre a body of sound shape (operationchecks.h).
class Lanes {
public:
    struct Lane {
        std::int32_t rank = 0;
        std::int32_t id = -1;    ///< As in the program; -1: the operations of a rank that are in no lane, unordered.
        OpIndex first = kNoOp;   ///< First group. No lane: kNoOp.
        std::uint32_t groups = 0;
    };

    /// O(operations). Throws StopRequested.
    explicit Lanes(const ExplicitBody& body, const std::stop_token& stop = {});

    std::uint32_t laneOf(OpIndex op) const { return m_laneOf[op]; }
    const Lane& lane(std::uint32_t index) const { return m_lanes[index]; }
    const std::vector<Lane>& all() const { return m_lanes; }
    std::int32_t rankOf(OpIndex op) const { return m_lanes[m_laneOf[op]].rank; }
    bool isOrdered(std::uint32_t lane) const { return m_lanes[lane].id >= 0; }
    /// Neighbours of a group in its lane; kNoOp at the ends and outside lanes.
    OpIndex next(OpIndex group) const { return m_next[group]; }
    OpIndex previous(OpIndex group) const { return m_previous[group]; }

private:
    std::vector<Lane> m_lanes;          ///< By (rank, first operation).
    std::vector<std::uint32_t> m_laneOf; ///< By operation.
    std::vector<OpIndex> m_next;        ///< By group.
    std::vector<OpIndex> m_previous;
};

} // namespace fabricscope
