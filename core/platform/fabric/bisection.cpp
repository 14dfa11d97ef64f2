// Bisection by all ways to part a small fabric. Sides are tried of as few nodes as decide the rest: with those given, a switch none of whose neighbours is undecided takes
// the cheaper side, and of NPUs that only lead to decided switches as many as are wanted go where they cost least.
#include "core/platform/fabric/figures.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostNodes = 8192;
constexpr std::int64_t kMostTried = 25;         ///< Nodes whose sides are all tried, where these are NPUs.
constexpr std::int64_t kMostTriedSwitches = 20; ///< Where NPUs are chosen for every one of the ways.
constexpr std::int64_t kMostBins = 129;

/// Nodes with weighted edges, parallel ones as one.
struct Weighted {
    std::vector<std::map<std::int32_t, std::int64_t>> edges;
    std::int64_t npus = 0;
    std::int64_t network = 1; ///< Weight of a cable from an NPU into the network.
};

/// Nothing where the sums of weights may not fit.
std::optional<Weighted> weighted(const Fabric& fabric, const std::stop_token& stop)
{
    Weighted out;
    out.npus = fabric.npus();
    out.edges.resize(at(fabric.nodes()));
    std::int64_t common = toBandwidth(fabric.networkBandwidth()).bytesPerSecond;
    const std::vector<FabricCable>& cables = fabric.cables(stop);
    for (const FabricCable& cable : cables)
        common = std::gcd(common, toBandwidth(fabric.bandwidth(cable)).bytesPerSecond);
    common = std::max<std::int64_t>(common, 1);
    out.network = toBandwidth(fabric.networkBandwidth()).bytesPerSecond / common;
    WideCount total = 0;
    for (const FabricCable& cable : cables) {
        const std::int64_t weight = toBandwidth(fabric.bandwidth(cable)).bytesPerSecond / common;
        total += weight;
        // What the search adds up is never more than three times the sum of all.
        if (total > INT64_MAX / 4)
            return std::nullopt;
        out.edges[at(cable.lower.node)][cable.upper.node] += weight;
        out.edges[at(cable.upper.node)][cable.lower.node] += weight;
    }
    return out.network > 0 ? std::optional(std::move(out)) : std::nullopt;
}

/// NPUs with the same cables.
struct NpuClass {
    std::int64_t count = 0;
    std::int64_t weight = 0; ///< Of all cables of one.
    std::int64_t there = 0;  ///< Of those that lead to side A now.
};

class Parting {
public:
    explicit Parting(const Weighted& graph) : m_graph(graph) { choose(); }

    /// With at most so much looked at.
    bool possible(std::int64_t most) const { return static_cast<std::int64_t>(m_tried.size()) <= (m_classes.empty() ? kMostTried : kMostTriedSwitches) && work() <= most; }
    /// The least weight.
    std::int64_t least(const std::stop_token& stop);

private:
    enum class Role : std::uint8_t { Tried, Follows, Npu };
    struct Neighbour {
        std::size_t index;
        std::int64_t weight;
    };

    void choose();
    WideCount work() const;
    void flip(std::size_t tried);
    std::int64_t npusCost(std::int64_t wanted);

    const Weighted& m_graph;
    std::vector<Role> m_roles;
    std::vector<std::int32_t> m_tried;
    std::vector<bool> m_side;                           // of tried nodes; true: A
    std::vector<std::vector<Neighbour>> m_triedOf;      // of tried nodes: other tried ones,
    std::vector<std::vector<Neighbour>> m_followersOf;  // switches that follow,
    std::vector<std::vector<Neighbour>> m_classesOf;    // classes of NPUs
    std::vector<std::int64_t> m_followers;              // weight of cables of a follower
    std::vector<std::int64_t> m_followersThere;         // of those that lead to A
    std::vector<NpuClass> m_classes;
    std::vector<std::int64_t> m_bins;                   // NPUs by what they cost more on A, from -most to most
    std::vector<std::pair<std::int64_t, std::int64_t>> m_sorted;
    std::int64_t m_most = 0;
    bool m_binned = false;
    std::int64_t m_cut = 0;                             // between tried nodes
    std::int64_t m_followersCut = 0;
    std::int64_t m_onB = 0;                             // of all NPUs of classes on B
    std::int64_t m_npusOnA = 0;                         // tried ones
};

