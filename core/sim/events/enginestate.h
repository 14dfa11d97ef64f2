#pragma once

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/sim/events/agenda.h"
#include "core/sim/events/collectives.h"
#include "core/sim/events/fastforward.h"
#include "core/sim/events/outcome/halt.h"
#include "core/sim/events/messageroutes.h"
#include "core/sim/events/network.h"
#include "core/sim/events/switches.h"
#include "core/sim/events/tasks.h"
#include "core/sim/events/transfers.h"

#include <cstdint>
#include <memory>

namespace fabricscope::events {

/// The parts of an engine; each owns what it works on. Built from the scenario, read by the result.
struct EngineState : Setting {
    /// `engine`: what this is the state of.
    EngineState(const Scenario& scenario_, const RunOptions& options_, Engine& engine)
        : Setting(scenario_, options_)
        , tasks(*this, agenda, halt, engine)
        , routes(structure, costs)
        , switches(*this, agenda, halt, routes, engine)
        , network(*this, agenda, halt, routes, tasks, switches, engine)
        , collectives(*this, agenda, halt, routes, tasks, network, switches, fastForward)
        , fastForward(*this, agenda, routes, tasks, network, collectives)
    {
    }

    /// Prepares tasks, groups and channels. Errors: Cancelled, memory limit, memory tasks without a remote memory.
    Status build(const std::stop_token& stop = {})
    {
        return untilStopped([&]() -> Status {
            if (Status status = tasks.build(Network::bytesOfEndpoints(*this, routes), stop); !status)
                return status;
            collectives.build();
            network.build();
            return {};
        });
    }
    /// Some ranks stand for all. Before build(); it must outlive this.
    void fold(const Folding& folds)
    {
        folding = &folds;
        routes.fold(folds);
        tasks.fold(folds);
        collectives.fold(folds);
    }
    /// The rank that does what this one does.
    std::int32_t simulated(std::int32_t rank) const { return folding ? folding->rankFor[at(rank)] : rank; }
    /// Ranks that each simulated one stands for.
    std::int32_t copies() const { return folding ? folding->copies : 1; }
    std::int64_t memoryBytes() const { return tasks.bytes() + collectives.bytes() + network.bytes(); }

    Agenda agenda;
    Halt halt;
    Tasks tasks;
    std::unique_ptr<Transfers> transfers;    ///< Null: the design sets no routing, protocol, faults or jitter.
    Routes routes;
    Switches switches;
    Network network;
    Collectives collectives;
    FastForward fastForward;
    const Folding* folding = nullptr;        ///< Null: all ranks are simulated.
};

} // namespace fabricscope::events
