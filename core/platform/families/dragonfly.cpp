// Dragonfly: groups of a routers, all joined, with h global cables each (absolute arrangement); dragonfly+: leaves and spines in place of routers.
#include "core/platform/fabric/family.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 4> kDragonflyKeys{{{"p", "NPUs of a router", 1, 1024}, {"a", "routers of a group", 1, 1024}, {"h", "global cables of a router", 1, 1024},
                                                   {"groups", "groups, at most a h + 1", 2, kMaxNpus, false, "derived"}}};
constexpr std::array<FamilyKey, 5> kPlusKeys{{{"p", "NPUs of a leaf", 1, 1024}, {"leaves", "leaves of a group", 1, 1024}, {"spines", "spines of a group", 1, 1024},
                                              {"h", "global cables of a spine", 1, 1024}, {"groups", "groups, at most s h + 1", 2, kMaxNpus, false, "derived"}}};

/// Global cables of groups with `ports` global ports each: copy s of pair (G, X) is at G number s(g-1) + X, less one behind G.
struct GlobalCables {
    std::int64_t ports = 1;
    std::int64_t groups = 2;

    std::int64_t copies() const { return ports / (groups - 1); }
    std::int64_t count() const { return copies() * groups * (groups - 1) / 2; }
    /// Of the h at one switch: the first has the most cables.
    std::int64_t mostOf(std::int64_t h) const { return std::min(h, copies() * (groups - 1)); }
    std::int64_t number(std::int64_t own, std::int64_t other, std::int64_t copy) const { return copy * (groups - 1) + (other < own ? other : other - 1); }
    template <typename Join>
    void each(const Join& join) const
    {
        for (std::int64_t own = 0; own < groups; ++own) {
            for (std::int64_t other = own + 1; other < groups; ++other) {
                for (std::int64_t copy = 0; copy < copies(); ++copy)
                    join(own, number(own, other, copy), other, number(other, own, copy));
            }
        }
    }
};

PortRef globalPort(std::int64_t node, std::int64_t port)
{
    return {static_cast<std::int32_t>(node), static_cast<std::int32_t>(port)};
}

/// What a group of either family has, `npus` at each of `lower` switches.
struct GroupSize {
    std::int64_t globalPorts = 1;
    std::int64_t npus = 1;
    std::int64_t lower = 1;
    std::int64_t localCables = 1; ///< Or more.
};

Status checkGroups(const FabricFamily& family, std::int64_t groups, const GroupSize& group, const char* formula)
{
    if (groups > group.globalPorts + 1) {
        return familyError(family, "groups", std::to_string(groups) + " groups, but a group has global cables to " + std::to_string(group.globalPorts) + " others",
                           "at most " + std::string(formula) + " = " + std::to_string(group.globalPorts + 1));
    }
    const std::int64_t npus = group.npus * group.lower;
    if (2 * npus > kMaxNpus)
        return familyError(family, "p", "two groups of " + std::to_string(npus) + " NPUs are more than 1048576", "at most " + std::to_string(kMaxNpus / 2 / group.lower));
    const std::int64_t most = std::min(kMaxNpus / npus, INT32_MAX / 4 / group.localCables);
    if (groups > most)
        return familyError(family, "groups", std::to_string(groups) + " groups of " + std::to_string(npus) + " NPUs are more than 1048576 NPUs or too many cables", "at most " + std::to_string(most));
    return {};
}

std::int64_t groupsOf(const FamilyValues& v) { return v.one(3, v.one(1) * v.one(2) + 1); }
std::int64_t plusGroupsOf(const FamilyValues& v) { return v.one(4, v.one(2) * v.one(3) + 1); }

Status checkDragonfly(const FamilyValues& v)
{
    return checkGroups(dragonflyFamily(), groupsOf(v), {v.one(1) * v.one(2), v.one(0), v.one(1), v.one(1) * v.one(1)}, "a h + 1");
}

FabricPlan planDragonfly(const FamilyValues& v)
{
    const std::int64_t p = v.one(0);
    const std::int64_t a = v.one(1);
    const std::int64_t h = v.one(2);
    const GlobalCables global{a * h, groupsOf(v)};
    FabricPlan plan;
    plan.npus = p * a * global.groups;
    plan.tiers = {{"router", a * global.groups, p + a - 1 + global.mostOf(h), 0}};
    plan.kinds = {{"npu", plan.npus, false}, {"local", global.groups * a * (a - 1) / 2, false}, {"global", global.count(), false}};
    plan.alike = Alike::Attached;
    plan.axes = {{"router", p}, {"group", a}, {"dragonfly", global.groups}};
    if (a != 2 * p || a != 2 * h) {
        Place place;
        place.field = "dragonfly";
        plan.warnings.push_back(warning("unbalanced-dragonfly", "balanced is a = 2p = 2h; here p = " + std::to_string(p) + ", a = " + std::to_string(a) + ", h = " + std::to_string(h), place));
    }
    return plan;
}

