// Rail-optimised pods: NPU r of every host of a unit at leaf r of the unit; spines join all leaves, or those of a rail.
#include "core/platform/families/clos.h"

#include <array>

namespace fabricscope {

namespace {

enum RailKey : std::size_t { Units, Hosts, RailsOfHost, Spines, Up, Separate, Pods, Cores, CoreUp };

constexpr std::array<FamilyKey, 9> kRailsKeys{{{"units", "units", 1, 65536},
                                               {"hosts", "hosts of a unit", 1, 65536},
                                               {"rails", "NPUs of a host, each with a cable to the leaf of its rail", 1, 1024},
                                               {"spines", "spine switches of all units", 1, 65536},
                                               {"up", "cables up from each leaf", 1, 4096},
                                               {"separate", "1: every rail (and pod) has spines of its own", 0, 1, false, "0"},
                                               {"pods", "groups of units with spines of their own", 1, 4096, false, "1"},
                                               {"cores", "core switches, which join all spines", 1, 65536, false, "derived"},
                                               {"core_up", "cables up from each spine", 1, 4096, false, "derived"}}};
constexpr std::array<FamilyKey, 2> kRailOnlyKeys{{{"hosts", "hosts", 1, 65536}, {"rails", "NPUs of a host, each with a cable to the leaf of its rail", 1, 1024}}};

/// Units, rails and what joins them. Spines come in sets, each of which joins some leaves: all; those of a pod; those of a rail of a pod.
struct Rails {
    std::int64_t units = 1;
    std::int64_t hosts = 1;
    std::int64_t rails = 1;
    std::int64_t spines = 0; ///< 0: no network above the leaves.
    std::int64_t up = 0;
    std::int64_t pods = 1;
    bool separate = false;
    std::int64_t cores = 0;
    std::int64_t coreUp = 0;

