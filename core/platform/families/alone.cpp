// A machine that nothing joins to others: figures of graphs that no generator made.
#include "core/platform/fabric/family.h"

#include <array>

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 2> kAloneKeys{{{"npus", "NPUs of the machine", 1, kMaxNpus},
                                               {"forwards", "1: NPUs pass on what is not for them", 0, 1, false, "1"}}};

Status checkAlone(const FamilyValues&) { return {}; }

FabricPlan planAlone(const FamilyValues& values)
{
    FabricPlan plan;
    plan.npus = values.one(0);
    plan.forwarding = values.one(1, 1) == 1 ? NpuForwarding::All : NpuForwarding::None;
    plan.alike = Alike::Attached;
    return plan;
}

void wireAlone(const FamilyValues&, const CableSink&) {}

constexpr FabricFamily kAlone{"platform", "Platform as it is", kAloneKeys, checkAlone, planAlone, wireAlone};

} // namespace

const FabricFamily& aloneFamily() { return kAlone; }

} // namespace fabricscope
