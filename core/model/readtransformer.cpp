#include "core/model/readmodel.h"
#include "core/model/transformerfields.h"

#include <charconv>

namespace fabricscope {

namespace {

template <typename Spec, std::size_t count>
void readCounts(const MapReader& map, const std::array<CountField<Spec>, count>& fields, Spec& spec)
{
    for (const auto& field : fields) {
        if (const auto value = map.integer(field.key, field.least, field.most))
            setCount(spec, field, *value);
    }
}

template <typename Spec, std::size_t count>
void readFlags(const MapReader& map, const std::array<FlagField<Spec>, count>& fields, Spec& spec)
{
    for (const auto& field : fields) {
        if (const auto value = map.boolean(field.key))
            spec.*field.member = *value;
    }
}

template <typename Value, std::size_t count>
void readWord(const MapReader& map, std::string_view key, const KeyTable<Value, count>& table, Value& value)
{
    if (const auto read = map.choice<Value>(key, {table.begin(), table.end()}))
        value = *read;
}

template <typename Fields>
void appendKeys(std::vector<std::string_view>& keys, const Fields& fields)
{
    for (const auto& field : fields)
        keys.push_back(field.key);
}

void readPositions(const MapReader& map, TransformerSpec& spec)
{
    const auto text = map.text("positions");
    if (!text)
        return;
    constexpr std::string_view kRelative = "relative(";
    std::int32_t buckets = 0;
    if (*text == "learned") {
        spec.positions = PositionKind::Learned;
    } else if (*text == "rotary") {
        spec.positions = PositionKind::Rotary;
    } else if (*text == "none" || *text == "alibi") {
        spec.positions = PositionKind::None;
    } else if (text->starts_with(kRelative) && text->ends_with(')')
               && std::from_chars(text->data() + kRelative.size(), text->data() + text->size() - 1, buckets).ptr == text->data() + text->size() - 1
               && buckets >= 1 && buckets <= kMostHeads) {
        spec.positions = PositionKind::Relative;
        spec.relativeBuckets = buckets;
    } else {
        map.error("positions", "unknown value \"" + *text + "\"", "learned, rotary, relative(BUCKETS), alibi or none");
    }
}

/// Layers listed as numbers, within the model.
std::vector<std::int32_t> readLayers(const MapReader& map, std::string_view key, std::int32_t layers)
{
    std::vector<std::int32_t> read;
    for (const auto& [node, field] : map.list(key)) {
        if (const auto layer = readInteger(map.context(), *node, field, 0, std::max(layers - 1, 0)))
            read.push_back(static_cast<std::int32_t>(*layer));
    }
    std::sort(read.begin(), read.end());
    read.erase(std::unique(read.begin(), read.end()), read.end());
    return read;
}

void readSlidingLayers(const MapReader& map, TransformerSpec& spec)
{
    const auto count = static_cast<std::size_t>(std::max(spec.layers, 0));
    const YamlNode* node = map.node("sliding_layers");
    if (!node) {
        if (spec.window > 0 && (!map.has("sliding_layers")) && spec.slides.size() != count)
            spec.slides.assign(count, 1);
        return;
    }
    if (spec.window == 0)
        map.error("sliding_layers", "there is no sliding_window");
    spec.slides.assign(count, 0);
    if (node->isSequence()) {
        for (const std::int32_t layer : readLayers(map, "sliding_layers", spec.layers))
            spec.slides[static_cast<std::size_t>(layer)] = 1;
        return;
    }
    const auto word = map.choice<int>("sliding_layers", {{"all", 0}, {"even", 1}, {"odd", 2}});
    for (std::size_t layer = 0; word && layer < count; ++layer)
        spec.slides[layer] = *word == 0 || (layer % 2 == 0) == (*word == 1);
}

void readLatent(FieldContext& context, const YamlNode& node, const std::string& field, LatentAttention& latent)
{
    std::vector<std::string_view> keys;
    appendKeys(keys, kLatentCounts);
    const MapReader map(context, node, field, keys);
    readCounts(map, kLatentCounts, latent);
    if (node.isMap() && latent.kvRank == 0)
        map.required("kv_rank");
    if (node.isMap() && latent.nopeDim == 0)
        map.required("nope_dim");
    if (latent.valueDim == 0)
        latent.valueDim = latent.nopeDim;
}

void readMoe(FieldContext& context, const YamlNode& node, const std::string& field, TransformerSpec& spec)
{
    std::vector<std::string_view> keys{"capacity_factor", "dispatch", "dense_layers"};
    appendKeys(keys, kMoeCounts);
    appendKeys(keys, kMoeFlags);
    const MapReader map(context, node, field, keys);
    MoeSpec& moe = spec.moe;
    const bool before = moe.experts > 0;
    readCounts(map, kMoeCounts, moe);
    readFlags(map, kMoeFlags, moe);
    readWord(map, "dispatch", kMoeDispatches, moe.dispatch);
    if (map.has("every") && !map.has("phase"))
        moe.phase = moe.every - 1;
    if (const auto text = map.text("capacity_factor"); text && (*text == "none" || *text == "dropless"))
        moe.capacityFactor = 0;
    else if (const auto factor = map.number("capacity_factor", 0))
        moe.capacityFactor = *factor;
    if (map.has("dense_layers"))
        moe.denseLayers = readLayers(map, "dense_layers", spec.layers);
    if (moe.experts == 0) {
        moe = {};
        return;
    }
    if (moe.expertFf == 0)
        moe.expertFf = spec.ff;
    if (!map.has("shared_ff") && (!before || map.has("shared_experts") || map.has("expert_ff")))
        moe.sharedFf = moe.sharedExperts * moe.expertFf;
}

/// What other sizes say where nothing is written. Of a preset only what followed them before.
void deriveSizes(const MapReader& map, const TransformerSpec& before, bool fromPreset, TransformerSpec& spec)
{
    if (!map.has("kv_heads") && (!fromPreset || before.kvHeads == before.heads))
        spec.kvHeads = spec.heads;
    if (!map.has("head_dim") && spec.heads > 0 && (!fromPreset || before.hidden == std::int64_t{before.heads} * before.headDim)) {
        // Latent attention has widths of its own.
        if (spec.hidden % spec.heads != 0 && !map.has("latent") && !spec.isLatent())
            map.error("heads", std::to_string(spec.hidden) + " hidden does not divide by " + std::to_string(spec.heads) + " heads", "head_dim, or other sizes");
        spec.headDim = static_cast<std::int32_t>(std::min(std::max(spec.hidden / spec.heads, std::int64_t{1}), kMostHeads));
    }
    if (!map.has("position_rows") && (!fromPreset || before.positionRows == before.seq))
        spec.positionRows = spec.seq;
    if (!map.has("ff") && !fromPreset && !map.has("moe"))
        spec.ff = 4 * spec.hidden;
    if (!map.has("sliding_layers") && fromPreset && spec.layers != before.layers && !before.slides.empty()) {
        const bool all = std::find(before.slides.begin(), before.slides.end(), 0) == before.slides.end();
        if (!all)
            map.error("layers", "the preset says which of its layers slide, not which of others", "sliding_layers as well");
        spec.slides.clear();
    }
}

void readBias(const MapReader& map, TransformerSpec& spec)
{
    if (const auto bias = map.boolean("bias"))
        spec.qkvBias = spec.outputBias = spec.mlpBias = *bias;
}

} // namespace

void readTransformer(FieldContext& context, const YamlNode& node, const std::string& field, bool fromPreset, TransformerSpec& spec)
{
    std::vector<std::string_view> keys{"bias", "norm", "ff_kind", "head", "positions", "sliding_layers", "latent", "moe"};
    appendKeys(keys, kTransformerCounts);
    appendKeys(keys, kTransformerFlags);
    const MapReader map(context, node, field, keys);
    if (!node.isMap())
        return;
    for (const std::string_view key : {"layers", "hidden", "heads", "vocab", "seq"}) {
        if (!fromPreset)
            map.required(key);
    }
    const TransformerSpec before = spec;
    readBias(map, spec);
    readCounts(map, kTransformerCounts, spec);
    readFlags(map, kTransformerFlags, spec);
    readWord(map, "norm", kNormKinds, spec.norm);
    readWord(map, "ff_kind", kFeedForwardKinds, spec.ffKind);
    readWord(map, "head", kHeadKinds, spec.head);
    readPositions(map, spec);
    if (context.hasErrors())
        return;
    deriveSizes(map, before, fromPreset, spec);
    readSlidingLayers(map, spec);
    if (const YamlNode* latent = map.node("latent"))
        readLatent(context, *latent, map.field("latent"), spec.latent);
    if (const YamlNode* moe = map.node("moe"))
        readMoe(context, *moe, map.field("moe"), spec);
}

} // namespace fabricscope
