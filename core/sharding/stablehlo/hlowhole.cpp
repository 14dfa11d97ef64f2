// Functions of whole matrices and lines, of which the partitioner knows no more than their batch: cholesky, triangular_solve, fft.
#include "core/sharding/stablehlo/hlobuilder.h"

#include "core/base/showntext.h"

#include <algorithm>

namespace fabricscope::mlir {

namespace {

HloValue readWhole(HloBuilder& builder, const HloOperands& in, std::string function, std::size_t own, Diagnostics& notes)
{
    std::vector<TensorId> operands;
    for (const HloValue& value : in)
        operands.push_back(builder.whole(value, ".operand" + std::to_string(operands.size())));
    const TensorShape& shape = builder.resultType().shape;
    if (shape.size() < own) {
        builder.fail(ErrorCode::InvalidInput, "gives " + shapeText(shape), std::to_string(own) + " dims or more");
        return {};
    }
    notes.push_back(note("opaque-function", "op " + builder.name() + " (" + builder.operation().name + ") is cut along its batch alone; --run takes it for a function of each element of the batch drawn by a hash, which proves where elements lie and not the numbers", builder.operation().place));
    return builder.finish(GraphOpKind::Opaque, std::move(operands), [&](GraphOp& op) {
        op.function = std::move(function);
        op.shape = shape;
        op.batch = static_cast<std::int64_t>(shape.size() - own);
    });
}

/// A word in the pretty form ("type = RFFT") or the generic one ("fft_type = #stablehlo<fft_type RFFT>").
std::string wordOfAttribute(const HloBuilder& builder, std::string_view pretty, std::string_view generic)
{
    const auto& attributes = builder.operation().attributes;
    auto found = attributes.find(pretty);
    if (found == attributes.end())
        found = attributes.find(generic);
    if (found == attributes.end())
        return {};
    std::string_view text = trimmed(found->second.text);
    if (text.ends_with(">"))
        text = text.substr(0, text.size() - 1);
    return std::string(trimmed(text.substr(text.rfind(' ') + 1)));
}

bool isSquare(const TensorShape& shape)
{
    return shape.size() >= 2 && shape.back() == shape[shape.size() - 2];
}

} // namespace

HloValue readCholesky(HloBuilder& builder, const HloOperands& in, Diagnostics& notes)
{
    if (!isSquare(in[0].shape) || in[0].shape != builder.resultType().shape) {
        builder.fail(ErrorCode::InvalidInput, "its operand is " + shapeText(in[0].shape), "matrices with as many rows as columns, and a result like them");
        return {};
    }
    return readWhole(builder, in, "cholesky", 2, notes);
}

HloValue readTriangularSolve(HloBuilder& builder, const HloOperands& in, Diagnostics& notes)
{
    const TensorShape& a = in[0].shape;
    const TensorShape& b = in[1].shape;
    const bool left = wordOfAttribute(builder, "left_side", {}) != "false";
    const bool fits = isSquare(a) && b.size() == a.size() && std::equal(a.begin(), a.end() - 2, b.begin()) && b[b.size() - (left ? 2 : 1)] == a.back();
    if (!fits || b != builder.resultType().shape) {
        builder.fail(ErrorCode::InvalidInput, "its operands are " + shapeText(a) + " and " + shapeText(b), "matrices with as many rows as columns, right sides that fit, and a result like those");
        return {};
    }
    return readWhole(builder, in, std::string("triangular_solve ") + (left ? "left" : "right"), 2, notes);
}

HloValue readFft(HloBuilder& builder, const HloOperands& in, Diagnostics& notes)
{
    const std::vector<std::int64_t> length = builder.needed("length", "fft_length");
    const std::string type = wordOfAttribute(builder, "type", "fft_type");
    const std::size_t own = length.size();
    const TensorShape& x = in[0].shape;
    const TensorShape& y = builder.resultType().shape;
    if (builder.failed())
        return {};
    TensorShape wanted = x;
    bool fits = own >= 1 && own <= 3 && own <= x.size();
    for (std::size_t d = 0; d < own && fits; ++d) {
        const bool half = d + 1 == own && (type == "RFFT" || type == "IRFFT");
        const std::int64_t points = length[d];
        const std::size_t at = x.size() - own + d;
        fits = points > 0 && x[at] == (half && type == "IRFFT" ? points / 2 + 1 : points);
        wanted[at] = half && type == "RFFT" ? points / 2 + 1 : points;
    }
    if (!fits || y != wanted || (type != "FFT" && type != "IFFT" && type != "RFFT" && type != "IRFFT")) {
        builder.fail(ErrorCode::InvalidInput, "a transform of " + shapeText(x) + " to " + shapeText(y) + " does not fit its type and length", "FFT, IFFT, RFFT or IRFFT over the last one to three dims");
        return {};
    }
    return readWhole(builder, in, "fft " + type, own, notes);
}

std::string calledName(const Operation& op)
{
    if (const auto target = op.attributes.find("call_target_name"); target != op.attributes.end())
        return stringOf(target->second.text).value_or("");
    return op.words.empty() || !op.words[0].text.starts_with("@") ? std::string() : std::string(op.words[0].text.substr(1));
}

bool isForeignCall(const Operation& op)
{
    constexpr std::string_view kKnown[] = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "LayoutConstraint", "annotate_device_placement", "MoveToHost", "MoveToDevice"};
    const std::string name = calledName(op);
    return op.name.ends_with("lo.custom_call") && !name.empty() && !name.starts_with("xla.sdy.") && std::ranges::count(kKnown, name) == 0;
}

std::vector<HloValue> readForeignCall(HloBuilder& builder, const HloOperands& in, Diagnostics& notes)
{
    const Operation& called = builder.operation();
    const std::string name = calledName(called);
    std::vector<TensorId> operands;
    for (const HloValue& value : in)
        operands.push_back(builder.whole(value, ".operand" + std::to_string(operands.size())));
    std::vector<HloValue> results;
    const std::size_t count = called.results.empty() ? 0 : called.resultTypes.size();
    for (std::size_t i = 0; i < count && !builder.failed(); ++i) {
        const Type& type = called.resultTypes[i];
        const std::string suffix = count > 1 ? "#" + std::to_string(i) : std::string();
        if (type.text.text == "tuple<>") { // Of a call for its effects.
            results.emplace_back();
            continue;
        }
        if (!type.tensor) {
            builder.refuse("has a result that is no tensor", "tensors");
            return {};
        }
        const TensorId made = operands.empty() ? builder.input(type.shape, type.element, suffix) : builder.add(GraphOpKind::Opaque, operands, suffix, [&](GraphOp& op) {
            op.function = "call " + name + suffix;
            op.shape = type.shape;
            op.type = type.element;
        });
        results.push_back({made, false, type.shape, {}});
    }
    if (!builder.failed())
        notes.push_back(note("foreign-call", "op " + builder.name() + " calls @" + shownText(name, 60) + ", of which nothing is known: it has whole operands on every device, its work is not counted, and --run takes it for a function of all their elements drawn by a hash", called.place));
    return results;
}

} // namespace fabricscope::mlir