void Parting::choose()
{
    const auto nodes = static_cast<std::int32_t>(m_graph.edges.size());
    const auto npus = static_cast<std::int32_t>(m_graph.npus);
    bool npusJoined = false;
    for (std::int32_t i = 0; i < npus; ++i)
        npusJoined = npusJoined || (!m_graph.edges[at(i)].empty() && m_graph.edges[at(i)].begin()->first < npus);
    m_roles.assign(at(nodes), Role::Tried);
    for (std::int32_t i = 0; i < npus && !npusJoined; ++i)
        m_roles[at(i)] = Role::Npu;
    for (std::int32_t i = nodes; i-- > npus;) {
        const auto& edges = m_graph.edges[at(i)];
        const bool free = std::all_of(edges.begin(), edges.end(), [&](const auto& edge) { return m_roles[at(edge.first)] == Role::Tried; });
        if (free)
            m_roles[at(i)] = Role::Follows;
    }
    std::vector<std::size_t> index(at(nodes));
    std::map<std::map<std::int32_t, std::int64_t>, std::size_t> classes;
    for (std::int32_t i = 0; i < nodes; ++i) {
        const auto& edges = m_graph.edges[at(i)];
        const std::int64_t weight = std::accumulate(edges.begin(), edges.end(), std::int64_t{0}, [](std::int64_t sum, const auto& edge) { return sum + edge.second; });
        switch (m_roles[at(i)]) {
        case Role::Tried:
            index[at(i)] = m_tried.size();
            m_tried.push_back(i);
            break;
        case Role::Follows:
            index[at(i)] = m_followers.size();
            m_followers.push_back(weight);
            break;
        case Role::Npu:
            index[at(i)] = classes.emplace(edges, classes.size()).first->second;
            m_classes.resize(classes.size());
            ++m_classes[index[at(i)]].count;
            m_classes[index[at(i)]].weight = weight;
            m_most = std::max(m_most, weight);
            break;
        }
    }
    m_side.assign(m_tried.size(), false);
    m_followersThere.assign(m_followers.size(), 0);
    m_triedOf.resize(m_tried.size());
    m_followersOf.resize(m_tried.size());
    m_classesOf.resize(m_tried.size());
    for (std::size_t t = 0; t < m_tried.size(); ++t) {
        std::map<std::size_t, std::int64_t> ofClasses; // one NPU stands for its class
        for (const auto& [other, weight] : m_graph.edges[at(m_tried[t])]) {
            if (m_roles[at(other)] == Role::Tried)
                m_triedOf[t].push_back({index[at(other)], weight});
            else if (m_roles[at(other)] == Role::Follows)
                m_followersOf[t].push_back({index[at(other)], weight});
            else
                ofClasses[index[at(other)]] = weight;
        }
        for (const auto& [npuClass, weight] : ofClasses)
            m_classesOf[t].push_back({npuClass, weight});
    }
    m_binned = 2 * m_most + 1 <= kMostBins;
    m_bins.assign(m_binned ? at(2 * m_most + 1) : 0, 0);
    for (const NpuClass& npuClass : m_classes) {
        if (m_binned)
            m_bins[at(npuClass.weight + m_most)] += npuClass.count;
    }
}

/// What least() looks at. \pre few are tried.
WideCount Parting::work() const
{
    const std::size_t bits = std::max<std::size_t>(m_tried.size(), 1) - 1;
    const std::size_t ofClasses = m_binned ? m_bins.size() : m_classes.size() * std::bit_width(m_classes.size());
    WideCount out = (WideCount{1} << bits) * static_cast<std::int64_t>((1 + ofClasses) * (m_graph.npus % 2 == 0 ? 1 : 2));
    // Of two steps one flips the first, of four one the second, and so on.
    for (std::size_t t = 0; t < bits; ++t)
        out += (WideCount{1} << (bits - 1 - t)) * static_cast<std::int64_t>(m_triedOf[t].size() + m_followersOf[t].size() + m_classesOf[t].size());
    return out;
}

