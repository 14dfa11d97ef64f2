#include "core/synthesis/relay.h"

#include "core/base/index.h"
#include "core/synthesis/planbound.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

namespace fabricscope {

namespace {

constexpr int kRounds = 6;

class Routing {
public:
    Routing(const SynthesisGraph& graph, const std::vector<std::int64_t>& timePs, std::int32_t chunks, std::uint64_t seed)
        : m_graph(graph)
        , m_time(timePs)
        , m_chunks(chunks)
        , m_random(seed)
        , m_outgoing(outgoingLinks(graph))
        , m_busy(timePs.size(), 0.0)
        , m_parent(at(graph.ranks) * at(graph.ranks) * at(chunks), -1)
    {
    }

    /// The last link to each item's target, for the best round: parent[(source * chunks + chunk) * ranks + rank].
    bool run(const Halt& halt)
    {
        double total = 0;
        std::vector<std::int32_t> best;
        double bestBusy = std::numeric_limits<double>::infinity();
        std::vector<std::int32_t> order(at(m_graph.ranks) * at(m_chunks));
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[m_random.below(i)]);
        for (int round = 0; round < kRounds; ++round) {
            for (const std::int32_t tree : order) {
                if (halt.now())
                    return false;
                if (round > 0)
                    total += use(tree, -1);
                findTree(tree, total / static_cast<double>(m_time.size()));
                total += use(tree, 1);
            }
            const double busiest = *std::max_element(m_busy.begin(), m_busy.end());
            if (busiest < bestBusy) {
                bestBusy = busiest;
                best = m_parent;
            }
        }
        m_parent = std::move(best);
        return true;
    }

    /// Links from the home of an item to its target, in order.
    void way(std::int32_t source, std::int32_t target, std::int32_t chunk, std::vector<std::int32_t>& links) const
    {
        links.clear();
        const std::int32_t* parent = m_parent.data() + (at(source) * at(m_chunks) + at(chunk)) * at(m_graph.ranks);
        for (std::int32_t rank = target; rank != source; rank = m_graph.links[at(parent[rank])].from)
            links.push_back(parent[rank]);
        std::reverse(links.begin(), links.end());
    }

private:
    /// Adds or takes away what the tree puts on the links; returns the change of the sum.
    double use(std::int32_t tree, int sign)
    {
        const std::int32_t source = tree / m_chunks;
        const std::int32_t* parent = m_parent.data() + at(tree) * at(m_graph.ranks);
        double change = 0;
        for (std::int32_t target = 0; target < m_graph.ranks; ++target) {
            for (std::int32_t rank = target; rank != source; rank = m_graph.links[at(parent[rank])].from) {
                m_busy[at(parent[rank])] += sign * static_cast<double>(m_time[at(parent[rank])]);
                change += sign * static_cast<double>(m_time[at(parent[rank])]);
            }
        }
        return change;
    }

    void findTree(std::int32_t tree, double mean)
    {
        using Entry = std::pair<double, std::int32_t>;
        const std::int32_t source = tree / m_chunks;
        std::int32_t* parent = m_parent.data() + at(tree) * at(m_graph.ranks);
        std::vector<double> price(at(m_graph.ranks), std::numeric_limits<double>::infinity());
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
        price[at(source)] = 0;
        queue.push({0.0, source});
        while (!queue.empty()) {
            const auto [reached, rank] = queue.top();
            queue.pop();
            if (reached != price[at(rank)])
                continue;
            for (const std::int32_t link : m_outgoing[at(rank)]) {
                const double load = mean > 0 ? m_busy[at(link)] / mean : 0;
                const double jitter = 1 + static_cast<double>(m_random.below(1024)) * 1e-6;
                const double there = reached + static_cast<double>(m_time[at(link)]) * (1 + load * load) * jitter;
                const std::int32_t next = m_graph.links[at(link)].to;
                if (there < price[at(next)]) {
                    price[at(next)] = there;
                    parent[next] = link;
                    queue.push({there, next});
                }
            }
        }
    }

