#include "core/base/index.h"
#include "core/synthesis/forestcapacities.h"

#include <algorithm>

namespace fabricscope {

namespace {

using Flow = MaxFlow<std::int64_t>;

/// Arcs that give only a part of the copies are passed over this often for one that gives all.
constexpr int kTries = 6;

/// Grows the trees of one root after the other. Trees of a root begin as one with all copies; where an arc can take only a part of them
/// the rest waits as a tree of its own.
class ForestPacker {
public:
    ForestPacker(const ForestCapacities& capacities, const std::stop_token& stop)
        : m_left(capacities), m_ranks(capacities.ranks()), m_stop(stop), m_arc(static_cast<std::size_t>(m_ranks) * static_cast<std::size_t>(m_ranks), -1)
    {
    }

    std::optional<std::vector<GrownTree>> pack();

private:
    struct Growing {
        GrownTree tree;
        std::vector<bool> in;
        std::vector<std::int32_t> depth;
    };
    struct Candidate {
        std::int32_t from = 0;
        std::int32_t to = 0;
        std::int64_t most = 0;
    };
    /// A set of ranks into which at most `room` copies may still go. Learnt from the cuts of flows; what is used makes it less.
    struct Cut {
        std::vector<bool> inside;
        std::int64_t room = 0;
    };
    bool grow(Growing& tree, std::int32_t root);
    std::int64_t room(std::int32_t from, std::int32_t to) const;
    std::vector<Candidate> candidates(const Growing& tree) const;
    /// Flows for what is left: all roots after `root`, and the waiting trees.
    void rebuild(std::int32_t root);
    /// Copies for which (from, to) may be taken from what is left.
    std::int64_t copies(const Candidate& candidate);
    void useArc(std::int32_t from, std::int32_t to, std::int64_t amount);
    std::size_t arcIndex(std::int32_t from, std::int32_t to) const
    {
        return static_cast<std::size_t>(from) * static_cast<std::size_t>(m_ranks) + static_cast<std::size_t>(to);
    }

