#include "core/synthesis/planbound.h"

#include "core/base/index.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

namespace fabricscope {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
/// Work (ranks * links) up to which all shortest paths are looked at.
constexpr std::int64_t kMostPathWork = 40'000'000;
constexpr std::size_t kMostLevels = 8;

/// A link into a rank and when it can first leave with something.
struct Feed {
    std::int64_t readyPs = 0;
    std::int64_t timePs = 1;
};

std::int64_t delivered(const std::vector<Feed>& feeds, std::int64_t time)
{
    std::int64_t sum = 0;
    for (const Feed& feed : feeds) {
        if (feed.readyPs != kNever && time > feed.readyPs)
            sum += (time - feed.readyPs) / feed.timePs;
    }
    return sum;
}

/// Raises `bound` to the least time in which the feeds bring `items`.
void raise(std::int64_t& bound, const std::vector<Feed>& feeds, std::int64_t items)
{
    if (feeds.empty() || delivered(feeds, bound) >= items)
        return;
    std::int64_t low = bound;
    std::int64_t high = std::max<std::int64_t>(bound, 1);
    while (delivered(feeds, high) < items) {
        if (high > kNever / 4)
            return;
        high *= 2;
    }
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (delivered(feeds, middle) >= items ? high : low) = middle;
    }
    bound = high;
}

/// Shortest times from several sources, inside the ranks of one part; `ready` holds the start times, kNever elsewhere.
void relax(const SpreadTask& task, const std::vector<std::vector<std::int32_t>>& outgoing, const std::vector<std::int32_t>& part, std::int32_t name,
           const std::vector<std::int32_t>& members, std::vector<std::int64_t>& ready)
{
    using Entry = std::pair<std::int64_t, std::int32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    for (const std::int32_t rank : members) {
        if (ready[at(rank)] != kNever)
            queue.push({ready[at(rank)], rank});
    }
    while (!queue.empty()) {
        const auto [time, rank] = queue.top();
        queue.pop();
        if (time != ready[at(rank)])
            continue;
        for (const std::int32_t link : outgoing[at(rank)]) {
            const std::int32_t next = task.graph->links[at(link)].to;
            const std::int64_t there = time + task.timePs[at(link)];
            if (part[at(next)] == name && there < ready[at(next)]) {
                ready[at(next)] = there;
                queue.push({there, next});
            }
        }
    }
}

/// Parts joined by links faster than `limit`, either way.
std::vector<std::int32_t> partsBelow(const SpreadTask& task, std::int64_t limit)
{
    std::vector<std::int32_t> part(at(task.graph->ranks));
    std::iota(part.begin(), part.end(), 0);
    const auto root = [&](std::int32_t rank) {
        while (part[at(rank)] != rank)
            rank = part[at(rank)] = part[at(part[at(rank)])];
        return rank;
    };
    for (std::size_t link = 0; link < task.timePs.size(); ++link) {
        if (task.timePs[link] < limit)
            part[at(root(task.graph->links[link].from))] = root(task.graph->links[link].to);
    }
    for (std::int32_t rank = 0; rank < task.graph->ranks; ++rank)
        part[at(rank)] = root(rank);
    return part;
}

void raiseByHops(std::int64_t& bound, const SpreadTask& task, const std::vector<std::vector<std::int32_t>>& outgoing, const Translations* translations)
{
    std::vector<std::int32_t> homes = task.home;
    std::sort(homes.begin(), homes.end());
    homes.erase(std::unique(homes.begin(), homes.end()), homes.end());
    std::size_t looked = homes.size();
    if (translations)
        looked = 1;
    else if (static_cast<std::int64_t>(homes.size()) * static_cast<std::int64_t>(task.timePs.size()) > kMostPathWork)
        looked = std::max<std::size_t>(1, at(kMostPathWork) / task.timePs.size());
    for (std::size_t i = 0; i < looked; ++i) {
        for (const std::int64_t time : shortestTimes(*task.graph, task.timePs, outgoing, homes[i]))
            bound = std::max(bound, time);
    }
}

} // namespace

std::vector<std::vector<std::int32_t>> outgoingLinks(const SynthesisGraph& graph)
{
    std::vector<std::vector<std::int32_t>> out(at(graph.vertices));
    for (std::size_t link = 0; link < graph.links.size(); ++link)
        out[at(graph.links[link].from)].push_back(static_cast<std::int32_t>(link));
    return out;
}

std::vector<std::int64_t> shortestTimes(const SynthesisGraph& graph, const std::vector<std::int64_t>& timePs,
                                        const std::vector<std::vector<std::int32_t>>& outgoing, std::int32_t source)
{
    using Entry = std::pair<std::int64_t, std::int32_t>;
    std::vector<std::int64_t> best(at(graph.vertices), kNever);
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    best[at(source)] = 0;
    queue.push({0, source});
    while (!queue.empty()) {
        const auto [time, rank] = queue.top();
        queue.pop();
        if (time != best[at(rank)])
            continue;
        for (const std::int32_t link : outgoing[at(rank)]) {
            const std::int32_t next = graph.links[at(link)].to;
            if (time + timePs[at(link)] < best[at(next)]) {
                best[at(next)] = time + timePs[at(link)];
                queue.push({best[at(next)], next});
            }
        }
    }
    return best;
}

