#include "core/platform/fabric/fabric.h"

#include "core/base/index.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

/// A rate for what stands without one: bisections weigh cables by it.
Quantity assumedBandwidth() { return {400, "Gbit/s", Measure::Bandwidth}; }
Quantity assumedLatency() { return {1, "us", Measure::Time}; }

/// Every NPU of the host can take the place of every other: each has the same cables to each of its switches, and none to another.
bool allAlike(const FabricHost& host)
{
    // Each switch has a cable to every NPU, which also bounds what is counted here.
    if (WideCount{host.npus} * host.switches > static_cast<std::int64_t>(host.cables.size()))
        return false;
    std::vector<std::int64_t> count(at(host.npus) * at(std::max(host.switches, 1)));
    for (const FabricHost::Cable& cable : host.cables) {
        if (cable.lower.node >= host.npus || cable.upper.node < host.npus)
            return false;
        ++count[at(cable.upper.node - host.npus) * at(host.npus) + at(cable.lower.node)];
    }
    for (std::size_t i = 0; i < count.size(); ++i) {
        if (count[i] != count[i / at(host.npus) * at(host.npus)])
            return false;
    }
    return true;
}

Status checkHost(const FabricFamily& family, const FamilyValues& values, const FabricPlan& plan, const FabricHost& host)
{
    if (plan.tiers.empty() && &family != &aloneFamily())
        return familyError(family, "", "a shape without switches joins NPUs, not hosts of " + std::to_string(host.npus), "npu in place of " + host.name);
    if (const int rails = keyOf(family, "rails"); rails >= 0 && values.one(at(rails)) != host.npus)
        return familyError(family, "rails", std::to_string(values.one(at(rails))) + " rails for hosts of " + std::to_string(host.npus) + " NPUs", std::to_string(host.npus));
    if (plan.npus % host.npus != 0) {
        const std::int64_t below = plan.npus / host.npus * host.npus;
        return familyError(family, "", std::to_string(plan.npus) + " places for hosts of " + std::to_string(host.npus) + " NPUs",
                           "a multiple of " + std::to_string(host.npus) + ": " + (below > 0 ? std::to_string(below) + " or " : std::string()) + std::to_string(below + host.npus));
    }
    return {};
}

Status checkRadix(const FabricFamily& family, const FabricPlan& plan, const std::vector<FabricLevel>& levels)
{
    for (std::size_t i = 0; i < plan.tiers.size() && !levels.empty(); ++i) {
        const FabricTier& tier = plan.tiers[i];
        const std::int64_t radix = levels[std::min(i, levels.size() - 1)].radix;
        if (radix > 0 && tier.ports > radix) {
            return familyError(family, "", "a \"" + tier.name + "\" would use " + std::to_string(tier.ports) + " of " + counted(radix, "port"),
                               "switches of " + counted(tier.ports, "port") + ", or " + std::to_string(radix) + " used");
        }
    }
    return {};
}

/// \param ownHosts the family wires the NPUs of a host alike, each to the switch of its rail.
void putHosts(FabricPlan& plan, const FabricHost& host, bool sameRates, bool ownHosts)
{
    const std::int64_t hosts = plan.npus / host.npus;
    const bool aligned = plan.known.block % host.npus == 0;
    const KnownFigures known = plan.known;
    plan.known = {};
    // Halves of whole hosts cut no cable inside them.
    if (aligned && sameRates)
        plan.known.bisection = known.bisection;
    plan.known.block = known.block;
    // Of hosts that straddle leaves one NPU has its host at its own leaf, another does not.
    if (!aligned || !allAlike(host) || (!ownHosts && plan.npusOfLeaf % host.npus != 0))
        plan.alike = Alike::Attached;
    if (host.forwards && plan.forwarding == NpuForwarding::None)
        plan.forwarding = NpuForwarding::InHost;
    if (host.switches > 0) {
        std::vector<std::int64_t> ports(at(host.switches));
        for (const FabricHost::Cable& cable : host.cables) {
            for (const PortRef& end : {cable.lower, cable.upper}) {
                if (end.node >= host.npus)
                    ++ports[at(end.node - host.npus)];
            }
        }
        plan.tiers.insert(plan.tiers.begin(), {"switch", hosts * host.switches, *std::max_element(ports.begin(), ports.end()), 0});
    }
    if (!host.cables.empty())
        plan.kinds.insert(plan.kinds.begin(), {"host", hosts * static_cast<std::int64_t>(host.cables.size()), true});
}

