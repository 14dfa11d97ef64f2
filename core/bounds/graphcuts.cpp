#include "core/bounds/boundgraph.h"
#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/bounds/blockcuts.h"
#include "core/bounds/maxflow.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace fabricscope {

namespace {

/// Work of one search for latencies over all members, in arcs looked at; beyond it a part of the members stands for all.
constexpr std::int64_t kLatencyWork = 20'000'000;
/// Cuts looked at for all-to-all and the parts of all-reduce.
constexpr std::size_t kMaxCandidates = 512;

class GraphCuts {
public:
    GraphCuts(const BoundGraph& graph, CollectiveOp op, std::int32_t root, bool reduces, CutCollector& cuts, const std::stop_token& stop)
        : m_graph(graph), m_flow(graph.flow), m_back(graph.flow.reversed()), m_op(op), m_root(static_cast<std::size_t>(root)), m_reduces(reduces),
          m_cuts(cuts), m_stop(stop), m_ahead(m_flow, stop), m_behind(m_back, stop)
    {
    }

    /// Throws StopRequested, as all below.
    void consider(bool search, std::span<const BoundLevel> levels);

private:
    /// `before`, `behind`: latencies by vertex from the nearest member, and to it.
    void considerVertices(std::span<const std::int64_t> before, std::span<const std::int64_t> behind);
    void considerLevel(const BoundLevel& level, BlockCuts& leaving, BlockCuts& entering, std::span<const std::int64_t> before, std::span<const std::int64_t> behind);
    void addForward(CutRate (*rate)(const FlowGraph&, std::size_t, const std::stop_token&));
    void addBackward(CutRate (*rate)(const FlowGraph&, std::size_t, const std::stop_token&));
    /// A rate that was not cut short.
    CutRate whole(CutRate rate) const
    {
        checkStop(m_stop);
        return rate;
    }
    /// A cut that `shards` must leave; `back`: found in the reversed graph, so that they enter it.
    void add(const CutRate& rate, bool back);
    void allReduce();
    void allToAll();
    void partitions();
    /// Groups of members joined by links of at least each rate.
    std::vector<std::vector<bool>> clusters() const;
    void latencies();
    CutLinks linksOf(const std::vector<bool>& side, bool back);
    std::string nameOf(const std::vector<bool>& side) const;

