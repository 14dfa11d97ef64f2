#pragma once

#include "core/planner/movecosts.h"
#include "core/planner/programsearch.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fabricscope {

/// What a search decides on its way through one op, in this order.
struct SearchDecision {
    enum class Kind : std::uint8_t {
        Hold,       ///< An input or parameter in this property.
        Reduced,    ///< One all-reduce of a parameter's gradient.
        Move,       ///< A collective.
        Slice,
        Sufficient, ///< The gathers of factors instead of Reduced.
        Compute
    };
    Kind kind = Kind::Compute;
    int tensor = -1;
    Property from;
    Property to;
    int rule = -1;
};

/// States of the search and their successors. A state before op k: of every tensor that is made and used from k on two properties (code 0: none): as made, and as
/// communicated; the same tensors for all states before the same op, because ops are computed in their order.
class SearchMoves {
public:
    using State = std::string;
    /// Cost in units, the state after the op, and the decisions that lead there.
    using Visit = std::function<void(std::int64_t, const State&, const std::vector<SearchDecision>&)>;

    explicit SearchMoves(const SearchProblem& problem);

    std::size_t ops() const { return m_theory.size(); }
    State first() const { return stateBefore(0); }
    /// Calls `visit` for all ways to compute op `op`, in a fixed order.
    void successors(std::size_t op, const State& state, const Visit& visit);
    /// Units that all ops from `op` on cost at least.
    std::int64_t bound(std::size_t op) const { return m_bounds[op]; }
    /// Instructions of decisions for op `op`.
    void describe(std::size_t op, const std::vector<SearchDecision>& decisions, PlacedProgram& program) const;
    /// Why op `op` cannot be computed.
    std::string reason(std::size_t op) const;

private:
    struct Pair {
        Property made;
        Property moved;
    };
    /// Units of the moves of a tensor; below 0: there is no such collective.
    struct TensorCosts {
        std::int64_t gatherToIdentity = -1;
        std::int64_t reduceToIdentity = -1;
        std::int64_t reduceToGather = -1;
        std::int64_t gatherToGather = -1;
        std::int64_t gradientReduce = -1;
        std::int64_t holdWhole = 0;  ///< Price of memory.
        std::int64_t holdPart = 0;
    };

    const PlacedTensor& tensor(int id) const;
    bool mirrored(int id) const;
    MoveCosts costsOf(std::size_t op) const;
    bool movesParts(std::size_t op) const;
    std::optional<ChargedMove> resplit(std::size_t op) const;
    double resplitSeconds(std::size_t op, const PlacementRule& rule) const;
    void dropResplits();
    void findLives();
    void findNeeds();
    void setUnits();
    std::int64_t sufficientUnits(std::size_t op) const;
    void setBounds();
    std::int64_t units(double seconds) const;
    std::int64_t leastLoad(std::size_t op, const PlacementRule& rule) const;
    std::int64_t leastPrice(std::size_t op, const PlacementRule& rule) const;
    State stateBefore(std::size_t op) const;
    void load(std::size_t op, const State& state);
    Pair reduced(std::size_t op, int id, Pair pair) const;

    void bring(std::size_t operand, std::int64_t cost);
    void bringInput(std::size_t operand, std::int64_t cost, int id, Property need);
    void bringParameter(std::size_t operand, std::int64_t cost, int id, Property need);
    void bringMade(std::size_t operand, std::int64_t cost, int id, Property need);
    void withMove(std::size_t operand, std::int64_t cost, int id, Property to, Property need);
    void finish(std::int64_t cost);
    std::int64_t moveUnits(int id, Property from, Property to) const;
    std::int64_t price(int id, Property held) const;

    SearchProblem m_problem;
    std::vector<std::vector<PlacementRule>> m_theory;
    std::vector<std::vector<std::int64_t>> m_ruleUnits;
    std::vector<std::int64_t> m_sufficientUnits; ///< By op.
    std::vector<TensorCosts> m_costs;            ///< By tensor.
    std::vector<std::vector<int>> m_lives;       ///< Before each op, and at the end.
    std::vector<std::vector<std::uint32_t>> m_needs; ///< By op and position in m_lives: codes of properties that ops from there on may need.
    std::vector<int> m_uses;                     ///< By tensor: operands that it is.
    std::vector<std::size_t> m_home;             ///< By tensor: the op that makes it, or uses it first.
    std::vector<bool> m_movable;                 ///< By tensor: may it be communicated?
    std::vector<std::int64_t> m_bounds;
    double m_unit = 1;
    // Of the expansion that is going on.
    std::vector<Pair> m_now;                     ///< By tensor.
    std::size_t m_op = 0;
    int m_rule = 0;
    std::vector<SearchDecision> m_path;
    const Visit* m_visit = nullptr;
};

} // namespace fabricscope
