// Hybrid cube mesh of a DGX-1V: single and doubled cables, ports in the order of the list.
#include "core/base/index.h"
#include "core/platform/fabric/family.h"

#include <array>

namespace fabricscope {

namespace {

constexpr std::array<std::array<std::int32_t, 2>, 8> kSingle{{{0, 1}, {0, 2}, {1, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 6}, {5, 7}}};
constexpr std::array<std::array<std::int32_t, 2>, 8> kDoubled{{{0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {4, 7}, {5, 6}, {6, 7}}};

Status checkCubeMesh(const FamilyValues&) { return {}; }

FabricPlan planCubeMesh(const FamilyValues&)
{
    FabricPlan plan;
    plan.npus = 8;
    plan.forwarding = NpuForwarding::All;
    plan.alike = Alike::Attached;
    plan.kinds = {{"npu", 24, false}};
    return plan;
}

void wireCubeMesh(const FamilyValues&, const CableSink& sink)
{
    std::array<std::int32_t, 8> port{};
    const auto join = [&](std::int32_t a, std::int32_t b) {
        sink({a, port[at(a)]}, {b, port[at(b)]}, 0);
        ++port[at(a)];
        ++port[at(b)];
    };
    for (const auto& [a, b] : kSingle)
        join(a, b);
    for (const auto& [a, b] : kDoubled) {
        join(a, b);
        join(a, b);
    }
}

constexpr FabricFamily kCubeMesh{"cube_mesh", "Hybrid cube mesh of a DGX-1V", {}, checkCubeMesh, planCubeMesh, wireCubeMesh};

} // namespace

const FabricFamily& cubeMeshFamily() { return kCubeMesh; }

} // namespace fabricscope
