#include "core/bounds/flowgraph.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/bounds/maxflow.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::int64_t kUnreached = std::numeric_limits<std::int64_t>::max();
/// Of so many latencies the nearest of the first of each is found faster than by a heap.
constexpr std::size_t kMostLanes = 8;

std::int64_t greatestCommonRate(const FlowGraph& graph)
{
    std::int64_t common = 0;
    for (const FlowGraph::Arc& arc : graph.arcs)
        common = std::gcd(common, arc.rate);
    return std::max<std::int64_t>(common, 1);
}

void reduce(CutRate& rate)
{
    const std::int64_t common = std::gcd(rate.numerator, rate.denominator);
    if (common > 1) {
        rate.numerator /= common;
        rate.denominator /= common;
    }
}

/// The rate a set allows, per compute vertex in it.
CutRate rateOf(const FlowGraph& graph, std::vector<bool> side)
{
    CutRate rate;
    rate.numerator = graph.leaving(side);
    rate.denominator = std::max(graph.computeIn(side), 1);
    rate.side = std::move(side);
    return rate;
}

/// A source with an arc to every compute vertex before the graph; searches the least rate per shard.
template <typename Flow>
class ShardSearch {
public:
    ShardSearch(const FlowGraph& graph, std::int64_t unit, std::size_t sources)
        : m_graph(graph)
        , m_unit(unit)
        , m_shards(static_cast<std::int64_t>(sources))
        , m_source(graph.vertices)
        , m_flow(graph.vertices + 1)
        , m_joined(graph.compute.size(), false)
        , m_isSource(graph.compute.size(), true)
    {
        for (const FlowGraph::Arc& arc : graph.arcs)
            m_flow.addArc(arc.from, arc.to, 0);
        m_firstSource = m_flow.arcs();
        for (const std::int32_t vertex : graph.compute)
            m_flow.addArc(m_source, vertex, 0);
    }

    void dropSource(std::size_t member) { m_isSource[member] = false; }

    void setRate(CutRate rate)
    {
        m_best = std::move(rate);
        CutRate scaled;
        scaled.numerator = m_best.numerator / m_unit;
        scaled.denominator = m_best.denominator;
        reduce(scaled);
        m_perShard = scaled.numerator;
        for (std::size_t i = 0; i < m_graph.arcs.size(); ++i)
            m_flow.setCapacity(static_cast<std::int32_t>(i), Flow{m_graph.arcs[i].rate / m_unit} * scaled.denominator);
        for (std::size_t member = 0; member < m_joined.size(); ++member)
            setSource(member);
    }

    /// Lowers the rate until all shards can flow to the member.
    void reach(std::size_t member, const std::stop_token& stop)
    {
        while (!stop.stop_requested()) {
            const Flow all = m_perShard * m_shards;
            if (all == 0 || m_flow.run(m_source, m_graph.compute[member], all, stop) == all)
                break;
            if (stop.stop_requested())
                return;
            std::vector<bool> side(at(m_graph.vertices));
            for (std::int32_t vertex = 0; vertex < m_graph.vertices; ++vertex)
                side[at(vertex)] = m_flow.onSourceSide(vertex);
            setRate(rateOf(m_graph, std::move(side)));
        }
        m_joined[member] = true;
        setSource(member);
    }

    CutRate take()
    {
        reduce(m_best);
        return std::move(m_best);
    }

private:
    void setSource(std::size_t member)
    {
        const Flow capacity = m_joined[member] ? m_perShard * m_shards : m_isSource[member] ? m_perShard : Flow{0};
        m_flow.setCapacity(m_firstSource + static_cast<std::int32_t>(member), capacity);
    }

    const FlowGraph& m_graph;
    std::int64_t m_unit;
    std::int64_t m_shards;
    std::int32_t m_source;
    std::int32_t m_firstSource = 0;
    MaxFlow<Flow> m_flow;
    std::vector<bool> m_joined;
    std::vector<bool> m_isSource;
    Flow m_perShard = 0;
    CutRate m_best;
};

template <typename Flow>
CutRate searchAll(const FlowGraph& graph, CutRate start, std::int64_t unit, const std::stop_token& stop)
{
    ShardSearch<Flow> search(graph, unit, graph.compute.size());
    search.setRate(std::move(start));
    for (std::size_t member = 0; member < graph.compute.size() && !stop.stop_requested(); ++member)
        search.reach(member, stop);
    return search.take();
}

template <typename Flow>
CutRate searchOne(const FlowGraph& graph, std::size_t root, CutRate start, std::int64_t unit, const std::stop_token& stop)
{
    ShardSearch<Flow> search(graph, unit, graph.compute.size() - 1);
    search.dropSource(root);
    search.setRate(std::move(start));
    search.reach(root, stop);
    return search.take();
}

