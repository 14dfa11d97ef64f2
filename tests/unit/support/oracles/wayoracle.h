#pragma once

#include "core/platform/routepolicies.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fabricscope::test {

/// A graph, sends over it, a policy and failures, as plain numbers.
struct WayCase {
    struct Link {
        int from = 0;
        int to = 0;
        std::int64_t rate = 1;    ///< B/s.
        std::int64_t latency = 1; ///< ps.
    };
    struct Send {
        int from = 0;
        int to = 0;
        std::int64_t bytes = 1;
        std::int64_t ready = 0; ///< ps; of two sends of one NPU never the same.
        int tag = 0;            ///< Different for all sends between two NPUs.
        int task = 0;           ///< Its place among the tasks of its NPU.
    };
    struct Failure {
        int link = 0;
        std::int64_t at = 0;
        std::int64_t until = -1; ///< -1: for ever.
    };
    std::vector<bool> isSwitch; ///< By node: NPUs, then switches.
    std::vector<int> group{};   ///< By node, of a dragonfly; empty: none.
    std::string line{};         ///< What generates it; empty: nothing.
    std::vector<Link> links;    ///< Both directions of a cable need not be there. Their order is that of ports.
    std::map<int, std::int64_t> crossbars{}; ///< By switch: what it passes on, B/s.
    std::vector<Send> sends;
    std::vector<Failure> failures;
    RoutePolicy policy = RoutePolicy::Shortest; ///< Not DimensionOrder, Table, RailAware.
    std::uint64_t seed = 0;
    std::int64_t firstStream = 0; ///< Number of the stream between the first two NPUs; others follow by (from, to).
    std::int64_t pieceBytes = 1;
};

struct WayResult {
    std::vector<std::int64_t> done;  ///< By send, ps; -1: never.
    std::vector<std::int64_t> left;  ///< When its last byte left the first link.
    std::vector<std::int64_t> bytes; ///< By link.
    int drawn = 0;                   ///< Pieces under Adaptive that did not go straight.
    int passedHosts = 0;             ///< Switches at which pieces under Adaptive settled nothing, being in the host yet.
    int turnedAway = 0;              ///< Pieces that met a failed link.
};

/// Sends over a graph by the rules of manual: models 3.1, 3.2, crossbars of 3.4, 3.6, 3.7, 3.8 and those of failures, version 2, model links: piece by piece, every way searched anew by lengthening
/// ways until nothing gets shorter. Shares no code with routers and engines but the hash that they draw by.
WayResult sendOver(const WayCase& given);

} // namespace fabricscope::test
