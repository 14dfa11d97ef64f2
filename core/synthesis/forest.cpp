#include "core/synthesis/forest.h"

#include "core/base/index.h"
#include "core/synthesis/forestcapacities.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace fabricscope {

namespace {

constexpr std::int32_t kMostVertices = 1024;
constexpr std::int64_t kMostUnits = std::int64_t{1} << 40; ///< Of one link or one root: flows of all roots stay far inside 64 bits.

Error stopped()
{
    return Error{ErrorCode::Cancelled, "cancelled", {}, {}};
}

FlowGraph flowGraph(const SynthesisGraph& graph)
{
    FlowGraph flow;
    flow.vertices = graph.vertices;
    for (std::int32_t rank = 0; rank < graph.ranks; ++rank)
        flow.compute.push_back(rank);
    for (const SynthesisGraph::Link& link : graph.links) {
        if (link.from != link.to && link.bytesPerSecond > 0)
            flow.arcs.push_back({link.from, link.to, link.bytesPerSecond, link.latencyPs});
    }
    return flow;
}

/// How fine capacities are counted: floor(B * numerator / denominator) units.
struct Scale {
    std::int64_t trees = 0;
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;

    std::int64_t units(std::int64_t rate) const { return static_cast<std::int64_t>(WideFlow{rate} * numerator / denominator); }
};

class ForestFinder {
public:
    ForestFinder(const SynthesisGraph& graph, const ForestOptions& options) : m_graph(graph), m_options(options), m_flow(flowGraph(graph)) {}

    Result<Forest> find();

private:
    Status check() const;
    Scale exactScale() const;
    std::optional<Scale> scaleFor(std::int64_t trees) const;
    ForestCapacities capacities(const Scale& scale) const;
    bool fits(const Scale& scale) const { return capacities(scale).isPossible(m_options.stop); }
    /// Appends the tree over the ways of its edges; where an edge needs several ways the tree is cut into parts.
    void place(const GrownTree& grown, ForestWays& ways, std::vector<Forest::Tree>& trees) const;

    const SynthesisGraph& m_graph;
    const ForestOptions& m_options;
    FlowGraph m_flow;
    CutRate m_optimum;
};

Status ForestFinder::check() const
{
    if (m_graph.ranks < 2)
        return invalidInput("a group of " + std::to_string(m_graph.ranks) + " has nothing to exchange", {}, "at least 2 ranks");
    if (m_graph.vertices > kMostVertices)
        return Error{ErrorCode::Unsupported, "the graph has " + std::to_string(m_graph.vertices) + " ranks and switches", {},
                     "at most " + std::to_string(kMostVertices) + " for ForestColl"};
    if (m_options.root >= m_graph.ranks || m_options.treesPerRoot < 0)
        return invalidInput("there is no rank " + std::to_string(m_options.root) + ", or fewer than 0 trees are asked for");
    if (!m_flow.fitsRates())
        return Error{ErrorCode::Unsupported, "the rates of all links together are too large to count", {}, "less than 2^59 B/s"};
    return {};
}

/// The largest unit that divides all rates and the optimum: then every link has whole units and so has a root.
Scale ForestFinder::exactScale() const
{
    // unit = gcd(all rates * d, n) / d for the optimum n / d.
    std::int64_t common = m_optimum.numerator;
    for (const FlowGraph::Arc& arc : m_flow.arcs)
        common = static_cast<std::int64_t>(std::gcd(common, static_cast<std::int64_t>(WideFlow{arc.rate} * m_optimum.denominator % common)));
    Scale scale;
    scale.trees = m_optimum.numerator / common;
    scale.numerator = m_optimum.denominator;
    scale.denominator = common;
    return scale;
}

/// The coarsest units in which so many trees of every root fit: a link must just have a whole number of units.
std::optional<Scale> ForestFinder::scaleFor(std::int64_t trees) const
{
    std::set<std::int64_t> rates;
    for (const FlowGraph::Arc& arc : m_flow.arcs)
        rates.insert(arc.rate);
    std::optional<Scale> best;
    for (const std::int64_t rate : rates) {
        // trees / (units per rate) <= optimum
        const WideFlow least = (WideFlow{trees} * m_optimum.denominator * rate + m_optimum.numerator - 1) / m_optimum.numerator;
        if (least > kMostUnits)
            continue;
        const auto scaled = [&](std::int64_t units) { return Scale{trees, units, rate}; };
        std::int64_t low = std::max<std::int64_t>(static_cast<std::int64_t>(least), 1);
        std::int64_t high = low;
        while (!fits(scaled(high))) {
            if (m_options.stop.stop_requested() || high > kMostUnits / 2)
                return std::nullopt;
            low = high + 1;
            high *= 2;
        }
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (fits(scaled(middle)))
                high = middle;
            else
                low = middle + 1;
        }
        if (!best || WideFlow{high} * best->denominator < WideFlow{best->numerator} * rate)
            best = scaled(high);
    }
    return best;
}

