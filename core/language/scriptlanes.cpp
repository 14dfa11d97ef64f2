#include "core/language/scriptlanes.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// \pre ranks below 2^17, channels below 2^10.
std::uint64_t connectionKey(std::int32_t from, std::int32_t to, std::int32_t channel)
{
    return (static_cast<std::uint64_t>(from) << 40) | (static_cast<std::uint64_t>(to) << 16) | static_cast<std::uint64_t>(channel);
}

Error errorAt(std::int32_t line, std::string message, std::string expected)
{
    Place place;
    place.line = line;
    return invalidInput(std::move(message), place, std::move(expected));
}

std::string laneText(std::int32_t lane)
{
    return lane < 0 ? "a lane of its own" : "lane " + std::to_string(lane);
}

} // namespace

Status ScriptLanes::bind(std::int32_t rank, std::int32_t lane, std::int32_t peer, bool sends, const ScriptOperation& operation)
{
    if (lane < 0)
        return {};
    Rank& state = m_ranks[static_cast<std::size_t>(rank)];
    state.next = std::max(state.next, lane + 1);
    Bound& bound = state.chosen[lane];
    if (peer < 0)
        return {}; // Local operations may be anywhere.
    const std::string name = "Lane " + std::to_string(lane) + " of rank " + std::to_string(rank);
    std::int32_t& bonded = sends ? bound.sendsTo : bound.receivesFrom;
    std::int32_t& bondedLine = sends ? bound.sendLine : bound.receiveLine;
    if (bonded >= 0 && bonded != peer)
        return errorAt(operation.line,
                  name + (sends ? " sends to rank " : " receives from rank ") + std::to_string(bonded) + " already (line " + std::to_string(bondedLine) +
                      ") and cannot " + (sends ? "send to rank " : "receive from rank ") + std::to_string(peer) + " too",
                  "another lane");
    if (bound.channel >= 0 && bound.channel != operation.how.channel)
        return errorAt(operation.line,
                  name + " is on channel " + std::to_string(bound.channel) + " (line " + std::to_string(bound.channelLine) + ") and cannot be on channel " +
                      std::to_string(operation.how.channel) + " too",
                  "another lane, or the same channel");
    if (bonded < 0) {
        bonded = peer;
        bondedLine = operation.line;
    }
    if (bound.channel < 0) {
        bound.channel = operation.how.channel;
        bound.channelLine = operation.line;
    }
    return {};
}

Status ScriptLanes::choose(const std::vector<ScriptOperation>& operations)
{
    for (const ScriptOperation& operation : operations) {
        if (operation.form != ScriptForm::Transfer) { // Of one rank; its lane may do anything else too.
            const std::int32_t rank = operation.form == ScriptForm::Wait ? operation.toRank : operation.fromRank;
            if (Status status = bind(rank, operation.how.sendLane, -1, true, operation); !status)
                return status;
            continue;
        }
        const bool local = operation.fromRank == operation.toRank;
        if (Status status = bind(operation.fromRank, operation.how.sendLane, local ? -1 : operation.toRank, true, operation); !status)
            return status;
        if (local)
            continue;
        if (Status status = bind(operation.toRank, operation.how.receiveLane, operation.fromRank, false, operation); !status)
            return status;
        const Ends ends{operation.how.sendLane, operation.how.receiveLane, operation.line};
        const auto [place, isNew] = m_connections.try_emplace(connectionKey(operation.fromRank, operation.toRank, operation.how.channel), ends);
        const Ends& first = place->second;
        if (isNew || (first.sending == ends.sending && first.receiving == ends.receiving))
            continue;
        const bool sender = first.sending != ends.sending;
        return errorAt(operation.line,
                  "What rank " + std::to_string(operation.fromRank) + " sends to rank " + std::to_string(operation.toRank) + " on channel " +
                      std::to_string(operation.how.channel) + " is " + (sender ? "sent by " : "received by ") +
                      laneText(sender ? first.sending : first.receiving) + " (line " + std::to_string(first.line) + ") and cannot be " +
                      (sender ? "sent by " : "received by ") + laneText(sender ? ends.sending : ends.receiving) + " too",
                  "one lane at either end, or another channel");
    }
    return {};
}

std::int32_t ScriptLanes::laneOf(std::int32_t rank, std::int32_t chosen, std::int32_t peer, int side, std::int32_t channel)
{
    if (chosen >= 0)
        return chosen;
    Rank& state = m_ranks[static_cast<std::size_t>(rank)];
    const auto [place, isNew] = state.own.try_emplace(connectionKey(side, peer, channel), state.next);
    if (isNew)
        ++state.next;
    return place->second;
}

std::int32_t ScriptLanes::sending(const ScriptOperation& operation)
{
    const bool local = operation.fromRank == operation.toRank;
    return laneOf(operation.fromRank, operation.how.sendLane, local ? 0 : operation.toRank, local ? 0 : 1, operation.how.channel);
}

std::int32_t ScriptLanes::alone(const ScriptOperation& operation)
{
    switch (operation.form) {
    case ScriptForm::Put:
    case ScriptForm::Signal:
        return laneOf(operation.fromRank, operation.how.sendLane, operation.toRank, 3, operation.how.channel);
    case ScriptForm::Wait:
        return laneOf(operation.toRank, operation.how.sendLane, operation.fromRank, 4, operation.how.channel);
    default:
        return laneOf(operation.fromRank, operation.how.sendLane, operation.team, 5, operation.how.channel);
    }
}

Status ScriptLanes::pass(const ScriptOperation& operation, std::int32_t lane)
{
    Rank& state = m_ranks[static_cast<std::size_t>(operation.fromRank)];
    const std::string rank = "rank " + std::to_string(operation.fromRank);
    const std::int32_t sends = operation.how.sendLane >= 0
        ? operation.how.sendLane
        : state.own.try_emplace(connectionKey(1, operation.toRank, operation.how.channel), lane).first->second;
    if (sends != lane)
        return errorAt(operation.line,
                  "What " + rank + " sends to rank " + std::to_string(operation.toRank) + " on channel " + std::to_string(operation.how.channel) + " is sent by lane " + std::to_string(sends)
                      + " and cannot be sent on by lane " + std::to_string(lane) + ", which brings it",
                  "another channel");
    const std::int32_t to = state.passesTo.try_emplace(lane, operation.toRank).first->second;
    if (to != operation.toRank)
        return errorAt(operation.line, "Lane " + std::to_string(lane) + " of " + rank + " sends on to rank " + std::to_string(to) + " and cannot send to rank " + std::to_string(operation.toRank) + " too",
                  "another channel");
    return {};
}

std::int32_t ScriptLanes::receiving(const ScriptOperation& operation)
{
    return laneOf(operation.toRank, operation.how.receiveLane, operation.fromRank, 2, operation.how.channel);
}

} // namespace fabricscope
