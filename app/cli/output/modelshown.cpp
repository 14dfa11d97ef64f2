#include "app/cli/output/modelshown.h"

#include "app/cli/values.h"
#include "core/base/quantity.h"
#include "core/base/rankset.h"
#include "core/model/presetmodels.h"
#include "core/report/textcolumns.h"

#include <algorithm>
#include <array>

namespace fabricscope::cli {

namespace {

/// "280.38 T", with a word behind: four or five digits are enough to compare.
std::string scaledText(double value, std::string_view unit)
{
    static constexpr std::array<std::string_view, 8> kPrefixes{"", "k", "M", "G", "T", "P", "E", "Z"};
    std::size_t prefix = 0;
    while (value >= 1000 && prefix + 1 < kPrefixes.size()) {
        value /= 1000;
        ++prefix;
    }
    return withDecimals(value, prefix == 0 ? 0 : 2) + ' ' + std::string(kPrefixes[prefix]) + std::string(unit);
}

std::string countText(std::int64_t count)
{
    return std::to_string(count) + (count >= 10'000 ? " (" + scaledText(static_cast<double>(count), "") + ")" : std::string());
}

std::string bytesText(std::int64_t bytes)
{
    return showBytes(Bytes{bytes}) + (bytes >= 10'000 ? " (" + std::to_string(bytes) + " B)" : std::string());
}

std::string flopsText(WideCount flops)
{
    return scaledText(static_cast<double>(flops), "FLOP") + " (" + wideText(flops) + ")";
}

/// Rows of a name and a value.
class ValueLines {
public:
    void add(std::string name, const std::string& value)
    {
        name.resize(std::max<std::size_t>(name.size() + 1, 26), ' ');
        m_text += name + value + '\n';
    }
    void gap() { m_text += '\n'; }
    const std::string& text() const { return m_text; }

private:
    std::string m_text;
};

std::string attentionText(const TransformerSpec& spec)
{
    if (spec.isLatent())
        return counted(spec.heads, "head") + ", latent attention: ranks " + std::to_string(spec.latent.queryRank) + " and " + std::to_string(spec.latent.kvRank) + ", heads of "
               + std::to_string(spec.latent.nopeDim) + " + " + std::to_string(spec.latent.ropeDim) + ", values of " + std::to_string(spec.latent.valueDim);
    const std::string_view kind = spec.kvHeads == spec.heads ? "multi-head" : spec.kvHeads == 1 ? "multi-query" : "grouped-query";
    return counted(spec.heads, "head") + " of " + std::to_string(spec.headDim) + ", " + std::to_string(spec.kvHeads) + " for keys and values (" + std::string(kind) + ")"
           + (spec.window > 0 ? ", window " + std::to_string(spec.window) : std::string());
}

std::string expertsText(const MoeSpec& moe)
{
    return std::to_string(moe.experts) + " experts of width " + std::to_string(moe.expertFf) + ", " + std::to_string(moe.topK) + " per token"
           + (moe.sharedFf > 0 ? ", shared width " + std::to_string(moe.sharedFf) : std::string())
           + (moe.capacityFactor > 0 ? ", capacity factor " + withDecimals(moe.capacityFactor, 2) : std::string(", dropless"));
}

void addShape(const ShownModel& shown, ValueLines& lines)
{
    const ModelSpec& model = shown.model;
    lines.add("model", model.name.empty() ? "(no name)" : model.name);
    if (model.family != ComputeFamily::Transformer) {
        lines.add("family", std::string(keyOf(kComputeFamilies, model.family)));
        return;
    }
    const TransformerSpec& spec = model.transformer;
    lines.add("layers", std::to_string(spec.layers) + " of width " + std::to_string(spec.hidden) + (spec.parallelResidual ? ", attention and feed-forward side by side" : ""));
    lines.add("attention", attentionText(spec));
    if (spec.ff > 0)
        lines.add("feed-forward", std::to_string(spec.ff) + (spec.ffKind == FeedForwardKind::Glu ? ", gated" : ""));
    if (spec.moe.experts > 0)
        lines.add("experts", expertsText(spec.moe));
    lines.add("vocabulary", std::to_string(spec.vocab) + (spec.tiedEmbedding ? ", one table for embedding and head" : ""));
}

void addParameters(const ShownModel& shown, ValueLines& lines)
{
    const ParameterCount& count = shown.parameters;
    lines.gap();
    lines.add("parameters", countText(count.total));
    lines.add("active parameters", countText(count.active));
    if (count.embedding > 0)
        lines.add("  embedding", countText(count.embedding));
    lines.add("  layers", countText(count.layers));
    if (count.routed > 0)
        lines.add("    routed experts", countText(count.routed));
    if (count.head > 0)
        lines.add("  head", countText(count.head));
    lines.add("bytes stored", bytesText(count.bytes));
    for (std::size_t i = 0; i < kNumberTypes.size(); ++i) {
        if (count.byType[i] > 0)
            lines.add("  " + std::string(kNumberTypes[i].first), countText(count.byType[i]));
    }
}

void addWork(const ShownModel& shown, ValueLines& lines)
{
    const PassShape& pass = shown.pass;
    lines.gap();
    const bool layered = shown.model.family == ComputeFamily::Transformer;
    const std::string sequences = counted(pass.batch, layered ? "sequence" : "sample");
    lines.add(std::string(keyOf(kPassModes, pass.mode)),
              !layered ? sequences : sequences + ", " + counted(pass.tokens, "new token") + " each" + (pass.keys > pass.tokens ? " behind " + std::to_string(pass.keys - pass.tokens) : std::string()));
    if (shown.training) {
        const TrainingCost& cost = *shown.training;
        lines.add("forward", flopsText(cost.forwardFlops));
        lines.add("model FLOPs", flopsText(cost.modelFlops));
        lines.add("executed", flopsText(cost.executedFlops) + ", recomputation " + std::string(keyOf(kLayerRecomputes, shown.recompute)));
        lines.add("vector operations", flopsText(cost.vectorFlops));
        lines.add("activations kept", bytesText(shown.activationBytes) + (layered ? " by layers" : ""));
        if (cost.outsideBytes > 0)
            lines.add("  outside of layers", bytesText(cost.outsideBytes));
        const StateBytes state = stateBytesOf(shown.model.types, shown.model.optimizer);
        lines.add("state per parameter", withDecimals(state.total(), 2) + " B: weight " + withDecimals(state.parameter, 2) + ", gradient " + withDecimals(state.gradient, 2) + ", optimizer "
                                             + withDecimals(state.optimizer, 2));
        return;
    }
    const InferenceCost& cost = *shown.inference;
    lines.add("forward", flopsText(WideCount{cost.linearFlops} + cost.attentionFlops));
    lines.add("  linear", flopsText(cost.linearFlops));
    lines.add("  attention", flopsText(cost.attentionFlops));
    lines.add("weights read", bytesText(cost.weightBytes));
    lines.add("KV cache read", bytesText(cost.kvReadBytes));
    lines.add("largest activations", bytesText(shown.activationBytes) + " of one op");
}

/// Ops of one part of the model.
std::string opsTable(const std::vector<LayerOp>& ops, bool training, const std::stop_token& stop)
{
    TextColumns table(training ? std::vector<std::string>{"op", "split", "FLOPs", "backward", "read", "written", "parameters", "kept"}
                               : std::vector<std::string>{"op", "split", "FLOPs", "read", "written", "parameters"},
                      2, stop);
    for (const LayerOp& op : ops) {
        std::vector<std::string> row{op.name, std::string(splitWord(op.split)), scaledText(static_cast<double>(op.flops), "")};
        if (training)
            row.push_back(scaledText(static_cast<double>(op.backwardFlops), ""));
        row.push_back(showBytes(Bytes{op.read.total()}));
        row.push_back(showBytes(Bytes{op.written.total()}));
        row.push_back(std::to_string(op.parameters.total()));
        if (training)
            row.push_back(showBytes(Bytes{op.saved.total()}));
        table.add(std::move(row));
    }
    return table.text();
}

std::int64_t largestActivations(const ModelLayers& layers)
{
    std::int64_t largest = 0;
    const auto look = [&largest](const std::vector<LayerOp>& ops) {
        for (const LayerOp& op : ops)
            largest = std::max(largest, op.read.total() - op.weightRead.total() + op.written.total());
    };
    look(layers.before);
    for (const LayerKind& kind : layers.kinds)
        look(kind.ops);
    look(layers.after);
    return largest;
}

} // namespace

std::string layersText(const std::vector<std::int32_t>& layers)
{
    RankSet set;
    for (const std::int32_t layer : layers)
        set.add(layer);
    return set.text();
}

Result<ShownModel> workOut(const ModelSpec& model, const PassShape& pass, LayerRecompute recompute)
{
    ShownModel shown;
    shown.model = model;
    shown.pass = pass;
    shown.recompute = recompute;
    auto layers = modelLayers(model, pass);
    if (!layers)
        return std::move(layers).error();
    shown.layers = std::move(layers).value();
    const auto parameters = countParameters(model);
    if (!parameters)
        return parameters.error();
    shown.parameters = parameters.value();
    if (pass.mode == PassMode::Train) {
        auto cost = trainingCost(model, pass.batch, pass.tokens, recompute);
        if (!cost)
            return std::move(cost).error();
        shown.training = cost.value();
        shown.activationBytes = cost.value().savedBytes;
    } else {
        auto cost = inferenceCost(model, pass);
        if (!cost)
            return std::move(cost).error();
        shown.inference = cost.value();
        shown.activationBytes = largestActivations(shown.layers);
    }
    if (model.family != ComputeFamily::Transformer)
        return shown;
    const auto perToken = kvBytesPerToken(model);
    const auto cache = kvCacheBytes(model, pass.keys);
    if (!perToken || !cache)
        return perToken ? cache.error() : perToken.error();
    const Count all = Count(cache.value()) * pass.batch;
    if (!all.fits())
        return Error{ErrorCode::Unsupported, "the KV cache has more than 2^63 bytes", {}, {}};
    shown.kvPerToken = perToken.value();
    shown.kvCache = all.value();
    return shown;
}

std::string modelTable(const ShownModel& shown, const std::stop_token& stop)
{
    ValueLines lines;
    addShape(shown, lines);
    addParameters(shown, lines);
    addWork(shown, lines);
    if (shown.model.family == ComputeFamily::Transformer) {
        lines.gap();
        lines.add("KV cache per token", bytesText(shown.kvPerToken));
        lines.add("KV cache", bytesText(shown.kvCache) + " for " + counted(shown.pass.batch, "sequence") + " of " + std::to_string(shown.pass.keys));
    }
    const bool training = shown.pass.mode == PassMode::Train;
    std::string text = lines.text();
    const auto part = [&](const std::string& title, const std::vector<LayerOp>& ops) {
        if (!ops.empty())
            text += '\n' + title + '\n' + opsTable(ops, training, stop);
    };
    part(shown.layers.kinds.empty() ? "Ops" : "Before the layers", shown.layers.before);
    for (const LayerKind& kind : shown.layers.kinds)
        part("Layers " + layersText(kind.layers) + " (" + kind.name + "), each", kind.ops);
    part("Behind the layers", shown.layers.after);
    return text;
}

std::string modelListTable(const std::stop_token& stop)
{
    TextColumns table({"name", "what it is", "parameters", "active"}, 2, stop);
    for (const ModelPreset& preset : modelPresets()) {
        const auto model = presetModel(preset.name);
        const auto count = model ? countParameters(model.value()) : Result<ParameterCount>(model.error());
        table.add({std::string(preset.name), std::string(preset.about), count ? std::to_string(count.value().total) : "-", count ? std::to_string(count.value().active) : "-"});
    }
    return table.text();
}

} // namespace fabricscope::cli