    const BoundGraph& m_graph;
    const FlowGraph& m_flow;
    FlowGraph m_back;
    CollectiveOp m_op;
    std::size_t m_root;
    bool m_reduces;
    CutCollector& m_cuts;
    const std::stop_token& m_stop;
    LatencySearch m_ahead;  ///< Of m_flow.
    LatencySearch m_behind; ///< Of m_back.
};

std::string GraphCuts::nameOf(const std::vector<bool>& side) const
{
    const std::size_t inside = static_cast<std::size_t>(m_flow.computeIn(side));
    const bool listInside = inside * 2 <= m_flow.compute.size();
    const std::size_t listed = listInside ? inside : m_flow.compute.size() - inside;
    constexpr std::size_t kNames = 4;
    std::string text;
    std::size_t count = 0;
    for (std::size_t member = 0; member < m_flow.compute.size() && count < kNames; ++member) {
        if (side[at(m_flow.compute[member])] == listInside)
            text += (count++ == 0 ? "" : ", ") + m_graph.names[member];
    }
    if (listed > count)
        text += " and " + std::to_string(listed - count) + " more";
    return text + " | rest";
}

/// Arcs that leave the set, each with the least latency from a member that has data inside over it to one that wants them outside: with a root it is
/// the only one on its side. `back`: of the reversed graph.
CutLinks GraphCuts::linksOf(const std::vector<bool>& side, bool back)
{
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
    const bool rooted = m_op == CollectiveOp::Broadcast || m_op == CollectiveOp::Scatter || m_op == CollectiveOp::Reduce || m_op == CollectiveOp::Gather;
    const std::int32_t root = rooted ? m_flow.compute[m_root] : -1;
    std::vector<std::int32_t> inside;
    std::vector<std::int32_t> outside;
    for (const std::int32_t vertex : m_flow.compute) {
        const bool isInside = side[at(vertex)];
        if (!rooted || vertex == root || isInside != side[at(root)])
            (isInside ? inside : outside).push_back(vertex);
    }
    const std::span<const std::int64_t> before = (back ? m_behind : m_ahead).from(inside, m_stop);
    const std::span<const std::int64_t> behind = (back ? m_ahead : m_behind).from(outside, m_stop);
    CutLinks links;
    for (const FlowGraph::Arc& arc : (back ? m_back : m_flow).arcs) {
        checkStop(m_stop);
        if (!side[at(arc.from)] || side[at(arc.to)])
            continue;
        // What nobody can use still counts: the cut keeps its rate.
        const bool used = before[at(arc.from)] != kFar && behind[at(arc.to)] != kFar;
        links.add(arc.rate, arc.latencyPs + (used ? before[at(arc.from)] + behind[at(arc.to)] : 0));
    }
    return links;
}

void GraphCuts::add(const CutRate& rate, bool back)
{
    if (rate.side.empty() || rate.numerator <= 0)
        return;
    // The fraction may be in lowest terms.
    const CutLinks links = linksOf(rate.side, back);
    m_cuts.considerCut(links.rate() / rate.numerator * rate.denominator, links, [&] { return nameOf(rate.side); });
}

void GraphCuts::addForward(CutRate (*rate)(const FlowGraph&, std::size_t, const std::stop_token&))
{
    add(whole(rate(m_flow, m_root, m_stop)), false);
}

void GraphCuts::addBackward(CutRate (*rate)(const FlowGraph&, std::size_t, const std::stop_token&))
{
    add(whole(rate(m_back, m_root, m_stop)), true);
}

std::vector<std::vector<bool>> GraphCuts::clusters() const
{
    std::set<std::int64_t> rates;
    for (const FlowGraph::Arc& arc : m_flow.arcs)
        rates.insert(arc.rate);
    std::set<std::vector<bool>> found;
    std::vector<std::int32_t> leader(at(m_flow.vertices));
    const auto find = [&](std::int32_t vertex) {
        while (leader[at(vertex)] != vertex)
            vertex = leader[at(vertex)] = leader[at(leader[at(vertex)])];
        return vertex;
    };
    for (const std::int64_t rate : rates) {
        std::iota(leader.begin(), leader.end(), 0);
        for (const FlowGraph::Arc& arc : m_flow.arcs) {
            checkStop(m_stop);
            if (arc.rate >= rate)
                leader[at(find(arc.from))] = find(arc.to);
        }
        std::vector<std::vector<bool>> byLeader(at(m_flow.vertices));
        for (std::size_t member = 0; member < m_flow.compute.size(); ++member) {
            checkStop(m_stop);
            std::vector<bool>& cluster = byLeader[at(find(m_flow.compute[member]))];
            cluster.resize(m_flow.compute.size(), false);
            cluster[member] = true;
        }
        for (std::vector<bool>& cluster : byLeader) {
            checkStop(m_stop);
            const auto size = std::count(cluster.begin(), cluster.end(), true);
            if (size > 1 && size < static_cast<std::ptrdiff_t>(m_flow.compute.size()))
                found.insert(std::move(cluster));
        }
        if (found.size() > kMaxCandidates)
            break;
    }
    return {found.begin(), found.end()};
}

void GraphCuts::partitions()
{
    // Parts: single members, and the clusters of each rate, which are disjoint.
    const std::size_t members = m_flow.compute.size();
    std::vector<std::vector<bool>> parts = clusters();
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
        return std::count(a.begin(), a.end(), true) > std::count(b.begin(), b.end(), true);
    });
    const auto judge = [&](const std::vector<std::vector<bool>>& partition, const std::string& name) {
        CutLinks out;
        CutLinks in;
        for (const std::vector<bool>& part : partition) {
            const CutRate leaving = whole(partRate(m_flow, part, m_stop));
            const CutRate entering = whole(partRate(m_back, part, m_stop));
            out.add(linksOf(leaving.side, false));
            in.add(linksOf(entering.side, true));
        }
        for (const CutLinks* links : {&out, &in})
            m_cuts.considerPartition(static_cast<std::int64_t>(partition.size()), *links, [&] { return name; });
    };
    // Every largest set of disjoint clusters from one on, filled up with single members.
    const auto completed = [&](std::size_t first) {
        std::vector<std::vector<bool>> partition;
        std::vector<bool> used(members, false);
        for (std::size_t i = first; i < parts.size(); ++i) {
            checkStop(m_stop);
            bool overlaps = false;
            for (std::size_t member = 0; member < members; ++member)
                overlaps = overlaps || (parts[i][member] && used[member]);
            if (overlaps)
                continue;
            for (std::size_t member = 0; member < members; ++member)
                used[member] = used[member] || parts[i][member];
            partition.push_back(parts[i]);
        }
        for (std::size_t member = 0; member < members; ++member) {
            checkStop(m_stop);
            if (!used[member]) {
                partition.emplace_back(members, false);
                partition.back()[member] = true;
            }
        }
        return partition;
    };
    std::size_t last = SIZE_MAX;
    for (std::size_t first = 0; first < parts.size(); ++first) {
        const auto size = static_cast<std::size_t>(std::count(parts[first].begin(), parts[first].end(), true));
        if (size != last)
            judge(completed(first), "parts of " + std::to_string(size) + " members against each other");
        last = size;
    }
    judge(completed(parts.size()), "links of every member");
}

