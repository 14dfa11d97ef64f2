// Partial sums that flow through linear ops and are reduced once.
#include "core/sharding/factorshardings.h"
#include "core/sharding/partition/partitioner.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr int kLookAhead = 16;

} // namespace

/// Layout of a tensor that is, or very likely will be, left unreduced.
std::optional<Layout> Partitioner::partialLayout(TensorId id, int depth) const
{
    const auto index = static_cast<std::size_t>(id);
    const OpId producer = tensor(id).producer;
    if (m_users[index].size() != 1)
        return std::nullopt;
    if (producer < 0 || m_done[static_cast<std::size_t>(producer)])
        return m_carried[index] ? std::optional(m_program.value(m_versions[index].front().value).layout) : std::nullopt;
    if (m_input.fixed[index])
        return std::nullopt;
    const auto op = static_cast<std::size_t>(producer);
    const Layout layout = layoutUnder(m_rules[op], m_rules[op].resultIndex(), m_predicted[op]);
    if (!layout.unreduced.empty())
        return layout;
    // A sum whose parts will all be left unreduced.
    const GraphOp& sum = m_program.graph.op(producer);
    const auto first = sum.kind == GraphOpKind::Add && depth < kLookAhead ? partialLayout(sum.inputs[0], depth + 1) : std::nullopt;
    const auto plan = first ? carryPlan(producer, sum.inputs[0], *first, depth + 1) : std::nullopt;
    if (!plan || std::ranges::count(plan->partial, 1) != 2)
        return std::nullopt;
    Layout result = layoutUnder(m_rules[op], m_rules[op].resultIndex(), plan->byFactor);
    result.unreduced = appended(plan->unreduced, result.unreduced);
    return result;
}

/// How op `id` takes on the partial sums of its operand `known` in this layout; none where it is not linear, or others are cut by the same axes.
std::optional<Partitioner::CarryPlan> Partitioner::carryPlan(OpId id, TensorId known, const Layout& layout, int depth) const
{
    const GraphOp& op = m_program.graph.op(id);
    const OpFactors& rule = m_rules[static_cast<std::size_t>(id)];
    const auto position = static_cast<std::size_t>(std::ranges::find(op.inputs, known) - op.inputs.begin());
    const Linearity linearity = linearityOf(op, position);
    if (linearity == Linearity::None || std::ranges::count(op.inputs, known) != 1 || layout.reduce != ReduceKind::Sum || (rule.reduce != ReduceKind::Sum && rule.reduce != ReduceKind::Mean))
        return std::nullopt;
    CarryPlan plan;
    plan.unreduced = layout.unreduced;
    plan.partial.assign(op.inputs.size(), 0);
    plan.partial[position] = 1;
    const FactorShardings own = toFactors(rule, position, layout.dims);
    plan.byFactor = own.byFactor;
    AxisList used = axesOf(layout);
    for (std::size_t f = 0; f < rule.factors.size(); ++f) {
        const bool held = std::ranges::any_of(rule.dims[position], [&](const std::vector<int>& dim) { return std::ranges::count(dim, static_cast<int>(f)) > 0; });
        const AxisList& predicted = m_predicted[static_cast<std::size_t>(id)][f];
        if (!held && !overlap(used, predicted)) {
            plan.byFactor[f] = predicted;
            used.insert(used.end(), predicted.begin(), predicted.end());
        }
        if (!plan.byFactor[f].empty() && (rule.factors[f].type == FactorType::NeedReplication || rule.factors[f].type == FactorType::Permutation))
            return std::nullopt;
    }
    for (std::size_t t = 0; t <= op.inputs.size(); ++t) {
        const std::vector<AxisList> dims = toDims(rule, t, plan.byFactor);
        const FactorShardings back = toFactors(rule, t, dims);
        for (std::size_t f = 0; f < rule.factors.size(); ++f) {
            const bool held = std::ranges::any_of(rule.dims[t], [&](const std::vector<int>& dim) { return std::ranges::count(dim, static_cast<int>(f)) > 0; });
            if (held && joined(back.byFactor[f]) != joined(plan.byFactor[f]))
                return std::nullopt;
        }
    }
    if (std::ranges::any_of(own.rest, [](const AxisList& rest) { return !rest.empty(); }))
        return std::nullopt;
    for (std::size_t t = 0; t < op.inputs.size(); ++t) {
        if (t == position)
            continue;
        const auto other = depth < kLookAhead ? partialLayout(op.inputs[t], depth + 1) : std::nullopt;
        if (linearity == Linearity::Together && linearityOf(op, t) == Linearity::Together && other && other->unreduced == plan.unreduced && other->reduce == ReduceKind::Sum) {
            plan.partial[t] = 1;
            continue;
        }
        if (overlap(axesOf(m_input.propagated[static_cast<std::size_t>(op.inputs[t])]), plan.unreduced))
            return std::nullopt;
    }
    return plan;
}

/// Is it one reduction less, or a smaller one, when this tensor stays unreduced?
bool Partitioner::worthCarrying(TensorId id, Layout layout) const
{
    for (int step = 0; step < kLookAhead; ++step) {
        const auto index = static_cast<std::size_t>(id);
        if (m_input.fixed[index] || m_users[index].size() != 1 || layout.unreduced.empty())
            return false;
        const OpId user = m_users[index].front();
        const auto plan = carryPlan(user, id, layout);
        if (!plan)
            return false;
        if (std::ranges::count(plan->partial, 1) > 1)
            return true;
        const OpFactors& rule = m_rules[static_cast<std::size_t>(user)];
        Layout next = layoutUnder(rule, rule.resultIndex(), plan->byFactor);
        next.unreduced = appended(plan->unreduced, next.unreduced);
        const TensorId result = m_program.graph.op(user).output;
        if (elementsOf(localShape(tensor(result).shape, next)) < elementsOf(localShape(tensor(id).shape, layout)))
            return true;
        id = result;
        layout = std::move(next);
    }
    return false;
}

} // namespace fabricscope
