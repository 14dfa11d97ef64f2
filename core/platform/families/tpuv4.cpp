// TPU v4: a torus of cubes of 4 x 4 x 4, whose faces meet in optical switches (circuits: no node of the graph).
#include "core/platform/families/grid.h"

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 1> kTpuKeys{{{"size", "NPUs of the three axes, multiples of 4", 4, kMaxNpus, true}}};

Grid tpuGrid(const FamilyValues& values)
{
    Grid grid;
    grid.sizes.assign(values.list(0).begin(), values.list(0).end());
    grid.wrap.assign(grid.sizes.size(), true);
    return grid;
}

Status checkTpu(const FamilyValues& values)
{
    const auto sizes = values.list(0);
    if (sizes.size() != 3)
        return familyError(tpuV4Family(), "size", std::to_string(sizes.size()) + " axes", "3");
    for (const std::int64_t size : sizes) {
        if (size % 4 != 0)
            return familyError(tpuV4Family(), "size", std::to_string(size) + " is no multiple of 4", std::to_string(size / 4 * 4) + " or " + std::to_string(size / 4 * 4 + 4));
    }
    if (product(sizes) > kMaxNpus)
        return familyError(tpuV4Family(), "size", listText(sizes) + " are more than 1048576 NPUs", "smaller sizes");
    return {};
}

FabricPlan planTpu(const FamilyValues& values)
{
    FabricPlan plan = planOf(tpuGrid(values));
    const std::int64_t cubes = plan.npus / 64;
    plan.kinds = {{"cube", 144 * cubes, true}, {"optical", 48 * cubes, false}};
    plan.note = "48 optical switches of " + std::to_string(2 * cubes) + " ports";
    return plan;
}

void wireTpu(const FamilyValues& values, const CableSink& sink)
{
    const Grid grid = tpuGrid(values);
    const std::array<std::int64_t, 3> strides{1, grid.sizes[0], grid.sizes[0] * grid.sizes[1]};
    const CableSink byKind([&](PortRef lower, PortRef upper, std::int32_t) {
        const auto axis = static_cast<std::size_t>(lower.port / 2);
        const std::int64_t c = lower.node / strides[axis] % grid.sizes[axis];
        sink(lower, upper, c % 4 == 3 ? 1 : 0);
    });
    wire(grid, byKind);
}

constexpr FabricFamily kTpuV4{"tpu_v4", "TPU v4: cubes of 64, joined by optical switches to a torus", kTpuKeys, checkTpu, planTpu, wireTpu};

} // namespace

const FabricFamily& tpuV4Family() { return kTpuV4; }

} // namespace fabricscope
