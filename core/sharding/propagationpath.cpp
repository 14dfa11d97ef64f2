#include "core/sharding/propagationpath.h"

#include "core/model/graph/opfactors.h"

#include <algorithm>
#include <deque>
#include <map>

namespace fabricscope {

namespace {

using TensorDim = std::pair<TensorId, std::size_t>;

std::string_view typeWord(FactorType type)
{
    switch (type) {
    case FactorType::PassThrough:
        return "pass-through";
    case FactorType::Reduction:
        return "reduction";
    case FactorType::Permutation:
        return "permutation";
    case FactorType::NeedReplication:
        break;
    }
    return "needs replication";
}

class PathSearch {
public:
    PathSearch(const ShardProblem& problem, const ShardPlan& plan, const AxisPart& part) : m_problem(problem), m_plan(plan), m_graph(plan.program.graph), m_part(part)
    {
        m_opsOf = m_graph.users();
        for (std::size_t o = 0; o < m_graph.ops.size(); ++o)
            m_opsOf[static_cast<std::size_t>(m_graph.ops[o].output)].push_back(static_cast<OpId>(o));
    }

    std::optional<std::vector<PropagationHop>> run(const TensorDim& target)
    {
        if (!holds(target))
            return std::nullopt;
        std::deque<TensorDim> open = {target};
        m_next[target] = {};
        while (!open.empty()) {
            const TensorDim at = open.front();
            open.pop_front();
            if (isGiven(at))
                return pathFrom(at, target);
            for (const OpId op : m_opsOf[static_cast<std::size_t>(at.first)])
                spread(at, op, open);
            spreadInGroup(at, open);
        }
        return std::nullopt;
    }

private:
    bool holds(const TensorDim& at) const { return overlap(m_plan.propagated[static_cast<std::size_t>(at.first)][at.second], m_part); }

    bool isGiven(const TensorDim& at) const
    {
        const auto id = m_problem.graph.find(m_graph.tensor(at.first).name);
        const TensorAnnotation* note = id ? m_problem.annotationOf(*id) : nullptr;
        const WantedLayout* wanted = id ? m_problem.wantedOf(*id) : nullptr;
        return (note && note->dims && overlap((*note->dims)[at.second], m_part)) || (wanted && overlap(wanted->dims[at.second], m_part));
    }

    void spread(const TensorDim& at, OpId id, std::deque<TensorDim>& open)
    {
        const GraphOp& op = m_graph.op(id);
        const OpFactors rule = factorsOf(m_graph, op);
        const auto tensorOf = [&](std::size_t t) { return t < op.inputs.size() ? op.inputs[t] : op.output; };
        for (std::size_t t = 0; t < rule.dims.size(); ++t) {
            // From an operand back to the result whose axes came to it, or the other way.
            if (tensorOf(t) != at.first || !(t == op.inputs.size() ? goesForward(op.flow) : goesBackward(op.flow)))
                continue;
            for (const int factor : rule.dims[t][at.second]) {
                for (std::size_t other = 0; other < rule.dims.size(); ++other) {
                    for (std::size_t d = 0; d < rule.dims[other].size(); ++d) {
                        const TensorDim next{tensorOf(other), d};
                        if (std::ranges::count(rule.dims[other][d], factor) == 0 || m_next.contains(next) || !holds(next))
                            continue;
                        m_next[next] = {next.first, next.second, at.first, at.second, id, ruleText(op, t, at.second, rule.factors[static_cast<std::size_t>(factor)].type)};
                        open.push_back(next);
                    }
                }
            }
        }
    }

    void spreadInGroup(const TensorDim& at, std::deque<TensorDim>& open)
    {
        const auto own = m_problem.graph.find(m_graph.tensor(at.first).name);
        const auto group = std::ranges::find_if(m_problem.groups, [&](const std::vector<TensorId>& tensors) { return own && std::ranges::count(tensors, *own) > 0; });
        for (const TensorId member : group == m_problem.groups.end() ? std::vector<TensorId>{} : *group) {
            const auto there = m_graph.find(m_problem.graph.tensor(member).name);
            const TensorDim next{there.value_or(-1), at.second};
            if (!there || m_next.contains(next) || !holds(next))
                continue;
            m_next[next] = {next.first, next.second, at.first, at.second, -1, "lie alike"};
            open.push_back(next);
        }
    }

    static std::string ruleText(const GraphOp& op, std::size_t tensor, std::size_t dim, FactorType type)
    {
        const std::string what = op.kind == GraphOpKind::Einsum ? std::string(1, op.letters[tensor][dim]) : "dim " + std::to_string(dim);
        return std::string(wordOf(op.kind)) + ' ' + op.name + ": " + what + (type == FactorType::NeedReplication ? " " : " is ") + std::string(typeWord(type));
    }

    std::vector<PropagationHop> pathFrom(TensorDim at, const TensorDim& target) const
    {
        std::vector<PropagationHop> path;
        while (at != target) {
            path.push_back(m_next.at(at));
            at = {path.back().to, path.back().toDim};
        }
        return path;
    }

    const ShardProblem& m_problem;
    const ShardPlan& m_plan;
    const OpGraph& m_graph;
    const AxisPart m_part;
    std::vector<std::vector<OpId>> m_opsOf;
    std::map<TensorDim, PropagationHop> m_next; ///< Of what was seen the hop towards the target.
};

} // namespace

std::optional<std::vector<PropagationHop>> propagationPath(const ShardProblem& problem, const ShardPlan& plan, TensorId tensor, std::size_t dim, const AxisPart& part)
{
    return PathSearch(problem, plan, part).run({tensor, dim});
}

} // namespace fabricscope
