// Ops with regions, and what they share: groups of tensors that lie alike.
#include "core/sharding/stablehlo/hloreader.h"

#include "core/base/showntext.h"

#include <algorithm>

namespace fabricscope::mlir {

std::vector<HloValue> HloReader::namedComputation(const Operation& op, const HloOperands& in, const HloScope& scope)
{
    if (op.regions.size() != 1 || op.regions[0].arguments.size() != in.size()) {
        m_builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", "as many as its region has arguments");
        return {};
    }
    const auto constrained = [&](std::string_view key, std::vector<HloValue> values, const std::string& suffix) {
        const auto found = op.attributes.find(key);
        const std::vector<Span> each = found == op.attributes.end() ? std::vector<Span>{} : found->second.text.starts_with("[") ? itemsOf(found->second) : shardingsOf(found->second);
        if (!each.empty() && each.size() != values.size())
            m_builder.fail(ErrorCode::InvalidInput, std::string(key) + " has " + std::to_string(each.size()) + " shardings", std::to_string(values.size()));
        for (std::size_t i = 0; i < each.size() && !m_builder.failed(); ++i)
            constrain(values[i], each[i], false, suffix + std::to_string(i));
        return values;
    };
    const HloOperands given = constrained("in_shardings", in, ".in#");
    for (std::size_t i = 0; i < in.size(); ++i) {
        const Argument& argument = op.regions[0].arguments[i];
        if (argument.type.shape != in[i].shape)
            m_builder.fail(ErrorCode::InvalidInput, "operand " + std::to_string(i) + " is " + shapeText(in[i].shape), fabricscope::shownText(argument.type.text.text, 80));
    }
    if (m_builder.failed())
        return {};
    const std::string name = m_builder.name();
    std::vector<HloValue> results = body(op.regions[0].arguments, op.regions[0], "op " + name, op.place, given, {name + ":", scope.depth + 1, &scope, {}, {}});
    m_builder.begin(op, scope.prefix);
    if (results.size() != op.resultTypes.size())
        m_builder.fail(ErrorCode::InvalidInput, "returns " + std::to_string(results.size()) + " values", std::to_string(op.resultTypes.size()));
    return m_builder.failed() ? std::vector<HloValue>{} : constrained("out_shardings", std::move(results), "#");
}

void HloReader::group(const Operation& op, const HloOperands& in, HloScope& scope)
{
    const std::int64_t id = op.attributes.contains("group_id") ? m_builder.integer("group_id", 0) : -1;
    if (in.size() != 1 || id < 0) {
        m_builder.fail(ErrorCode::InvalidInput, "needs one tensor and its group", "such as %0 group_id=1");
        return;
    }
    if (in[0].shape.empty())
        return; // Lies one way only.
    HloValue value = {m_builder.whole(in[0], ".whole"), false, in[0].shape, {}};
    if (m_builder.failed())
        return;
    if (m_builder.perDevice(value.tensor)) {
        m_builder.refuse("is not read in a program per device", "tensors of the whole program");
        return;
    }
    const std::string name = "group " + std::to_string(id);
    const auto said = m_annotated.contains(value.tensor) ? m_problem.annotationOf(value.tensor) : nullptr;
    if (!m_groups.join(name, value.tensor, value.shape, said)) {
        // What contradicts the group is laid anew for all that follows.
        value.tensor = m_builder.add(GraphOpKind::Copy, {value.tensor}, "." + op.operands[0] + ".group");
        if (m_builder.failed())
            return;
        if (!m_groups.join(name, value.tensor, value.shape, nullptr)) {
            m_builder.fail(ErrorCode::InvalidInput, "its group " + std::to_string(id) + " has tensors of another shape than " + shapeText(value.shape), "tensors of one shape");
            return;
        }
        m_problem.notes.push_back(fabricscope::note("laid-as-group", op.operands[0] + " is said to lie otherwise than its group " + std::to_string(id) + ": a copy of it lies as the group", op.place));
    }
    const auto [root, index] = HloScope::nameAndIndex(op.operands[0]);
    std::vector<HloValue> list = *scope.find(root);
    list[*index] = value;
    scope.values.insert_or_assign(std::string(root), std::move(list));
}

} // namespace fabricscope::mlir
