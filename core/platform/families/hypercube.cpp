// Hypercube: i.b - (i xor 2^b).b.
#include "core/platform/fabric/family.h"

#include <array>

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 1> kHypercubeKeys{{{"k", "axes of two NPUs each", 1, 20}}};

Status checkHypercube(const FamilyValues&) { return {}; }

FabricPlan planHypercube(const FamilyValues& values)
{
    const std::int64_t k = values.one(0);
    const std::int64_t npus = std::int64_t{1} << k;
    FabricPlan plan;
    plan.npus = npus;
    plan.forwarding = NpuForwarding::All;
    plan.kinds = {{"npu", k * npus / 2, false}};
    plan.known.diameter = k;
    plan.known.mean = fraction(WideCount{k} * npus, WideCount{2} * (npus - 1));
    std::int64_t ways = 1;
    for (std::int64_t i = 2; i <= k; ++i)
        ways *= i;
    plan.known.ways = ways;
    plan.known.bisection = npus / 2;
    return plan;
}

void wireHypercube(const FamilyValues& values, const CableSink& sink)
{
    const auto k = static_cast<std::int32_t>(values.one(0));
    for (std::int32_t b = 0; b < k; ++b) {
        for (std::int32_t i = 0; i < std::int32_t{1} << k; ++i) {
            if ((i >> b & 1) == 0)
                sink({i, b}, {i | std::int32_t{1} << b, b}, 0);
        }
    }
}

constexpr FabricFamily kHypercube{"hypercube", "Hypercube: 2^k NPUs", kHypercubeKeys, checkHypercube, planHypercube, wireHypercube};

} // namespace

const FabricFamily& hypercubeFamily() { return kHypercube; }

} // namespace fabricscope
