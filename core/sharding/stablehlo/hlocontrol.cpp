// Ops with regions, and what they share: groups of tensors that lie alike.
#include "core/sharding/stablehlo/hloreader.h"

#include "core/base/showntext.h"
#include "core/sharding/stablehlo/hloops.h"

#include <algorithm>

namespace fabricscope::mlir {

namespace {

constexpr int kMostTurns = 10'000; ///< Of a loop.

/// Names of what a region returns; null: it does not.
const std::vector<std::string>* returnedBy(const Region& region)
{
    const auto end = std::ranges::find_if(region.ops, [](const Operation& op) { return op.name.ends_with(".return"); });
    return end == region.ops.end() ? nullptr : &end->operands;
}

} // namespace

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

std::vector<HloValue> HloReader::branch(const Operation& op, std::size_t index, const HloScope& scope)
{
    const std::string name = m_builder.name();
    std::vector<HloValue> results = body({}, op.regions[index], "op " + name, op.place, {}, {name + "." + std::to_string(index) + ":", scope.depth + 1, &scope, {}, {}});
    m_builder.begin(op, scope.prefix);
    bool fits = results.size() == op.resultTypes.size();
    for (std::size_t k = 0; k < results.size() && fits; ++k)
        fits = op.resultTypes[k].tensor && results[k].shape == op.resultTypes[k].shape;
    if (!m_builder.failed() && !fits)
        m_builder.fail(ErrorCode::InvalidInput, "branch " + std::to_string(index) + " returns other values than the op", "its types");
    return results;
}

std::vector<HloValue> HloReader::branches(const Operation& op, const HloOperands& in, const HloScope& scope)
{
    const bool two = hloWord(op.name) == "if";
    const std::size_t count = op.regions.size();
    if (in.size() != 1 || !in[0].shape.empty() || count == 0 || (two && count != 2)) {
        m_builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands and " + std::to_string(count) + " branches", two ? "a truth value and two branches" : "a number and a branch or more");
        return {};
    }
    if (in[0].literal == "true" || in[0].literal == "false")
        return branch(op, in[0].literal == "true" ? 0 : 1, scope);
    if (const auto known = two || in[0].literal.empty() ? std::nullopt : integersOf(in[0].literal); known && known->size() == 1)
        return branch(op, known->front() < 0 || known->front() >= std::ssize(op.regions) ? count - 1 : static_cast<std::size_t>(known->front()), scope);
    std::vector<std::vector<HloValue>> results;
    for (std::size_t i = 0; i < count && !m_builder.failed(); ++i)
        results.push_back(branch(op, i, scope));
    std::vector<HloValue> chosen = m_builder.failed() ? std::vector<HloValue>{} : results.back();
    for (std::size_t i = results.size() - 1; i-- > 0 && !m_builder.failed();) {
        TensorId here = in[0].tensor;
        if (!two) {
            const HloValue number = m_builder.constant(m_problem.graph.tensor(here).type, std::to_string(i));
            here = m_builder.add(GraphOpKind::Map, {here, number.tensor}, "." + std::to_string(i) + ".taken", [](GraphOp& made) {
                made.function = "compare EQ";
                made.type = ElementType::Bool;
            });
        }
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            const std::string suffix = "." + std::to_string(i) + "#" + std::to_string(k);
            const TensorId first = m_builder.whole(results[i][k], suffix + ".whole");
            const TensorId second = m_builder.whole(chosen[k], suffix + ".else");
            chosen[k] = {m_builder.add(GraphOpKind::Select, {here, first, second}, suffix), false, chosen[k].shape, {}};
        }
    }
    if (!m_builder.failed() && count > 1)
        m_problem.notes.push_back(fabricscope::note("all-branches", "op " + m_builder.name() + " (" + op.name + "): all branches are counted, as which is taken is not known", op.place));
    return chosen;
}

