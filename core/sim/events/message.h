#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <variant>

namespace fabricscope::events {

constexpr std::int32_t kNone = -1;

// What a message belongs to, one type each. Who is told when it has left or come, who goes first, and what is written of it follow from the type.

/// A send and its receive. Source and target are ranks, the chunk is the number of the pair in its channel, the phase its tag.
struct OfPair {
    std::int32_t channel = 0; ///< As Tasks number them.
};
/// A phase of a template program. Source and target are positions in the run, as in all that follow.
struct OfPhase {
    std::int32_t run = 0;
};
/// A send operation of an explicit body.
struct OfOperation {
    std::int32_t run = 0;
    std::int32_t operation = 0;
};
/// A sum or copy that a switch does (innetwork.h): up to it. The step is the part of what the switch does.
struct ToSwitch {
    std::int32_t run = 0;
    std::int32_t work = 0; ///< As Switches number it.
};
/// The same: down from it.
struct FromSwitch {
    std::int32_t run = 0;
    std::int32_t work = 0;
};

/// What travels: a message, or a part of the transfer of one (transfers.cpp).
enum class MessageKind : std::uint8_t { Whole, Part, Control, Signal };

/// A message from readiness (or the start of its endpoint overhead) to delivery.
struct Message {
    std::int64_t bytes = 0;
    std::int64_t ready = 0;
    std::int64_t left = 0;
    std::variant<OfPair, OfPhase, OfOperation, ToSwitch, FromSwitch> of;
    std::int32_t source = 0;
    std::int32_t target = 0;
    std::int32_t chunk = 0;
    std::uint32_t phase = 0;
    std::int32_t step = 0;
    std::int32_t slot = 0;
    std::int32_t stream = 0;
    std::int32_t route = 0;
    std::int32_t next = kNone;   ///< In the FIFO of its stream, or among the arrivals of an instant.
    std::int32_t sent = 0;       ///< Pieces that have been picked.
    std::int32_t pieces = 1;
    std::int32_t reduceBuffers = 0; ///< k; 0: not reduced.
    std::int32_t parent = kNone; ///< Of a part: the message it belongs to.
    std::int32_t arrived = 0;    ///< Message in parts: those delivered; `pieces` are all, `sent` have left.
    std::int64_t offset = 0;     ///< Part: its begin in the message.
    bool tellLeft = false;       ///< Somebody waits for Left.
    MessageKind kind = MessageKind::Whole;
    std::uint8_t protocol = 0;   ///< Entry of NetworkParams::protocols, from 1; `bytes` are wire bytes then. 0: none.
    std::uint8_t controls = 0;   ///< Control messages left before the data.

    bool isOfPair() const { return std::holds_alternative<OfPair>(of); }
    /// Does it begin or end at a switch?
    bool meetsSwitch() const { return std::holds_alternative<ToSwitch>(of) || std::holds_alternative<FromSwitch>(of); }
    /// Collective it belongs to; kNone: a pair.
    std::int32_t run() const
    {
        return std::visit([](const auto& what) {
            if constexpr (std::is_same_v<decltype(what), const OfPair&>)
                return kNone;
            else
                return what.run;
        }, of);
    }
};

/// What piece `index` costs where `cost(bytes)` is the cost of that many bytes: a train costs what the whole costs.
template <typename Cost>
std::int64_t shareOfPiece(const Message& message, std::int32_t index, std::int64_t pieceBytes, Cost&& cost)
{
    if (message.pieces == 1)
        return message.offset == 0 ? cost(message.bytes) : cost(message.offset + message.bytes) - cost(message.offset);
    const std::int64_t begin = message.offset + std::int64_t{index} * pieceBytes;
    return cost(std::min(begin + pieceBytes, message.offset + message.bytes)) - cost(begin);
}

/// A piece past its own link that still has something to meet.
struct Piece {
    std::int64_t head = 0;       ///< At a reducer: when it counts as arrived.
    std::int64_t tail = 0;       ///< After the reducer: the end.
    std::int64_t order = 0;      ///< Of processing at the previous resource.
    std::int64_t work = 0;       ///< For the reducer, ps.
    std::int32_t message = 0;
    std::int32_t index = 0;
    std::int32_t hop = 0;        ///< Links crossed so far.
    std::int32_t next = kNone;
    bool processed = false;      ///< The reducer has served it.
};

} // namespace fabricscope::events