void wireDragonfly(const FamilyValues& v, const CableSink& sink)
{
    const std::int64_t p = v.one(0);
    const std::int64_t a = v.one(1);
    const std::int64_t h = v.one(2);
    const GlobalCables global{a * h, groupsOf(v)};
    const std::int64_t npus = p * a * global.groups;
    for (std::int64_t i = 0; i < npus; ++i)
        sink(globalPort(i, 0), globalPort(npus + i / p, i % p), 0);
    for (std::int64_t group = 0; group < global.groups; ++group) {
        const std::int64_t first = npus + group * a;
        for (std::int64_t i = 0; i < a; ++i) {
            for (std::int64_t j = i + 1; j < a; ++j)
                sink(globalPort(first + i, p + j - i - 1), globalPort(first + j, p + a + i - j - 1), 1);
        }
    }
    global.each([&](std::int64_t own, std::int64_t k, std::int64_t other, std::int64_t l) {
        sink(globalPort(npus + own * a + k / h, p + a - 1 + k % h), globalPort(npus + other * a + l / h, p + a - 1 + l % h), 2);
    });
}

std::string nameDragonfly(const FamilyValues& v, std::int64_t node)
{
    const std::int64_t npus = v.one(0) * v.one(1) * groupsOf(v);
    if (node < npus)
        return "npu" + std::to_string(node);
    return "group" + std::to_string((node - npus) / v.one(1)) + ".router" + std::to_string((node - npus) % v.one(1));
}

Status checkPlus(const FamilyValues& v)
{
    return checkGroups(dragonflyPlusFamily(), plusGroupsOf(v), {v.one(2) * v.one(3), v.one(0), v.one(1), v.one(1) * v.one(2)}, "s h + 1");
}

FabricPlan planPlus(const FamilyValues& v)
{
    const std::int64_t p = v.one(0);
    const std::int64_t leaves = v.one(1);
    const std::int64_t spines = v.one(2);
    const std::int64_t h = v.one(3);
    const GlobalCables global{spines * h, plusGroupsOf(v)};
    FabricPlan plan;
    plan.npus = p * leaves * global.groups;
    plan.tiers = {{"leaf", leaves * global.groups, p + spines, spines}, {"spine", spines * global.groups, leaves + global.mostOf(h), global.mostOf(h)}};
    plan.kinds = {{"npu", plan.npus, false}, {"local", global.groups * leaves * spines, false}, {"global", global.count(), false}};
    plan.alike = Alike::Attached;
    plan.axes = {{"leaf", p}, {"group", leaves}, {"dragonfly", global.groups}};
    return plan;
}

void wirePlus(const FamilyValues& v, const CableSink& sink)
{
    const std::int64_t p = v.one(0);
    const std::int64_t leaves = v.one(1);
    const std::int64_t spines = v.one(2);
    const std::int64_t h = v.one(3);
    const GlobalCables global{spines * h, plusGroupsOf(v)};
    const std::int64_t npus = p * leaves * global.groups;
    const std::int64_t firstSpine = npus + leaves * global.groups;
    for (std::int64_t i = 0; i < npus; ++i)
        sink(globalPort(i, 0), globalPort(npus + i / p, i % p), 0);
    for (std::int64_t group = 0; group < global.groups; ++group) {
        for (std::int64_t i = 0; i < leaves; ++i) {
            for (std::int64_t j = 0; j < spines; ++j)
                sink(globalPort(npus + group * leaves + i, p + j), globalPort(firstSpine + group * spines + j, i), 1);
        }
    }
    global.each([&](std::int64_t own, std::int64_t k, std::int64_t other, std::int64_t l) {
        sink(globalPort(firstSpine + own * spines + k / h, leaves + k % h), globalPort(firstSpine + other * spines + l / h, leaves + l % h), 2);
    });
}

std::string namePlus(const FamilyValues& v, std::int64_t node)
{
    const std::int64_t leaves = v.one(1) * plusGroupsOf(v);
    const std::int64_t npus = v.one(0) * leaves;
    if (node < npus)
        return "npu" + std::to_string(node);
    node -= npus;
    const bool leaf = node < leaves;
    const std::int64_t inGroup = leaf ? v.one(1) : v.one(2);
    if (!leaf)
        node -= leaves;
    return "group" + std::to_string(node / inGroup) + (leaf ? ".leaf" : ".spine") + std::to_string(node % inGroup);
}

constexpr FabricFamily kDragonfly{"dragonfly", "Dragonfly: groups of routers, every two groups joined", kDragonflyKeys, checkDragonfly, planDragonfly, wireDragonfly, nameDragonfly};
constexpr FabricFamily kDragonflyPlus{"dragonfly_plus", "Dragonfly+: groups of leaves and spines, every two groups joined", kPlusKeys, checkPlus, planPlus, wirePlus, namePlus};

} // namespace

const FabricFamily& dragonflyFamily() { return kDragonfly; }
const FabricFamily& dragonflyPlusFamily() { return kDragonflyPlus; }

} // namespace fabricscope
