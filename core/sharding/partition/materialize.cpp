// Tensors in the layouts ops ask for.
#include "core/sharding/partition/partitioner.h"

#include <algorithm>

namespace fabricscope {

ValueId Partitioner::addValue(TensorId id, const Layout& layout)
{
    const GraphTensor& known = tensor(id);
    ProgramValue value{known.name, id, known.type, known.shape, layout, {}, localShape(known.shape, layout)};
    m_program.values.push_back(std::move(value));
    return static_cast<ValueId>(m_program.values.size()) - 1;
}

bool Partitioner::usable(TensorId id, const Version& version) const
{
    if (!m_inBackward || !version.gathered)
        return true;
    const Regather regather = m_input.problem->options.regather;
    return regather == Regather::None || (regather == Regather::Parameters && !m_input.parameters[static_cast<std::size_t>(id)]);
}

StepCause Partitioner::causeOf(const ProgramStep& step, TensorId id, const Reason& reason) const
{
    StepCause cause;
    const Mesh& mesh = m_program.mesh;
    const TensorId serves = reason.serves >= 0 ? reason.serves : id;
    const std::string& served = tensor(serves).name;
    const bool annotated = m_input.annotations[static_cast<std::size_t>(serves)] != nullptr;
    const bool wanted = reason.op < 0 && m_input.wanted[static_cast<std::size_t>(serves)] != nullptr;
    cause.annotation = (wanted ? "wanted of " : annotated ? "annotation of " : "propagated sharding of ") + served;
    if (reason.op >= 0)
        cause.op = m_program.graph.op(reason.op).name;
    const std::string axes = step.axes.empty() ? "" : " over " + axesText(mesh, step.axes);
    const Layout& from = m_program.value(step.in[0]).layout;
    const Layout& to = m_program.value(step.out).layout;
    cause.text = std::string(wordOf(step.kind)) + " of " + tensor(id).name + axes + ": " + layoutText(mesh, from) + " becomes " + layoutText(mesh, to)
        + (cause.op.empty() ? std::string() : " for op " + cause.op + " (" + std::string(wordOf(m_program.graph.op(reason.op).kind)) + ")") + ", by the " + cause.annotation;
    return cause;
}

std::size_t Partitioner::versionOf(ValueId value) const
{
    const auto& list = m_versions[static_cast<std::size_t>(m_program.value(value).tensor)];
    return static_cast<std::size_t>(std::ranges::find(list, value, &Version::value) - list.begin());
}

ValueId Partitioner::materialize(TensorId id, const Layout& layout, const Reason& reason)
{
    auto& versions = m_versions[static_cast<std::size_t>(id)];
    std::vector<Layout> layouts;
    std::vector<std::size_t> known;
    for (std::size_t v = 0; v < versions.size(); ++v) {
        const Layout& at = m_program.value(versions[v].value).layout;
        // Partial sums can be reduced, but a reduced version does not become partial again here.
        const bool possible = layout.unreduced.empty() || without(layout.unreduced, at.unreduced).empty();
        if (usable(id, versions[v]) && possible) {
            layouts.push_back(at);
            known.push_back(v);
        }
    }
    const GraphTensor& whole = tensor(id);
    const CheapestWay way = cheapestWay(whole.shape, bytesOf(whole.type), layouts, layout);
    Version at = versions[known[way.version]];
    for (ReshardMove& move : reshardMoves(whole.shape, bytesOf(whole.type), layouts[way.version], layout)) {
        ProgramStep step;
        step.kind = move.kind;
        step.in = {at.value};
        step.out = addValue(id, move.after);
        step.op = reason.op;
        step.backward = m_inBackward;
        step.dim = move.dim;
        step.toDim = move.toDim;
        step.axes = move.axes;
        step.bytes = move.bytes;
        step.sent = move.sent;
        step.runnerUp = reason.runnerUp && move.sent > 0 ? reason.runnerUp : move.runnerUp;
        if (step.runnerUp && step.runnerUp->tensor.empty())
            step.runnerUp->tensor = whole.name;
        if ((move.kind == StepKind::AllGather || move.kind == StepKind::ReduceScatter) && m_input.problem->options.windowedEinsum && reason.op >= 0 && m_program.graph.op(reason.op).kind == GraphOpKind::Einsum)
            step.looped = true;
        step.cause = causeOf(step, id, reason);
        at = {step.out, at.gathered || (move.kind == StepKind::AllGather && !m_inBackward)};
        m_program.steps.push_back(std::move(step));
        m_versions[static_cast<std::size_t>(id)].push_back(at);
    }
    return at.value;
}

ValueId Partitioner::windowed(const ChoiceInput& input, std::size_t operand, const WindowSupply& supply, ValueId from, const Reason& reason)
{
    const WindowNeed need = windowNeed(*input.graph, *input.op, operand, supply.dim, shardsOf(supply.axes));
    const ProgramValue source = m_program.value(from);
    Layout layout = source.layout;
    layout.dims[supply.dim] = supply.axes;
    std::vector<std::optional<DimWindow>> windows = source.windows;
    windows.resize(source.shape.size());
    windows[supply.dim] = need.window;
    auto& known = m_windowed[static_cast<std::size_t>(source.tensor)];
    for (const Version& version : known) {
        const ProgramValue& value = m_program.value(version.value);
        if (value.layout == layout && value.windows == windows && usable(source.tensor, version))
            return version.value;
    }
    ProgramStep step;
    step.kind = supply.whole ? StepKind::Window : StepKind::HaloExchange;
    step.in = {from};
    step.out = addValue(source.tensor, layout);
    ProgramValue& out = m_program.values.back();
    out.local = source.local;
    out.local[supply.dim] = need.window.length;
    out.windows = std::move(windows);
    step.op = reason.op;
    step.backward = m_inBackward;
    step.dim = static_cast<std::int32_t>(supply.dim);
    step.axes = supply.axes;
    step.fill = need.fill;
    if (!supply.whole) {
        const std::int64_t row = elementsOf(source.local) / source.local[supply.dim] * bytesOf(source.type);
        step.bytes = elementsOf(source.local) * bytesOf(source.type);
        for (const std::int64_t rows : rowsSent(need))
            step.sentByIndex.push_back(rows * row);
        step.sent = *std::ranges::max_element(step.sentByIndex);
        step.halo = halosOf(need);
        step.runnerUp = RunnerUp{"all_gather", source.name, step.bytes * (need.shards - 1)};
    }
    step.cause = causeOf(step, source.tensor, reason);
    known.push_back({step.out, false});
    m_program.steps.push_back(std::move(step));
    return m_program.steps.back().out;
}

ValueId Partitioner::masked(const ChoiceInput& input, std::size_t operand, const AxisChoice& choice, ValueId from)
{
    const OpFactors& rule = *input.rule;
    for (std::size_t d = 0; d < rule.dims[operand].size(); ++d) {
        const ProgramValue source = m_program.value(from);
        const bool reduced = std::ranges::any_of(rule.dims[operand][d], [&](int factor) {
            return rule.factors[static_cast<std::size_t>(factor)].type == FactorType::Reduction && !choice.byFactor[static_cast<std::size_t>(factor)].empty();
        });
        const bool windows = !source.windows.empty() && source.windows[d];
        if (!reduced || windows || source.shape[d] % shardsOf(source.layout.dims[d]) == 0)
            continue;
        ProgramStep step;
        step.kind = StepKind::Mask;
        step.in = {from};
        step.op = static_cast<OpId>(input.op - m_program.graph.ops.data());
        step.backward = m_inBackward;
        step.dim = static_cast<std::int32_t>(d);
        step.fill = rule.reduce == ReduceKind::Max ? Fill::Lowest : rule.reduce == ReduceKind::Min ? Fill::Highest : rule.reduce == ReduceKind::Product ? Fill::One : Fill::Zero;
        m_program.values.push_back(source);
        step.out = static_cast<ValueId>(m_program.values.size()) - 1;
        from = step.out;
        m_program.steps.push_back(std::move(step));
    }
    return from;
}

/// A whole value as partial sums.
ValueId Partitioner::keptFirst(ValueId from, const AxisList& axes, const Reason& reason)
{
    ProgramStep step;
    step.kind = StepKind::KeepFirst;
    step.in = {from};
    step.op = reason.op;
    step.backward = m_inBackward;
    step.axes = axes;
    ProgramValue partial = m_program.value(from);
    partial.layout.unreduced = appended(partial.layout.unreduced, axes);
    m_program.values.push_back(std::move(partial));
    step.out = static_cast<ValueId>(m_program.values.size()) - 1;
    m_program.steps.push_back(std::move(step));
    return m_program.steps.back().out;
}

ValueId Partitioner::operandFor(const ChoiceInput& input, std::size_t operand, const AxisChoice& choice, const CarryPlan* carry, const Reason& reason)
{
    const TensorId id = input.op->inputs[operand];
    Layout need = layoutUnder(*input.rule, operand, choice.byFactor);
    if (carry && carry->partial[operand])
        need.unreduced = carry->unreduced;
    const std::vector<WindowSupply> supplies = windowSupplies(input, operand, choice.byFactor);
    for (const WindowSupply& supply : supplies) {
        if (supply.whole)
            need.dims[supply.dim].clear();
    }
    ValueId value = materialize(id, need, reason);
    for (const WindowSupply& supply : supplies)
        value = windowed(input, operand, supply, value, reason);
    AxisList first;
    if (carry && !carry->partial[operand] && linearityOf(*input.op, operand) == Linearity::Together)
        first = carry->unreduced;
    // Rows cut by the axes of a reduction add to the base on every device: it counts once. Of extremes it may count often.
    if (input.op->kind == GraphOpKind::ScatterAdd && input.op->reduce == ReduceKind::Sum && input.op->inputs.size() == 3 && operand == 0)
        first = appended(first, layoutUnder(*input.rule, input.rule->resultIndex(), choice.byFactor).unreduced);
    if (!first.empty())
        value = keptFirst(value, first, reason);
    return masked(input, operand, choice, value);
}

} // namespace fabricscope
