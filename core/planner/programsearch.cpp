#include "core/planner/programsearch.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/planner/searchmoves.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <unordered_map>

namespace fabricscope {

namespace {

constexpr std::uint32_t kNoNode = UINT32_MAX;

/// One state on the way, with how its parent leads there.
struct SearchNode {
    std::int64_t cost = 0;
    SearchMoves::State state;
    std::uint32_t op = 0;
    std::uint32_t parent = kNoNode;
    std::uint32_t ordinal = 0; ///< Of its parent's successors.
};

struct OpenEntry {
    std::int64_t estimate = 0;
    std::uint32_t op = 0;
    std::uint32_t node = 0;

    /// The least estimate first; of equals the one nearest to the end, then the older one.
    friend bool operator<(const OpenEntry& a, const OpenEntry& b)
    {
        if (a.estimate != b.estimate)
            return a.estimate > b.estimate;
        if (a.op != b.op)
            return a.op < b.op;
        return a.node > b.node;
    }
};

/// Uniform-cost search or A*, with a table of the least cost of every state.
class BestFirst {
public:
    BestFirst(SearchMoves& moves, bool bound, std::size_t mostStates, std::stop_token stop)
        : m_moves(moves)
        , m_bound(bound)
        , m_stop(std::move(stop))
        , m_least(moves.ops() + 1)
        , m_mostStates(mostStates)
    {
    }

    Status run()
    {
        push({0, m_moves.first(), 0, kNoNode, 0});
        while (!m_open.empty()) {
            checkStop(m_stop);
            const std::uint32_t number = m_open.top().node;
            m_open.pop();
            const SearchNode node = m_nodes[number];
            if (node.op == m_moves.ops()) {
                m_goal = number;
                return {};
            }
            if (m_least[node.op].at(node.state) < node.cost)
                continue;
            expand(number, node);
            if (m_nodes.size() > m_mostStates)
                return layered();
        }
        return invalidInput(m_moves.reason(m_deepest));
    }

    /// Decisions of all ops, from the first on.
    void describe(PlacedProgram& program)
    {
        std::vector<std::uint32_t> way;
        for (std::uint32_t at = m_goal; m_nodes[at].parent != kNoNode; at = m_nodes[at].parent)
            way.push_back(at);
        std::reverse(way.begin(), way.end());
        for (const std::uint32_t number : way) {
            const SearchNode& node = m_nodes[number];
            const SearchNode& parent = m_nodes[node.parent];
            std::uint32_t ordinal = 0;
            m_moves.successors(parent.op, parent.state, [&](std::int64_t, const SearchMoves::State&, const std::vector<SearchDecision>& decisions) {
                if (ordinal++ == node.ordinal)
                    m_moves.describe(parent.op, decisions, program);
            });
        }
    }
    std::int64_t expanded() const { return m_expanded; }
    bool proved() const { return m_proved; }

private:
    /// Op by op, with only the cheapest states of each: finds a program always, and says that it need not be the best.
    Status layered()
    {
        m_proved = false;
        m_nodes.assign(1, {0, m_moves.first(), 0, kNoNode, 0});
        std::vector<std::uint32_t> layer{0};
        for (std::size_t op = 0; op < m_moves.ops(); ++op) {
            std::unordered_map<SearchMoves::State, std::size_t> known;
            std::vector<SearchNode> next;
            for (const std::uint32_t number : layer) {
                checkStop(m_stop);
                ++m_expanded;
                const SearchNode node = m_nodes[number];
                std::uint32_t ordinal = 0;
                m_moves.successors(op, node.state, [&](std::int64_t more, const SearchMoves::State& state, const std::vector<SearchDecision>&) {
                    SearchNode made{node.cost + more, state, node.op + 1, number, ordinal++};
                    const auto [entry, fresh] = known.try_emplace(state, next.size());
                    if (fresh)
                        next.push_back(std::move(made));
                    else if (made.cost < next[entry->second].cost)
                        next[entry->second] = std::move(made);
                });
            }
            if (next.empty())
                return invalidInput(m_moves.reason(op));
            std::stable_sort(next.begin(), next.end(), [](const SearchNode& a, const SearchNode& b) { return a.cost < b.cost; });
            next.resize(std::min(next.size(), kLayerStates));
            layer.clear();
            for (SearchNode& node : next) {
                layer.push_back(static_cast<std::uint32_t>(m_nodes.size()));
                m_nodes.push_back(std::move(node));
            }
        }
        m_goal = layer.front();
        return {};
    }

