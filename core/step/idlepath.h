#pragma once

#include "core/record/messagerecord.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope {

/// What one message takes when nothing else is under way, by the rules (manual: models 3): cut into pieces that cut through
/// every link, budgets and the reducer included. All in ps after it is ready.
struct IdlePath {
    std::vector<LinkId> route;    ///< Empty: sender and receiver are one node. Of several ways the one most bytes take, the first of equals.
    std::int64_t ownLink = 0;     ///< The last byte has left the link of its source.
    std::int64_t latency = 0;     ///< Sum over the links of `route`.
    std::int64_t arrival = 0;     ///< The last byte has arrived.
    std::int64_t done = 0;        ///< ... and is reduced; >= arrival.
    std::int64_t slowestRate = 0; ///< Bytes/s of the slowest link of `route`; 0 without a link.
};

/// `reduceBuffers`: k of the reduction, 0: not reduced. `ways`: those it takes; none: that of Platform::route(). Over one way it equals what the engine gives
/// a lone message, to the picosecond. Over several nothing is said of the order of the bytes: the times are those that the bytes need at least on each link.
/// \pre model links or ideal; the ways cover the bytes. O(links of the route * pieces); O(links of all ways squared).
IdlePath idlePath(const Scenario& scenario, NodeId source, NodeId target, std::int64_t bytes, std::int32_t reduceBuffers,
                  std::span<const TakenWay> ways = {});

} // namespace fabricscope
