#include "core/sharding/stablehlo/scalarregion.h"

#include "core/sharding/stablehlo/hlobuilder.h"
#include "core/sharding/stablehlo/hloops.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fabricscope::mlir {

namespace {

constexpr double kSamples[] = {-2, -1, 0, 1, 3};

std::optional<double> constantOf(const Operation& op)
{
    const auto value = op.attributes.find("value");
    const std::string_view text = value != op.attributes.end() ? value->second.text : op.words.empty() ? std::string_view() : op.words.front().text;
    if (!text.starts_with("dense<") || text.find('>') == std::string_view::npos)
        return std::nullopt;
    const std::string_view inner = trimmed(text.substr(6, text.find('>') - 6));
    if (inner == "true" || inner == "false")
        return inner == "true" ? 1 : 0;
    double number = 0;
    const auto [end, problem] = std::from_chars(inner.data(), inner.data() + inner.size(), number);
    if (problem == std::errc{} && end == inner.data() + inner.size())
        return number;
    return inner.starts_with("0x") ? std::optional(std::nan("")) : std::nullopt; // Bits of what is no number, and of infinities, which no sample is.
}

std::optional<double> compared(std::string_view direction, double a, double b)
{
    const std::pair<std::string_view, bool> rows[] = {{"EQ", a == b}, {"NE", a != b}, {"LT", a < b}, {"LE", a <= b}, {"GT", a > b}, {"GE", a >= b}};
    for (const auto& [word, holds] : rows) {
        if (word == direction)
            return holds ? 1 : 0;
    }
    return std::nullopt;
}

std::optional<double> scalarOf(const Operation& op, const std::vector<double>& in)
{
    const std::string_view word = hloWord(op.name);
    if (word == "constant")
        return constantOf(op);
    if (in.size() == 3 && word == "select")
        return in[0] != 0 ? in[1] : in[2];
    if (in.size() == 1) {
        const bool truth = !op.resultTypes.empty() && op.resultTypes[0].element == ElementType::Bool;
        return word == "abs" ? std::optional(std::abs(in[0])) : word == "negate" ? std::optional(-in[0]) : word == "not" && truth ? std::optional(1 - in[0]) : std::nullopt;
    }
    if (in.size() != 2)
        return std::nullopt;
    if (word == "compare")
        return compared(comparisonOf(op), in[0], in[1]);
    const bool truths = (in[0] == 0 || in[0] == 1) && (in[1] == 0 || in[1] == 1);
    const std::pair<std::string_view, double> rows[] = {{"add", in[0] + in[1]}, {"subtract", in[0] - in[1]}, {"maximum", std::max(in[0], in[1])}, {"minimum", std::min(in[0], in[1])}};
    for (const auto& [name, value] : rows) {
        if (word == name)
            return value;
    }
    if (!truths || (word != "and" && word != "or" && word != "xor"))
        return std::nullopt;
    return word == "and" ? in[0] * in[1] : word == "or" ? std::max(in[0], in[1]) : std::abs(in[0] - in[1]);
}

} // namespace

std::optional<std::vector<double>> returnOf(const Region& region, const std::vector<double>& arguments)
{
    if (region.arguments.size() != arguments.size())
        return std::nullopt;
    std::map<std::string_view, double> values;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        values[region.arguments[i].name] = arguments[i];
    for (const Operation& op : region.ops) {
        std::vector<double> in;
        for (const std::string& operand : op.operands) {
            const auto found = values.find(operand);
            if (found == values.end())
                return std::nullopt;
            in.push_back(found->second);
        }
        if (op.name.ends_with(".return"))
            return in;
        const auto made = op.results.size() == 1 ? scalarOf(op, in) : std::nullopt;
        if (!made)
            return std::nullopt;
        values[op.results[0].first] = *made;
    }
    return std::nullopt;
}

std::optional<ElementOrder> orderOf(const Region& comparator, std::size_t operands)
{
    bool rising = true;
    bool falling = true;
    for (const double a : kSamples) {
        for (const double b : kSamples) {
            // The other tensors may say nothing.
            for (const double other : {-1.0, 0.0, 1.0}) {
                std::vector<double> arguments = {a, b};
                for (std::size_t i = 1; i < operands; ++i)
                    arguments.insert(arguments.end(), {other, 0.0});
                const auto first = returnOf(comparator, arguments);
                if (!first || first->size() != 1)
                    return std::nullopt;
                rising = rising && ((*first)[0] != 0) == (a < b);
                falling = falling && ((*first)[0] != 0) == (a > b);
            }
        }
    }
    return rising ? std::optional(ElementOrder::Rising) : falling ? std::optional(ElementOrder::Falling) : std::nullopt;
}

std::optional<ReduceKind> pairJoinOf(const Region& region)
{
    bool most = true;
    bool least = true;
    bool lower = true; // Of equal values the lower index, or always the higher.
    bool higher = true;
    for (const double a : kSamples) {
        for (const double b : kSamples) {
            for (const double i : {2.0, 5.0}) {
                const double j = 7 - i;
                const auto made = returnOf(region, {a, i, b, j});
                if (!made || made->size() != 2)
                    return std::nullopt;
                const auto is = [&](bool first) { return (*made)[0] == (first ? a : b) && (*made)[1] == (first ? i : j); };
                if (a == b) {
                    lower = lower && is(i < j);
                    higher = higher && is(i > j);
                } else {
                    most = most && is(a > b);
                    least = least && is(a < b);
                }
            }
        }
    }
    if (!lower && !higher)
        return std::nullopt;
    return most ? std::optional(ReduceKind::Max) : least ? std::optional(ReduceKind::Min) : std::nullopt;
}

} // namespace fabricscope::mlir