    void push(SearchNode node)
    {
        const auto [entry, fresh] = m_least[node.op].try_emplace(node.state, node.cost);
        if (!fresh && entry->second <= node.cost)
            return;
        entry->second = node.cost;
        m_open.push({node.cost + (m_bound ? m_moves.bound(node.op) : 0), node.op, static_cast<std::uint32_t>(m_nodes.size())});
        m_nodes.push_back(std::move(node));
    }
    void expand(std::uint32_t number, const SearchNode& node)
    {
        ++m_expanded;
        m_deepest = std::max<std::size_t>(m_deepest, node.op);
        std::uint32_t ordinal = 0;
        m_moves.successors(node.op, node.state, [&](std::int64_t cost, const SearchMoves::State& state, const std::vector<SearchDecision>&) {
            push({node.cost + cost, state, node.op + 1, number, ordinal++});
        });
    }

    SearchMoves& m_moves;
    bool m_bound;
    std::stop_token m_stop;
    std::vector<std::unordered_map<SearchMoves::State, std::int64_t>> m_least; ///< By op; never iterated over.
    std::vector<SearchNode> m_nodes;
    std::priority_queue<OpenEntry> m_open;
    std::uint32_t m_goal = kNoNode;
    std::int64_t m_expanded = 0;
    std::size_t m_deepest = 0;
    std::size_t m_mostStates;
    bool m_proved = true;
};

/// Every way to the end, one after the other.
class EveryProgram {
public:
    EveryProgram(SearchMoves& moves, std::stop_token stop) : m_moves(moves), m_stop(std::move(stop)) {}

    Status run()
    {
        walk(0, m_moves.first(), 0);
        if (m_expanded > kMostExhaustiveStates)
            return Error{ErrorCode::Unsupported, "there are more than " + std::to_string(kMostExhaustiveStates) + " states to look at one by one", {}, "a smaller graph, or the search without --exhaustive"};
        return m_best ? Status{} : invalidInput(m_moves.reason(m_deepest));
    }
    void describe(PlacedProgram& program) const
    {
        for (std::size_t op = 0; op < m_bestWay.size(); ++op)
            m_moves.describe(op, m_bestWay[op], program);
    }
    std::int64_t expanded() const { return m_expanded; }
    bool proved() const { return true; }

private:
    void walk(std::size_t op, const SearchMoves::State& state, std::int64_t cost)
    {
        if (op == m_moves.ops()) {
            if (!m_best || cost < *m_best) {
                m_best = cost;
                m_bestWay = m_way;
            }
            return;
        }
        if (++m_expanded > kMostExhaustiveStates)
            return;
        checkStop(m_stop);
        m_deepest = std::max(m_deepest, op);
        struct Next {
            std::int64_t cost;
            SearchMoves::State state;
            std::vector<SearchDecision> decisions;
        };
        std::vector<Next> all;
        m_moves.successors(op, state, [&](std::int64_t more, const SearchMoves::State& after, const std::vector<SearchDecision>& decisions) { all.push_back({cost + more, after, decisions}); });
        for (Next& next : all) {
            m_way.push_back(std::move(next.decisions));
            walk(op + 1, next.state, next.cost);
            m_way.pop_back();
        }
    }

    SearchMoves& m_moves;
    std::stop_token m_stop;
    std::optional<std::int64_t> m_best;
    std::vector<std::vector<SearchDecision>> m_way;
    std::vector<std::vector<SearchDecision>> m_bestWay;
    std::int64_t m_expanded = 0;
    std::size_t m_deepest = 0;
};

template <typename Search>
Result<FoundProgram> finishedSearch(Search search, const SearchProblem& problem)
{
    if (const Status status = search.run(); !status)
        return status.error();
    FoundProgram found;
    search.describe(found.program);
    found.expanded = search.expanded();
    found.proved = search.proved();
    found.cost = secondsOf(*problem.cluster, found.program.terms(), *problem.ratios);
    return found;
}

} // namespace

Result<FoundProgram> findProgram(const SearchProblem& problem, SearchMethod method, const std::stop_token& stop)
{
    return untilStopped([&]() -> Result<FoundProgram> {
        constexpr std::size_t kMostWalked = 1000;
        SearchMoves moves(problem);
        if (method != SearchMethod::Exhaustive)
            return finishedSearch(BestFirst(moves, method == SearchMethod::Bound, problem.mostStates, stop), problem);
        if (moves.ops() > kMostWalked)
            return Error{ErrorCode::Unsupported, "--exhaustive is for small graphs, not for " + std::to_string(moves.ops()) + " ops", {}, {}};
        return finishedSearch(EveryProgram(moves, stop), problem);
    });
}

} // namespace fabricscope
