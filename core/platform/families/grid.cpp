// Rings, tori and meshes: one wiring, three ways to ask for it. Axis a: i.2a - (c_a + 1).2a+1, wrapped where the axis says so.
#include "core/platform/families/grid.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 2> kRingKeys{{{"size", "NPUs", 1, kMaxNpus}, {"parallel", "cables of a ring of 2", 1, 2, false, "1"}}};
constexpr std::array<FamilyKey, 3> kGridKeys{{{"size", "NPUs of each axis, the first fastest", 1, kMaxNpus, true},
                                              {"wrap", "1 where an axis is closed, one for all or one per axis", 0, 1, true, "derived"},
                                              {"parallel", "cables of an axis of 2", 1, 2, false, "1"}}};

bool closes(const Grid& grid, std::size_t axis)
{
    return grid.wrap[axis] && grid.sizes[axis] > 2;
}

/// 2: two cables where an axis of two NPUs would have one.
bool doubled(const Grid& grid, std::size_t axis)
{
    return grid.sizes[axis] == 2 && grid.parallel == 2;
}

std::int64_t cablesOfLine(const Grid& grid, std::size_t axis)
{
    return grid.sizes[axis] - (closes(grid, axis) || doubled(grid, axis) ? 0 : 1);
}

/// Halves that differ by one line of the largest axis, or where that is odd also by what is left of it, and so on. Exact where all axes are closed
/// alike; of mixed ones only the cut across one axis, where all are even.
std::optional<std::int64_t> bisectionOf(const Grid& grid)
{
    const std::size_t rank = grid.sizes.size();
    std::vector<std::size_t> axes;
    for (std::size_t i = 0; i < rank; ++i) {
        if (grid.sizes[i] > 1)
            axes.push_back(i);
    }
    if (axes.empty())
        return 0;
    const auto crossings = [&](std::size_t axis) { return closes(grid, axis) || doubled(grid, axis) ? 2 : 1; };
    const auto isEven = [&](std::size_t axis) { return grid.sizes[axis] % 2 == 0; };
    const auto isClosed = [&](std::size_t axis) { return closes(grid, axis); };
    if (std::all_of(axes.begin(), axes.end(), isEven)) {
        std::int64_t least = INT64_MAX;
        for (const std::size_t axis : axes)
            least = std::min(least, crossings(axis) * (grid.npus() / grid.sizes[axis]));
        return least;
    }
    const bool allClosed = std::all_of(axes.begin(), axes.end(), isClosed);
    const bool allOpen = std::all_of(axes.begin(), axes.end(), [&](std::size_t axis) { return crossings(axis) == 1; }) && std::none_of(axes.begin(), axes.end(), isClosed);
    if (!allClosed && !allOpen)
        return std::nullopt;
    std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) { return grid.sizes[a] > grid.sizes[b]; });
    std::int64_t rest = grid.npus();
    std::int64_t sum = 0;
    for (const std::size_t axis : axes) {
        rest /= grid.sizes[axis];
        sum += rest;
        if (isEven(axis))
            break;
    }
    return allClosed ? 2 * sum : sum;
}

Grid ringOf(const FamilyValues& values)
{
    return {{values.one(0)}, {true}, values.one(1, 1)};
}

Grid gridOf(const FamilyValues& values, bool wrapped)
{
    Grid grid;
    grid.sizes.assign(values.list(0).begin(), values.list(0).end());
    for (std::size_t i = 0; i < grid.sizes.size(); ++i)
        grid.wrap.push_back(values.has(1) ? values.list(1)[values.list(1).size() == 1 ? 0 : i] != 0 : wrapped);
    grid.parallel = values.one(2, 1);
    return grid;
}

/// \param key the position of `parallel`.
Status checkParallel(const FabricFamily& family, const FamilyValues& values, std::size_t key)
{
    const std::span<const std::int64_t> sizes = values.list(0);
    if (values.one(key, 1) == 1 || std::find(sizes.begin(), sizes.end(), 2) != sizes.end())
        return {};
    return familyError(family, "parallel", "2 cables of an axis of 2, but no axis of " + listText(sizes) + " is 2", "1, or a size of 2");
}

