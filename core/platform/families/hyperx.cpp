// HyperX: switches on a grid, along every axis all joined. Ports: NPUs, then by axis ((v - own) mod S - 1)K + t.
#include "core/platform/fabric/family.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 3> kHyperxKeys{{{"size", "switches of each axis, the first fastest", 1, 1024, true},
                                                {"npus", "NPUs of a switch", 1, 1024, false, "1"},
                                                {"parallel", "cables between two switches, one number for all axes or one per axis", 1, 1024, true, "derived"}}};

struct Hyperx {
    std::vector<std::int64_t> sizes{};
    std::vector<std::int64_t> parallel{};
    std::int64_t npus = 1; ///< Of a switch.

    std::int64_t switches() const { return product(sizes); }
};

Hyperx hyperxOf(const FamilyValues& values)
{
    Hyperx out;
    out.sizes.assign(values.list(0).begin(), values.list(0).end());
    for (std::size_t i = 0; i < out.sizes.size(); ++i)
        out.parallel.push_back(!values.has(2) ? 1 : values.list(2)[values.list(2).size() == 1 ? 0 : i]);
    out.npus = values.one(1, 1);
    return out;
}

Status checkHyperx(const FamilyValues& values)
{
    if (const std::size_t given = values.list(2).size(); given > 1 && given != values.list(0).size())
        return familyError(hyperxFamily(), "parallel", std::to_string(given) + " numbers for " + std::to_string(values.list(0).size()) + " axes", "one, or one per axis");
    const Hyperx h = hyperxOf(values);
    if (product({h.switches(), h.npus}) > kMaxNpus)
        return familyError(hyperxFamily(), "size", listText(h.sizes) + " switches of " + std::to_string(h.npus) + " NPUs are more than 1048576", "smaller sizes");
    return {};
}

/// Two NPUs are two cables and one for each axis in which their switches differ apart; the axes may be crossed in any order.
KnownFigures distancesOf(const Hyperx& h)
{
    std::vector<WideCount> differing{1}; // Switches that differ from one in so many axes.
    std::vector<std::int64_t> crossed;
    std::vector<std::int64_t> ways;
    for (std::size_t axis = 0; axis < h.sizes.size(); ++axis) {
        if (h.sizes[axis] == 1)
            continue;
        differing.push_back(0);
        for (std::size_t i = differing.size() - 1; i > 0; --i)
            differing[i] += differing[i - 1] * (h.sizes[axis] - 1);
        crossed.push_back(1);
        ways.push_back(h.parallel[axis]);
    }
    const std::int64_t npus = product({h.switches(), h.npus});
    WideCount sum = -2; // Of the NPU itself.
    for (std::size_t i = 0; i < differing.size(); ++i)
        sum += differing[i] * h.npus * static_cast<std::int64_t>(2 + i);
    KnownFigures known;
    known.diameter = npus > 1 ? static_cast<std::int64_t>(2 + crossed.size()) : 0;
    known.mean = npus > 1 ? fraction(sum, npus - 1) : Fraction{0, 1};
    const auto parallel = exactProduct(ways);
    known.ways = parallel ? multinomial(crossed, *parallel) : std::nullopt;
    return known;
}

FabricPlan planHyperx(const FamilyValues& values)
{
    const Hyperx h = hyperxOf(values);
    const std::int64_t switches = h.switches();
    FabricPlan plan;
    plan.npus = switches * h.npus;
    plan.npusOfLeaf = h.npus;
    std::int64_t ports = h.npus;
    std::int64_t between = 0;
    std::int64_t cut = INT64_MAX;
    plan.axes = {{"switch", h.npus}};
    plan.known = distancesOf(h);
    for (std::size_t axis = 0; axis < h.sizes.size(); ++axis) {
        const std::int64_t own = h.parallel[axis] * (h.sizes[axis] - 1);
        ports += own;
        plan.axes.push_back({"axis " + std::to_string(axis), h.sizes[axis]});
        between += switches * own / 2;
        if (h.sizes[axis] % 2 == 0)
            cut = std::min(cut, h.parallel[axis] * h.sizes[axis] * switches / 4);
    }
    plan.tiers = {{"switch", switches, ports, 0}};
    plan.kinds = {{"npu", plan.npus, false}, {"switch", between, false}};
    const auto isEven = [](std::int64_t size) { return size % 2 == 0 || size == 1; };
    if (cut != INT64_MAX && std::all_of(h.sizes.begin(), h.sizes.end(), isEven))
        plan.known.bisection = std::min(plan.npus / 2, cut);
    plan.known.block = h.npus;
    return plan;
}

void wireHyperx(const FamilyValues& values, const CableSink& sink)
{
    const Hyperx h = hyperxOf(values);
    const std::int64_t npus = h.switches() * h.npus;
    const auto end = [](std::int64_t node, std::int64_t port) { return PortRef{static_cast<std::int32_t>(node), static_cast<std::int32_t>(port)}; };
    for (std::int64_t i = 0; i < npus; ++i)
        sink(end(i, 0), end(npus + i / h.npus, i % h.npus), 0);
    std::int64_t stride = 1;
    std::int64_t port = h.npus;
    for (std::size_t axis = 0; axis < h.sizes.size(); ++axis) {
        const std::int64_t size = h.sizes[axis];
        const std::int64_t parallel = h.parallel[axis];
        for (std::int64_t i = 0; i < h.switches(); ++i) {
            const std::int64_t own = i / stride % size;
            for (std::int64_t v = own + 1; v < size; ++v) {
                for (std::int64_t t = 0; t < parallel; ++t)
                    sink(end(npus + i, port + (v - own - 1) * parallel + t), end(npus + i + (v - own) * stride, port + (size + own - v - 1) * parallel + t), 1);
            }
        }
        stride *= size;
        port += parallel * (size - 1);
    }
}

constexpr FabricFamily kHyperx{"hyperx", "HyperX: switches on a grid, all joined along every axis", kHyperxKeys, checkHyperx, planHyperx, wireHyperx};

} // namespace

const FabricFamily& hyperxFamily() { return kHyperx; }

} // namespace fabricscope
