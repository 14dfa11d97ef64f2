#include "core/model/readmodel.h"

#include "core/model/checkedmodel.h"
#include "core/model/presetmodels.h"

#include <algorithm>

namespace fabricscope {

namespace {

void readTypes(FieldContext& context, const YamlNode& node, const std::string& field, ModelTypes& types)
{
    const MapReader map(context, node, field, {"param", "act", "grad", "master", "moments", "kv", "fp8_linears"});
    const auto read = [&map](std::string_view key, NumberType& type) {
        if (const auto given = map.choice<NumberType>(key, {kNumberTypes.begin(), kNumberTypes.end()}))
            type = *given;
    };
    read("param", types.param);
    read("act", types.act);
    read("grad", types.grad);
    read("master", types.master);
    read("moments", types.moments);
    if (map.has("act") && !map.has("kv"))
        types.kv = types.act;
    read("kv", types.kv);
    if (const auto linears = map.boolean("fp8_linears"))
        types.fp8Linears = *linears;
    else if (map.has("param"))
        types.fp8Linears = types.param == NumberType::Fp8;
    for (const std::string_view key : {"act", "grad", "master"}) {
        const NumberType type = key == "act" ? types.act : key == "grad" ? types.grad : types.master;
        if (map.has(key) && bytesOf(type) < 2 && key != "act")
            map.error(key, "gradients and master weights of one byte are not known", "fp32, fp16 or bf16");
    }
}

void readBatch(FieldContext& context, const YamlNode& node, const std::string& field, TrainingBatch& batch)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 32;
    const MapReader map(context, node, field, {"global_batch", "micro_batch"});
    if (const auto global = map.integer("global_batch", 1, kMost))
        batch.global = *global;
    if (const auto micro = map.integer("micro_batch", 1, kMost))
        batch.micro = *micro;
}

/// Keys of a family that may stand beside `family` instead of in a mapping of its own.
std::vector<std::string_view> flatKeys(ComputeFamily family)
{
    switch (family) {
    case ComputeFamily::Transformer: return {};
    case ComputeFamily::Dlrm: return {"dense_in", "bottom", "top", "tables", "interaction"};
    case ComputeFamily::Convnet: return {"input", "layers"};
    case ComputeFamily::Graph: return {"sizes", "params", "ops"};
    }
    return {};
}

/// The entries of these keys as a mapping; empty: none of them is there.
YamlNode flatPart(const YamlNode& node, const std::vector<std::string_view>& keys)
{
    YamlNode part = YamlNode::map();
    part.line = node.line;
    part.column = node.column;
    for (const YamlEntry& entry : node.entries) {
        if (std::find(keys.begin(), keys.end(), entry.key) != keys.end())
            part.entries.push_back(entry);
    }
    return part;
}

void readPart(FieldContext& context, const YamlNode& node, const std::string& field, bool fromPreset, ModelSpec& model)
{
    switch (model.family) {
    case ComputeFamily::Transformer: readTransformer(context, node, field, fromPreset, model.transformer); break;
    case ComputeFamily::Dlrm: readDlrm(context, node, field, model.dlrm); break;
    case ComputeFamily::Convnet: readConvnet(context, node, field, model.convnet); break;
    case ComputeFamily::Graph: readGraph(context, node, field, model.graph); break;
    }
}

/// The part of the family: its own mapping, or its keys beside `family`.
void readFamilyPart(const MapReader& map, bool fromPreset, ModelSpec& model)
{
    const std::string_view key = keyOf(kComputeFamilies, model.family);
    for (const auto& [other, family] : kComputeFamilies) {
        if (family != model.family && map.has(other))
            map.error(other, "the model is of family " + std::string(key) + ", so " + std::string(other) + " does not count", "only " + std::string(key));
    }
    const YamlNode flat = flatPart(map.map(), flatKeys(model.family));
    if (!flat.entries.empty()) {
        if (map.has(key))
            map.error(key, "the model is said twice: in " + std::string(key) + " and beside it", "one of them");
        readPart(map.context(), flat, map.path(), fromPreset, model);
        return;
    }
    const YamlNode* node = fromPreset ? map.node(key) : map.required(key);
    if (node)
        readPart(map.context(), *node, map.field(key), fromPreset, model);
}

/// Puts a problem of the whole at the key it is about, or at what stands nearest above it.
void reportProblem(FieldContext& context, const YamlNode& node, const std::string& field, const ModelProblem& problem)
{
    const YamlNode* at = &node;
    std::size_t begin = 0;
    while (begin < problem.key.size() && at->isMap()) {
        const std::size_t dot = std::min(problem.key.find('.', begin), problem.key.size());
        const YamlEntry* entry = at->find(std::string_view(problem.key).substr(begin, dot - begin));
        if (!entry)
            break;
        at = &entry->value;
        begin = dot + 1;
    }
    context.error(*at, field + "." + problem.key, problem.message, problem.expected);
}

/// The preset by that name; nothing and an error otherwise.
std::optional<ModelSpec> namedPreset(FieldContext& context, const YamlNode& node, const std::string& field, const std::string& name)
{
    auto preset = presetModel(name);
    if (preset)
        return std::move(preset).value();
    context.error(node, field, preset.error().message, preset.error().expected);
    return std::nullopt;
}

} // namespace