std::int64_t spreadBound(const SpreadTask& task, const Translations* translations)
{
    const std::int32_t ranks = task.graph->ranks;
    const std::vector<std::vector<std::int32_t>> outgoing = outgoingLinks(*task.graph);
    std::vector<std::vector<std::int32_t>> incoming(at(ranks));
    for (std::size_t link = 0; link < task.timePs.size(); ++link)
        incoming[at(task.graph->links[link].to)].push_back(static_cast<std::int32_t>(link));
    std::vector<std::int64_t> itemsAt(at(ranks), 0);
    for (const std::int32_t home : task.home)
        ++itemsAt[at(home)];
    const bool everywhere = std::all_of(itemsAt.begin(), itemsAt.end(), [](std::int64_t count) { return count > 0; });

    std::int64_t bound = 0;
    raiseByHops(bound, task, outgoing, translations);

    // When a rank can have the first item that is not its own, wherever it comes from: used where only some ranks have items.
    std::vector<std::int64_t> first(at(ranks), kNever);
    if (!everywhere) {
        std::vector<std::int32_t> all(at(ranks));
        std::iota(all.begin(), all.end(), 0);
        for (const std::int32_t home : task.home)
            first[at(home)] = 0;
        relax(task, outgoing, std::vector<std::int32_t>(at(ranks), 0), 0, all, first);
    }

    std::vector<std::int64_t> limits = task.timePs;
    std::sort(limits.begin(), limits.end());
    limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
    if (limits.size() > kMostLevels)
        limits.erase(limits.begin() + 1, limits.end() - static_cast<std::ptrdiff_t>(kMostLevels) + 1);
    std::vector<Feed> feeds;
    for (const std::int64_t limit : limits) {
        const std::vector<std::int32_t> part = partsBelow(task, limit);
        std::vector<std::vector<std::int32_t>> members(at(ranks));
        for (std::int32_t rank = 0; rank < ranks; ++rank)
            members[at(part[at(rank)])].push_back(rank);
        for (std::int32_t name = 0; name < ranks; ++name) {
            if (members[at(name)].empty() || static_cast<std::int32_t>(members[at(name)].size()) == ranks)
                continue;
            std::int64_t foreign = static_cast<std::int64_t>(task.home.size());
            for (const std::int32_t rank : members[at(name)])
                foreign -= itemsAt[at(rank)];
            std::vector<std::int64_t> ready = first;
            if (everywhere) {
                for (const std::int32_t rank : members[at(name)]) {
                    for (const std::int32_t link : incoming[at(rank)]) {
                        if (part[at(task.graph->links[at(link)].from)] != name)
                            ready[at(rank)] = std::min(ready[at(rank)], task.timePs[at(link)]);
                    }
                }
                relax(task, outgoing, part, name, members[at(name)], ready);
            }
            for (const std::int32_t rank : members[at(name)]) {
                feeds.clear();
                for (const std::int32_t link : incoming[at(rank)]) {
                    const std::int32_t from = task.graph->links[at(link)].from;
                    const bool outside = everywhere && part[at(from)] != name;
                    feeds.push_back({outside ? 0 : ready[at(from)], task.timePs[at(link)]});
                }
                raise(bound, feeds, foreign);
            }
            if (translations)
                break; // Every part is like the first.
        }
    }
    return bound;
}

std::int64_t allToAllBound(const SynthesisGraph& graph, const std::vector<std::int64_t>& timePs, std::int32_t chunks)
{
    const std::vector<std::vector<std::int32_t>> outgoing = outgoingLinks(graph);
    std::vector<std::vector<Feed>> in(at(graph.ranks));
    std::vector<std::vector<Feed>> out(at(graph.ranks));
    for (std::size_t link = 0; link < timePs.size(); ++link) {
        in[at(graph.links[link].to)].push_back({0, timePs[link]});
        out[at(graph.links[link].from)].push_back({0, timePs[link]});
    }
    std::int64_t bound = 0;
    double busy = 0;
    const std::int64_t items = std::int64_t{graph.ranks - 1} * chunks;
    for (std::int32_t rank = 0; rank < graph.ranks; ++rank) {
        raise(bound, in[at(rank)], items);
        raise(bound, out[at(rank)], items);
        for (const std::int64_t time : shortestTimes(graph, timePs, outgoing, rank)) {
            bound = std::max(bound, time);
            busy += static_cast<double>(time) * chunks;
        }
    }
    // A little less than the mean, for the rounding of the sum.
    return std::max(bound, static_cast<std::int64_t>(busy / static_cast<double>(timePs.size()) * (1 - 1e-9)));
}

} // namespace fabricscope
