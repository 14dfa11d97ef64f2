#pragma once

#include "core/verify/connections.h"
#include "core/verify/progressshare.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// A ring of groups of which each waits for the next one (the last for the first), at the moment nothing moves any more.
struct WaitRing {
    std::int32_t slots = 0;          ///< With so many messages per connection; 0: with any number.
    std::vector<OpIndex> groups;
};

/// An order in which the groups of a program can run, and how many slots per connection that takes.
struct Schedule {
    std::vector<OpIndex> order;             ///< Groups.
    std::vector<std::uint32_t> position;    ///< By group: place in `order`; UINT32_MAX: never runs.
    bool complete = false;
    std::int32_t minimumSlots = 0;          ///< Fewest slots per connection that finish; 0: none do, or nothing is sent.
    std::vector<WaitRing> rings;            ///< For those of `asked` that do not finish, ascending; last, where none do, the ring with any number.
};

/// Runs lanes, dependencies and connections as a marked graph; O(operations + dependencies), 12 bytes per operation.
///
/// A group starts when its lane has come to it, its dependencies are done, its messages have come and, for every send, the receive `slots`
/// places before it on the connection is done (and all receives before that). Which groups can run with `slots` slots does not depend on
/// the order in which they are tried, and what runs with s slots runs with s + 1. So it is run with one slot until nothing moves; then a slot
/// is added and it goes on from there: that finds the fewest slots in one run.
///
/// Groups outside lanes are first tried in the order of the columns, as if a rank's were a lane: most are written in an order that runs.
///
/// One iteration is enough for programs that run over and over: if all groups of the first can finish, every connection is then as empty and
/// every lane as at its start, and what can run does not depend on order, so the second cannot be stuck because it began earlier.
/// `asked`: slots whose rings are wanted, ascending. Throws StopRequested.
Schedule makeSchedule(const ExplicitBody& body, const Lanes& lanes, const Connections& connections, const std::vector<std::int32_t>& asked,
                      const std::stop_token& stop, const ProgressShare& progress);

} // namespace fabricscope
