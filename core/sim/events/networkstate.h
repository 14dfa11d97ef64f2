#pragma once

#include "core/base/seededhash.h"
#include "core/platform/router.h"
#include "core/record/messagerecord.h"
#include "core/scenario/networkparams.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace fabricscope::events {

/// What a run keeps where the design sets routing, a protocol, faults or jitter (NetworkParams).
struct NetworkState {
    /// `seed_`: Setting::seed.
    NetworkState(const Platform& platform, const NetworkParams& given, std::uint64_t seed_)
        : params(given)
        , seed(seed_)
        , rules(given.routing.value_or(RoutingRules{}))
        , router(platform, rules, given.graph, seed)
        , drawsPerLink(!given.latency.empty() || !given.occupancy.empty())
    {
    }

    /// A link that is not as the platform says.
    struct LinkNow {
        std::optional<ResourceClass> resource; ///< Its rate has changed.
        std::int32_t failures = 0;             ///< That strike it now.
        std::int64_t since = 0;                ///< Of the first of them, ps.
    };
    /// A piece in front of a failed link, with no other way on.
    struct Held {
        std::int32_t piece = 0;
        NodeId node = 0;
    };
    /// Slots of one (protocol, stream, source, destination).
    struct Connection {
        std::int32_t free = 0;
        std::vector<std::int32_t> waiting;  ///< Messages, first come first.
        std::size_t first = 0;              ///< Of `waiting`; those before have gone.
        std::vector<std::int32_t> arrivals; ///< Of this instant.
        bool dirty = false;
    };
    /// A message that has no way at the end of the run.
    struct Blocked {
        std::int32_t run = -1;    ///< -1: point to point.
        std::int32_t source = 0;  ///< Ranks.
        std::int32_t target = 0;
        LinkId link = 0;          ///< That failed.
        std::int64_t since = 0;   ///< When, ps.
    };

    const NetworkParams& params;
    std::uint64_t seed;
    RoutingRules rules;
    Router router;
    bool drawsPerLink;
    std::size_t nextChange = 0;
    std::unordered_map<LinkId, LinkNow> changed;
    std::vector<std::int32_t> stalled;      ///< Messages that have no way.
    std::vector<Held> held;
    std::map<std::tuple<std::int32_t, std::int32_t, NodeId, NodeId>, std::int32_t> connectionOf;
    std::vector<Connection> connections;
    std::vector<std::int32_t> dirtyConnections;
    std::vector<Blocked> blocked;           ///< Filled when nothing happens any more.
    // Only with RunOptions::ways.
    std::unordered_map<std::int32_t, std::vector<LinkId>> crossed;  ///< By message: links it crossed before its way failed.
    std::unordered_map<std::int32_t, std::vector<TakenWay>> ofParts; ///< By message in parts: the ways of those delivered, in that order.
};

} // namespace fabricscope::events