/// Do capacities times the number of compute vertices fit in 64 bits?
bool fitsScaled(const FlowGraph& graph, std::int64_t unit)
{
    WideFlow total = 0;
    for (const FlowGraph::Arc& arc : graph.arcs)
        total += arc.rate / unit;
    const WideFlow members = static_cast<WideFlow>(graph.compute.size());
    return total * members < MaxFlow<std::int64_t>::kUnlimited / 4;
}

/// All vertices but one.
CutRate intoVertex(const FlowGraph& graph, std::int32_t vertex)
{
    std::vector<bool> side(at(graph.vertices), true);
    side[at(vertex)] = false;
    return rateOf(graph, std::move(side));
}

} // namespace

FlowGraph FlowGraph::reversed() const
{
    FlowGraph back = *this;
    for (Arc& arc : back.arcs)
        std::swap(arc.from, arc.to);
    return back;
}

void FlowGraph::mergeParallel(const std::stop_token& stop)
{
    sortUntilStopped(arcs, [](const Arc& a, const Arc& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); }, stop);
    std::vector<Arc> merged;
    for (const Arc& arc : arcs) {
        checkStop(stop);
        if (!merged.empty() && merged.back().from == arc.from && merged.back().to == arc.to) {
            merged.back().rate += arc.rate;
            merged.back().latencyPs = std::min(merged.back().latencyPs, arc.latencyPs);
        } else {
            merged.push_back(arc);
        }
    }
    arcs = std::move(merged);
}

std::int64_t FlowGraph::leaving(const std::vector<bool>& set) const
{
    std::int64_t sum = 0;
    for (const Arc& arc : arcs) {
        if (set[at(arc.from)] && !set[at(arc.to)])
            sum += arc.rate;
    }
    return sum;
}

std::int32_t FlowGraph::computeIn(const std::vector<bool>& set) const
{
    return static_cast<std::int32_t>(std::count_if(compute.begin(), compute.end(), [&](std::int32_t vertex) { return set[at(vertex)]; }));
}

bool FlowGraph::fitsRates() const
{
    WideFlow total = 0;
    for (const Arc& arc : arcs)
        total += arc.rate;
    return total < WideFlow{1} << 59;
}

LatencySearch::LatencySearch(const FlowGraph& graph, const std::stop_token& stop)
    : m_begin(at(graph.vertices) + 1, 0)
    , m_arcs(graph.arcs.size())
    , m_found(at(graph.vertices), kUnreached)
{
    for (const FlowGraph::Arc& arc : graph.arcs) {
        checkStop(stop);
        ++m_begin[at(arc.from) + 1];
        if (m_latencies.empty() || m_latencies.back() != arc.latencyPs)
            m_latencies.push_back(arc.latencyPs);
    }
    std::sort(m_latencies.begin(), m_latencies.end());
    m_latencies.erase(std::unique(m_latencies.begin(), m_latencies.end()), m_latencies.end());
    std::partial_sum(m_begin.begin(), m_begin.end(), m_begin.begin());
    std::vector<std::int32_t> next(m_begin.begin(), m_begin.end() - 1);
    for (const FlowGraph::Arc& arc : graph.arcs) {
        checkStop(stop);
        const auto lane = std::lower_bound(m_latencies.begin(), m_latencies.end(), arc.latencyPs) - m_latencies.begin();
        m_arcs[at(next[at(arc.from)]++)] = {arc.to, static_cast<std::int32_t>(lane)};
    }
    m_lanes.resize(m_latencies.size() > kMostLanes ? 1 : m_latencies.size() + 1);
    m_heads.resize(m_lanes.size());
}

std::span<const std::int64_t> LatencySearch::from(std::span<const std::int32_t> sources, const std::stop_token& stop)
{
    std::fill(m_found.begin(), m_found.end(), kUnreached);
    std::fill(m_heads.begin(), m_heads.end(), 0);
    for (std::vector<Entry>& lane : m_lanes)
        lane.clear();
    for (const std::int32_t source : sources) {
        m_found[at(source)] = 0;
        m_lanes.back().push_back({0, source});
    }
    if (m_latencies.size() > kMostLanes)
        searchByHeap(stop);
    else
        search(stop);
    return m_found;
}

/// Vertices leave nearest first, so what arcs of one latency lead to is found nearest first too: no heap is needed.
void LatencySearch::search(const std::stop_token& stop)
{
    while (true) {
        checkStop(stop);
        std::size_t nearest = m_lanes.size();
        for (std::size_t lane = 0; lane < m_lanes.size(); ++lane) {
            if (m_heads[lane] < m_lanes[lane].size() && (nearest == m_lanes.size() || m_lanes[lane][m_heads[lane]].latency < m_lanes[nearest][m_heads[nearest]].latency))
                nearest = lane;
        }
        if (nearest == m_lanes.size())
            return;
        const Entry entry = m_lanes[nearest][m_heads[nearest]++];
        if (entry.latency != m_found[at(entry.vertex)])
            continue;
        for (std::int32_t i = m_begin[at(entry.vertex)]; i < m_begin[at(entry.vertex) + 1]; ++i) {
            const Arc arc = m_arcs[at(i)];
            const std::int64_t latency = entry.latency + m_latencies[at(arc.lane)];
            if (latency < m_found[at(arc.to)]) {
                m_found[at(arc.to)] = latency;
                m_lanes[at(arc.lane)].push_back({latency, arc.to});
            }
        }
    }
}

