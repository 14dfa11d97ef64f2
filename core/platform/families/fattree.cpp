// k-ary fat tree (Al-Fares): pods of k/2 edge and k/2 aggregation switches, (k/2)^2 cores.
#include "core/platform/families/clos.h"

#include <array>

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 1> kFatTreeKeys{{{"k", "ports of every switch, even", 2, 160}}};

Clos fatTreeOf(const FamilyValues& values)
{
    const std::int64_t half = values.one(0) / 2;
    return {{half, half, 2 * half}, {1, half, half}, {1, 1, 1}};
}

std::vector<std::string> fatTreeTiers() { return {"edge", "aggregation", "core"}; }

Status checkFatTree(const FamilyValues& values)
{
    if (const std::int64_t k = values.one(0); k % 2 != 0)
        return familyError(fatTreeFamily(), "k", "k = " + std::to_string(k) + " is odd", "even: " + std::to_string(k - 1) + " or " + std::to_string(k + 1));
    return checkSize(fatTreeFamily(), fatTreeOf(values));
}

FabricPlan planFatTree(const FamilyValues& values) { return planOf(fatTreeOf(values), fatTreeTiers()); }
void wireFatTree(const FamilyValues& values, const CableSink& sink) { wire(fatTreeOf(values), sink); }
std::string nameFatTree(const FamilyValues& values, std::int64_t node) { return nameOf(fatTreeOf(values), node, fatTreeTiers()); }

constexpr FabricFamily kFatTree{"fat_tree", "k-ary fat tree of three tiers", kFatTreeKeys, checkFatTree, planFatTree, wireFatTree, nameFatTree};

} // namespace

const FabricFamily& fatTreeFamily() { return kFatTree; }

} // namespace fabricscope
