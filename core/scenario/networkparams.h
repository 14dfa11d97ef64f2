#pragma once

#include "core/design/design.h"
#include "core/design/networkconfig.h"
#include "core/platform/balancedways.h"
#include "core/platform/router.h"
#include "core/scenario/jitter.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// What a transfer costs besides its bytes; an addition to physical/1 (core/sim/events/transfers.h).
struct ProtocolParams {
    std::string name;                 ///< "LL", "custom".
    std::int64_t minBytes = 0;        ///< Payload, inclusive.
    std::int64_t maxBytes = INT64_MAX;
    std::int32_t dimension = -1;      ///< Highest dimension crossed; -1: any.
    SimTime latency;                  ///< Per message, paid by the sender before it is ready.
    std::int64_t payload = 1;         ///< Of every `wire` bytes on the links so many are payload; payload <= wire.
    std::int64_t wire = 1;
    std::int32_t slotCount = 0;           ///< Per connection; 0: unlimited.
    std::int64_t slotBytes = 0;       ///< Wire bytes of a slot.
    std::int32_t controls = 0;        ///< Control messages before the data, to and fro; the last one comes from the receiver.
    bool signal = false;              ///< A control message behind the data.
    std::int64_t controlBytes = 0;

    std::int64_t wireBytes(std::int64_t bytes) const { return mulDivCeil(bytes, wire, payload); }
    /// The way back: exact for what wireBytes gave.
    std::int64_t payloadBytes(std::int64_t bytes) const
    {
        __extension__ using Wide = __int128;
        return static_cast<std::int64_t>(Wide{bytes} * payload / wire);
    }
};

/// What happens to one link at one instant. In an instant what ends comes before what begins.
struct LinkChange {
    enum class Kind : std::uint8_t { Repaired, Restored, Failed, Rate };
    SimTime at;
    Kind kind = Kind::Failed;
    LinkId link = 0;
    ResourceClass resource = 0; ///< From now on, for Restored and Rate; an entry of Params::linkRate.
    std::int64_t rate = 0;      ///< The same in B/s.
};

/// What a rule of collectives says beside algorithms (CollectiveTerms).
struct RuleParams {
    SimTime launch;             ///< From the issue of a collective to its begin ...
    SimTime ramp;               ///< ... and as much of this as S / (S + rampBytes).
    std::int64_t rampBytes = 0;
    std::int32_t protocol = -1; ///< Of all its messages: number in NetworkParams::protocols; -1: by their sizes.
};

/// Section `network` of a design in the units of the engines.
struct NetworkParams {
    std::uint64_t seed = 0;
    SimTime launch;                            ///< From the issue of a collective to its begin.
    std::optional<RoutingRules> routing;       ///< Absent: Platform::route.
    std::vector<ProtocolParams> protocols;     ///< The first that fits; none fits: what physical/1 says. Behind them those of rules of collectives.
    std::size_t ruleProtocols = 0;             ///< So many, at the end.
    std::vector<RuleParams> ofRules;           ///< By CollectiveInstance::rule; empty: no rule says anything.
    std::vector<LinkChange> changes;           ///< By time.
    bool failures = false;                     ///< Some change is a failure.
    std::shared_ptr<const ExplicitGraph> graph; ///< Only where ways are searched: failures, and policies but the order of dimensions.
    /// Ways that depend on their two ends alone, by the rules from physical/2 and flow/2 on. All else is as without a section then.
    std::shared_ptr<const BalancedWays> ways;
    JitterTable compute;
    JitterTable latency;
    JitterTable occupancy;

    /// What rules say of a collective; null: nothing.
    const RuleParams* ruleOf(const CollectiveInstance& instance) const
    {
        return instance.rule >= 0 && !ofRules.empty() ? &ofRules[static_cast<std::size_t>(instance.rule)] : nullptr;
    }
    SimTime launchOf(const CollectiveInstance& instance) const; ///< Without the ramp. In networkparams.cpp.
    SimTime rampOf(const CollectiveInstance& instance) const;
    /// Is there a collective of any size that begins later than it is issued?
    bool launches() const;
    /// Does it say no more than when collectives begin? Messages then go as without it.
    bool onlyBegins() const { return !routing && !ways && protocols.empty() && changes.empty() && !failures && compute.empty() && latency.empty() && occupancy.empty(); }
    /// Whether anything depends on the seed.
    bool draws() const { return !compute.empty() || !latency.empty() || !occupancy.empty() || (routing && rowOf(routing->policy).draws); }
};

/// Whether a run depends on the seed. Null: no.
inline bool drawsAtRandom(const Scenario* scenario)
{
    return scenario && scenario->params && scenario->params->network && scenario->params->network->draws();
}

/// A protocol with its preset filled in. Sources of the presets are in networkparams.cpp.
ProtocolParams protocolParams(const ProtocolConfig& config);

/// Turns faults into changes in the order they happen; appends the rates of links as classes to `params`.
std::vector<LinkChange> linkChanges(const std::vector<LinkFault>& faults, const Structure& structure, Params& params);

/// Absent when the design says nothing, and the rules of its version say no more than those of physical/1. Adds what it used to `params.list`; \pre the rest of `params` is complete.
std::shared_ptr<const NetworkParams> makeNetworkParams(const Design& design, const Structure& structure, Params& params, Diagnostics& diagnostics);

} // namespace fabricscope
