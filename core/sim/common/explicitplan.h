#pragma once

#include "core/program/explicitbody.h"

#include <cstdint>
#include <vector>

namespace fabricscope::events {

/// What an explicit body leaves to be derived: pairs of sends and receives, order, dependants. O(operations) where the sends of a rank are
/// grouped by connection, else O(operations log operations).
///
/// An operation starts when all it depends on are done, the one before it in its lane, and in a fused group the one before it in the group.
/// A sum that a switch passes on to a copy (ExplicitBody::passesSumOn) also waits for what the copy waits for.
/// A receive of a fused group gives its slot back when its whole group is done: the data are passed on out of the slot.
struct ExplicitPlan {
    std::vector<std::int32_t> partner;     ///< Send: its receive; receive: its send; -1: none.
    std::vector<std::int32_t> slotFreedBy; ///< Send: the operation of the receiver that must be done first to free its slot; -1: none. Empty: slots are unlimited.
    std::vector<std::int32_t> way;         ///< Send: its number among the different (source, target, route) of the program; else -1.
    std::vector<std::int32_t> waitsFor;    ///< Operations that must be done before this one.
    std::vector<std::uint32_t> nextBegin;  ///< size()+1 entries into `next`.
    std::vector<std::uint32_t> next;       ///< Operations that wait for this one, ascending.
    std::vector<std::int32_t> teamParts;   ///< By member: contributions that switches take from it and copies they bring it. Empty: no switch operations.
    std::vector<std::int32_t> rank;        ///< Member that runs the operation.
    /// Of a folded program (foldprogram.h), else empty: by operation, -1: a send that goes the same way round from everywhere; else sends of one number go to
    /// the same member from everywhere.
    std::vector<std::int32_t> moves;
    std::int32_t wayCount = 0;
    std::int64_t unmatched = 0;            ///< Sends and receives without a partner.

    explicit ExplicitPlan(const ExplicitBody& body);
    /// Of the operations of one rank alone, whose pairs are known (foldprogram.h): `pairs` as `partner`. \pre no slots, no routes of their own, no teams
    ExplicitPlan(const ExplicitBody& body, std::vector<std::int32_t> pairs);

private:
    void pairUp(const ExplicitBody& body);
    void order(const ExplicitBody& body);
    void countTeamParts(const ExplicitBody& body);
};

} // namespace fabricscope::events
