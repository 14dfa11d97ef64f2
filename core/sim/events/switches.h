#pragma once

#include "core/scenario/offloadrates.h"
#include "core/sim/events/slotpool.h"

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace fabricscope::events {

/// Which way a message of an in-network collective goes (innetwork.h).
enum class SwitchWay : std::uint8_t { None, Up, Down };

/// Reducer, copier and buffer of one switch.
struct SwitchServer {
    SwitchRates rates;
    std::int64_t reducerFree = 0;     ///< w.
    std::int64_t copierFree = 0;      ///< v.
    std::int64_t room = 0;            ///< Bytes of the buffer without a piece; unused without a limit.
    std::vector<std::int32_t> fresh;  ///< Operations that start in this instant.
    std::deque<std::int32_t> round;   ///< Operations with pieces that wait for a place.
    bool dirty = false;
};

/// The members of one line of a phase, or of a team, and their switch.
struct SwitchLine {
    std::int32_t server = 0;
    std::vector<std::int32_t> positions; ///< By coordinate r.
    std::vector<std::int32_t> routes; ///< By coordinate r: up from r, down to the next position.
};

/// One sum or copy under way.
struct SwitchOperation {
    /// A piece on its way to the switch; with a buffer limit, then to the receivers.
    struct Piece {
        std::int64_t head = 0;
        std::int64_t tail = 0;
        std::int32_t count = 0; ///< Contributors it has come from; then receivers it has not reached.
    };
    std::int64_t bytes = 0;
    std::int64_t segmentBytes = 0;    ///< Size of all messages of a contributor but the last.
    std::int32_t run = 0;
    std::int32_t chunk = 0;
    std::int32_t phase = 0;
    std::int32_t slot = 0;
    std::int32_t line = 0;
    std::int32_t operation = -1;      ///< Explicit body: the operation; -1: of a phase.
    std::int32_t owner = -1;          ///< Explicit body: coordinate of the member whose operation it is.
    std::int32_t step = 0;            ///< Explicit body: its step.
    std::int32_t sender = -1;         ///< Coordinate; -1: all.
    std::int32_t receiver = -1;       ///< Coordinate; -1: all.
    std::int32_t segments = 1;        ///< Messages of a contributor: 1 without a buffer limit.
    std::int32_t granted = 0;         ///< Of these have a place.
    std::int64_t deliveriesLeft = 0;
    bool reduces = false;
    bool copies = false;
    std::vector<Piece> pieces;
    std::vector<std::int32_t> undelivered; ///< Explicit body, by coordinate: messages a receiver has not got.
    std::vector<std::int32_t> downs;  ///< Messages to the receivers, while their pieces leave the switch.
};

/// A piece of which all contributions are about to be at the switch.
struct SwitchHead {
    std::int64_t order = 0;           ///< Of processing at the last up-link.
    std::int32_t operation = 0;
    std::int32_t piece = 0;
};

/// All that the engine keeps for in-network collectives.
struct Switches {
    std::vector<SwitchServer> servers;
    std::vector<SwitchLine> lines;
    std::map<OffloadSwitch, std::int32_t> serverOf;
    Pool<SwitchOperation> operations;
    Pool<SwitchHead> heads;
    // Work of the current instant.
    std::vector<std::int32_t> arrived; ///< Heads.
    std::vector<std::int32_t> dirty;   ///< Servers with operations that start, or with places that have become free.
};

} // namespace fabricscope::events