    const SynthesisGraph& m_graph;
    const std::vector<std::int64_t>& m_time;
    std::int32_t m_chunks;
    PlanRandom m_random;
    std::vector<std::vector<std::int32_t>> m_outgoing;
    std::vector<double> m_busy;
    std::vector<std::int32_t> m_parent;
};

/// An item that waits for a link, or arrives.
struct Waiting {
    std::int64_t toGoPs = 0;
    std::uint64_t tie = 0;
    std::int32_t item = 0;
    friend bool operator<(const Waiting& a, const Waiting& b) { return std::tie(a.toGoPs, a.tie, a.item) < std::tie(b.toGoPs, b.tie, b.item); }
};

} // namespace

std::optional<TransferPlan> planAllToAll(const SynthesisGraph& graph, const std::vector<std::int64_t>& timePs, std::int32_t chunks, std::uint64_t seed,
                                         const std::atomic<std::int64_t>& cutoffPs, const Halt& halt)
{
    Routing routing(graph, timePs, chunks, seed);
    if (!routing.run(halt))
        return std::nullopt;
    PlanRandom random(seed + 1);

    // Ways of all items, one after another.
    const std::int64_t items = std::int64_t{graph.ranks} * graph.ranks * chunks;
    std::vector<std::uint32_t> wayBegin{0};
    std::vector<std::int32_t> ways;
    std::vector<std::int32_t> links;
    for (std::int32_t source = 0; source < graph.ranks; ++source) {
        for (std::int32_t target = 0; target < graph.ranks; ++target) {
            for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
                routing.way(source, target, chunk, links);
                ways.insert(ways.end(), links.begin(), links.end());
                wayBegin.push_back(static_cast<std::uint32_t>(ways.size()));
            }
        }
    }

    std::vector<std::uint32_t> next(wayBegin.begin(), wayBegin.end() - 1);
    std::vector<std::int64_t> toGo(at(items), 0);
    std::vector<std::priority_queue<Waiting>> waiting(timePs.size());
    const auto queueUp = [&](std::int32_t item) {
        waiting[at(ways[next[at(item)]])].push({toGo[at(item)], random.next(), item});
    };
    for (std::int32_t item = 0; item < items; ++item) {
        for (std::uint32_t i = wayBegin[at(item)]; i < wayBegin[at(item) + 1]; ++i)
            toGo[at(item)] += timePs[at(ways[i])];
        if (wayBegin[at(item)] < wayBegin[at(item) + 1])
            queueUp(item);
    }

    using End = std::tuple<std::int64_t, std::int32_t, std::int32_t>; // time, link, item
    std::priority_queue<End, std::vector<End>, std::greater<>> ends;
    TransferPlan plan;
    plan.transfers.reserve(ways.size());
    const auto start = [&](std::int32_t link, std::int64_t now) {
        const std::int32_t item = waiting[at(link)].top().item;
        waiting[at(link)].pop();
        plan.transfers.push_back({link, item, now, now + timePs[at(link)]});
        ends.push({now + timePs[at(link)], link, item});
    };
    std::vector<std::uint8_t> isBusy(timePs.size(), 0);
    std::vector<std::int32_t> touched(timePs.size());
    std::iota(touched.begin(), touched.end(), 0);
    std::int64_t now = 0;
    for (std::uint32_t round = 0;; ++round) {
        std::sort(touched.begin(), touched.end());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        for (const std::int32_t link : touched) {
            if (!isBusy[at(link)] && !waiting[at(link)].empty()) {
                isBusy[at(link)] = 1;
                start(link, now);
            }
        }
        touched.clear();
        if (ends.empty())
            break;
        now = std::get<0>(ends.top());
        if (now > cutoffPs.load(std::memory_order_relaxed) || (round % 256 == 0 && halt.now()))
            return std::nullopt;
        while (!ends.empty() && std::get<0>(ends.top()) == now) {
            const std::int32_t link = std::get<1>(ends.top());
            const std::int32_t item = std::get<2>(ends.top());
            ends.pop();
            isBusy[at(link)] = 0;
            touched.push_back(link);
            toGo[at(item)] -= timePs[at(link)];
            if (++next[at(item)] < wayBegin[at(item) + 1]) {
                queueUp(item);
                touched.push_back(ways[next[at(item)]]);
            }
        }
    }
    plan.finishPs = now;
    std::sort(plan.transfers.begin(), plan.transfers.end(), [](const PlannedTransfer& a, const PlannedTransfer& b) {
        return a.startPs != b.startPs ? a.startPs < b.startPs : a.link < b.link;
    });
    return plan;
}

} // namespace fabricscope
