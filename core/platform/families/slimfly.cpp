// Slim fly (McKay, Miller, Siran): two sets of q x q switches. (0,x,y) = xq + y, (1,m,c) = q^2 + mq + c; (0,x,y)-(1,m,c) where y = mx + c.
#include "core/base/index.h"
#include "core/platform/fabric/family.h"

#include <algorithm>
#include <array>
#include <set>

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 2> kSlimFlyKeys{{{"q", "an odd prime", 3, 499}, {"npus", "NPUs of a switch", 1, 1024, false, "derived"}}};

bool isOddPrime(std::int64_t q)
{
    for (std::int64_t i = 2; i * i <= q; ++i) {
        if (q % i == 0)
            return false;
    }
    return q > 2;
}

std::int64_t nearestOddPrime(std::int64_t q)
{
    for (std::int64_t away = 0;; ++away) {
        for (const std::int64_t near : {q - away, q + away}) {
            if (isOddPrime(near))
                return near;
        }
    }
}

/// Powers of the least primitive root, from 0 to q-2.
std::vector<std::int64_t> powers(std::int64_t q)
{
    for (std::int64_t root = 2;; ++root) {
        std::vector<std::int64_t> out{1};
        for (std::int64_t value = root % q; value != 1 && static_cast<std::int64_t>(out.size()) < q; value = value * root % q)
            out.push_back(value);
        if (static_cast<std::int64_t>(out.size()) == q - 1)
            return out;
    }
}

/// Differences of neighbours within the two sets.
std::array<std::vector<std::int64_t>, 2> generators(std::int64_t q)
{
    const std::vector<std::int64_t> power = powers(q);
    std::array<std::vector<std::int64_t>, 2> out;
    const auto add = [&](std::size_t set, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i <= last; i += 2)
            out[set].push_back(power[at(i % (q - 1))]);
    };
    if (q % 4 == 1) {
        add(0, 0, q - 3);
        add(1, 1, q - 2);
    } else {
        const std::int64_t w = (q + 1) / 4;
        add(0, 0, 2 * w - 2);
        add(0, 2 * w - 1, 4 * w - 3);
        add(1, 1, 2 * w - 1);
        add(1, 2 * w, 4 * w - 2);
    }
    return out; // Each with -x for every x, so that both ends agree.
}

std::int64_t degreeOf(std::int64_t q) { return q % 4 == 1 ? (3 * q - 1) / 2 : (3 * q + 1) / 2; }
std::int64_t npusOf(const FamilyValues& v) { return v.one(1, (degreeOf(v.one(0)) + 1) / 2); }

Status checkSlimFly(const FamilyValues& v)
{
    const std::int64_t q = v.one(0);
    if (!isOddPrime(q))
        return familyError(slimFlyFamily(), "q", std::to_string(q) + " is no odd prime (powers of primes are left out)", "the nearest is " + std::to_string(nearestOddPrime(q)));
    if (product({2 * q * q, npusOf(v)}) > kMaxNpus)
        return familyError(slimFlyFamily(), "npus", std::to_string(2 * q * q) + " switches of " + std::to_string(npusOf(v)) + " NPUs", "at most " + std::to_string(kMaxNpus / (2 * q * q)));
    return {};
}

/// From switch 0 to the first that it has no cable to. In its row these go over switches of the row alone; where it has a cable to all of them (q = 3), a single switch of the other
/// set joins it to the first of the next row.
std::int64_t waysToFarthest(std::int64_t q)
{
    const std::vector<std::int64_t> differences = generators(q)[0];
    const std::set<std::int64_t> near(differences.begin(), differences.end());
    std::int64_t column = 1;
    while (column < q && near.contains(column))
        ++column;
    if (column == q)
        return 1;
    return std::ranges::count_if(near, [&](std::int64_t first) { return near.contains((column + q - first) % q); });
}

FabricPlan planSlimFly(const FamilyValues& v)
{
    const std::int64_t q = v.one(0);
    FabricPlan plan;
    plan.npus = 2 * q * q * npusOf(v);
    plan.tiers = {{"switch", 2 * q * q, degreeOf(q) + npusOf(v), 0}};
    plan.kinds = {{"npu", plan.npus, false}, {"switch", q * q * degreeOf(q), false}};
    plan.alike = Alike::Attached;
    // Every two switches are at most two cables apart.
    const std::int64_t near = degreeOf(q) * npusOf(v);
    const std::int64_t own = npusOf(v);
    plan.known.diameter = 4;
    plan.known.mean = fraction(WideCount{2} * (own - 1) + WideCount{3} * near + WideCount{4} * (plan.npus - own - near), plan.npus - 1);
    plan.known.ways = waysToFarthest(q);
    return plan;
}

void wireSlimFly(const FamilyValues& v, const CableSink& sink)
{
    const std::int64_t q = v.one(0);
    const std::int64_t each = npusOf(v);
    const std::int64_t npus = 2 * q * q * each;
    const auto end = [](std::int64_t node, std::int64_t port) { return PortRef{static_cast<std::int32_t>(node), static_cast<std::int32_t>(port)}; };
    for (std::int64_t i = 0; i < npus; ++i)
        sink(end(i, 0), end(npus + i / each, i % each), 0);
    // Ports: NPUs, then the neighbours by number.
    const auto sets = generators(q);
    std::vector<std::int64_t> port(static_cast<std::size_t>(2 * q * q), each);
    for (std::int64_t node = 0; node < 2 * q * q; ++node) {
        std::vector<std::int64_t> higher;
        const std::int64_t set = node / (q * q);
        const std::int64_t row = node / q % q;
        const std::int64_t column = node % q;
        for (const std::int64_t difference : sets[at(set)])
            higher.push_back(set * q * q + row * q + (column + difference) % q);
        for (std::int64_t m = 0; set == 0 && m < q; ++m)
            higher.push_back(q * q + m * q + (column + (q - m) * row) % q);
        std::sort(higher.begin(), higher.end());
        for (const std::int64_t other : higher) {
            if (other > node)
                sink(end(npus + node, port[at(node)]++), end(npus + other, port[at(other)]++), 1);
        }
    }
}

constexpr FabricFamily kSlimFly{"slim_fly", "Slim fly: every two switches at most two cables apart", kSlimFlyKeys, checkSlimFly, planSlimFly, wireSlimFly};

} // namespace

const FabricFamily& slimFlyFamily() { return kSlimFly; }

} // namespace fabricscope