void Parting::flip(std::size_t tried)
{
    const bool now = !m_side[tried];
    m_side[tried] = now;
    const std::int64_t sign = now ? 1 : -1;
    if (m_tried[tried] < m_graph.npus)
        m_npusOnA += sign;
    for (const auto& [other, weight] : m_triedOf[tried])
        m_cut += m_side[other] == now ? -weight : weight;
    for (const auto& [follower, weight] : m_followersOf[tried]) {
        std::int64_t& there = m_followersThere[follower];
        m_followersCut -= std::min(there, m_followers[follower] - there);
        there += sign * weight;
        m_followersCut += std::min(there, m_followers[follower] - there);
    }
    for (const auto& [index, weight] : m_classesOf[tried]) {
        NpuClass& npuClass = m_classes[index];
        if (m_binned)
            m_bins[at(npuClass.weight - 2 * npuClass.there + m_most)] -= npuClass.count;
        npuClass.there += sign * weight;
        m_onB += sign * weight * npuClass.count;
        if (m_binned)
            m_bins[at(npuClass.weight - 2 * npuClass.there + m_most)] += npuClass.count;
    }
}

/// Of the NPUs of classes, with so many of them on A.
std::int64_t Parting::npusCost(std::int64_t wanted)
{
    std::int64_t cost = m_onB;
    const auto take = [&](std::int64_t more, std::int64_t count) {
        const std::int64_t taken = std::min(wanted, count);
        cost += taken * more;
        wanted -= taken;
    };
    if (m_binned) {
        for (std::size_t i = 0; i < m_bins.size() && wanted > 0; ++i)
            take(static_cast<std::int64_t>(i) - m_most, m_bins[i]);
        return cost;
    }
    m_sorted.clear();
    for (const NpuClass& npuClass : m_classes)
        m_sorted.emplace_back(npuClass.weight - 2 * npuClass.there, npuClass.count);
    std::sort(m_sorted.begin(), m_sorted.end());
    for (const auto& [more, count] : m_sorted)
        take(more, count);
    return cost;
}

std::int64_t Parting::least(const std::stop_token& stop)
{
    const std::int64_t half = m_graph.npus / 2;
    std::int64_t ofClasses = 0;
    for (const NpuClass& npuClass : m_classes)
        ofClasses += npuClass.count;
    std::int64_t best = INT64_MAX;
    // The last tried node stays on B: the other side is the same cut. Of an odd number of NPUs A has either part.
    const std::uint64_t count = std::uint64_t{1} << (m_tried.size() > 0 ? m_tried.size() - 1 : 0);
    for (std::uint64_t step = 0;;) {
        for (const std::int64_t onA : {half, m_graph.npus - half}) {
            const std::int64_t wanted = onA - m_npusOnA;
            if (wanted >= 0 && wanted <= ofClasses && m_cut + m_followersCut < best)
                best = std::min(best, m_cut + m_followersCut + (ofClasses > 0 ? npusCost(wanted) : 0));
            if (2 * half == m_graph.npus)
                break;
        }
        if (++step >= count)
            return best;
        if (step % (1U << 16) == 0)
            checkStop(stop);
        flip(at(std::countr_zero(step)));
    }
}

} // namespace

std::optional<Fraction> bisectionByCables(const Fabric& fabric, const std::stop_token& stop, const SearchLimits& limits)
{
    if (fabric.nodes() > kMostNodes || fabric.cableCount() > std::min(8 * kMostNodes, limits.cables) || !fabric.isWirable())
        return std::nullopt;
    if (fabric.npus() < 2)
        return Fraction{0, 1};
    const std::optional<Weighted> graph = weighted(fabric, stop);
    if (!graph)
        return std::nullopt;
    Parting parting(*graph);
    if (!parting.possible(limits.partings))
        return std::nullopt;
    return fraction(parting.least(stop), graph->network);
}

} // namespace fabricscope
