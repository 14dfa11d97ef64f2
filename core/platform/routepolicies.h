#pragma once

#include "core/base/seededhash.h"
#include "core/platform/platform.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace fabricscope {

/// How a message finds its way.
enum class RoutePolicy : std::uint8_t {
    Shortest,       ///< Platform::route: fewest links, at every node the first listed; so of parallel links always the first.
    Ecmp,           ///< One of all ways with the fewest links, drawn at every node among the links that lead there, parallel ones too.
    DimensionOrder, ///< The dimensions of the platform one after the other, in a chosen order.
    Table,          ///< As listed; what is not listed goes the shortest way.
    Balanced,       ///< Among all ways with the fewest links by the place of the destination, without a draw: its digits choose at every node.
    Spray,          ///< Every message another of all ways with the fewest links, each once before one comes again.
    UpDown,         ///< Up and then down, never up again; of the ways with the fewest links the first listed. Without such a way: Shortest.
    /// Every message by a node that is drawn among all switches (all NPUs where there is no switch), both halves as Shortest. On a generated dragonfly by a
    /// group that is drawn among those that hold neither end: straight to where the cable to it lands, straight on to the group of the destination.
    Valiant,
    /// To another rail in another host over the NPU of that rail in the own host, else over that of the own rail in the other host; each part as Balanced.
    RailAware,
    LeastQueued, ///< Every piece, at every node, over the link with the shortest queue of those that lead closer over what is up.
    Adaptive     ///< Every piece, at its first switch outside of its host, by the queues there: straight, or as Valiant (UGAL).
};

/// What a way is chosen for. `id`: what is drawn for, the stream or the message. `number`: Balanced: which stream of this pair of nodes it is,
/// from 0 (RailAware alike); Spray, Valiant: which message of its stream between them. Nobody else looks at it.
struct RouteFlow {
    std::uint64_t id = 0;
    std::uint64_t number = 0;
};

/// A node with several links that lead closer to the destination.
struct RouteChoice {
    std::uint64_t seed = 0;
    NodeId from = 0;
    NodeId to = 0;
    NodeId node = 0;
    std::uint64_t id = 0;     ///< RouteFlow::id.
    std::uint64_t digits = 0; ///< What is left of the number that the way is chosen by: divided by the number of links at every choice.
    std::uint64_t count = 0;  ///< Links, at least 2.
    std::uint64_t place = 0;  ///< Of the destination, where the policy counts places.
};

/// A policy as one row: files, checks, the router and the event engine read it.
struct RoutePolicyRow {
    RoutePolicy policy;
    std::string_view word;  ///< In design files.
    std::string_view title; ///< In lists of what a run assumed.
    bool flows = false;     ///< Ways depend on the flow, or are found link by link for each.
    bool draws = false;     ///< On the seed too.
    bool places = false;    ///< Digits begin with the place of the destination (LeafOrder).
    bool numbers = false;   ///< RouteFlow::number counts.
    bool overtakes = false; ///< Messages of one stream between two nodes may take different ways.
    bool fewest = true;     ///< Ways have the fewest links there are.
    bool upDown = false;    ///< Ways of Forwarding::UpDown, where there is one.
    bool middle = false;    ///< By a node or group that is drawn.
    bool axes = false;      ///< Of several links that lead closer those along the first axis of RoutingRules::order, on graphs that declare axes.
    bool queues = false;    ///< Pieces choose for themselves by the queues of links (manual: models 3.8); only a run knows those. A router gives straight ways, the first listed.
    bool settles = false;   ///< Of these: the first switch outside of the host settles the whole way.
    bool siblings = false;  ///< Between rails over an NPU of the own or the other host, on graphs that declare hosts and rails.
    std::uint64_t (*choose)(const RouteChoice&) = nullptr; ///< Which link, in the order of ports; null: ways are not chosen node by node.
};

namespace routing {
constexpr std::uint64_t drawn(const RouteChoice& at)
{
    return seededHash(at.seed, {at.from, at.to, static_cast<std::int64_t>(at.id), at.node});
}
} // namespace routing

/// All policies in the order of lists; at the place of their value.
inline constexpr std::array<RoutePolicyRow, 11> kRoutePolicyRows{{
    {.policy = RoutePolicy::Shortest, .word = "shortest", .title = "shortest", .choose = [](const RouteChoice&) -> std::uint64_t { return 0; }},
    {.policy = RoutePolicy::Ecmp, .word = "ecmp", .title = "ECMP", .flows = true, .draws = true, .overtakes = true,
     .choose = [](const RouteChoice& at) { return routing::drawn(at) % at.count; }},
    {.policy = RoutePolicy::DimensionOrder, .word = "dimension_order", .title = "dimension order", .axes = true,
     .choose = [](const RouteChoice&) -> std::uint64_t { return 0; }},
    {.policy = RoutePolicy::Table, .word = "table", .title = "table", .fewest = false},
    {.policy = RoutePolicy::Balanced, .word = "balanced", .title = "balanced", .flows = true, .places = true, .numbers = true,
     .choose = [](const RouteChoice& at) { return at.digits % at.count; }},
    {.policy = RoutePolicy::Spray, .word = "spray", .title = "spray, per message", .flows = true, .draws = true, .numbers = true, .overtakes = true,
     .choose = [](const RouteChoice& at) { return (routing::drawn(at) % at.count + at.digits % at.count) % at.count; }},
    {.policy = RoutePolicy::UpDown, .word = "up_down", .title = "up, then down", .flows = true, .fewest = false, .upDown = true,
     .choose = [](const RouteChoice&) -> std::uint64_t { return 0; }},
    {.policy = RoutePolicy::Valiant, .word = "valiant", .title = "Valiant, per message", .flows = true, .draws = true, .numbers = true, .overtakes = true,
     .fewest = false, .middle = true, .choose = [](const RouteChoice&) -> std::uint64_t { return 0; }},
    {.policy = RoutePolicy::RailAware, .word = "rail_aware", .title = "rail-aware", .flows = true, .places = true, .numbers = true, .fewest = false, .siblings = true,
     .choose = [](const RouteChoice& at) { return at.digits % at.count; }},
    {.policy = RoutePolicy::LeastQueued, .word = "least_queued", .title = "least queued, per piece", .flows = true, .overtakes = true, .queues = true,
     .choose = [](const RouteChoice&) -> std::uint64_t { return 0; }},
    {.policy = RoutePolicy::Adaptive, .word = "adaptive", .title = "adaptive (UGAL), per piece", .flows = true, .draws = true, .numbers = true, .overtakes = true,
     .fewest = false, .queues = true, .settles = true, .choose = [](const RouteChoice&) -> std::uint64_t { return 0; }},
}};

constexpr const RoutePolicyRow& rowOf(RoutePolicy policy)
{
    return kRoutePolicyRows[static_cast<std::size_t>(policy)];
}

} // namespace fabricscope
