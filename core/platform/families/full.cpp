// Fully connected: a.((b-a) mod n)-1 - b.((a-b) mod n)-1.
#include "core/platform/fabric/family.h"

#include <array>

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 1> kFullKeys{{{"size", "NPUs", 1, kMaxNpus}}};

Status checkFull(const FamilyValues&) { return {}; }

FabricPlan planFull(const FamilyValues& values)
{
    const std::int64_t n = values.one(0);
    FabricPlan plan;
    plan.npus = n;
    plan.forwarding = NpuForwarding::All;
    plan.kinds = {{"npu", n * (n - 1) / 2, false}};
    plan.known.diameter = n > 1 ? 1 : 0;
    plan.known.mean = Fraction{n > 1 ? 1 : 0, 1};
    plan.known.ways = 1;
    plan.known.bisection = n / 2 * ((n + 1) / 2);
    plan.known.bisectionProved = true; // Every pair across has its cable.
    return plan;
}

void wireFull(const FamilyValues& values, const CableSink& sink)
{
    const auto n = static_cast<std::int32_t>(values.one(0));
    for (std::int32_t a = 0; a < n; ++a) {
        for (std::int32_t b = a + 1; b < n; ++b)
            sink({a, b - a - 1}, {b, n + a - b - 1}, 0);
    }
}

constexpr FabricFamily kFull{"full", "Fully connected", kFullKeys, checkFull, planFull, wireFull};

} // namespace

const FabricFamily& fullFamily() { return kFull; }

} // namespace fabricscope
