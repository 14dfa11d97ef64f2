#pragma once

#include "core/base/index.h"
#include "core/sim/common/runpace.h"
#include "core/sim/events/enginestate.h"

#include <memory>

namespace fabricscope::events {

/// The event engine of `links` and `ideal` (manual: models 1 to 4) and of `flow` (flowmodel.h).
///
/// One instant: everything delivered or ended is handled, and what that makes ready, until nothing changes; then the heads that
/// arrive at links and endpoints, in tie order per resource; then one pick per idle link. No step depends on the order in which
/// the agenda hands over the events of an instant, nor on rank numbers. No allocation, hash lookup or virtual call per message once the pools have grown.
///
/// Who owns what: Agenda, time and what is to come; Halt, why the run stops early; Tasks, the ranks, their tasks, and pairs of sends and receives;
/// Network, messages, pieces, links and endpoints; Switches, those that reduce and copy, and what they do; Transfers, protocols, routing, jitter and
/// faults; Collectives, runs, groups, phases and operations; Routes, ways; FastForward, what it has seen of a folded run. The engine itself goes from
/// instant to instant and tells whoever an event or a message belongs to.
class Engine : public EngineState {
public:
    Engine(const Scenario& scenario_, const RunOptions& options_)
        : EngineState(scenario_, options_, *this)
        , m_pace(options_)
    {
        if (params.network && params.network->ways) {
            routes.setWays(*params.network->ways);
        } else if (params.network && !params.network->onlyBegins()) {
            transfers = std::make_unique<Transfers>(*this, agenda, routes, switches, network.underWay(), *this);
            network.transferBy(*transfers);
        }
    }
    Engine(const Engine&) = delete; ///< Its parts refer to it.
    Engine& operator=(const Engine&) = delete;

    /// Collectives are answered as wholes where it can.
    void answerBy(Boxes& answering)
    {
        collectives.answerBy(answering);
        network.tell(answering);
    }

    /// Runs until nothing is left to happen. Errors: Cancelled, MemoryLimit, InvalidInput.
    Status run(std::stop_token stop);
    /// recordOf() of this engine; under flow its busy times are put in first.
    Result<RunRecord> record(bool cut, const std::stop_token& stop);

    // What Network asks and says of messages.
    TaskIndex taskOf(const Message& message) const
    {
        const auto* const pair = std::get_if<OfPair>(&message.of);
        return pair ? tasks.sender(pair->channel, message.chunk) : collectives.runOf(message).members[at(message.source)].task;
    }
    /// First field of the tie rule, ascending.
    std::int32_t priorityOf(const Message& message) const
    {
        if (const auto* const pair = std::get_if<OfPair>(&message.of))
            return byPriority ? tasks.priority(pair->channel, message.chunk) : 0;
        return collectives.runOf(message).def->priority;
    }
    /// The last piece has been picked; it leaves the own link at Message::left.
    void sourceLeft(const Message& message)
    {
        if (!message.isOfPair())
            collectives.sourceLeft(message);
    }
    void arrived(const Message& message)
    {
        if (const auto* const pair = std::get_if<OfPair>(&message.of))
            tasks.delivered(pair->channel, message.chunk);
        else
            collectives.arrived(message);
    }

private:
    // The run: engine.cpp.
    void instant();
    Status check();
    void handle(const Event& event);
    void settle();
    /// The last piece of a message that somebody waits for has left its own link.
    void tellLeft(Message message);

    std::int64_t m_nextCheck = 0;
    RunPace m_pace;
    std::int64_t m_piecesExpected = 0;     ///< Only with RunOptions::progress.
};

} // namespace fabricscope::events
