#include "tests/unit/support/oracles/fairshare.h"

#include <algorithm>
#include <limits>

namespace fabricscope::test {

namespace {

Fraction::Wide commonDivisor(Fraction::Wide a, Fraction::Wide b)
{
    while (b != 0) {
        const Fraction::Wide rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

std::vector<long double> fluidRates(const std::vector<std::int64_t>& capacities, const std::vector<FluidFlow>& flows, const std::vector<std::size_t>& active)
{
    std::vector<long double> room(capacities.begin(), capacities.end());
    std::vector<long double> rates(flows.size(), 0);
    std::vector<std::size_t> open = active;
    while (!open.empty()) {
        std::vector<int> count(room.size(), 0);
        for (const std::size_t flow : open) {
            for (const std::int32_t resource : flows[flow].resources)
                ++count[static_cast<std::size_t>(resource)];
        }
        long double level = std::numeric_limits<long double>::max();
        for (std::size_t r = 0; r < room.size(); ++r)
            level = count[r] > 0 ? std::min(level, room[r] / static_cast<long double>(count[r])) : level;
        std::vector<bool> full(room.size());
        for (std::size_t r = 0; r < room.size(); ++r)
            full[r] = count[r] > 0 && room[r] / static_cast<long double>(count[r]) <= level * (1 + 1e-15L);
        std::vector<std::size_t> rest;
        for (const std::size_t flow : open) {
            const auto& resources = flows[flow].resources;
            if (std::none_of(resources.begin(), resources.end(), [&](std::int32_t r) { return full[static_cast<std::size_t>(r)]; })) {
                rest.push_back(flow);
                continue;
            }
            rates[flow] = level;
            for (const std::int32_t resource : resources)
                room[static_cast<std::size_t>(resource)] -= level;
        }
        open.swap(rest);
    }
    return rates;
}

} // namespace

Fraction::Fraction(Wide over_, Wide under_)
{
    const Wide divisor = commonDivisor(over_, under_);
    over = over_ / divisor;
    under = under_ / divisor;
}

std::vector<Fraction> fairShares(const std::vector<std::int64_t>& capacities, const std::vector<std::vector<std::int32_t>>& routes)
{
    std::vector<Fraction> room(capacities.begin(), capacities.end());
    std::vector<Fraction> rates(routes.size());
    std::vector<bool> fixed(routes.size(), false);
    for (std::size_t left = routes.size(); left > 0;) {
        std::vector<std::int64_t> count(room.size(), 0);
        for (std::size_t flow = 0; flow < routes.size(); ++flow) {
            for (const std::int32_t resource : routes[flow])
                count[static_cast<std::size_t>(resource)] += fixed[flow] ? 0 : 1;
        }
        std::size_t fullest = room.size();
        for (std::size_t r = 0; r < room.size(); ++r) {
            if (count[r] > 0 && (fullest == room.size() || room[r] / count[r] < room[fullest] / count[fullest]))
                fullest = r;
        }
        const Fraction level = room[fullest] / count[fullest];
        for (std::size_t flow = 0; flow < routes.size(); ++flow) {
            if (fixed[flow] || std::count(routes[flow].begin(), routes[flow].end(), static_cast<std::int32_t>(fullest)) == 0)
                continue;
            fixed[flow] = true;
            --left;
            rates[flow] = level;
            for (const std::int32_t resource : routes[flow])
                room[static_cast<std::size_t>(resource)] = room[static_cast<std::size_t>(resource)] - level;
        }
    }
    return rates;
}

std::vector<std::int64_t> wholeShares(const std::vector<std::int64_t>& capacities, const std::vector<std::vector<std::int32_t>>& routes)
{
    std::vector<std::int64_t> rates(routes.size(), 0);
    for (;;) {
        std::vector<Fraction::Wide> room(capacities.begin(), capacities.end());
        std::vector<std::int64_t> count(room.size(), 0);
        for (std::size_t flow = 0; flow < routes.size(); ++flow) {
            for (const std::int32_t resource : routes[flow]) {
                room[static_cast<std::size_t>(resource)] -= rates[flow];
                count[static_cast<std::size_t>(resource)] += rates[flow] == 0 ? 1 : 0;
            }
        }
        const auto shareOf = [&](std::int32_t resource) {
            const auto r = static_cast<std::size_t>(resource);
            return room[r] < count[r] ? 1 : static_cast<std::int64_t>(room[r] / count[r]);
        };
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (std::size_t r = 0; r < room.size(); ++r)
            least = count[r] > 0 ? std::min(least, shareOf(static_cast<std::int32_t>(r))) : least;
        if (least == std::numeric_limits<std::int64_t>::max())
            return rates;
        for (std::size_t flow = 0; flow < routes.size(); ++flow) {
            if (rates[flow] == 0 && std::any_of(routes[flow].begin(), routes[flow].end(), [&](std::int32_t resource) { return shareOf(resource) == least; }))
                rates[flow] = least;
        }
    }
}

std::vector<long double> fluidEnds(const std::vector<std::int64_t>& capacities, const std::vector<FluidFlow>& flows)
{
    constexpr long double kNever = std::numeric_limits<long double>::max();
    constexpr long double kPsInSecond = 1e12L;
    std::vector<long double> left;
    for (const FluidFlow& flow : flows)
        left.push_back(flow.bytes);
    std::vector<long double> ends(flows.size(), -1);
    std::vector<bool> started(flows.size(), false);
    std::vector<std::size_t> active;
    long double now = 0;
    for (std::size_t done = 0; done < flows.size();) {
        const std::vector<long double> rates = fluidRates(capacities, flows, active);
        long double next = kNever;
        for (std::size_t flow = 0; flow < flows.size(); ++flow)
            next = started[flow] ? next : std::min(next, flows[flow].startPs);
        for (const std::size_t flow : active)
            next = std::min(next, now + left[flow] / rates[flow] * kPsInSecond);
        std::vector<std::size_t> still;
        for (const std::size_t flow : active) {
            const long double end = now + left[flow] / rates[flow] * kPsInSecond;
            left[flow] -= rates[flow] * (next - now) / kPsInSecond;
            if (end <= next + 1e-6L) {
                ends[flow] = end;
                ++done;
            } else {
                still.push_back(flow);
            }
        }
        for (std::size_t flow = 0; flow < flows.size(); ++flow) {
            if (!started[flow] && flows[flow].startPs <= next) {
                started[flow] = true;
                still.push_back(flow);
            }
        }
        active.swap(still);
        now = next;
    }
    return ends;
}

} // namespace fabricscope::test
