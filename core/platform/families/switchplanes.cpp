// NPUs on parallel switches: NPU i.p - switch p.i. NVL72 is one of them with names of its trays.
#include "core/platform/fabric/family.h"

#include <array>

namespace fabricscope {

namespace {

constexpr std::int64_t kNvl72Npus = 72;
constexpr std::int64_t kNvl72Planes = 18;
constexpr std::array<FamilyKey, 2> kSwitchKeys{{{"size", "NPUs", 1, kMaxNpus}, {"planes", "switches, each with a cable to every NPU", 1, 65536, false, "1"}}};

FabricPlan switchPlan(std::int64_t n, std::int64_t planes)
{
    FabricPlan plan;
    plan.npus = n;
    plan.npusOfLeaf = n;
    plan.tiers = {{"switch", planes, n, 0}};
    plan.kinds = {{"npu", n * planes, false}};
    plan.known.diameter = n > 1 ? 2 : 0;
    plan.known.mean = Fraction{n > 1 ? 2 : 0, 1};
    plan.known.ways = n > 1 ? planes : 1;
    plan.known.bisection = planes * (n / 2);
    plan.known.bisectionProved = true; // Of every switch the cables of the smaller side.
    return plan;
}

void wirePlanes(std::int64_t n, std::int64_t planes, const CableSink& sink)
{
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t p = 0; p < planes; ++p)
            sink({static_cast<std::int32_t>(i), static_cast<std::int32_t>(p)}, {static_cast<std::int32_t>(n + p), static_cast<std::int32_t>(i)}, 0);
    }
}

Status checkSwitch(const FamilyValues& values)
{
    if (values.one(0) * values.one(1, 1) > INT32_MAX)
        return familyError(switchFamily(), "planes", std::to_string(values.one(1)) + " planes of " + std::to_string(values.one(0)) + " NPUs are more than 2147483647 cables",
                           "at most " + std::to_string(INT32_MAX / values.one(0)));
    return {};
}
FabricPlan planSwitch(const FamilyValues& values) { return switchPlan(values.one(0), values.one(1, 1)); }
void wireSwitch(const FamilyValues& values, const CableSink& sink) { wirePlanes(values.one(0), values.one(1, 1), sink); }

Status checkNvl72(const FamilyValues&) { return {}; }
FabricPlan planNvl72(const FamilyValues&) { return switchPlan(kNvl72Npus, kNvl72Planes); }
void wireNvl72(const FamilyValues&, const CableSink& sink) { wirePlanes(kNvl72Npus, kNvl72Planes, sink); }

/// 18 trays of 4 NPUs, 9 of 2 switches.
std::string nameNvl72(const FamilyValues&, std::int64_t node)
{
    if (node < kNvl72Npus)
        return "tray" + std::to_string(node / 4) + ".gpu" + std::to_string(node % 4);
    const std::int64_t plane = node - kNvl72Npus;
    return "switchtray" + std::to_string(plane / 2) + ".switch" + std::to_string(plane % 2);
}

constexpr FabricFamily kSwitch{"switch", "NPUs on one switch, or on several as planes", kSwitchKeys, checkSwitch, planSwitch, wireSwitch};
constexpr FabricFamily kNvl72{"nvl72", "NVL72: 72 NPUs on 18 planes", {}, checkNvl72, planNvl72, wireNvl72, nameNvl72};

} // namespace

const FabricFamily& switchFamily() { return kSwitch; }
const FabricFamily& nvl72Family() { return kNvl72; }

} // namespace fabricscope