HloValue HloReader::carried(const HloValue& value, const std::string& group, const std::string& suffix)
{
    if (m_builder.failed() || value.splat || value.shape.empty() || m_builder.perDevice(value.tensor))
        return value;
    const bool own = m_problem.graph.tensor(value.tensor).producer >= 0 && !m_annotated.contains(value.tensor) && !m_groups.contains(value.tensor);
    const TensorId tensor = own ? value.tensor : m_builder.add(GraphOpKind::Copy, {value.tensor}, suffix);
    if (!m_builder.failed())
        m_groups.join(group, tensor, value.shape, nullptr);
    return {tensor, false, value.shape, {}};
}

std::vector<HloValue> HloReader::loop(const Operation& op, const HloOperands& in, const HloScope& scope)
{
    const bool fits = op.regions.size() == 2 && op.regions[0].arguments.size() == in.size() && op.regions[1].arguments.size() == in.size() && op.resultTypes.size() == in.size();
    const std::vector<std::string>* const returned = fits ? returnedBy(op.regions[1]) : nullptr;
    if (!returned || returned->size() != in.size()) {
        m_builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", "as many as each of its two regions has arguments and the second returns");
        return {};
    }
    const std::string name = m_builder.name();
    const std::string what = "op " + name;
    const std::vector<Argument>& arguments = op.regions[1].arguments;
    HloOperands now = in;
    for (std::size_t k = 0; k < in.size(); ++k) {
        if (arguments[k].type.shape != in[k].shape || !arguments[k].type.tensor)
            m_builder.fail(ErrorCode::InvalidInput, "operand " + std::to_string(k) + " is " + shapeText(in[k].shape), fabricscope::shownText(arguments[k].type.text.text, 80));
        // What every turn hands on as it got it may lie as it likes.
        if (!m_builder.failed() && (*returned)[k] != arguments[k].name)
            now[k] = carried(in[k], name + "#" + std::to_string(k), "." + arguments[k].name);
    }
    for (int turn = 0; !m_builder.failed(); ++turn) {
        const std::string prefix = name + "." + std::to_string(turn) + ":";
        const std::vector<HloValue> more = body(op.regions[0].arguments, op.regions[0], what, op.place, now, {prefix + "cond:", scope.depth + 1, &scope, {}, {}});
        m_builder.begin(op, scope.prefix);
        if (m_builder.failed() || (more.size() == 1 && more[0].literal == "false"))
            break;
        const std::int64_t assumed = m_problem.options.turns;
        if (more.size() != 1 || (more[0].literal != "true" && assumed == 0)) {
            m_builder.refuse("how often it runs is not known", "a condition that follows from constants, as in jax.lax.scan and fori_loop, or --set options.turns=N");
            break;
        }
        if (more[0].literal != "true" && turn == 0)
            m_problem.notes.push_back(fabricscope::note("assumed-turns", "op " + name + " (" + op.name + "): how often it runs is computed; it is read as " + std::to_string(assumed) + " turns, by options.turns", op.place));
        if (more[0].literal != "true" && turn >= assumed)
            break;
        std::vector<HloValue> next = body(arguments, op.regions[1], what, op.place, now, {prefix, scope.depth + 1, &scope, {}, {}});
        m_builder.begin(op, scope.prefix);
        if (!m_builder.failed() && turn >= kMostTurns)
            m_builder.refuse("it runs too often", "at most " + std::to_string(kMostTurns) + " turns");
        for (std::size_t k = 0; k < in.size() && !m_builder.failed(); ++k) {
            if (next[k].shape != in[k].shape)
                m_builder.fail(ErrorCode::InvalidInput, "returns " + shapeText(next[k].shape) + " as value " + std::to_string(k), shapeText(in[k].shape));
            else
                now[k] = (*returned)[k] == arguments[k].name ? now[k] : carried(next[k], name + "#" + std::to_string(k), "." + std::to_string(turn) + "." + arguments[k].name);
        }
    }
    return m_builder.failed() ? std::vector<HloValue>{} : now;
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