Status checkGrid(const FabricFamily& family, const FamilyValues& values)
{
    if (product(values.list(0)) > kMaxNpus)
        return familyError(family, "size", listText(values.list(0)) + " are more than 1048576 NPUs", "smaller sizes");
    if (const std::size_t given = values.list(1).size(); given > 1 && given != values.list(0).size())
        return familyError(family, "wrap", std::to_string(given) + " numbers for " + std::to_string(values.list(0).size()) + " axes", "one, or one per axis");
    return checkParallel(family, values, 2);
}

Status checkRing(const FamilyValues& values) { return checkParallel(ringFamily(), values, 1); }
FabricPlan planRing(const FamilyValues& values) { return planOf(ringOf(values)); }
void wireRing(const FamilyValues& values, const CableSink& sink) { wire(ringOf(values), sink); }
Status checkTorus(const FamilyValues& values) { return checkGrid(torusFamily(), values); }
FabricPlan planTorus(const FamilyValues& values) { return planOf(gridOf(values, true)); }
void wireTorus(const FamilyValues& values, const CableSink& sink) { wire(gridOf(values, true), sink); }
Status checkMesh(const FamilyValues& values) { return checkGrid(meshFamily(), values); }
FabricPlan planMesh(const FamilyValues& values) { return planOf(gridOf(values, false)); }
void wireMesh(const FamilyValues& values, const CableSink& sink) { wire(gridOf(values, false), sink); }

constexpr FabricFamily kRing{"ring", "Ring", kRingKeys, checkRing, planRing, wireRing};
constexpr FabricFamily kTorus{"torus", "Torus of any rank: a mesh closed along its axes", kGridKeys, checkTorus, planTorus, wireTorus};
constexpr FabricFamily kMesh{"mesh", "Mesh of any rank, closed along single axes with wrap", kGridKeys, checkMesh, planMesh, wireMesh};

} // namespace

FabricPlan planOf(const Grid& grid)
{
    const std::int64_t npus = grid.npus();
    FabricPlan plan;
    plan.npus = npus;
    plan.forwarding = NpuForwarding::All;
    WideCount distances = 0; // over ordered pairs
    std::int64_t cables = 0;
    std::int64_t diameter = 0;
    std::int64_t ways = 1;
    std::vector<std::int64_t> farthest;
    for (std::size_t axis = 0; axis < grid.sizes.size(); ++axis) {
        const std::int64_t d = grid.sizes[axis];
        const std::int64_t lines = npus / d;
        cables += lines * cablesOfLine(grid, axis);
        const bool ring = closes(grid, axis);
        const WideCount line = ring ? WideCount{d} * (d * d / 4) : WideCount{d} * (WideCount{d} * d - 1) / 3;
        plan.axes.push_back({"axis " + std::to_string(axis), d});
        distances += WideCount{lines} * lines * line;
        farthest.push_back(ring ? d / 2 : d - 1);
        diameter += farthest.back();
        if ((ring && d % 2 == 0) || doubled(grid, axis))
            ways *= 2;
        if (!ring && d > 2)
            plan.alike = Alike::Attached;
    }
    plan.kinds = {{"npu", cables, false}};
    plan.known.diameter = diameter;
    if (npus > 1)
        plan.known.mean = fraction(distances, WideCount{npus} * (npus - 1));
    else
        plan.known.mean = Fraction{0, 1};
    plan.known.ways = multinomial(farthest, ways);
    plan.known.bisection = bisectionOf(grid);
    return plan;
}

void wire(const Grid& grid, const CableSink& sink)
{
    const std::int64_t npus = grid.npus();
    std::int64_t stride = 1;
    for (std::size_t axis = 0; axis < grid.sizes.size(); ++axis) {
        const std::int64_t d = grid.sizes[axis];
        const auto port = static_cast<std::int32_t>(2 * axis);
        for (std::int64_t i = 0; i < npus; ++i) {
            const std::int64_t c = i / stride % d;
            const bool last = c + 1 == d;
            if (last && !closes(grid, axis) && !doubled(grid, axis))
                continue;
            const std::int64_t next = last ? i - c * stride : i + stride;
            sink({static_cast<std::int32_t>(i), port}, {static_cast<std::int32_t>(next), port + 1}, 0);
        }
        stride *= d;
    }
}

const FabricFamily& ringFamily() { return kRing; }
const FabricFamily& torusFamily() { return kTorus; }
const FabricFamily& meshFamily() { return kMesh; }

} // namespace fabricscope
