// Leaf-spine: leaves of d NPUs, u cables up to S spines, also where these do not divide.
#include "core/platform/families/clos.h"

#include <array>
#include <numeric>

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 4> kLeafSpineKeys{{{"leaves", "leaf switches", 1, kMaxNpus}, {"down", "NPUs at each leaf", 1, kMaxNpus},
                                                   {"spines", "spine switches", 1, 65536}, {"up", "cables up from each leaf", 1, 65536}}};

SpineJoin joinOf(const FamilyValues& values)
{
    return {values.one(0), values.one(3), values.one(2)};
}

Clos evenLeaves(const FamilyValues& values)
{
    return {{values.one(1), values.one(0)}, {1, values.one(2)}, {1, values.one(3) / values.one(2)}};
}

Status checkLeafSpine(const FamilyValues& values)
{
    if (const std::int64_t npus = product({values.one(0), values.one(1)}); npus > kMaxNpus)
        return familyError(leafSpineFamily(), "down", std::to_string(npus) + " NPUs", "at most " + std::to_string(kMaxNpus / values.one(0)));
    if (const std::int64_t cables = product({values.one(0), values.one(3)}); cables > kMaxNpus * 64)
        return familyError(leafSpineFamily(), "up", std::to_string(cables) + " cables", "at most " + std::to_string(kMaxNpus * 64 / values.one(0)));
    return joinOf(values).check(leafSpineFamily(), "spines");
}

/// Over all spines, from the first leaf to the second: cables up times cables down.
std::int64_t waysBetweenFirst(const SpineJoin& join)
{
    std::vector<std::int64_t> first(static_cast<std::size_t>(join.spines));
    std::vector<std::int64_t> second(first.size());
    for (std::int64_t j = 0; j < join.up; ++j) {
        ++first[static_cast<std::size_t>(join.spineAndPort(0, j).first)];
        ++second[static_cast<std::size_t>(join.spineAndPort(1, j).first)];
    }
    return std::inner_product(first.begin(), first.end(), second.begin(), std::int64_t{0});
}

FabricPlan planLeafSpine(const FamilyValues& values)
{
    const SpineJoin join = joinOf(values);
    if (join.even())
        return planOf(evenLeaves(values));
    FabricPlan plan;
    plan.npus = join.lower * values.one(1);
    plan.tiers = {{"leaf", join.lower, values.one(1) + join.up, join.up}, {"spine", join.spines, join.ports(), 0}};
    plan.kinds = {{"npu", plan.npus, false}, {"spine", join.lower * join.up, false}};
    plan.alike = Alike::Attached;
    if (join.up >= join.spines && join.lower > 1) { // Every leaf has a cable to every spine.
        const std::int64_t down = values.one(1);
        plan.known.diameter = 4;
        plan.known.mean = fraction(WideCount{2} * (down - 1) + WideCount{4} * (plan.npus - down), plan.npus - 1);
        plan.known.ways = waysBetweenFirst(join);
    }
    plan.axes = {{"leaf", values.one(1)}, {"spine", join.lower}};
    plan.warnings.push_back(join.unevenWarning(leafSpineFamily()));
    return plan;
}

void wireLeafSpine(const FamilyValues& values, const CableSink& sink)
{
    const SpineJoin join = joinOf(values);
    if (join.even())
        return wire(evenLeaves(values), sink);
    const std::int64_t down = values.one(1);
    const std::int64_t npus = join.lower * down;
    for (std::int64_t i = 0; i < npus; ++i)
        sink({static_cast<std::int32_t>(i), 0}, {static_cast<std::int32_t>(npus + i / down), static_cast<std::int32_t>(i % down)}, 0);
    for (std::int64_t l = 0; l < join.lower; ++l) {
        for (std::int64_t j = 0; j < join.up; ++j) {
            const auto [spine, port] = join.spineAndPort(l, j);
            sink({static_cast<std::int32_t>(npus + l), static_cast<std::int32_t>(down + j)}, {static_cast<std::int32_t>(npus + join.lower + spine), static_cast<std::int32_t>(port)}, 1);
        }
    }
}

constexpr FabricFamily kLeafSpine{"leaf_spine", "Leaf-spine: every leaf to every spine", kLeafSpineKeys, checkLeafSpine, planLeafSpine, wireLeafSpine};

} // namespace

const FabricFamily& leafSpineFamily() { return kLeafSpine; }

} // namespace fabricscope