/// Coordinates inside of hosts in place of the first axis, where that is theirs or a number of hosts.
void putHostAxes(FabricPlan& plan, const FabricHost& host)
{
    if (plan.axes.empty() || plan.axes.front().size % host.npus != 0)
        return plan.axes.clear();
    std::vector<NpuAxis> axes = host.axes;
    if (axes.empty())
        axes.push_back({"", host.npus});
    axes.back().name = "host";
    if (plan.axes.front().size > host.npus)
        axes.push_back({plan.axes.front().name, plan.axes.front().size / host.npus});
    axes.insert(axes.end(), plan.axes.begin() + 1, plan.axes.end());
    plan.axes = std::move(axes);
}

} // namespace

Result<Fabric> Fabric::create(FabricSpec spec)
{
    if (Status status = checkFamilyValues(*spec.family, spec.values); !status)
        return std::move(status).error();
    auto shared = std::make_shared<Shared>();
    shared->plan = spec.family->plan(spec.values);
    FabricPlan& plan = shared->plan;
    for (const FabricTier& tier : plan.tiers)
        shared->familyTiers.push_back(tier.name);
    for (std::size_t i = 0; i < plan.tiers.size() && i < spec.levels.size(); ++i) {
        if (!spec.levels[i].name.empty())
            plan.tiers[i].name = spec.levels[i].name;
    }
    if (Status status = checkRadix(*spec.family, plan, spec.levels); !status)
        return std::move(status).error();
    bool sameRates = true;
    for (const FabricLevel& level : spec.levels)
        sameRates = sameRates && (!level.bandwidth || (spec.levels.front().bandwidth && toBandwidth(*level.bandwidth) == toBandwidth(*spec.levels.front().bandwidth)));
    if (!sameRates)
        plan.known.bisection.reset();
    if (spec.host) {
        if (Status status = checkHost(*spec.family, spec.values, plan, *spec.host); !status)
            return std::move(status).error();
        shared->hostSwitches = plan.npus / spec.host->npus * spec.host->switches;
        shared->hostKinds = spec.host->cables.empty() ? 0 : 1;
        putHosts(plan, *spec.host, sameRates, keyOf(*spec.family, "hosts") >= 0);
        putHostAxes(plan, *spec.host);
        for (CableKind& kind : plan.kinds) // Nothing is known of enclosures there.
            kind.inside = kind.inside && spec.family != &aloneFamily();
    }
    plan.warnings.insert(plan.warnings.begin(), spec.warnings.begin(), spec.warnings.end());
    shared->spec = std::move(spec);
    Fabric fabric;
    fabric.m_shared = std::move(shared);
    if (fabric.nodes() > INT32_MAX)
        return familyError(*fabric.spec().family, "", "more than 2147483647 nodes", "fewer");
    return fabric;
}

std::int64_t Fabric::switches() const
{
    return std::accumulate(tiers().begin(), tiers().end(), std::int64_t{0}, [](std::int64_t sum, const FabricTier& tier) { return sum + tier.count; });
}

std::int64_t Fabric::cableCount() const
{
    return std::accumulate(kinds().begin(), kinds().end(), std::int64_t{0}, [](std::int64_t sum, const CableKind& kind) { return sum + kind.count; });
}

std::int64_t Fabric::cablesInside() const
{
    return std::accumulate(kinds().begin(), kinds().end(), std::int64_t{0}, [](std::int64_t sum, const CableKind& kind) { return sum + (kind.inside ? kind.count : 0); });
}

std::optional<std::size_t> Fabric::levelOf(const FabricTier& tier) const
{
    const auto place = static_cast<std::size_t>(&tier - tiers().data());
    const std::size_t inHosts = m_shared->hostSwitches > 0 ? 1 : 0;
    if (place < inHosts || spec().levels.empty())
        return std::nullopt;
    return std::min(place - inHosts, spec().levels.size() - 1);
}

std::int64_t Fabric::radix(const FabricTier& tier) const
{
    const auto level = levelOf(tier);
    return level ? spec().levels[*level].radix : 0;
}

std::optional<Quantity> Fabric::crossbar(const FabricTier& tier) const
{
    const auto level = levelOf(tier);
    for (std::size_t i = level ? *level + 1 : 0; i > 0; --i) {
        if (spec().levels[i - 1].crossbar)
            return spec().levels[i - 1].crossbar;
    }
    return std::nullopt;
}

bool Fabric::isWirable() const
{
    return cableCount() <= kMaxFabricCables && m_shared->plan.wiringWork <= kMaxWiringWork;
}

Quantity Fabric::bandwidth(const FabricCable& cable) const
{
    if (cable.inHost >= 0)
        return spec().host->cables[at(cable.inHost)].bandwidth;
    const std::vector<FabricLevel>& levels = spec().levels;
    for (std::size_t i = std::min(at(cable.kind - m_shared->hostKinds) + 1, levels.size()); i > 0; --i) {
        if (levels[i - 1].bandwidth)
            return *levels[i - 1].bandwidth;
    }
    return assumedBandwidth();
}