ForestCapacities ForestFinder::capacities(const Scale& scale) const
{
    std::vector<std::int64_t> demand(static_cast<std::size_t>(m_graph.ranks), m_options.root < 0 ? scale.trees : 0);
    if (m_options.root >= 0)
        demand[at(m_options.root)] = scale.trees;
    ForestCapacities capacities(m_graph.vertices, m_graph.ranks, std::move(demand));
    for (const SynthesisGraph::Link& link : m_graph.links) {
        if (link.from != link.to && link.bytesPerSecond > 0)
            capacities.at(link.from, link.to) += scale.units(link.bytesPerSecond);
    }
    return capacities;
}

void ForestFinder::place(const GrownTree& grown, ForestWays& ways, std::vector<Forest::Tree>& trees) const
{
    std::int64_t left = grown.weight;
    while (left > 0) {
        // The largest part for which every edge has one way: a way that holds all of it if there is one.
        std::int64_t part = left;
        std::vector<std::size_t> chosen;
        for (const auto& edge : grown.edges) {
            const std::vector<ForestWay>& candidates = ways.at(edge);
            std::size_t best = 0;
            for (std::size_t i = 1; i < candidates.size(); ++i) {
                const bool holds = candidates[i].amount >= left;
                const bool bestHolds = candidates[best].amount >= left;
                // The tightest that holds it, else the widest.
                if (holds != bestHolds ? holds : holds ? candidates[i].amount < candidates[best].amount : candidates[i].amount > candidates[best].amount)
                    best = i;
            }
            chosen.push_back(best);
            part = std::min(part, candidates[best].amount);
        }
        Forest::Tree& tree = trees.emplace_back();
        tree.root = grown.root;
        tree.weight = part;
        for (std::size_t i = 0; i < grown.edges.size(); ++i) {
            std::vector<ForestWay>& candidates = ways.at(grown.edges[i]);
            ForestWay& way = candidates[chosen[i]];
            tree.edges.push_back({grown.edges[i].first, grown.edges[i].second, way.links});
            way.amount -= part;
            if (way.amount == 0)
                candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(chosen[i]));
        }
        left -= part;
    }
}

Result<Forest> ForestFinder::find()
{
    if (Status status = check(); !status)
        return std::move(status).error();
    m_optimum = m_options.root < 0 ? gatherAllRate(m_flow, m_options.stop)
                                   : broadcastRate(m_flow, static_cast<std::size_t>(m_options.root), m_options.stop);
    if (m_options.stop.stop_requested())
        return stopped();
    if (m_optimum.numerator <= 0)
        return invalidInput("some ranks cannot be reached from others", {}, "a connected graph");

    std::optional<Scale> scale = m_options.treesPerRoot > 0 ? scaleFor(m_options.treesPerRoot) : exactScale();
    if (m_options.stop.stop_requested())
        return stopped();
    if (!scale || scale->trees > kMostUnits)
        return Error{ErrorCode::Unsupported, "the rates of the links have no common unit that is coarse enough", {}, "a number of trees per root"};

    ForestCapacities capacities = this->capacities(*scale);
    ForestWays ways;
    for (std::size_t i = 0; i < m_graph.links.size(); ++i) {
        const SynthesisGraph::Link& link = m_graph.links[i];
        const std::int64_t units = link.from == link.to || link.bytesPerSecond <= 0 ? 0 : scale->units(link.bytesPerSecond);
        if (units > 0)
            ways[{link.from, link.to}].push_back({units, {static_cast<std::int32_t>(i)}});
    }
    const bool removed = removeSwitches(capacities, ways, m_options.stop);
    std::optional<std::vector<GrownTree>> grown;
    if (removed)
        grown = packForest(capacities, m_options.stop);
    if (m_options.stop.stop_requested())
        return stopped();
    if (!grown)
        return Error{ErrorCode::Unsupported, "no splitting of the switches keeps the optimum", {}, "switches with the same rates in and out"};

    Forest forest;
    forest.treesPerRoot = scale->trees;
    const std::int64_t common = std::gcd(scale->numerator, scale->denominator);
    forest.unitsNumerator = scale->numerator / common;
    forest.unitsDenominator = scale->denominator / common;
    // trees * denominator / numerator bytes/s
    const std::int64_t shared = std::gcd(forest.treesPerRoot, forest.unitsNumerator);
    forest.rateNumerator = forest.treesPerRoot / shared * forest.unitsDenominator;
    forest.rateDenominator = forest.unitsNumerator / shared;
    forest.optimumNumerator = m_optimum.numerator;
    forest.optimumDenominator = m_optimum.denominator;
    for (const GrownTree& tree : *grown)
        place(tree, ways, forest.trees);
    return forest;
}

} // namespace

std::int32_t Forest::Tree::depth() const
{
    std::map<std::int32_t, std::int32_t> depths{{root, 0}};
    std::int32_t deepest = 0;
    for (const Edge& edge : edges)
        deepest = std::max(deepest, depths[edge.to] = depths[edge.from] + 1);
    return deepest;
}

Result<Forest> findForest(const SynthesisGraph& graph, const ForestOptions& options)
{
    return ForestFinder(graph, options).find();
}

} // namespace fabricscope
