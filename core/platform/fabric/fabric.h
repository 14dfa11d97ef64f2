#pragma once

#include "core/platform/fabric/family.h"
#include "core/platform/fabric/hostof.h"

#include <memory>
#include <mutex>

namespace fabricscope {

/// What one level of cables and the switches at its upper end are like. Absent figures are those of the level below; a network without any has 400 Gbit/s (weights need
/// one) and 1 us.
struct FabricLevel {
    std::string name;           ///< Of its switches; empty: the family's.
    std::int64_t radix = 0;     ///< Ports of a switch; 0: as many as it takes.
    std::optional<Quantity> bandwidth{};
    std::optional<Quantity> latency{};
    std::optional<Quantity> crossbar{}; ///< What a switch passes on per second over all its ports; a network without any has no limit.
};

/// All that describes a generated fabric; a plain value.
struct FabricSpec {
    const FabricFamily* family = nullptr;
    FamilyValues values;
    std::shared_ptr<const FabricHost> host{}; ///< Absent: NPUs.
    std::vector<FabricLevel> levels{};        ///< By kind of cable and tier of switches, from below; fewer: the last holds for the rest.
    Diagnostics warnings{};                   ///< What was taken in place of what is written; the fabric repeats them.
};

/// Immutable, validated fabric. Knows its counts by arithmetic; cables are written out when they are first asked for. Cheap to copy, safe to share between threads.
/// Nodes: NPUs 0..npus-1, then switches by tier from below (those of hosts are the first tier), by container, by index.
class Fabric {
public:
    /// Checks ranges and rules of the family, the radix of every level, and sizes: at most kMaxNpus NPUs. First problem found, with the nearest valid value.
    static Result<Fabric> create(FabricSpec spec);

    const FabricSpec& spec() const { return m_shared->spec; }
    std::int64_t npus() const { return m_shared->plan.npus; }
    std::int64_t switches() const;
    std::int64_t nodes() const { return npus() + switches(); }
    /// From below, with the tier inside hosts first where they have switches.
    std::span<const FabricTier> tiers() const { return m_shared->plan.tiers; }
    /// With the cables inside hosts first.
    std::span<const CableKind> kinds() const { return m_shared->plan.kinds; }
    std::int64_t cableCount() const;
    std::int64_t cablesInside() const;
    NpuForwarding forwarding() const { return m_shared->plan.forwarding; }
    /// Some NPU passes on data of others, if only inside its host.
    bool npusForward() const { return forwarding() != NpuForwarding::None; }
    Alike alike() const { return m_shared->plan.alike; }
    /// Coordinates of the NPUs, those inside hosts first; empty: none.
    const std::vector<NpuAxis>& axes() const { return m_shared->plan.axes; }
    /// By arithmetic, of the family alone; none for a fabric of hosts with cables of their own.
    const KnownFigures& known() const { return m_shared->plan.known; }
    const Diagnostics& warnings() const { return m_shared->plan.warnings; }
    /// What else there is: "48 optical switches of 128 ports"; may be empty.
    const std::string& note() const { return m_shared->plan.note; }
    /// Ports a switch has; 0: as many as it takes. \pre `tier` is one of tiers().
    std::int64_t radix(const FabricTier& tier) const;
    /// What a switch passes on per second, as a level says; absent: no limit, or switches of hosts. \pre as radix().
    std::optional<Quantity> crossbar(const FabricTier& tier) const;

    /// Its cables can be written out in some seconds: not too many, and not too long to draw.
    bool isWirable() const;

    /// Rate and latency of a kind of cable; one inside hosts may have several: -1 of it.
    Quantity bandwidth(const FabricCable& cable) const;
    Quantity latency(const FabricCable& cable) const;
    /// Rate of a cable from an NPU into the network: what others are weighed against.
    Quantity networkBandwidth() const;

    /// The cables, kind by kind as wired. O(cables) the first time, and again after it was stopped. Throws StopRequested. \pre isWirable().
    const std::vector<FabricCable>& cables(const std::stop_token& stop = {}) const;
    /// "unit2.host7.gpu3", "unit2.leaf3", "spine5", "npu12".
    std::string name(NodeId node) const;

private:
    /// The level that says what switches of a tier are like; absent: they are of hosts, or no level is given.
    std::optional<std::size_t> levelOf(const FabricTier& tier) const;

    struct Shared {
        FabricSpec spec;
        FabricPlan plan;
        std::vector<std::string> familyTiers; ///< Names of tiers before those of levels; without the tier of hosts.
        std::int64_t hostSwitches = 0; ///< Of all hosts.
        std::int32_t hostKinds = 0;    ///< 1 when kind 0 is that of cables inside hosts.
        mutable std::mutex wiring;
        mutable bool wired = false;
        mutable std::vector<FabricCable> cables;
    };
    std::shared_ptr<const Shared> m_shared;
};

/// Most cables that are written out; figures of larger fabrics are those that arithmetic gives.
constexpr std::int64_t kMaxFabricCables = std::int64_t{1} << 23;
/// Most that wiring looks at beyond them.
constexpr std::int64_t kMaxWiringWork = 1'000'000'000;

} // namespace fabricscope