void GraphCuts::allReduce()
{
    const CutRate out = whole(broadcastRate(m_flow, 0, m_stop));
    const CutRate in = whole(broadcastRate(m_back, 0, m_stop));
    add(out, false);
    add(in, true);
    if (m_reduces) {
        m_cuts.bound().exact = true;
        return;
    }
    partitions();
    // Reduce-scatter and all-gather one after the other reach the sum of their optima.
    const CutRate scatter = whole(gatherAllRate(m_back, m_stop));
    const CutRate gather = whole(gatherAllRate(m_flow, m_stop));
    const CollectiveBound& bound = m_cuts.bound();
    if (scatter.numerator <= 0 || gather.numerator <= 0 || bound.shardRateNumerator <= 0)
        return;
    const long double both = static_cast<long double>(scatter.denominator) / static_cast<long double>(scatter.numerator)
        + static_cast<long double>(gather.denominator) / static_cast<long double>(gather.numerator);
    const long double proven = static_cast<long double>(bound.shardRateDenominator) / static_cast<long double>(bound.shardRateNumerator);
    const long double shards = static_cast<long double>(m_cuts.members());
    m_cuts.bound().exact = both / shards <= proven * (1 + 1e-15L);
}

void GraphCuts::allToAll()
{
    std::vector<std::vector<bool>> candidates = clusters();
    const std::size_t members = m_flow.compute.size();
    for (std::size_t member = 0; member < members && candidates.size() < kMaxCandidates; ++member) {
        candidates.emplace_back(members, false);
        candidates.back()[member] = true;
    }
    for (const std::size_t parts : {2U, 4U}) { // halves and quarters by number
        for (std::size_t part = 0; part + 1 < parts && members >= parts; ++part) {
            candidates.emplace_back(members, false);
            for (std::size_t member = members * part / parts; member < members * (part + 1) / parts; ++member)
                candidates.back()[member] = true;
        }
    }
    const auto addSide = [&](const CutRate& rate) {
        candidates.emplace_back(members, false);
        for (std::size_t member = 0; member < members && !rate.side.empty(); ++member)
            candidates.back()[member] = rate.side[at(m_flow.compute[member])];
    };
    addSide(whole(gatherAllRate(m_flow, m_stop)));
    addSide(whole(gatherAllRate(m_back, m_stop)));
    addSide(whole(broadcastRate(m_flow, 0, m_stop)));
    addSide(whole(broadcastRate(m_back, 0, m_stop)));
    for (const std::vector<bool>& inside : candidates) {
        const std::int64_t count = std::count(inside.begin(), inside.end(), true);
        if (count == 0 || count == m_cuts.members())
            continue;
        CutRate out = whole(partRate(m_flow, inside, m_stop));
        CutRate in = whole(partRate(m_back, inside, m_stop));
        out.denominator = in.denominator = count * (m_cuts.members() - count);
        add(out, false);
        add(in, true);
    }
}

void GraphCuts::latencies()
{
    const bool toRoot = m_op == CollectiveOp::Reduce || m_op == CollectiveOp::Gather;
    const bool fromRoot = m_op == CollectiveOp::Broadcast || m_op == CollectiveOp::Scatter;
    const auto arcs = static_cast<std::int64_t>(m_flow.arcs.size()) + 1;
    const std::size_t members = m_flow.compute.size();
    const auto most = static_cast<std::size_t>(std::max<std::int64_t>(kLatencyWork / arcs, 4));
    const std::size_t step = toRoot || fromRoot ? members : members / std::min(members, most);
    for (std::size_t member = toRoot || fromRoot ? m_root : 0; member < members; member += step) {
        const std::int32_t source = m_flow.compute[member];
        const std::span<const std::int64_t> latency = (toRoot ? m_behind : m_ahead).from(std::span(&source, 1), m_stop);
        for (const std::int32_t vertex : m_flow.compute) {
            checkStop(m_stop);
            if (latency[at(vertex)] != std::numeric_limits<std::int64_t>::max())
                m_cuts.considerLatency(latency[at(vertex)]);
        }
    }
}