void LatencySearch::searchByHeap(const std::stop_token& stop)
{
    std::vector<Entry>& heap = m_lanes.back();
    while (!heap.empty()) {
        checkStop(stop);
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
        const Entry entry = heap.back();
        heap.pop_back();
        if (entry.latency != m_found[at(entry.vertex)])
            continue;
        for (std::int32_t i = m_begin[at(entry.vertex)]; i < m_begin[at(entry.vertex) + 1]; ++i) {
            checkStop(stop);
            const Arc arc = m_arcs[at(i)];
            const std::int64_t latency = entry.latency + m_latencies[at(arc.lane)];
            if (latency >= m_found[at(arc.to)])
                continue;
            m_found[at(arc.to)] = latency;
            heap.push_back({latency, arc.to});
            std::push_heap(heap.begin(), heap.end(), std::greater<>());
        }
    }
}

CutRate gatherAllRate(const FlowGraph& graph, const std::stop_token& stop)
{
    const std::int64_t unit = greatestCommonRate(graph);
    std::vector<std::int64_t> arriving(at(graph.vertices), 0);
    for (const FlowGraph::Arc& arc : graph.arcs)
        arriving[at(arc.to)] += arc.from == arc.to ? 0 : arc.rate;
    const auto least = std::min_element(graph.compute.begin(), graph.compute.end(),
                                        [&](std::int32_t a, std::int32_t b) { return arriving[at(a)] < arriving[at(b)]; });
    CutRate start = intoVertex(graph, *least);
    return fitsScaled(graph, unit) ? searchAll<std::int64_t>(graph, std::move(start), unit, stop)
                                   : searchAll<WideFlow>(graph, std::move(start), unit, stop);
}

CutRate gatherRate(const FlowGraph& graph, std::size_t root, const std::stop_token& stop)
{
    const std::int64_t unit = greatestCommonRate(graph);
    CutRate start = intoVertex(graph, graph.compute[root]);
    return fitsScaled(graph, unit) ? searchOne<std::int64_t>(graph, root, std::move(start), unit, stop)
                                   : searchOne<WideFlow>(graph, root, std::move(start), unit, stop);
}

CutRate broadcastRate(const FlowGraph& graph, std::size_t root, const std::stop_token& stop)
{
    MaxFlow<std::int64_t> flow(graph.vertices);
    for (const FlowGraph::Arc& arc : graph.arcs)
        flow.addArc(arc.from, arc.to, arc.rate);
    // What the root reaches with the best rate so far is as good as the root: cuts beyond it are all that is left.
    const std::int32_t firstJoin = flow.arcs();
    for (const std::int32_t vertex : graph.compute)
        flow.addArc(graph.compute[root], vertex, 0);

    CutRate best;
    for (std::size_t member = 0; member < graph.compute.size() && !stop.stop_requested(); ++member) {
        if (member == root)
            continue;
        const std::int32_t vertex = graph.compute[member];
        if (best.side.empty()) {
            best = intoVertex(graph, vertex);
            best.denominator = 1;
        }
        if (best.numerator > 0 && flow.run(graph.compute[root], vertex, best.numerator, stop) < best.numerator && !stop.stop_requested()) {
            for (std::int32_t v = 0; v < graph.vertices; ++v)
                best.side[at(v)] = flow.onSourceSide(v);
            best.numerator = graph.leaving(best.side);
        }
        flow.setCapacity(firstJoin + static_cast<std::int32_t>(member), MaxFlow<std::int64_t>::kUnlimited);
    }
    return best;
}

CutRate partRate(const FlowGraph& graph, const std::vector<bool>& inside, const std::stop_token& stop)
{
    const std::int32_t source = graph.vertices;
    const std::int32_t sink = source + 1;
    MaxFlow<std::int64_t> flow(graph.vertices + 2);
    for (const FlowGraph::Arc& arc : graph.arcs)
        flow.addArc(arc.from, arc.to, arc.rate);
    for (std::size_t member = 0; member < graph.compute.size(); ++member) {
        if (inside[member])
            flow.addArc(source, graph.compute[member], MaxFlow<std::int64_t>::kUnlimited);
        else
            flow.addArc(graph.compute[member], sink, MaxFlow<std::int64_t>::kUnlimited);
    }
    CutRate rate;
    rate.numerator = flow.run(source, sink, MaxFlow<std::int64_t>::kUnlimited, stop);
    rate.side.resize(at(graph.vertices));
    for (std::int32_t vertex = 0; vertex < graph.vertices; ++vertex)
        rate.side[at(vertex)] = flow.onSourceSide(vertex);
    return rate;
}

} // namespace fabricscope