    std::int64_t npus() const { return units * hosts * rails; }
    std::int64_t leaves() const { return units * rails; }
    std::int64_t sets() const { return pods * (separate ? rails : 1); }
    SpineJoin join() const { return {leaves() / sets(), up, spines / sets()}; }
    SpineJoin coreJoin() const { return {spines, coreUp, cores}; }
};

Rails railsOf(const FamilyValues& v)
{
    return {v.one(Units), v.one(Hosts), v.one(RailsOfHost), v.one(Spines), v.one(Up), v.one(Pods, 1), v.one(Separate, 0) == 1, v.one(Cores, 0), v.one(CoreUp, 0)};
}

Rails railOnlyOf(const FamilyValues& values)
{
    Rails rails;
    rails.hosts = values.one(0);
    rails.rails = values.one(1);
    return rails;
}

Status checkRails(const FamilyValues& values)
{
    const FabricFamily& family = railsFamily();
    if (const std::int64_t unit = values.one(Hosts) * values.one(RailsOfHost); product({values.one(Units), unit}) > kMaxNpus) {
        const bool fits = unit <= kMaxNpus;
        return familyError(family, fits ? "units" : "hosts", "more than 1048576 NPUs", "at most " + std::to_string(kMaxNpus / (fits ? unit : values.one(RailsOfHost))));
    }
    const Rails r = railsOf(values);
    if (r.units % r.pods != 0)
        return familyError(family, "pods", counted(r.pods, "pod") + " of " + counted(r.units, "unit"), "a divisor of the units");
    if (r.sets() > kRailsKeys[Spines].most)
        return familyError(family, "separate", std::to_string(r.sets()) + " rails of pods would have spines of their own", "at most " + std::to_string(kRailsKeys[Spines].most));
    if (r.spines % r.sets() != 0)
        return familyError(family, "spines", counted(r.spines, "spine") + " for " + counted(r.sets(), "set") + " (rails of pods)",
                           "a multiple of " + std::to_string(r.sets()) + "; the nearest is " + std::to_string(std::max(r.spines / r.sets(), std::int64_t{1}) * r.sets()));
    if (Status status = r.join().check(family, "spines", r.sets()); !status)
        return status;
    if ((r.cores > 0) != (r.coreUp > 0))
        return familyError(family, r.cores > 0 ? "core_up" : "cores", "missing", "cores and core_up together");
    if (r.cores == 0 && r.pods > 1)
        return familyError(family, "pods", "nothing joins " + std::to_string(r.pods) + " pods", "cores, or 1 pod");
    if (r.cores > product({r.spines, r.coreUp}))
        return familyError(family, "cores", std::to_string(r.cores) + " cores for " + std::to_string(product({r.spines, r.coreUp})) + " cables", "at most " + std::to_string(product({r.spines, r.coreUp})));
    // Spines that share no core still meet in their leaves, or rails in the hosts; only pods meet nowhere else.
    if (const SpineJoin pods{r.pods, r.spines / r.pods * r.coreUp, std::max<std::int64_t>(r.cores, 1)}; !pods.connected())
        return familyError(family, "cores", std::to_string(pods.up) + " cables of each pod to " + std::to_string(r.cores) + " cores do not join all pods", "at most " + std::to_string(pods.up));
    return {};
}

FabricPlan planOfRails(const Rails& r)
{
    FabricPlan plan;
    plan.npus = r.npus();
    plan.known.block = r.hosts * r.rails;
    plan.axes = {{"host", r.rails}, {"unit", r.hosts}, {"pod", r.units / r.pods}, {"core", r.pods}};
    plan.tiers = {{"leaf", r.leaves(), r.hosts + r.up, r.up}};
    plan.kinds = {{"npu", plan.npus, false}};
    plan.forwarding = r.spines == 0 || (r.separate && r.cores == 0) ? NpuForwarding::All : NpuForwarding::None;
    if (r.spines == 0)
        return plan;
    const SpineJoin join = r.join();
    plan.tiers.push_back({"spine", r.spines, join.ports() + r.coreUp, r.coreUp});
    plan.kinds.push_back({"spine", r.leaves() * r.up, false});
    if (!join.even())
        plan.warnings.push_back(join.unevenWarning(railsFamily()));
    bool even = join.even();
    if (r.cores > 0) {
        const SpineJoin core = r.coreJoin();
        plan.tiers.push_back({"core", r.cores, core.ports(), 0});
        plan.kinds.push_back({"core", r.spines * r.coreUp, false});
        even = even && core.even();
        if (!core.even())
            plan.warnings.push_back(core.unevenWarning(railsFamily()));
    }
    plan.alike = even ? Alike::All : Alike::Attached;
    if (even && r.units % 2 == 0 && !r.separate && r.cores == 0) {
        plan.known.bisection = std::min(r.leaves() * r.up, plan.npus) / 2;
    }
    return plan;
}

void wireRailsOf(const Rails& r, const CableSink& sink)
{
    const auto node = [](std::int64_t n, std::int64_t port) { return PortRef{static_cast<std::int32_t>(n), static_cast<std::int32_t>(port)}; };
    const std::int64_t npus = r.npus();
    for (std::int64_t i = 0; i < npus; ++i) {
        const std::int64_t host = i / r.rails % r.hosts;
        sink(node(i, 0), node(npus + i / r.rails / r.hosts * r.rails + i % r.rails, host), 0);
    }
    if (r.spines == 0)
        return;
    const SpineJoin join = r.join();
    const std::int64_t spines = npus + r.leaves();
    const std::int64_t unitsOfPod = r.units / r.pods;
    for (std::int64_t leaf = 0; leaf < r.leaves(); ++leaf) {
        const std::int64_t unit = leaf / r.rails;
        const std::int64_t rail = leaf % r.rails;
        const std::int64_t pod = unit / unitsOfPod;
        const std::int64_t set = r.separate ? pod * r.rails + rail : pod;
        const std::int64_t inSet = r.separate ? unit % unitsOfPod : unit % unitsOfPod * r.rails + rail;
        for (std::int64_t j = 0; j < r.up; ++j) {
            const auto [spine, port] = join.spineAndPort(inSet, j);
            sink(node(npus + leaf, r.hosts + j), node(spines + set * join.spines + spine, port), 1);
        }
    }
    const SpineJoin core = r.coreJoin();
    for (std::int64_t spine = 0; r.cores > 0 && spine < r.spines; ++spine) {
        // Up-ports come after those that are used below, on every spine alike.
        for (std::int64_t j = 0; j < r.coreUp; ++j) {
            const auto [above, port] = core.spineAndPort(spine, j);
            sink(node(spines + spine, join.ports() + j), node(spines + r.spines + above, port), 2);
        }
    }
}

std::string nameOfRails(const Rails& r, std::int64_t node)
{
    const auto text = [](const char* word, std::int64_t number) { return word + std::to_string(number); };
    if (node < r.npus()) {
        const std::string unit = r.spines == 0 ? std::string() : text("unit", node / r.rails / r.hosts) + '.';
        return unit + text("host", node / r.rails % r.hosts) + text(".gpu", node % r.rails);
    }
    node -= r.npus();
    if (node < r.leaves())
        return (r.spines == 0 ? std::string() : text("unit", node / r.rails) + '.') + text("leaf", node % r.rails);
    node -= r.leaves();
    if (node >= r.spines)
        return text("core", node - r.spines);
    const std::int64_t set = node / r.join().spines;
    std::string path = r.pods > 1 ? text("pod", set / (r.separate ? r.rails : 1)) + '.' : std::string();
    if (r.separate)
        path += text("rail", set % r.rails) + '.';
    return path + text("spine", node % r.join().spines);
}

FabricPlan planRails(const FamilyValues& values) { return planOfRails(railsOf(values)); }
void wireRails(const FamilyValues& values, const CableSink& sink) { wireRailsOf(railsOf(values), sink); }
std::string nameRails(const FamilyValues& values, std::int64_t node) { return nameOfRails(railsOf(values), node); }

Status checkRailOnly(const FamilyValues& values)
{
    if (product({values.one(0), values.one(1)}) > kMaxNpus)
        return familyError(railOnlyFamily(), "hosts", "more than 1048576 NPUs", "at most " + std::to_string(kMaxNpus / values.one(1)));
    return {};
}
FabricPlan planRailOnly(const FamilyValues& values) { return planOfRails(railOnlyOf(values)); }
void wireRailOnly(const FamilyValues& values, const CableSink& sink) { wireRailsOf(railOnlyOf(values), sink); }
std::string nameRailOnly(const FamilyValues& values, std::int64_t node) { return nameOfRails(railOnlyOf(values), node); }

constexpr FabricFamily kRails{"rails", "Rail-optimised pods: units of hosts, a leaf per rail, spines", kRailsKeys, checkRails, planRails, wireRails, nameRails};
constexpr FabricFamily kRailOnly{"rails_only", "Rails without a network above: other rails through the hosts", kRailOnlyKeys, checkRailOnly, planRailOnly, wireRailOnly, nameRailOnly};

} // namespace

const FabricFamily& railsFamily() { return kRails; }
const FabricFamily& railOnlyFamily() { return kRailOnly; }

} // namespace fabricscope