std::optional<ModelSpec> readModel(FieldContext& context, const YamlNode& node, const std::string& field)
{
    if (node.isScalar())
        return namedPreset(context, node, field, node.text);
    const std::size_t errorsBefore = context.diagnostics.size();
    std::vector<std::string_view> keys{"name", "preset", "family", "dtype", "optimizer", "train", "transformer", "dlrm", "convnet", "graph"};
    const YamlEntry* said = node.isMap() ? node.find("family") : nullptr;
    for (const std::string_view key : flatKeys(said ? valueOf(kComputeFamilies, said->value.text).value_or(ComputeFamily::Transformer) : ComputeFamily::Transformer))
        keys.push_back(key);
    const MapReader map(context, node, field, keys);
    if (!node.isMap())
        return std::nullopt;
    ModelSpec model;
    const bool fromPreset = map.has("preset");
    if (const auto name = map.text("preset")) {
        auto preset = namedPreset(context, *map.node("preset"), map.field("preset"), *name);
        if (!preset)
            return std::nullopt;
        model = std::move(*preset);
    }
    if (const auto name = map.text("name"))
        model.name = *name;
    const ComputeFamily before = model.family;
    if (const auto family = map.choice<ComputeFamily>("family", {kComputeFamilies.begin(), kComputeFamilies.end()}))
        model.family = *family;
    if (fromPreset && model.family != before)
        map.error("family", "the preset is of family " + std::string(keyOf(kComputeFamilies, before)));
    if (const auto optimizer = map.choice<OptimizerKind>("optimizer", {kOptimizers.begin(), kOptimizers.end()}))
        model.optimizer = *optimizer;
    if (const YamlNode* types = map.node("dtype"))
        readTypes(context, *types, map.field("dtype"), model.types);
    if (const YamlNode* batch = map.node("train"))
        readBatch(context, *batch, map.field("train"), model.train);
    readFamilyPart(map, fromPreset, model);
    if (context.diagnostics.size() != errorsBefore)
        return std::nullopt;
    if (const auto problem = problemOf(model)) {
        reportProblem(context, node, field, *problem);
        return std::nullopt;
    }
    return model;
}

Result<ModelSpec> readModelFile(const YamlDocument& document, const std::stop_token& stop)
{
    FieldContext context(document, stop);
    std::optional<ModelSpec> model;
    // In a design `model:` is the model of time.
    if (const YamlNode* planned = document.root().isMap() && document.root().find("workload") ? document.find("workload.model") : nullptr) {
        model = readModel(context, *planned, "workload.model");
    } else {
        const MapReader map(context, document.root(), "", {"model", "plan"});
        if (const YamlNode* node = document.root().isMap() ? map.required("model") : nullptr)
            model = readModel(context, *node, "model");
    }
    if (context.firstError())
        return *context.firstError();
    if (!model)
        return invalidInput("the file has no model that can be read", document.place(document.root(), "model"));
    return std::move(*model);
}

} // namespace fabricscope