Quantity Fabric::latency(const FabricCable& cable) const
{
    if (cable.inHost >= 0)
        return spec().host->cables[at(cable.inHost)].latency;
    const std::vector<FabricLevel>& levels = spec().levels;
    for (std::size_t i = std::min(at(cable.kind - m_shared->hostKinds) + 1, levels.size()); i > 0; --i) {
        if (levels[i - 1].latency)
            return *levels[i - 1].latency;
    }
    return assumedLatency();
}

Quantity Fabric::networkBandwidth() const
{
    if (spec().family == &aloneFamily() && !spec().host->cables.empty()) {
        // The slowest at an NPU: cables inside enclosures are faster.
        const std::vector<FabricHost::Cable>& cables = spec().host->cables;
        const auto rank = [&](const FabricHost::Cable& cable) { return std::pair{cable.lower.node >= spec().host->npus, toBandwidth(cable.bandwidth).bytesPerSecond}; };
        return std::min_element(cables.begin(), cables.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); })->bandwidth;
    }
    return bandwidth(FabricCable{{}, {}, m_shared->hostKinds, -1});
}

const std::vector<FabricCable>& Fabric::cables(const std::stop_token& stop) const
{
    const Shared& shared = *m_shared;
    const std::scoped_lock lock(shared.wiring);
    if (!shared.wired) {
        std::vector<FabricCable> out;
        out.reserve(at(cableCount()));
        const auto npus = static_cast<std::int32_t>(shared.plan.npus);
        std::vector<std::int32_t> taken; // ports of an NPU inside its host
        std::int32_t period = 1;
        if (const FabricHost* const host = shared.spec.host.get()) {
            period = host->npus;
            taken.assign(at(period), 0);
            for (const FabricHost::Cable& cable : host->cables) {
                for (const PortRef& end : {cable.lower, cable.upper}) {
                    if (end.node < period)
                        taken[at(end.node)] = std::max(taken[at(end.node)], end.port + 1);
                }
            }
            for (std::int32_t h = 0; h < npus / period; ++h) {
                checkStop(stop);
                const auto place = [&](PortRef end) { return PortRef{end.node < period ? h * period + end.node : npus + h * host->switches + end.node - period, end.port}; };
                for (std::size_t i = 0; i < host->cables.size(); ++i)
                    out.push_back({place(host->cables[i].lower), place(host->cables[i].upper), 0, static_cast<std::int32_t>(i)});
            }
        }
        const auto shift = static_cast<std::int32_t>(shared.hostSwitches);
        const std::int32_t kinds = shared.hostKinds;
        const auto place = [&](PortRef end) {
            if (end.node >= npus)
                end.node += shift;
            else if (!taken.empty())
                end.port += taken[at(end.node % period)];
            return end;
        };
        const CableSink sink([&](PortRef lower, PortRef upper, std::int32_t kind) { out.push_back({place(lower), place(upper), kind + kinds, -1}); }, stop);
        shared.spec.family->wire(shared.spec.values, sink);
        shared.cables = std::move(out);
        shared.wired = true;
    }
    return shared.cables;
}

std::string Fabric::name(NodeId node) const
{
    const FabricFamily& family = *spec().family;
    const FabricHost* const host = spec().host.get();
    const bool ownHosts = host && keyOf(family, "hosts") >= 0; // The family speaks of hosts itself.
    const auto npuName = [&](std::int64_t npu) {
        if (host && !ownHosts)
            return "host" + std::to_string(npu / host->npus) + ".gpu" + std::to_string(npu % host->npus);
        return family.nodeName ? family.nodeName(spec().values, npu) : "npu" + std::to_string(npu);
    };
    if (node < npus())
        return npuName(node);
    std::int64_t rest = node - npus();
    if (rest < m_shared->hostSwitches) {
        const std::string first = npuName(rest / host->switches * host->npus);
        return first.substr(0, first.rfind('.')) + ".switch" + std::to_string(rest % host->switches);
    }
    rest -= m_shared->hostSwitches;
    const std::int64_t number = npus() + rest; // as the family counts
    std::size_t tier = m_shared->hostSwitches > 0 ? 1 : 0;
    for (; tier + 1 < tiers().size() && rest >= tiers()[tier].count; ++tier)
        rest -= tiers()[tier].count;
    const std::string& name = tiers()[tier].name;
    if (!family.nodeName)
        return name + std::to_string(rest);
    // The name of the level in place of that of the family.
    std::string path = family.nodeName(spec().values, number);
    const std::string& usual = m_shared->familyTiers[tier - (m_shared->hostSwitches > 0 ? 1 : 0)];
    const std::size_t last = path.find_last_of('.') == std::string::npos ? 0 : path.find_last_of('.') + 1;
    if (name != usual && path.compare(last, usual.size(), usual) == 0)
        path.replace(last, usual.size(), name);
    return path;
}

} // namespace fabricscope
