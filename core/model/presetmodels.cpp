#include "core/model/presetmodels.h"

#include "core/base/nearestword.h"
#include "core/base/showntext.h"
#include "core/model/checkpointconfig.h"
#include "core/model/presettable.h"
#include "core/model/readmodel.h"

#include <charconv>

namespace fabricscope {

namespace {

std::vector<PresetRow> allPresetRows()
{
    std::vector<PresetRow> all;
    for (const auto& rows : {transformerPresetRows(), checkpointPresetRows(), otherPresetRows()})
        all.insert(all.end(), rows.begin(), rows.end());
    return all;
}

/// Other names that people use.
constexpr KeyTable<std::string_view, 15> kOtherNames{{{"gpt2", "gpt2-124m"},
                                                      {"gpt2-small", "gpt2-124m"},
                                                      {"gpt2-1.5b", "gpt2-xl"},
                                                      {"gpt-3", "gpt3-175b"},
                                                      {"llama-1-7b", "llama-7b"},
                                                      {"llama-3.1-8b", "llama-3-8b"},
                                                      {"llama-3.1-70b", "llama-3-70b"},
                                                      {"llama-3-405b", "llama-3.1-405b"},
                                                      {"mistral-7b", "mistral-7b-v0.1"},
                                                      {"mixtral", "mixtral-8x7b"},
                                                      {"deepseek-r1", "deepseek-v3"},
                                                      {"bloom", "bloom-176b"},
                                                      {"dlrm", "mlperf-dlrm"},
                                                      {"phi-3-mini", "phi-3-mini-4k"},
                                                      {"gpt-175b", "gpt3-175b"}}};

Result<ModelSpec> readPresetModel(const PresetRow& row)
{
    const auto document = YamlDocument::parse(std::string(row.text), "preset " + std::string(row.name));
    if (!document)
        return document.error();
    FieldContext context(document.value());
    auto model = readModel(context, document.value().root(), "");
    if (!model)
        return *context.firstError();
    return std::move(*model);
}

Result<ModelSpec> readPresetCheckpoint(const PresetRow& row)
{
    auto document = parseJson(std::string(row.text), "preset " + std::string(row.name));
    if (!document)
        return document.error();
    if (!document.value().root.contains("torch_dtype"))
        document.value().root["torch_dtype"] = "bfloat16";
    auto read = readCheckpointConfig(document.value());
    if (!read)
        return read.error();
    return std::move(read.value().model);
}

ModelSpec readPresetConvnet(const PresetRow& row)
{
    ModelSpec model;
    model.family = ComputeFamily::Convnet;
    model.types = {NumberType::Fp32, NumberType::Fp32, NumberType::Fp32, NumberType::Fp32, NumberType::Fp32, NumberType::Fp32, false};
    model.optimizer = OptimizerKind::Momentum;
    model.train = {256, 32};
    if (row.form == PresetForm::Vgg) {
        model.convnet = vggLayers(row.text);
        return model;
    }
    std::vector<std::int64_t> blocks;
    for (const char* at = row.text.data(); at < row.text.data() + row.text.size();) {
        std::int64_t count = 0;
        at = std::from_chars(at, row.text.data() + row.text.size(), count).ptr + 1;
        blocks.push_back(count);
    }
    model.convnet = resnetLayers(blocks);
    return model;
}

Result<ModelSpec> readPreset(const PresetRow& row)
{
    auto model = row.form == PresetForm::Model        ? readPresetModel(row)
                 : row.form == PresetForm::Checkpoint ? readPresetCheckpoint(row)
                                                      : Result<ModelSpec>(readPresetConvnet(row));
    if (model)
        model.value().name = row.name;
    return model;
}

} // namespace

std::vector<ModelPreset> modelPresets()
{
    std::vector<ModelPreset> presets;
    for (const PresetRow& row : allPresetRows())
        presets.push_back({row.name, row.about});
    return presets;
}

Result<ModelSpec> presetModel(std::string_view name)
{
    std::string wanted = plainWord(name);
    for (const auto& [other, own] : kOtherNames) {
        if (plainWord(other) == wanted)
            wanted = plainWord(own);
    }
    std::vector<std::string_view> names;
    for (const PresetRow& row : allPresetRows()) {
        if (plainWord(row.name) == wanted)
            return readPreset(row);
        names.push_back(row.name);
    }
    const std::string_view nearest = nearestWord(name, names);
    return invalidInput("no model is called " + quotedText(name), {}, (nearest.empty() ? "" : "nearest: " + std::string(nearest) + "; ") + "fabricscope-cli model list names all");
}

} // namespace fabricscope
