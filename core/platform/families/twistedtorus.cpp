// Twisted tori n x n x 2n and n x 2n x 2n: the wrap of a short axis shifts each long axis by n.
#include "core/platform/families/grid.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 1> kTwistedKeys{{{"size", "NPUs of the three axes: n, n, 2n or n, 2n, 2n in any order", 2, 128, true}}};

Status checkTwisted(const FamilyValues& values)
{
    const auto sizes = values.list(0);
    const std::string forms = "n x n x 2n or n x 2n x 2n";
    if (sizes.size() != 3)
        return familyError(twistedTorusFamily(), "size", std::to_string(sizes.size()) + " axes", forms);
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    const bool fits = *most == 2 * *least && std::all_of(sizes.begin(), sizes.end(), [l = *least, m = *most](std::int64_t size) { return size == l || size == m; });
    if (!fits || *least < 3) {
        const std::int64_t n = std::clamp<std::int64_t>(*least, 3, kTwistedKeys[0].most / 2);
        return familyError(twistedTorusFamily(), "size", listText(sizes) + (fits ? " is too small" : " is neither n x n x 2n nor n x 2n x 2n"),
                           listText(std::array{n, n, 2 * n}) + " or " + listText(std::array{n, 2 * n, 2 * n}));
    }
    return {};
}

FabricPlan planTwisted(const FamilyValues& values)
{
    FabricPlan plan;
    plan.npus = product(values.list(0));
    plan.forwarding = NpuForwarding::All;
    plan.kinds = {{"npu", 3 * plan.npus, false}};
    return plan;
}

void wireTwisted(const FamilyValues& values, const CableSink& sink)
{
    const auto sizes = values.list(0);
    const std::int64_t n = *std::min_element(sizes.begin(), sizes.end());
    const std::array<std::int64_t, 3> strides{1, sizes[0], sizes[0] * sizes[1]};
    const std::int64_t npus = product(sizes);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::int64_t i = 0; i < npus; ++i) {
            std::array<std::int64_t, 3> c{i % sizes[0], i / strides[1] % sizes[1], i / strides[2]};
            const bool wraps = ++c[axis] == sizes[axis];
            if (wraps)
                c[axis] = 0;
            for (std::size_t other = 0; wraps && sizes[axis] == n && other < 3; ++other) {
                if (sizes[other] == 2 * n)
                    c[other] = (c[other] + n) % sizes[other];
            }
            const std::int64_t next = c[0] + c[1] * strides[1] + c[2] * strides[2];
            sink({static_cast<std::int32_t>(i), static_cast<std::int32_t>(2 * axis)}, {static_cast<std::int32_t>(next), static_cast<std::int32_t>(2 * axis + 1)}, 0);
        }
    }
}

constexpr FabricFamily kTwisted{"twisted_torus", "Twisted torus n x n x 2n or n x 2n x 2n", kTwistedKeys, checkTwisted, planTwisted, wireTwisted};

} // namespace

const FabricFamily& twistedTorusFamily() { return kTwisted; }

} // namespace fabricscope
