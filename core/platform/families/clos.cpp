// Clos networks of any height.
#include "core/platform/families/clos.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 3> kClosKeys{{{"m", "children of a switch of each level, from below", 1, kMaxNpus, true},
                                              {"w", "parents of a lower node at each level", 1, 65536, true, "derived"},
                                              {"p", "parallel cables at each level", 1, 65536, true, "derived"}}};

Clos closOf(const FamilyValues& values)
{
    Clos clos;
    clos.m.assign(values.list(0).begin(), values.list(0).end());
    clos.w.assign(values.list(1).begin(), values.list(1).end());
    clos.p.assign(values.list(2).begin(), values.list(2).end());
    clos.w.resize(clos.m.size(), 1);
    clos.p.resize(clos.m.size(), 1);
    return clos;
}

Status checkClos(const FamilyValues& values)
{
    const std::size_t levels = values.list(0).size();
    if (levels > 20)
        return familyError(closFamily(), "m", std::to_string(levels) + " levels", "at most 20");
    for (const std::size_t key : {std::size_t{1}, std::size_t{2}}) {
        if (values.has(key) && values.list(key).size() != levels)
            return familyError(closFamily(), closFamily().keys[key].name, std::to_string(values.list(key).size()) + " numbers for " + std::to_string(levels) + " levels", "one per level");
    }
    return checkSize(closFamily(), closOf(values));
}

FabricPlan planClos(const FamilyValues& values) { return planOf(closOf(values)); }
void wireClos(const FamilyValues& values, const CableSink& sink) { wire(closOf(values), sink); }
std::string nameClos(const FamilyValues& values, std::int64_t node) { return nameOf(closOf(values), node); }

constexpr FabricFamily kClos{"clos", "Clos of any height: m children, w parents, p parallel cables per level", kClosKeys, checkClos, planClos, wireClos, nameClos};

std::string tierName(std::size_t level, std::size_t height, const std::vector<std::string>& tiers)
{
    if (level <= tiers.size() && !tiers[level - 1].empty())
        return tiers[level - 1];
    if (level == 1)
        return height == 1 ? "switch" : "leaf";
    if (level == height && height > 2)
        return "core";
    return height <= 3 ? "spine" : "spine" + std::to_string(level - 1) + '_';
}

/// The busiest switches carry the number of their level's children and of the cables up.
std::int64_t upPorts(const Clos& clos, std::size_t level)
{
    return level < clos.height() ? clos.w[level] * clos.p[level] : 0;
}

} // namespace

std::int64_t Clos::count(std::size_t level) const
{
    const auto at = static_cast<std::ptrdiff_t>(level);
    return product({product(std::span(m).subspan(level)), product(std::span(w).first(static_cast<std::size_t>(at)))});
}

Status checkSize(const FabricFamily& family, const Clos& clos)
{
    if (clos.count(0) > kMaxNpus)
        return familyError(family, family.keys[0].name, listText(clos.m, " x ") + " are more than 1048576 NPUs", "fewer");
    std::int64_t nodes = 0;
    std::int64_t cables = 0;
    for (std::size_t level = 0; level <= clos.height(); ++level) {
        nodes += clos.count(level);
        if (level > 0)
            cables += product({clos.count(level - 1), clos.w[level - 1], clos.p[level - 1]});
        if (nodes > INT32_MAX || cables > INT32_MAX)
            return familyError(family, family.keys[0].name, "more than 2147483647 nodes or cables", "fewer");
    }
    return {};
}

FabricPlan planOf(const Clos& clos, std::vector<std::string> tiers)
{
    FabricPlan plan;
    plan.npus = clos.count(0);
    plan.npusOfLeaf = clos.m.front();
    const std::size_t height = clos.height();
    std::int64_t bisection = INT64_MAX;
    WideCount distances = 0; // from one NPU
    std::int64_t below = 1;
    std::vector<std::int64_t> ways;
    std::size_t top = 0; // the highest level that joins anything
    for (std::size_t level = 1; level <= height; ++level) {
        const std::int64_t m = clos.m[level - 1];
        const std::int64_t cables = clos.count(level - 1) * clos.w[level - 1] * clos.p[level - 1];
        const std::int64_t up = upPorts(clos, level);
        plan.tiers.push_back({tierName(level, height, tiers), clos.count(level), m * clos.p[level - 1] + up, up});
        plan.kinds.push_back({level == 1 ? "npu" : plan.tiers.back().name, cables, false});
        plan.axes.push_back({plan.tiers.back().name, m});
        bisection = std::min(bisection, cables / 2);
        distances += WideCount{2} * static_cast<std::int64_t>(level) * (m - 1) * below;
        if (m > 1)
            top = level;
        below *= m;
    }
    for (std::size_t level = 0; level < top; ++level)
        ways.insert(ways.end(), {clos.w[level], clos.p[level], clos.p[level]});
    plan.known.diameter = 2 * static_cast<std::int64_t>(top);
    plan.known.mean = plan.npus > 1 ? fraction(distances, plan.npus - 1) : Fraction{0, 1};
    plan.known.ways = exactProduct(ways);
    if (clos.m.back() % 2 == 0)
        plan.known.bisection = bisection;
    plan.known.block = plan.npus / clos.m.back();
    return plan;
}

