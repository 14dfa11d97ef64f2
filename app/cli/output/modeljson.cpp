#include "app/cli/output/modelshown.h"
#include "core/model/presetmodels.h"
#include "core/report/jsonwriter.h"

namespace fabricscope::cli {

namespace {

void writeModelShape(JsonWriter& json, const TransformerSpec& spec)
{
    json.key("transformer");
    json.beginCompactObject();
    json.member("layers", std::int64_t{spec.layers});
    json.member("hidden", spec.hidden);
    json.member("heads", std::int64_t{spec.heads});
    json.member("kv_heads", std::int64_t{spec.kvHeads});
    json.member("head_dim", std::int64_t{spec.headDim});
    json.member("ff", spec.ff);
    json.member("vocab", spec.vocab);
    json.member("seq", spec.seq);
    if (spec.moe.experts > 0) {
        json.member("experts", std::int64_t{spec.moe.experts});
        json.member("top_k", std::int64_t{spec.moe.topK});
        json.member("expert_ff", spec.moe.expertFf);
        json.member("shared_ff", spec.moe.sharedFf);
    }
    json.endObject();
}

void writeTypes(JsonWriter& json, const ParameterCount& count)
{
    json.key("parameters_by_type");
    json.beginCompactObject();
    for (std::size_t i = 0; i < kNumberTypes.size(); ++i)
        json.member(kNumberTypes[i].first, count.byType[i]);
    json.endObject();
}

/// What a checkpoint with layers that predict further tokens stores: copies of embedding and head too.
void writeCheckpoint(JsonWriter& json, const ModelSpec& model)
{
    const auto count = countCheckpoint(model);
    if (model.transformer.predictLayers == 0 || !count)
        return;
    json.key("checkpoint");
    json.beginObject();
    json.member("parameters", count.value().total);
    json.member("bytes", count.value().bytes);
    writeTypes(json, count.value());
    json.endObject();
}

void writeCounts(JsonWriter& json, const ParameterCount& count)
{
    json.member("parameters", count.total);
    json.member("active_parameters", count.active);
    json.member("embedding_parameters", count.embedding);
    json.member("layer_parameters", count.layers);
    json.member("routed_parameters", count.routed);
    json.member("head_parameters", count.head);
    json.member("parameter_bytes", count.bytes);
    json.key("parameters_by_class");
    json.beginCompactObject();
    for (std::size_t i = 0; i < kTensorClasses.size(); ++i)
        json.member(kTensorClasses[i].first, count.byClass[i]);
    json.endObject();
    writeTypes(json, count);
}

void writeWide(JsonWriter& json, std::string_view key, WideCount value)
{
    json.key(key);
    json.number(wideText(value));
}

void writeWork(JsonWriter& json, const ShownModel& shown)
{
    const WideCount forward = shown.training ? shown.training->forwardFlops : WideCount{shown.inference->linearFlops} + shown.inference->attentionFlops;
    json.member("mode", keyOf(kPassModes, shown.pass.mode));
    json.member("batch", shown.pass.batch);
    json.member("tokens", shown.pass.tokens);
    json.member("keys", shown.pass.keys);
    writeWide(json, "flops_forward", forward);
    writeWide(json, "macs_forward", forward / 2);
    if (shown.training) {
        const TrainingCost& cost = *shown.training;
        json.member("recompute", keyOf(kLayerRecomputes, shown.recompute));
        writeWide(json, "model_flops", cost.modelFlops);
        writeWide(json, "executed_flops", cost.executedFlops);
        writeWide(json, "published_hardware_flops", cost.publishedHardwareFlops);
        writeWide(json, "vector_flops_forward", cost.vectorFlops);
        json.member("activation_bytes", shown.activationBytes);
        json.member("activation_bytes_outside", cost.outsideBytes);
    } else {
        const InferenceCost& cost = *shown.inference;
        json.member("linear_flops", cost.linearFlops);
        json.member("attention_flops", cost.attentionFlops);
        json.member("vector_flops_forward", cost.vectorFlops);
        json.member("activation_bytes", shown.activationBytes);
        json.member("weight_bytes_read", cost.weightBytes);
        json.member("kv_bytes_read", cost.kvReadBytes);
        json.member("kv_bytes_written", cost.kvWriteBytes);
    }
    json.member("kv_bytes_per_token", shown.kvPerToken);
    json.member("kv_cache_bytes", shown.kvCache);
}

void writeOps(JsonWriter& json, std::string_view key, const std::vector<LayerOp>& ops)
{
    json.key(key);
    json.beginArray();
    for (const LayerOp& op : ops) {
        json.beginCompactObject();
        json.member("name", op.name);
        json.member("split", splitWord(op.split));
        json.member("matrix", op.matrix);
        json.member("flops", op.flops);
        json.member("backward_flops", op.backwardFlops);
        json.member("read_bytes", op.read.total());
        json.member("written_bytes", op.written.total());
        json.member("parameters", op.parameters.total());
        json.member("saved_bytes", op.saved.total());
        json.endObject();
    }
    json.endArray();
}

void writeKinds(JsonWriter& json, const ModelLayers& layers)
{
    json.key("layer_kinds");
    json.beginArray();
    for (const LayerKind& kind : layers.kinds) {
        json.beginObject();
        json.member("name", kind.name);
        json.member("layers", layersText(kind.layers));
        json.member("count", static_cast<std::int64_t>(kind.layers.size()));
        json.member("window", kind.window);
        json.member("parameters", kind.parameters);
        json.member("active_parameters", kind.activeParameters);
        json.member("kv_bytes_per_token", kind.kvBytesPerToken);
        json.member("saved_bytes", totalsOf(kind.ops).savedBytes);
        writeOps(json, "ops", kind.ops);
        json.endObject();
    }
    json.endArray();
}

} // namespace

std::string modelJson(const ShownModel& shown, const std::stop_token& stop)
{
    JsonWriter json(stop);
    json.beginObject();
    json.member("schema", std::int64_t{1});
    json.key("result");
    json.beginObject();
    json.member("name", shown.model.name);
    json.member("family", keyOf(kComputeFamilies, shown.model.family));
    if (shown.model.family == ComputeFamily::Transformer)
        writeModelShape(json, shown.model.transformer);
    writeCounts(json, shown.parameters);
    writeCheckpoint(json, shown.model);
    writeWork(json, shown);
    writeOps(json, "before", shown.layers.before);
    writeKinds(json, shown.layers);
    writeOps(json, "after", shown.layers.after);
    json.key("warnings");
    json.beginArray();
    for (const Diagnostic& entry : shown.notes)
        json.string(entry.text());
    json.endArray();
    json.endObject();
    json.endObject();
    return json.text() + '\n';
}

std::string modelListJson(const std::stop_token& stop)
{
    JsonWriter json(stop);
    json.beginObject();
    json.member("schema", std::int64_t{1});
    json.key("result");
    json.beginArray();
    for (const ModelPreset& preset : modelPresets()) {
        const auto model = presetModel(preset.name);
        const auto count = model ? countParameters(model.value()) : Result<ParameterCount>(model.error());
        json.beginCompactObject();
        json.member("name", preset.name);
        json.member("title", preset.about);
        json.member("family", model ? keyOf(kComputeFamilies, model.value().family) : std::string_view());
        json.member("parameters", count ? count.value().total : 0);
        json.member("active_parameters", count ? count.value().active : 0);
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.text();
}

} // namespace fabricscope::cli
