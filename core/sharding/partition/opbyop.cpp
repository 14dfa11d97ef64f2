#include "core/sharding/partition/partitioner.h"

#include "core/base/stop.h"
#include "core/sharding/factorshardings.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Axes of factors that pass through from operand to result and on which the two disagree.
bool disagree(const OpFactors& rule, std::size_t operand, const Layout& from, const Layout& to)
{
    const FactorShardings a = toFactors(rule, operand, from.dims);
    const FactorShardings b = toFactors(rule, rule.resultIndex(), to.dims);
    const auto held = [&](std::size_t tensor, std::size_t f) {
        return std::ranges::any_of(rule.dims[tensor], [&](const std::vector<int>& dim) { return std::ranges::count(dim, static_cast<int>(f)) > 0; });
    };
    for (std::size_t f = 0; f < rule.factors.size(); ++f) {
        if (rule.factors[f].type == FactorType::Reduction || !held(operand, f) || !held(rule.resultIndex(), f))
            continue;
        if (!isPrefix(a.byFactor[f], b.byFactor[f]) && !isPrefix(b.byFactor[f], a.byFactor[f]))
            return true;
        for (std::size_t g = 0; g < rule.factors.size(); ++g) {
            if (g != f && held(rule.resultIndex(), g) && overlap(a.byFactor[f], b.byFactor[g]))
                return true;
        }
    }
    return false;
}

} // namespace

Partitioner::Partitioner(PartitionInput input, const std::stop_token& stop) : m_input(std::move(input)), m_stop(stop)
{
    m_program.mesh = m_input.problem->mesh;
    m_program.graph = std::move(m_input.graph);
    m_program.gradients = m_input.gradients;
    const OpGraph& graph = m_program.graph;
    for (const GraphOp& op : graph.ops)
        m_rules.push_back(factorsOf(graph, op));
    m_users = graph.users();
    m_versions.resize(graph.tensors.size());
    m_windowed.resize(graph.tensors.size());
    m_carried.assign(graph.tensors.size(), 0);
    m_done.assign(graph.ops.size(), 0);
    m_program.finals.assign(graph.tensors.size(), -1);
    m_program.unreducedByOp.resize(graph.tensors.size());
}

PartitionedProgram Partitioner::run()
{
    for (std::size_t op = 0; op < m_program.graph.ops.size(); ++op) {
        std::optional<AxisChoice> second;
        m_predicted.push_back(chooseAxes(choiceInput(static_cast<OpId>(op), false), second, m_stop).byFactor);
    }
    addInputs();
    for (std::size_t op = 0; op < m_program.graph.ops.size(); ++op) {
        checkStop(m_stop);
        m_inBackward = op >= m_input.forwardOps;
        addOp(static_cast<OpId>(op));
        m_done[op] = 1;
    }
    finish();
    return std::move(m_program);
}

void Partitioner::addInputs()
{
    for (std::size_t t = 0; t < m_program.graph.tensors.size(); ++t) {
        const auto id = static_cast<TensorId>(t);
        if (tensor(id).producer >= 0)
            continue;
        ProgramStep step;
        step.kind = StepKind::Input;
        step.out = addValue(id, m_input.propagated[t]);
        m_versions[t].push_back({step.out, false});
        m_program.unreducedByOp[t] = m_input.propagated[t].unreduced;
        m_program.steps.push_back(std::move(step));
        m_carried[t] = !m_input.propagated[t].unreduced.empty();
    }
}

/// Layouts at hand (`atHand`) or only those propagated.
ChoiceInput Partitioner::choiceInput(OpId id, bool atHand) const
{
    ChoiceInput input;
    const GraphOp& op = m_program.graph.op(id);
    input.graph = &m_program.graph;
    input.op = &op;
    input.rule = &m_rules[static_cast<std::size_t>(id)];
    for (const TensorId operand : op.inputs) {
        const auto t = static_cast<std::size_t>(operand);
        Layout whole = m_input.propagated[t];
        whole.unreduced.clear();
        input.propagated.push_back(whole);
        std::vector<Layout> versions;
        for (const Version& version : m_versions[t]) {
            if (atHand && usable(operand, version))
                versions.push_back(m_program.value(version.value).layout);
        }
        if (!atHand)
            versions.push_back(whole);
        input.versions.push_back(std::move(versions));
    }
    input.target = m_input.propagated[static_cast<std::size_t>(op.output)];
    input.wanted = m_input.ends[static_cast<std::size_t>(op.output)];
    input.nested = m_input.problem->options.nested;
    return input;
}

void Partitioner::addOp(OpId id)
{
    const GraphOp& op = m_program.graph.op(id);
    const OpFactors& rule = m_rules[static_cast<std::size_t>(id)];
    for (const TensorId operand : op.inputs) {
        const auto t = static_cast<std::size_t>(operand);
        if (!m_carried[t] || m_versions[t].size() != 1)
            continue;
        const Layout layout = m_program.value(m_versions[t].front().value).layout;
        const auto plan = carryPlan(id, operand, layout);
        if (!plan)
            continue;
        Layout result = layoutUnder(rule, rule.resultIndex(), plan->byFactor);
        result.unreduced = appended(plan->unreduced, result.unreduced);
        const bool smaller = elementsOf(localShape(tensor(op.output).shape, result)) < elementsOf(localShape(tensor(operand).shape, layout));
        if (std::ranges::count(plan->partial, 1) > 1 || smaller || worthCarrying(op.output, result)) {
            AxisChoice choice;
            choice.byFactor = plan->byFactor;
            return compute(id, choice, std::nullopt, &*plan);
        }
    }
    std::optional<AxisChoice> second;
    const AxisChoice choice = chooseAxes(choiceInput(id, true), second, m_stop);
    compute(id, choice, second ? second->dearest : std::nullopt, nullptr);
}

