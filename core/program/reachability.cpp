#include "core/program/reachability.h"

#include <algorithm>
#include <map>
#include <queue>

namespace fabricscope {

namespace {

constexpr std::uint64_t kMostWork = std::uint64_t{1} << 27;

/// Chains of steps, each ordered by lane or dependency, that cover the rank; and the place of every step in its chain.
struct Chains {
    std::vector<std::uint32_t> chain;
    std::vector<std::uint32_t> place;
    std::uint32_t count = 0;
};

Chains findChains(const ExplicitBody& body, const RankSteps& steps)
{
    Chains out;
    out.chain.resize(steps.size());
    out.place.resize(steps.size());
    std::vector<std::uint32_t> tail; // Last step of each chain.
    std::map<std::int32_t, std::uint32_t> ofLane;
    for (const std::uint32_t step : steps.order) {
        const std::int32_t lane = body.lane[steps.begin[step]];
        std::uint32_t chain = out.count;
        if (lane >= 0) {
            chain = ofLane.try_emplace(lane, out.count).first->second;
        } else {
            for (const std::uint32_t other : steps.waits[step]) {
                if (body.lane[steps.begin[other]] < 0 && tail[out.chain[other]] == other)
                    chain = out.chain[other];
            }
        }
        if (chain == out.count) {
            ++out.count;
            tail.push_back(step);
            out.place[step] = 0;
        } else {
            out.place[step] = out.place[tail[chain]] + 1;
            tail[chain] = step;
        }
        out.chain[step] = chain;
    }
    return out;
}

/// Only what stands earlier in the same lane.
void reduceSimply(const ExplicitBody& body, RankSteps& steps)
{
    for (std::uint32_t step = 0; step < steps.size(); ++step) {
        const std::int32_t lane = body.lane[steps.begin[step]];
        std::erase_if(steps.waits[step], [&](std::uint32_t other) { return lane >= 0 && other < step && body.lane[steps.begin[other]] == lane; });
    }
}

} // namespace

RankSteps rankSteps(const ExplicitBody& body, std::int32_t rank)
{
    const std::uint32_t first = body.rankBegin[static_cast<std::size_t>(rank)];
    const std::uint32_t end = body.rankBegin[static_cast<std::size_t>(rank) + 1];
    RankSteps out;
    std::vector<std::uint32_t> stepOf(end - first);
    std::map<std::int32_t, std::int32_t> last; // Step of each lane.
    for (std::uint32_t op = first; op < end; ++op) {
        const bool joins = body.isFused(op) && op > first && body.lane[op - 1] == body.lane[op];
        if (!joins) {
            const auto step = static_cast<std::int32_t>(out.begin.size());
            out.begin.push_back(op);
            std::int32_t previous = -1;
            if (body.lane[op] >= 0) {
                const auto [found, isFirst] = last.try_emplace(body.lane[op], step);
                if (!isFirst)
                    previous = std::exchange(found->second, step);
            }
            out.previous.push_back(previous);
        }
        stepOf[op - first] = static_cast<std::uint32_t>(out.begin.size()) - 1;
    }
    out.begin.push_back(end);

    const std::uint32_t count = out.size();
    out.waits.resize(count);
    std::vector<std::vector<std::uint32_t>> next(count);
    std::vector<std::uint32_t> missing(count, 0);
    for (std::uint32_t step = 0; step < count; ++step) {
        std::vector<std::uint32_t>& waits = out.waits[step];
        for (std::uint32_t at = body.dependBegin[out.begin[step]]; at < body.dependBegin[out.begin[step + 1]]; ++at) {
            const std::uint32_t other = stepOf[body.depends[at] - first];
            if (other != step)
                waits.push_back(other);
        }
        std::sort(waits.begin(), waits.end());
        waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
        for (const std::uint32_t other : waits)
            next[other].push_back(step);
        missing[step] = static_cast<std::uint32_t>(waits.size());
        if (out.previous[step] >= 0) {
            next[static_cast<std::size_t>(out.previous[step])].push_back(step);
            ++missing[step];
        }
    }
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t step = 0; step < count; ++step) {
        if (missing[step] == 0)
            ready.push(step);
    }
    while (!ready.empty()) {
        const std::uint32_t step = ready.top();
        ready.pop();
        out.order.push_back(step);
        for (const std::uint32_t later : next[step]) {
            if (--missing[later] == 0)
                ready.push(later);
        }
    }
    return out;
}

void reduceWaits(const ExplicitBody& body, RankSteps& steps)
{
    if (steps.ring())
        return reduceSimply(body, steps);
    const bool any = std::any_of(steps.waits.begin(), steps.waits.end(), [](const auto& waits) { return !waits.empty(); });
    if (!any)
        return;
    const Chains chains = findChains(body, steps);
    if (std::uint64_t{chains.count} * steps.size() > kMostWork)
        return reduceSimply(body, steps);

    // clocks[step][chain]: steps of the chain that are done once `step` is.
    std::vector<std::uint32_t> clocks(std::size_t{chains.count} * steps.size(), 0);
    const auto clock = [&](std::uint32_t step) { return clocks.data() + std::size_t{step} * chains.count; };
    std::vector<std::uint32_t> position(steps.size());
    for (std::uint32_t i = 0; i < steps.order.size(); ++i)
        position[steps.order[i]] = i;
    for (const std::uint32_t step : steps.order) {
        std::uint32_t* const own = clock(step);
        const auto join = [&](std::uint32_t other) {
            const std::uint32_t* const theirs = clock(other);
            for (std::uint32_t chain = 0; chain < chains.count; ++chain)
                own[chain] = std::max(own[chain], theirs[chain]);
        };
        if (steps.previous[step] >= 0)
            join(static_cast<std::uint32_t>(steps.previous[step]));
        // Latest first: what another wait covers comes before it in the order.
        std::vector<std::uint32_t>& waits = steps.waits[step];
        std::sort(waits.begin(), waits.end(), [&](std::uint32_t a, std::uint32_t b) { return position[a] > position[b]; });
        std::erase_if(waits, [&](std::uint32_t other) {
            if (own[chains.chain[other]] > chains.place[other])
                return true;
            join(other);
            return false;
        });
        std::sort(waits.begin(), waits.end());
        own[chains.chain[step]] = chains.place[step] + 1;
    }
}

} // namespace fabricscope
