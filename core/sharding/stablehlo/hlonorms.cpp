// Ops of PyTorch's and TensorFlow's programs, written out: normalisation by the batch, einsum.
#include "core/sharding/stablehlo/hlobuilder.h"

#include <algorithm>

namespace fabricscope::mlir {

namespace {

/// The operand of a normalisation and how its channels are scaled and moved.
class BatchNorm {
public:
    BatchNorm(HloBuilder& builder, const HloOperands& in) : m_builder(builder), m_feature(builder.integer("feature_index", -1)), m_shape(in[0].shape)
    {
        const bool dim = m_feature >= 0 && m_feature < std::ssize(m_shape);
        if (!dim)
            builder.fail(ErrorCode::InvalidInput, "feature_index " + std::to_string(m_feature) + " is no dim of " + shapeText(m_shape));
        for (std::size_t i = 1; i < in.size() && dim; ++i) {
            if (in[i].shape != TensorShape{m_shape[static_cast<std::size_t>(m_feature)]})
                builder.fail(ErrorCode::InvalidInput, "operand " + std::to_string(i) + " is " + shapeText(in[i].shape), "one number per channel of " + shapeText(m_shape));
        }
        m_x = builder.whole(in[0], ".operand");
        m_scale = builder.whole(in[1], ".scale");
        m_offset = builder.whole(in[2], ".offset");
    }

    /// Mean of all elements of a channel.
    TensorId mean(TensorId tensor, const std::string& suffix)
    {
        return m_builder.add(GraphOpKind::Reduce, {tensor}, suffix, [&](GraphOp& op) {
            op.reduce = ReduceKind::Mean;
            for (std::int64_t d = 0; d < std::ssize(m_shape); ++d) {
                if (d != m_feature)
                    op.dims.push_back(d);
            }
        });
    }
    TensorId operand() const { return m_x; }
    TensorId centred(TensorId mean) { return m_builder.add(GraphOpKind::Sub, {m_x, along(mean, ".mean.each")}, ".centred"); }
    HloValue result(TensorId centred, TensorId variance)
    {
        if (m_builder.failed())
            return {};
        const auto epsilon = m_builder.operation().attributes.find("epsilon");
        const std::string_view text = epsilon == m_builder.operation().attributes.end() ? "0" : epsilon->second.text;
        const HloValue added = m_builder.constant(m_builder.resultType().element, std::string(trimmed(text.substr(0, text.find(':')))));
        const TensorId root = m_builder.add(GraphOpKind::Map, {m_builder.add(GraphOpKind::Add, {variance, added.tensor}, ".variance.added")}, ".root", [](GraphOp& op) { op.function = "rsqrt"; });
        const TensorId factor = along(m_builder.add(GraphOpKind::Mul, {root, m_scale}, ".factor"), ".factor.each");
        const TensorId scaled = m_builder.add(GraphOpKind::Mul, {centred, factor}, ".scaled");
        return m_builder.finish(GraphOpKind::Add, {scaled, along(m_offset, ".offset.each")});
    }

private:
    TensorId along(TensorId channels, const std::string& suffix)
    {
        return m_builder.add(GraphOpKind::Broadcast, {channels}, suffix, [&](GraphOp& op) {
            op.shape = m_shape;
            op.dims = {m_feature};
        });
    }

    HloBuilder& m_builder;
    std::int64_t m_feature;
    TensorShape m_shape;
    TensorId m_x = -1, m_scale = -1, m_offset = -1;
};

} // namespace

HloValue readBatchNormInference(HloBuilder& builder, const HloOperands& in)
{
    BatchNorm norm(builder, in);
    return norm.result(norm.centred(builder.whole(in[3], ".mean")), builder.whole(in[4], ".variance"));
}

std::vector<HloValue> readBatchNormTraining(HloBuilder& builder, const HloOperands& in)
{
    if (in.size() != 3) {
        builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", "a tensor, scale and offset");
        return {};
    }
    BatchNorm norm(builder, in);
    const TensorId mean = norm.mean(norm.operand(), "#1");
    const TensorId centred = norm.centred(mean);
    const TensorId variance = norm.mean(builder.add(GraphOpKind::Mul, {centred, centred}, ".squares"), "#2");
    const HloValue result = norm.result(centred, variance);
    const TensorShape channels = builder.failed() ? TensorShape{} : builder.shapeOf(mean);
    return {result, {mean, false, channels, {}}, {variance, false, channels, {}}};
}

HloValue readEinsum(HloBuilder& builder, const HloOperands& in)
{
    const auto& attributes = builder.operation().attributes;
    auto config = attributes.find("config");
    if (config == attributes.end())
        config = attributes.find("einsum_config");
    std::string text = config == attributes.end() ? std::string() : stringOf(config->second.text).value_or("");
    std::erase(text, ' ');
    const std::size_t comma = text.find(',');
    const std::size_t arrow = text.find("->");
    const bool letters = std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ',' || c == '-' || c == '>'; });
    if (comma == std::string::npos || arrow == std::string::npos || arrow < comma || !letters) {
        builder.fail(ErrorCode::InvalidInput, "its config cannot be read", "such as \"ab,bc->ac\"");
        return {};
    }
    return builder.finish(GraphOpKind::Einsum, {builder.whole(in[0], ".lhs"), builder.whole(in[1], ".rhs")}, [&](GraphOp& op) { op.letters = {text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1), text.substr(arrow + 2)}; });
}

} // namespace fabricscope::mlir