void GraphCuts::considerVertices(std::span<const std::int64_t> before, std::span<const std::int64_t> behind)
{
    std::vector<CutLinks> out(m_flow.compute.size());
    std::vector<CutLinks> in(m_flow.compute.size());
    std::vector<std::int32_t> memberOf(at(m_flow.vertices), -1);
    for (std::size_t member = 0; member < m_flow.compute.size(); ++member)
        memberOf[at(m_flow.compute[member])] = static_cast<std::int32_t>(member);
    // To the nearest member from the other end of a link, and from the nearest to it: one of the others, or in less the member itself.
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
    const auto added = [](std::int64_t latency, std::int64_t more) { return latency + (more == kFar ? 0 : more); };
    for (const FlowGraph::Arc& arc : m_flow.arcs) {
        checkStop(m_stop);
        if (arc.from == arc.to)
            continue;
        if (const std::int32_t member = memberOf[at(arc.from)]; member >= 0)
            out[at(member)].add(arc.rate, added(arc.latencyPs, behind[at(arc.to)]));
        if (const std::int32_t member = memberOf[at(arc.to)]; member >= 0)
            in[at(member)].add(arc.rate, added(arc.latencyPs, before[at(arc.from)]));
    }
    CutLinks allOut;
    CutLinks allIn;
    for (std::size_t member = 0; member < m_flow.compute.size(); ++member) {
        checkStop(m_stop);
        CutSet set;
        set.members = 1;
        set.rootInside = member == m_root;
        allOut.add(out[member]);
        allIn.add(in[member]);
        set.out = std::move(out[member]);
        set.in = std::move(in[member]);
        m_cuts.consider(set, [&] { return m_graph.names[member] + " | rest"; });
    }
    for (const CutLinks* links : {&allOut, &allIn}) {
        if (!m_reduces)
            m_cuts.considerPartition(m_cuts.members(), *links, [] { return std::string("links of every member"); });
    }
}

void GraphCuts::considerLevel(const BoundLevel& level, BlockCuts& leaving, BlockCuts& entering, std::span<const std::int64_t> before, std::span<const std::int64_t> behind)
{
    std::vector<std::int64_t> sizes;
    std::vector<std::size_t> first; // members
    for (std::size_t member = 0; member < level.blockOf.size(); ++member) {
        const auto block = at(level.blockOf[member]);
        if (sizes.size() <= block) {
            sizes.resize(block + 1, 0);
            first.resize(block + 1, level.blockOf.size());
        }
        ++sizes[block];
        first[block] = std::min(first[block], member);
    }
    if (sizes.size() < 2)
        return;
    const auto blocks = static_cast<std::int32_t>(sizes.size());
    std::vector<CutLinks> out = leaving.leaving(level.blockOf, blocks, before, behind);
    std::vector<CutLinks> in = entering.leaving(level.blockOf, blocks, behind, before);
    CutLinks allOut;
    CutLinks allIn;
    for (std::size_t block = 0; block < sizes.size(); ++block) {
        checkStop(m_stop);
        allOut.add(out[block]);
        allIn.add(in[block]);
        CutSet set;
        set.members = sizes[block];
        set.rootInside = at(level.blockOf[m_root]) == block;
        set.out = std::move(out[block]);
        set.in = std::move(in[block]);
        m_cuts.consider(set, [&] { return level.name + " of " + m_graph.names[first[block]] + " | rest"; });
    }
    for (const CutLinks* links : {&allOut, &allIn}) {
        if (!m_reduces)
            m_cuts.considerPartition(blocks, *links, [&] { return "links of every " + level.name; });
    }
}

void GraphCuts::consider(bool search, std::span<const BoundLevel> levels)
{
    latencies();
    const bool isExact = search && m_op != CollectiveOp::AllToAll && (m_op != CollectiveOp::AllReduce || m_reduces);
    if (!search || (!isExact && !levels.empty())) {
        const std::span<const std::int64_t> before = m_ahead.from(m_flow.compute, m_stop);
        const std::span<const std::int64_t> behind = m_behind.from(m_flow.compute, m_stop);
        if (!search)
            considerVertices(before, behind);
        if (!levels.empty()) {
            BlockCuts leaving(m_flow, m_stop);
            BlockCuts entering(m_back, m_stop);
            for (const BoundLevel& level : levels)
                considerLevel(level, leaving, entering, before, behind);
        }
    }
    if (!search)
        return;
    switch (m_op) {
    case CollectiveOp::AllGather:
        add(whole(gatherAllRate(m_flow, m_stop)), false);
        break;
    case CollectiveOp::ReduceScatter:
        add(whole(gatherAllRate(m_back, m_stop)), true);
        break;
    case CollectiveOp::Broadcast:
        addForward(broadcastRate);
        break;
    case CollectiveOp::Reduce:
        addBackward(broadcastRate);
        break;
    case CollectiveOp::Gather:
        addForward(gatherRate);
        break;
    case CollectiveOp::Scatter:
        addBackward(gatherRate);
        break;
    case CollectiveOp::AllReduce:
        allReduce();
        return;
    case CollectiveOp::AllToAll:
        allToAll();
        return;
    case CollectiveOp::Barrier:
    case CollectiveOp::Custom:
        return;
    }
    m_cuts.bound().exact = true;
}

} // namespace

void considerGraph(const BoundGraph& graph, CollectiveOp op, std::int32_t root, bool reduces, bool search, std::span<const BoundLevel> levels, CutCollector& cuts,
                   const std::stop_token& stop)
{
    GraphCuts(graph, op, root, reduces, cuts, stop).consider(search, levels);
}

} // namespace fabricscope
