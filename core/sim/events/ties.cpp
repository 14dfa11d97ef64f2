// Who goes first at one instant: part of Engine (engine.h), the tie rule (manual: models 3.6).
#include "core/sim/events/engine.h"

namespace fabricscope::events {

namespace {

template <typename T>
int tieOrder(T a, T b)
{
    return a < b ? -1 : (b < a ? 1 : 0);
}

} // namespace

/// The tie rule as far as the message decides it.
int Engine::compareMessages(const Message& a, const Message& b) const
{
    const CollectiveInstance* first = a.run == kNone ? nullptr : runs[static_cast<std::size_t>(a.run)].def;
    const CollectiveInstance* second = b.run == kNone ? nullptr : runs[static_cast<std::size_t>(b.run)].def;
    if (first != second || byPriority) {
        if (const int c = tieOrder(priorityOf(a), priorityOf(b)))
            return c;
    }
    if (severalJobs) { // A group may span jobs: the sender's counts.
        const auto job = [this](const Message& m) {
            return structure.placement.jobOf(m.run == kNone ? m.source : runs[static_cast<std::size_t>(m.run)].plan->ranks[static_cast<std::size_t>(m.source)]);
        };
        if (const int c = tieOrder(job(a), job(b)))
            return c;
    }
    if (first != second) {
        if (const int c = tieOrder(first ? first->sequence : 0, second ? second->sequence : 0))
            return c;
    }
    const auto [chunkOfFirst, phaseOfFirst] = pieceAndPhase(a);
    const auto [chunkOfSecond, phaseOfSecond] = pieceAndPhase(b);
    if (const int c = tieOrder(chunkOfFirst, chunkOfSecond))
        return c;
    if (const int c = tieOrder(phaseOfFirst, phaseOfSecond))
        return c;
    if (const int c = tieOrder(stepInTies(a), stepInTies(b)))
        return c;
    return tieOrder(a.slot, b.slot);
}

/// The step, and behind it the part of an operation of a team.
std::pair<std::int64_t, std::int64_t> Engine::stepInTies(const Message& message) const
{
    if (message.way == SwitchWay::None || m_switches.work(message).operation == kNone)
        return {message.step, 0};
    return {m_switches.work(message).step, message.step};
}

/// Chunk and phase as the tie rule means them. The `chunk` of an operation names a place in the vector; where a program has tags, they say
/// which piece of the vector it is (instance) and which phase.
std::pair<std::int64_t, std::int64_t> Engine::pieceAndPhase(const Message& message) const
{
    if (message.run != kNone && message.way == SwitchWay::None && runs[static_cast<std::size_t>(message.run)].plan->operations) {
        const ExplicitBody& body = runs[static_cast<std::size_t>(message.run)].plan->program->asExplicit();
        if (!body.tags.empty()) {
            const OpTags tags = body.tags[static_cast<std::size_t>(message.item)];
            return {std::max<std::int64_t>(tags.instance, 0), std::max<std::int64_t>(tags.phase, 0)};
        }
    }
    return {message.chunk, message.phase};
}

TaskIndex Engine::taskOf(const Message& message) const
{
    if (message.run == kNone)
        return tasks.sender(message.item, message.chunk);
    return runs[static_cast<std::size_t>(message.run)].members[static_cast<std::size_t>(message.source)].task;
}

/// Order of messages of one NPU at its own links. What the tie rule leaves open, the order of the tasks in the workload decides.
int Engine::compareAtSource(const Message& a, const Message& b) const
{
    if (const int c = compareMessages(a, b))
        return c;
    if (const int c = tieOrder(taskOf(a), taskOf(b)))
        return c;
    if (const int c = tieOrder(a.item, b.item))
        return c;
    if (const int c = tieOrder(a.kind == MessageKind::Control, b.kind == MessageKind::Control))
        return c;
    return tieOrder(a.offset, b.offset);
}

/// Folded: do the input ports of two messages compare differently on other NPUs? Differences modulo n are the same everywhere, but
/// r xor m is at another difference on every r.
bool Engine::positionsDiffer(const Message& a, const Message& b, bool atEnd) const
{
    const auto exchanges = [this](const Message& message) {
        const PhasePlan& plan = runs[static_cast<std::size_t>(message.run)].plan->at(message.chunk, static_cast<std::int32_t>(message.phase));
        return plan.algorithm == Algorithm::HalvingDoubling && plan.extent > 2;
    };
    const auto dimension = [this](const Message& message) {
        return links[static_cast<std::size_t>(routes.link(routes[message.route], 0))].dimension;
    };
    const bool first = exchanges(a);
    const bool second = exchanges(b);
    if ((!first && !second) || dimension(a) != dimension(b))
        return false;
    if (first && second && a.route == b.route)
        return false; // The same neighbour everywhere.
    // At an NPU below a switch everything comes down one link.
    return !(atEnd && structure.platform.dimensions()[static_cast<std::size_t>(dimension(a))].shape == Shape::Switch);
}

int Engine::comparePieces(const Piece& a, const Piece& b, bool atEnd) const
{
    const Message& first = m_messages[a.message];
    const Message& second = m_messages[b.message];
    if (a.message != b.message) {
        if (const int c = compareMessages(first, second))
            return c;
    }
    if (const int c = tieOrder(first.offset + a.index * pieceBytes, second.offset + b.index * pieceBytes))
        return c;
    if (const int c = tieOrder(b.hop, a.hop))
        return c;
    const Route& firstRoute = routes[first.route];
    const Route& secondRoute = routes[second.route];
    if (routes.isFolded() && a.message != b.message && positionsDiffer(first, second, atEnd))
        positionsDecided = true;
    const std::int32_t firstPort = atEnd ? firstRoute.endPort : routes.port(firstRoute, a.hop);
    const std::int32_t secondPort = atEnd ? secondRoute.endPort : routes.port(secondRoute, b.hop);
    if (const int c = tieOrder(firstPort, secondPort))
        return c;
    return tieOrder(a.order, b.order);
}

} // namespace fabricscope::events
