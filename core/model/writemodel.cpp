#include "core/model/writemodel.h"

#include "core/model/transformerfields.h"
#include "core/yaml/tree.h"

#include <algorithm>
#include <charconv>

namespace fabricscope {

namespace {

/// Lines of "key: value" at a depth.
class ModelLines {
public:
    void add(int depth, std::string_view key, std::string_view value)
    {
        m_text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + std::string(key) + ':' + (value.empty() ? "" : " ") + std::string(value) + '\n';
    }
    void add(int depth, std::string_view key, std::int64_t value) { add(depth, key, std::to_string(value)); }
    void flag(int depth, std::string_view key, bool value) { add(depth, key, value ? "true" : "false"); }

    template <typename Spec, std::size_t count>
    void counts(int depth, const std::array<CountField<Spec>, count>& fields, const Spec& spec, std::initializer_list<std::string_view> without = {})
    {
        for (const auto& field : fields) {
            if (std::find(without.begin(), without.end(), field.key) == without.end())
                add(depth, field.key, countOf(spec, field));
        }
    }
    template <typename Spec, std::size_t count>
    void flags(int depth, const std::array<FlagField<Spec>, count>& fields, const Spec& spec)
    {
        for (const auto& field : fields)
            flag(depth, field.key, spec.*field.member);
    }
    const std::string& text() const { return m_text; }

private:
    std::string m_text;
};

std::string positionsText(const TransformerSpec& spec)
{
    switch (spec.positions) {
    case PositionKind::Learned: return "learned";
    case PositionKind::Rotary: return "rotary";
    case PositionKind::Relative: return "relative(" + std::to_string(spec.relativeBuckets) + ")";
    case PositionKind::None: return "none";
    }
    return {};
}

std::string listed(const std::vector<std::int32_t>& layers)
{
    std::string text;
    for (const std::int32_t layer : layers)
        text += (text.empty() ? "" : ", ") + std::to_string(layer);
    return '[' + text + ']';
}

std::string slidingText(const TransformerSpec& spec)
{
    std::vector<std::int32_t> layers;
    for (std::int32_t layer = 0; layer < spec.layers; ++layer) {
        if (spec.slidesAt(layer))
            layers.push_back(layer);
    }
    return layers.size() == static_cast<std::size_t>(spec.layers) ? "all" : listed(layers);
}

std::string numberText(double value)
{
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return std::string(digits, end);
}

void writeExperts(const MoeSpec& moe, ModelLines& lines)
{
    lines.add(2, "moe", "");
    lines.counts(3, kMoeCounts, moe);
    lines.flags(3, kMoeFlags, moe);
    lines.add(3, "capacity_factor", moe.capacityFactor > 0 ? numberText(moe.capacityFactor) : "none");
    lines.add(3, "dispatch", keyOf(kMoeDispatches, moe.dispatch));
    if (!moe.denseLayers.empty())
        lines.add(3, "dense_layers", listed(moe.denseLayers));
}

void writeTransformer(const TransformerSpec& spec, ModelLines& lines)
{
    lines.add(1, "transformer", "");
    // What does not count with these positions may be out of range.
    if (spec.positions == PositionKind::Learned)
        lines.counts(2, kTransformerCounts, spec, {"relative_buckets"});
    else
        lines.counts(2, kTransformerCounts, spec, {"position_rows", "relative_buckets"});
    lines.flags(2, kTransformerFlags, spec);
    lines.add(2, "norm", keyOf(kNormKinds, spec.norm));
    lines.add(2, "ff_kind", keyOf(kFeedForwardKinds, spec.ffKind));
    lines.add(2, "head", keyOf(kHeadKinds, spec.head));
    lines.add(2, "positions", positionsText(spec));
    if (spec.window > 0)
        lines.add(2, "sliding_layers", slidingText(spec));
    if (spec.isLatent()) {
        lines.add(2, "latent", "");
        lines.counts(3, kLatentCounts, spec.latent);
    }
    if (spec.moe.experts > 0)
        writeExperts(spec.moe, lines);
}

} // namespace

Result<std::string> writeModelFile(const ModelSpec& model)
{
    if (model.family != ComputeFamily::Transformer)
        return Error{ErrorCode::Unsupported, "only transformers are written as model files, not a " + std::string(keyOf(kComputeFamilies, model.family)), {}, {}};
    ModelLines lines;
    lines.add(0, "model", "");
    lines.add(1, "name", renderYaml(YamlNode::scalar(model.name), false));
    lines.add(1, "family", "transformer");
    lines.add(1, "dtype", "");
    const ModelTypes& types = model.types;
    for (const auto& [key, type] : {std::pair{"param", types.param}, {"act", types.act}, {"grad", types.grad}, {"master", types.master}, {"moments", types.moments}, {"kv", types.kv}})
        lines.add(2, key, keyOf(kNumberTypes, type));
    lines.flag(2, "fp8_linears", types.fp8Linears);
    lines.add(1, "optimizer", keyOf(kOptimizers, model.optimizer));
    lines.add(1, "train", "");
    if (model.train.global > 0)
        lines.add(2, "global_batch", model.train.global);
    lines.add(2, "micro_batch", model.train.micro);
    writeTransformer(model.transformer, lines);
    return lines.text();
}

} // namespace fabricscope