    ForestCapacities m_left;
    std::int32_t m_ranks;
    const std::stop_token& m_stop;
    std::vector<Growing> m_waiting;
    std::vector<Cut> m_cuts;          ///< Of the tree being grown.
    std::vector<std::int32_t> m_arc;  ///< By (from, to): arc of the flow network; -1: none.
    std::optional<Flow> m_flow;
    std::int32_t m_firstStart = 0;    ///< Arcs from the source to each rank.
    std::int64_t m_others = 0;        ///< Copies of trees that are not being grown now.
};

void ForestPacker::rebuild(std::int32_t root)
{
    const std::int32_t source = m_ranks;
    m_flow.emplace(m_ranks + 1 + static_cast<std::int32_t>(m_waiting.size()));
    Flow& flow = *m_flow;
    m_others = 0;
    for (std::int32_t from = 0; from < m_ranks; ++from) {
        for (std::int32_t to = 0; to < m_ranks; ++to)
            m_arc[arcIndex(from, to)] = m_left.at(from, to) > 0 && from != to ? flow.addArc(from, to, m_left.at(from, to)) : -1;
    }
    m_firstStart = flow.arcs();
    for (std::int32_t rank = 0; rank < m_ranks; ++rank)
        flow.addArc(source, rank, 0);
    for (std::int32_t rank = root + 1; rank < m_ranks; ++rank) {
        if (m_left.demand(rank) > 0) {
            flow.addArc(source, rank, m_left.demand(rank));
            m_others += m_left.demand(rank);
        }
    }
    for (std::size_t i = 0; i < m_waiting.size(); ++i) {
        const std::int32_t vertex = m_ranks + 1 + static_cast<std::int32_t>(i);
        flow.addArc(source, vertex, m_waiting[i].tree.weight);
        m_others += m_waiting[i].tree.weight;
        for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
            if (m_waiting[i].in[at(rank)])
                flow.addArc(vertex, rank, m_waiting[i].tree.weight);
        }
    }
}

std::int64_t ForestPacker::copies(const Candidate& candidate)
{
    const std::int32_t start = m_firstStart + candidate.from;
    m_flow->setCapacity(start, Flow::kUnlimited);
    const std::int64_t flow = m_flow->run(m_ranks, candidate.to, m_others + candidate.most, m_stop);
    m_flow->setCapacity(start, 0);
    if (flow - m_others < candidate.most) {
        Cut& cut = m_cuts.emplace_back();
        cut.room = flow - m_others;
        for (std::int32_t rank = 0; rank < m_ranks; ++rank)
            cut.inside.push_back(!m_flow->onSourceSide(rank));
    }
    return flow - m_others;
}

std::int64_t ForestPacker::room(std::int32_t from, std::int32_t to) const
{
    std::int64_t least = m_left.at(from, to);
    for (const Cut& cut : m_cuts) {
        if (cut.inside[at(to)] && !cut.inside[at(from)])
            least = std::min(least, cut.room);
    }
    return least;
}

void ForestPacker::useArc(std::int32_t from, std::int32_t to, std::int64_t amount)
{
    m_left.at(from, to) -= amount;
    m_flow->setCapacity(m_arc[arcIndex(from, to)], m_left.at(from, to));
    for (Cut& cut : m_cuts) {
        if (cut.inside[at(to)] && !cut.inside[at(from)])
            cut.room -= amount;
    }
}

/// Arcs out of the tree: those that hold all copies first, near the root first, wide first.
std::vector<ForestPacker::Candidate> ForestPacker::candidates(const Growing& tree) const
{
    std::vector<Candidate> found;
    for (std::int32_t from = 0; from < m_ranks; ++from) {
        for (std::int32_t to = 0; to < m_ranks; ++to) {
            if (!tree.in[at(from)] || tree.in[at(to)] || m_left.at(from, to) <= 0)
                continue;
            if (const std::int64_t most = std::min(tree.tree.weight, room(from, to)); most > 0)
                found.push_back({from, to, most});
        }
    }
    std::stable_sort(found.begin(), found.end(), [&](const Candidate& a, const Candidate& b) {
        if ((a.most == tree.tree.weight) != (b.most == tree.tree.weight))
            return a.most == tree.tree.weight;
        const std::int32_t depthA = tree.depth[at(a.from)];
        const std::int32_t depthB = tree.depth[at(b.from)];
        if (depthA != depthB)
            return depthA < depthB;
        return m_left.at(a.from, a.to) > m_left.at(b.from, b.to);
    });
    return found;
}

bool ForestPacker::grow(Growing& tree, std::int32_t root)
{
    m_cuts.clear();
    while (static_cast<std::int32_t>(tree.tree.edges.size()) + 1 < m_ranks) {
        Candidate best;
        std::int64_t most = 0;
        int tries = 0;
        for (const Candidate& candidate : candidates(tree)) {
            if (std::min(candidate.most, room(candidate.from, candidate.to)) <= most)
                continue;
            if (m_stop.stop_requested())
                return false;
            const std::int64_t found = copies(candidate);
            if (found > most) {
                most = found;
                best = candidate;
            }
            if (most == tree.tree.weight || (most > 0 && ++tries == kTries))
                break;
        }
        if (most <= 0)
            return false;
        const bool splits = most < tree.tree.weight;
        if (splits) {
            m_waiting.push_back(tree);
            m_waiting.back().tree.weight -= most;
            tree.tree.weight = most;
        }
        useArc(best.from, best.to, most);
        tree.tree.edges.emplace_back(best.from, best.to);
        tree.in[at(best.to)] = true;
        tree.depth[at(best.to)] = tree.depth[at(best.from)] + 1;
        if (splits)
            rebuild(root);
    }
    return true;
}

std::optional<std::vector<GrownTree>> ForestPacker::pack()
{
    std::vector<GrownTree> trees;
    for (std::int32_t root = 0; root < m_ranks; ++root) {
        if (m_left.demand(root) == 0)
            continue;
        Growing first;
        first.tree.root = root;
        first.tree.weight = m_left.demand(root);
        first.in.assign(static_cast<std::size_t>(m_ranks), false);
        first.in[at(root)] = true;
        first.depth.assign(static_cast<std::size_t>(m_ranks), 0);
        m_waiting.push_back(std::move(first));
        while (!m_waiting.empty()) {
            Growing tree = std::move(m_waiting.back());
            m_waiting.pop_back();
            rebuild(root);
            if (!grow(tree, root))
                return std::nullopt;
            trees.push_back(std::move(tree.tree));
        }
    }
    return trees;
}

} // namespace

std::optional<std::vector<GrownTree>> packForest(const ForestCapacities& capacities, const std::stop_token& stop)
{
    return ForestPacker(capacities, stop).pack();
}

} // namespace fabricscope
