#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// A directed graph with rates for questions about cuts: compute vertices hold data, the others pass them on.
struct FlowGraph {
    struct Arc {
        std::int32_t from = 0;
        std::int32_t to = 0;
        std::int64_t rate = 0;      ///< Bytes/s, > 0.
        std::int64_t latencyPs = 0; ///< >= 0.
    };
    std::int32_t vertices = 0;
    std::vector<std::int32_t> compute; ///< Different vertices, in the order of the ranks.
    std::vector<Arc> arcs;

    FlowGraph reversed() const;
    /// One arc per (from, to), with the sum of the rates and the least latency. Throws StopRequested.
    void mergeParallel(const std::stop_token& stop = {});
    /// Sum of the rates of the arcs that leave a set of vertices. The sum of all must fit (fitsRates).
    std::int64_t leaving(const std::vector<bool>& set) const;
    std::int32_t computeIn(const std::vector<bool>& set) const;
    /// Do all rates together stay below 2^59, so that cuts can be counted?
    bool fitsRates() const;
};

/// Least latencies over the arcs of one graph, for many questions.
class LatencySearch {
public:
    /// O(arcs). Throws StopRequested.
    explicit LatencySearch(const FlowGraph& graph, const std::stop_token& stop = {});

    /// Sum of latencies of the shortest ways from the nearest of `sources` to every vertex; INT64_MAX: none. The span holds until the next call.
    /// O(arcs * different latencies), where these are many O(arcs log vertices). Throws StopRequested.
    std::span<const std::int64_t> from(std::span<const std::int32_t> sources, const std::stop_token& stop = {});

private:
    struct Entry {
        std::int64_t latency = 0;
        std::int32_t vertex = 0;
        friend auto operator<=>(const Entry&, const Entry&) = default;
    };
    struct Arc {
        std::int32_t to = 0;
        std::int32_t lane = 0; ///< Which of m_latencies.
    };
    void search(const std::stop_token& stop);
    void searchByHeap(const std::stop_token& stop);

    std::vector<std::int32_t> m_begin; ///< Arcs of vertex i: m_arcs[m_begin[i]..m_begin[i + 1]).
    std::vector<Arc> m_arcs;
    std::vector<std::int64_t> m_latencies; ///< All that arcs have, once.
    std::vector<std::vector<Entry>> m_lanes; ///< By latency: ends of arcs as they were found, nearest first. The last one: sources, or the heap.
    std::vector<std::size_t> m_heads;
    std::vector<std::int64_t> m_found;
};

/// A cut and the rate it allows, as a fraction in lowest terms.
struct CutRate {
    std::int64_t numerator = 0;   ///< Bytes/s over the cut; 0: a way is missing.
    std::int64_t denominator = 1; ///< Shards that must cross it.
    std::vector<bool> side;       ///< Vertices that data leave.
};

// Exact optima by max-flow. All: \pre fitsRates(), at least two compute vertices. Stopped: the best cut so far, ask the token.

/// All-gather: min over S that lack a compute vertex of (rate that leaves S) / |compute vertices in S| (manual: synthesis 6, ForestColl):
/// a rate x per shard is possible iff from a source with an arc of x to every compute vertex p x can flow to each. The rate goes down from
/// cut to cut (Dinkelbach) and vertices found able are joined to the source, so that p flows and one more per cut suffice.
CutRate gatherAllRate(const FlowGraph& graph, const std::stop_token& stop = {});
/// Gather to compute vertex `root`: min over S without the root of (rate that leaves S) / |compute vertices in S|.
CutRate gatherRate(const FlowGraph& graph, std::size_t root, const std::stop_token& stop = {});
/// Broadcast from compute vertex `root`: min over v of maxflow(root, v), denominator 1 (Edmonds).
CutRate broadcastRate(const FlowGraph& graph, std::size_t root, const std::stop_token& stop = {});
/// Largest flow from the compute vertices that `inside` marks (one entry per compute vertex) to the others, with its narrowest cut.
/// \pre both kinds exist.
CutRate partRate(const FlowGraph& graph, const std::vector<bool>& inside, const std::stop_token& stop = {});

} // namespace fabricscope