void wire(const Clos& clos, const CableSink& sink)
{
    std::int64_t lowerFirst = 0;
    std::int64_t lowerDown = 0; // ports of a lower node that lead down
    std::int64_t wBelow = 1;    // product of w below this level
    for (std::size_t level = 0; level < clos.height(); ++level) {
        const std::int64_t m = clos.m[level];
        const std::int64_t w = clos.w[level];
        const std::int64_t p = clos.p[level];
        const std::int64_t upperFirst = lowerFirst + clos.count(level);
        for (std::int64_t i = 0; i < clos.count(level); ++i) {
            const std::int64_t b = i % wBelow;
            const std::int64_t a = i / wBelow % m;
            const std::int64_t above = i / wBelow / m;
            for (std::int64_t parent = 0; parent < w; ++parent) {
                const std::int64_t upper = upperFirst + (above * wBelow + b) * w + parent;
                for (std::int64_t t = 0; t < p; ++t) {
                    sink({static_cast<std::int32_t>(lowerFirst + i), static_cast<std::int32_t>(lowerDown + parent * p + t)},
                         {static_cast<std::int32_t>(upper), static_cast<std::int32_t>(a * p + t)}, static_cast<std::int32_t>(level));
                }
            }
        }
        lowerFirst = upperFirst;
        lowerDown = m * p;
        wBelow *= w;
    }
}

std::string nameOf(const Clos& clos, std::int64_t node, const std::vector<std::string>& tiers)
{
    std::size_t level = 0;
    while (level < clos.height() && node >= clos.count(level))
        node -= clos.count(level++);
    if (level == 0)
        return "npu" + std::to_string(node);
    std::int64_t alike = 1; // switches that hang at the same containers
    for (std::size_t l = 0; l < level; ++l)
        alike *= clos.w[l];
    // The lowest switches are counted in the container above.
    const std::size_t own = level == 1 && clos.height() > 1 ? 1 : 0;
    if (own == 1)
        alike *= clos.m[1];
    std::string path;
    std::int64_t container = node / alike;
    for (std::size_t l = level + own; l < clos.height(); ++l) {
        path = std::string(l + 1 == clos.height() ? "pod" : "block") + std::to_string(container % clos.m[l]) + '.' + path;
        container /= clos.m[l];
    }
    return path + tierName(level, clos.height(), tiers) + std::to_string(node % alike);
}

std::pair<std::int64_t, std::int64_t> SpineJoin::spineAndPort(std::int64_t l, std::int64_t j) const
{
    if (even()) {
        const std::int64_t p = up / spines;
        return {j / p, l * p + j % p};
    }
    const std::int64_t c = l * up + j;
    return {c % spines, c / spines};
}

bool SpineJoin::connected() const
{
    if (even())
        return true;
    std::vector<std::int64_t> root(static_cast<std::size_t>(spines));
    std::iota(root.begin(), root.end(), std::int64_t{0});
    const auto find = [&root](std::int64_t x) {
        while (root[static_cast<std::size_t>(x)] != x)
            x = root[static_cast<std::size_t>(x)] = root[static_cast<std::size_t>(root[static_cast<std::size_t>(x)])];
        return x;
    };
    std::int64_t parts = spines;
    // Runs of spines that one lower switch joins: after so many they begin where another did.
    const std::int64_t runs = std::min(lower, spines / std::gcd(up, spines));
    for (std::int64_t l = 0; l < runs && parts > 1; ++l) {
        const std::int64_t first = find(l * up % spines);
        for (std::int64_t j = 1; j < std::min(up, spines) && parts > 1; ++j) {
            const std::int64_t other = find((l * up + j) % spines);
            parts -= other != first ? 1 : 0;
            root[static_cast<std::size_t>(other)] = first;
        }
    }
    return parts == 1;
}

Status SpineJoin::check(const FabricFamily& family, std::string_view key, std::int64_t sets) const
{
    const std::int64_t most = product({lower, up, sets});
    if (spines > lower * up)
        return familyError(family, key, counted(product({spines, sets}), "switch") + " for " + counted(most, "cable"), "at most " + std::to_string(most));
    if (!connected()) {
        return familyError(family, key, counted(up, "cable") + " of each lower switch to " + counted(spines, "switch") + " do not join all of them",
                           (sets > 1 ? std::to_string(sets) + " times a divisor of " : "a divisor of ") + std::to_string(up) + "; the nearest is " + std::to_string(product({up, sets})));
    }
    return {};
}

Diagnostic SpineJoin::unevenWarning(const FabricFamily& family) const
{
    Place place;
    place.field = std::string(family.name);
    return warning("uneven-spines", counted(up, "cable") + " up from each switch do not divide among " + std::to_string(spines)
                       + ": they go round, pairs of switches share unequal numbers of ways, and the bisection is less than that of an even wiring", place);
}

const FabricFamily& closFamily() { return kClos; }

} // namespace fabricscope
