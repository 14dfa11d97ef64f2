#include "core/planner/theory.h"

#include "core/base/index.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Dimension of a tensor that runs along `factor`; -1: none, or one of length 1, which is repeated.
int dimensionOf(const PlacedTensor& tensor, const std::vector<int>& factors, int factor)
{
    for (std::size_t dim = 0; dim < factors.size(); ++dim) {
        if (factors[dim] == factor && tensor.shape[dim] > 1)
            return static_cast<int>(dim);
    }
    return -1;
}

/// Makes the rules of one op.
class RuleMaker {
public:
    RuleMaker(const PlacedGraph& graph, const PlacedOp& op, const TheoryOptions& options)
        : m_graph(graph)
        , m_op(op)
        , m_options(options)
        , m_flops(op.flops * (options.backward ? 3 : 1))
    {
    }

    std::vector<PlacementRule> rules()
    {
        for (std::size_t factor = 0; factor < m_op.factors.size(); ++factor)
            splitBy(static_cast<int>(factor));
        passAddends();
        // Last: of programs that cost the same one that splits is taken.
        add({std::vector<Property>(m_op.inputs.size(), Property::identity()), Property::identity(), RuleWord::Replicated, 0, m_flops, -1, false, 0});
        return std::move(m_rules);
    }

private:
    const PlacedTensor& input(std::size_t i) const { return m_graph.tensors[at(m_op.inputs[i])]; }
    bool isParameter(std::size_t i) const { return input(i).role == TensorRole::Parameter; }

    void add(PlacementRule rule)
    {
        if (const auto fixed = m_options.fixed.find(m_op.output); fixed != m_options.fixed.end() && fixed->second != rule.makes)
            return;
        // The same tensor twice with different properties is two needs; the search brings both about.
        m_rules.push_back(std::move(rule));
    }

    void splitBy(int factor)
    {
        if (m_op.factors[at(factor)] == PlacedFactor::Blocked)
            return;
        PlacementRule rule{{}, {}, RuleWord::Batch, m_flops, 0, -1, false, 0};
        bool ofParameter = false;
        bool any = false;
        for (std::size_t i = 0; i < m_op.inputs.size(); ++i) {
            const int dim = dimensionOf(input(i), m_op.inputFactors[i], factor);
            rule.needs.push_back(dim < 0 ? Property::identity() : Property::gather(dim));
            ofParameter = ofParameter || (dim >= 0 && isParameter(i));
            if (dim >= 0)
                rule.units = input(i).units[at(dim)];
            any = any || dim >= 0;
        }
        const int made = dimensionOf(m_graph.tensors[at(m_op.output)], m_op.outputFactors, factor);
        if (!any && made < 0)
            return;
        const bool summed = m_op.factors[at(factor)] == PlacedFactor::Summed;
        if ((made < 0) != summed || (summed && ofParameter && !m_options.rowParallel))
            return;
        rule.makes = summed ? Property::reduce() : Property::gather(made);
        rule.resplit = m_op.resplitFrom >= 0;
        if (made >= 0)
            rule.units = m_graph.tensors[at(m_op.output)].units[at(made)];
        rule.word = wordFor(factor, ofParameter, summed);
        if (!ofParameter && m_options.sufficientFactor)
            addSufficient(rule, factor);
        add(std::move(rule));
    }

    RuleWord wordFor(int factor, bool ofParameter, bool summed) const
    {
        if (ofParameter)
            return summed ? RuleWord::Row : RuleWord::Column;
        for (std::size_t i = 0; i < m_op.inputs.size(); ++i) {
            if (isParameter(i))
                return RuleWord::Batch;
        }
        // Without weights: along the first dimension, another one, or one that vanishes.
        for (std::size_t i = 0; i < m_op.inputs.size(); ++i) {
            if (dimensionOf(input(i), m_op.inputFactors[i], factor) == 0)
                return RuleWord::Batch;
        }
        return summed ? RuleWord::Row : RuleWord::Column;
    }

    /// Y = X W split along the samples: every device computes all of dW from all of X and dY (manual: placement 2).
    void addSufficient(const PlacementRule& batch, int factor)
    {
        if (!m_op.matrix || m_op.inputs.size() != 2 || !m_options.backward || !batch.makes.isGather() || isParameter(0) == isParameter(1))
            return;
        const std::size_t weight = isParameter(1) ? 1 : 0;
        if (dimensionOf(input(1 - weight), m_op.inputFactors[1 - weight], factor) < 0)
            return;
        PlacementRule rule = batch;
        rule.word = RuleWord::SufficientFactor;
        rule.sufficient = static_cast<int>(weight);
        rule.shared = m_flops * 2 / 3;
        rule.whole = m_flops / 3;
        add(std::move(rule));
    }

    void passAddends()
    {
        const std::size_t n = m_op.inputs.size();
        PlacementRule rule{std::vector<Property>(n, Property::reduce()), Property::reduce(), RuleWord::Row, 0, m_flops, -1, false, 0};
        if (m_op.addends == AddendRule::Together) {
            for (std::size_t i = 0; i < n; ++i) {
                // A parameter is added once, by the device that holds it; that is part of splitting rows.
                if (isParameter(i) && !m_options.rowParallel)
                    return;
            }
            add(std::move(rule));
        } else if (m_op.addends == AddendRule::OneOf) {
            for (std::size_t i = 0; i < n; ++i) {
                if (isParameter(i))
                    continue;
                PlacementRule one = rule;
                std::fill(one.needs.begin(), one.needs.end(), Property::identity());
                one.needs[i] = Property::reduce();
                add(std::move(one));
            }
        }
    }

    const PlacedGraph& m_graph;
    const PlacedOp& m_op;
    const TheoryOptions& m_options;
    double m_flops;
    std::vector<PlacementRule> m_rules;
};

} // namespace

std::string Property::text() const
{
    return isIdentity() ? "identity" : isReduce() ? "reduce" : isGather() ? "gather " + std::to_string(dim()) : "none";
}

std::string_view wordOf(RuleWord word)
{
    switch (word) {
    case RuleWord::Batch:
        return "batch";
    case RuleWord::Column:
        return "column";
    case RuleWord::Row:
        return "row";
    case RuleWord::Replicated:
        return "replicated";
    case RuleWord::SufficientFactor:
        return "sufficient_factor";
    }
    return {};
}

std::vector<std::vector<PlacementRule>> backgroundTheory(const PlacedGraph& graph, const TheoryOptions& options)
{
    std::vector<std::vector<PlacementRule>> theory;
    for (const PlacedOp& op : graph.ops)
        theory.push_back(RuleMaker(graph, op, options).rules());
    return theory;
}

} // namespace fabricscope
