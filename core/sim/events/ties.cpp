// Who goes first at one instant: part of Network (network.h), the tie rule (manual: models 3.6).
#include "core/base/index.h"
#include "core/sim/events/engine.h"

namespace fabricscope::events {

namespace {

template <typename T>
int tieOrder(T a, T b)
{
    return a < b ? -1 : (b < a ? 1 : 0);
}

/// Where the messages of a kind go in a folded run.
struct Move {
    bool isTurn = true;               ///< From r to r + m, everywhere.
    const ExplicitPlan* of = nullptr; ///< Explicit program.
    std::int32_t number = -1;         ///< Of it: ExplicitPlan::moves.
};

Move moveOf(Plan& plan, const Message& message)
{
    if (const auto* const send = std::get_if<OfOperation>(&message.of)) {
        const std::int32_t number = plan.operations->moves[at(send->operation)];
        return {number < 0, plan.operations.get(), number};
    }
    const PhasePlan& phase = plan.at(message.chunk, static_cast<std::int32_t>(message.phase));
    return {phase.rules.rule().alike != Likeness::ExclusiveOr || phase.extent == 2};
}

} // namespace

/// The tie rule as far as the message decides it.
int Network::compareMessages(const Message& a, const Message& b) const
{
    const CollectiveInstance* first = a.isOfPair() ? nullptr : m_engine.collectives.runOf(a).def;
    const CollectiveInstance* second = b.isOfPair() ? nullptr : m_engine.collectives.runOf(b).def;
    if (first != second || m_given.byPriority) {
        if (const int c = tieOrder(m_engine.priorityOf(a), m_engine.priorityOf(b)))
            return c;
    }
    if (m_given.severalJobs) { // A group may span jobs: the sender's counts.
        const auto job = [this](const Message& m) {
            return m_given.structure.placement.jobOf(m.isOfPair() ? m.source : m_engine.collectives.runOf(m).plan->ranks[at(m.source)]);
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
std::pair<std::int64_t, std::int64_t> Network::stepInTies(const Message& message) const
{
    if (!message.meetsSwitch() || m_switches.work(message).operation == kNone)
        return {message.step, 0};
    return {m_switches.work(message).step, message.step};
}

/// Chunk and phase as the tie rule means them. The `chunk` of an operation names a place in the vector; where a program has tags, they say
/// which piece of the vector it is (instance) and which phase.
std::pair<std::int64_t, std::int64_t> Network::pieceAndPhase(const Message& message) const
{
    if (const auto* const send = std::get_if<OfOperation>(&message.of)) {
        const ExplicitBody& body = m_engine.collectives.runOf(message).plan->program->asExplicit();
        if (!body.tags.empty()) {
            const OpTags tags = body.tags[at(send->operation)];
            return {std::max<std::int64_t>(tags.instance, 0), std::max<std::int64_t>(tags.phase, 0)};
        }
    }
    return {message.chunk, message.phase};
}

/// What tells messages of one task apart: the channel of a pair, the operation of an explicit body, what a switch does.
std::int32_t Network::numberInTask(const Message& message)
{
    struct Number {
        std::int32_t operator()(const OfPair& of) const { return of.channel; }
        std::int32_t operator()(const OfPhase&) const { return 0; }
        std::int32_t operator()(const OfOperation& of) const { return of.operation; }
        std::int32_t operator()(const ToSwitch& of) const { return of.work; }
        std::int32_t operator()(const FromSwitch& of) const { return of.work; }
    };
    return std::visit(Number{}, message.of);
}

/// Order of messages of one NPU at its own links. What the tie rule leaves open, the order of the tasks in the workload decides.
int Network::compareAtSource(const Message& a, const Message& b) const
{
    if (const int c = compareMessages(a, b))
        return c;
    if (const int c = tieOrder(m_engine.taskOf(a), m_engine.taskOf(b)))
        return c;
    if (const int c = tieOrder(numberInTask(a), numberInTask(b)))
        return c;
    if (const int c = tieOrder(a.kind == MessageKind::Control, b.kind == MessageKind::Control))
        return c;
    return tieOrder(a.offset, b.offset);
}

/// Folded: do the input ports of two messages compare differently on other NPUs? Differences modulo n are the same everywhere, but
/// r xor m is at another difference on every r, and so may be what an explicit program names.
bool Network::positionsDiffer(const Message& a, const Message& b, bool atEnd) const
{
    const auto dimension = [this](const Message& message) {
        return m_links[at(m_routes.link(m_routes[message.route], 0))].dimension;
    };
    const Move first = moveOf(*m_engine.collectives.runOf(a).plan, a);
    const Move second = moveOf(*m_engine.collectives.runOf(b).plan, b);
    if ((first.isTurn && second.isTurn) || dimension(a) != dimension(b))
        return false;
    if (!first.isTurn && !second.isTurn && first.of == second.of && (first.of ? first.number == second.number : a.route == b.route))
        return false; // The same neighbour everywhere.
    // At an NPU below a switch everything comes down one link.
    return !(atEnd && m_given.structure.platform.dimensions()[at(dimension(a))].shape == Shape::Switch);
}

/// The tie rule up to how far pieces have come: what is left open, ports decide.
int Network::compareBeforePorts(const Piece& a, const Piece& b) const
{
    const Message& first = m_messages[a.message];
    const Message& second = m_messages[b.message];
    if (a.message != b.message) {
        if (const int c = compareMessages(first, second))
            return c;
    }
    if (const int c = tieOrder(first.offset + a.index * m_given.pieceBytes, second.offset + b.index * m_given.pieceBytes))
        return c;
    return tieOrder(b.hop, a.hop);
}

int Network::comparePieces(const Piece& a, const Piece& b, bool atEnd) const
{
    if (const int c = compareBeforePorts(a, b))
        return c;
    const Message& first = m_messages[a.message];
    const Message& second = m_messages[b.message];
    const Route& firstRoute = m_routes[first.route];
    const Route& secondRoute = m_routes[second.route];
    if (const Folding* const folding = m_routes.folding(); folding && a.message != b.message) {
        const auto stop = [atEnd](const Route& route, const Piece& piece) { return Folding::Stop{route.folded, atEnd ? route.hops : piece.hop}; };
        const std::optional<int> order = folding->comparePorts(m_given.structure.platform, stop(firstRoute, a), stop(secondRoute, b));
        m_positionsDecided = m_positionsDecided || !order;
        return order.value_or(0) != 0 ? *order : tieOrder(a.order, b.order);
    }
    if (m_routes.isFolded() && a.message != b.message && positionsDiffer(first, second, atEnd))
        m_positionsDecided = true;
    const std::int32_t firstPort = atEnd ? firstRoute.endPort : m_routes.port(firstRoute, a.hop);
    const std::int32_t secondPort = atEnd ? secondRoute.endPort : m_routes.port(secondRoute, b.hop);
    if (const int c = tieOrder(firstPort, secondPort))
        return c;
    return tieOrder(a.order, b.order);
}

} // namespace fabricscope::events