void Partitioner::compute(OpId id, const AxisChoice& choice, const std::optional<RunnerUp>& runnerUp, const CarryPlan* carry)
{
    const GraphOp& op = m_program.graph.op(id);
    const OpFactors& rule = m_rules[static_cast<std::size_t>(id)];
    const ChoiceInput input = choiceInput(id, true);
    const std::size_t before = m_program.steps.size();
    std::vector<ValueId> in;
    for (std::size_t t = 0; t < op.inputs.size(); ++t)
        in.push_back(operandFor(input, t, choice, carry, {id, op.inputs[t], runnerUp}));
    Layout layout = layoutUnder(rule, rule.resultIndex(), choice.byFactor);
    if (carry)
        layout.unreduced = appended(carry->unreduced, layout.unreduced);
    const auto step = [&](std::vector<ValueId> operands) {
        ProgramStep made;
        made.in = std::move(operands);
        made.op = id;
        made.backward = m_inBackward;
        made.out = addValue(op.output, layout);
        std::vector<const ProgramValue*> values;
        for (const ValueId value : made.in)
            values.push_back(&m_program.values[static_cast<std::size_t>(value)]);
        made.local = localOp(m_program.graph, op, rule, choice.byFactor, values, m_program.value(made.out));
        if (op.kind == GraphOpKind::Reduce && op.reduce == ReduceKind::Mean) {
            for (const std::int64_t dim : op.dims)
                made.wholeCount *= tensor(op.inputs[0]).shape[static_cast<std::size_t>(dim)];
        }
        return made;
    };
    const bool windows = !m_program.value(in[0]).windows.empty();
    if (op.kind == GraphOpKind::Concat && windows) {
        // Windows of all operands reach over the part of the result and are zero outside of their own: they add up to it.
        ValueId sum = in[0];
        for (std::size_t t = 1; t < in.size(); ++t) {
            ProgramStep made = step({sum, in[t]});
            made.local.kind = GraphOpKind::Add;
            sum = made.out;
            m_program.steps.push_back(std::move(made));
        }
    } else {
        m_program.steps.push_back(step(in));
    }
    const auto result = static_cast<std::size_t>(op.output);
    const ValueId made = m_program.steps.back().out;
    m_versions[result].push_back({made, false});
    m_program.unreducedByOp[result] = layout.unreduced;
    m_carried[result] = worthCarrying(op.output, layout);
    if (!m_carried[result])
        materialize(op.output, m_input.ends[result], {m_users[result].empty() && m_input.wanted[result] ? -1 : id, op.output, runnerUp});
    if (id < static_cast<OpId>(m_input.forwardOps))
        noteConflict(id, before);
}

void Partitioner::noteConflict(OpId id, std::size_t before)
{
    const GraphOp& op = m_program.graph.op(id);
    const OpFactors& rule = m_rules[static_cast<std::size_t>(id)];
    const Layout& to = m_input.propagated[static_cast<std::size_t>(op.output)];
    for (std::size_t s = before; s < m_program.steps.size(); ++s) {
        const ProgramStep& step = m_program.steps[s];
        if (step.kind != StepKind::AllGather && step.kind != StepKind::AllToAll && step.kind != StepKind::Permute)
            continue;
        const TensorId moved = m_program.value(step.out).tensor;
        for (std::size_t t = 0; t < op.inputs.size(); ++t) {
            const Layout& from = m_input.propagated[static_cast<std::size_t>(op.inputs[t])];
            if ((moved != op.inputs[t] && moved != op.output) || !disagree(rule, t, from, to))
                continue;
            m_program.conflicts.push_back({tensor(op.inputs[t]).name + " " + layoutText(m_program.mesh, from), op.name + " " + layoutText(m_program.mesh, to),
                std::string(wordOf(step.kind)) + " of " + tensor(moved).name + " over " + axesText(m_program.mesh, step.axes)});
            break;
        }
    }
}

void Partitioner::finish()
{
    m_inBackward = false;
    for (std::size_t t = 0; t < m_versions.size(); ++t) {
        const auto id = static_cast<TensorId>(t);
        const WantedLayout* wanted = m_input.wanted[t];
        if (wanted || (tensor(id).producer >= 0 && m_users[t].empty())) {
            m_inBackward = tensor(id).producer >= 0 && backward(tensor(id).producer);
            m_program.finals[t] = materialize(id, wanted ? Layout{wanted->dims, {}, ReduceKind::Sum} : m_input.ends[t], {-1, id, std::nullopt});
            continue;
        }
        // The first version that is whole, where there is one.
        m_program.finals[t] = m_versions[t].front().value;
        for (const Version& version : m_versions[t]) {
            if (m_program.value(version.value).layout.unreduced.empty()) {
                m_program.finals[t] = version.value;
                break;
            }
        }
    }
}

} // namespace fabricscope
