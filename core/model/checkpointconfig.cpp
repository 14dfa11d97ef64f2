#include "core/model/checkpointconfig.h"

#include "core/base/nearestword.h"
#include "core/base/showntext.h"
#include "core/model/checkedmodel.h"
#include "core/model/checkpointarchitectures.h"
#include "core/model/checkpointunread.h"

#include <algorithm>

namespace fabricscope {

namespace {

std::vector<CheckpointArchitecture> allArchitectures()
{
    std::vector<CheckpointArchitecture> all;
    for (const auto& rows : {gatedArchitectures(), plainArchitectures(), expertArchitectures()})
        all.insert(all.end(), rows.begin(), rows.end());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return all;
}

struct ClassName {
    std::string architecture; ///< "Llama"
    HeadKind head = HeadKind::LanguageModel;
};

/// "LlamaForCausalLM", "GPT2LMHeadModel", "BloomModel" (no head).
std::optional<ClassName> splitClass(std::string_view name)
{
    for (const std::string_view ending : {"ForCausalLM", "LMHeadModel", "Model"}) {
        if (name.size() > ending.size() && name.ends_with(ending))
            return ClassName{std::string(name.substr(0, name.size() - ending.size())), ending == "Model" ? HeadKind::None : HeadKind::LanguageModel};
    }
    return std::nullopt;
}

std::string listedArchitectures()
{
    std::string text;
    for (const CheckpointArchitecture& row : allArchitectures())
        text += (text.empty() ? "" : ", ") + std::string(row.name);
    return text;
}

Result<std::pair<CheckpointArchitecture, HeadKind>> findArchitecture(CheckpointFields& fields)
{
    const std::vector<CheckpointArchitecture> all = allArchitectures();
    const std::string expected = "the class for a causal language model of one of " + listedArchitectures();
    const std::vector<std::string> classes = fields.words("architectures");
    const std::string type = fields.text("model_type", {});
    if (fields.error())
        return *fields.error();
    if (classes.empty()) {
        for (const CheckpointArchitecture& row : all) {
            if (row.isOfType(type))
                return std::pair{row, HeadKind::LanguageModel};
        }
        return invalidInput(type.empty() ? "the file names no architecture" : "model_type \"" + shownText(type) + "\" is not known, and the file names no architecture",
                            fields.placeOf(type.empty() ? "architectures" : "model_type"), expected);
    }
    if (classes.size() > 1)
        return invalidInput("several architectures in one file", fields.placeOf("architectures"), "one");
    const auto split = splitClass(classes.front());
    for (const CheckpointArchitecture& row : all) {
        if (split && row.name == split->architecture)
            return std::pair{row, split->head};
    }
    return Error{ErrorCode::Unsupported, "architecture " + shownText(classes.front()) + " is not known", fields.placeOf("architectures"), expected};
}

/// model_type says the class, too. Where it is that of another known one, the file contradicts itself; where it is one of its own, its class is a known one under another name.
void checkModelType(CheckpointFields& fields, const CheckpointArchitecture& architecture, Diagnostics& notes)
{
    const std::string type = fields.text("model_type", std::string(architecture.modelType));
    if (architecture.isOfType(type))
        return;
    for (const CheckpointArchitecture& row : allArchitectures()) {
        if (!row.isOfType(type))
            continue;
        if (row.read != architecture.read)
            fields.refuse("model_type", "model_type \"" + shownText(type) + "\" is not that of architecture " + std::string(architecture.name), std::string(architecture.modelType));
        return;
    }
    notes.push_back(warning("checkpoint-type", "model_type \"" + shownText(type) + "\" is not known: the file is read as " + std::string(architecture.name) + " (" + std::string(architecture.modelType) + ")", fields.placeOf("model_type")));
}

std::optional<NumberType> storedTypeNamed(std::string_view name)
{
    static constexpr KeyTable<NumberType, 5> kNames{{{"float32", NumberType::Fp32},
                                                     {"float16", NumberType::Fp16},
                                                     {"bfloat16", NumberType::Bf16},
                                                     {"float8_e4m3fn", NumberType::Fp8},
                                                     {"int8", NumberType::Int8}}};
    constexpr std::string_view kTorch = "torch.";
    return valueOf(kNames, name.starts_with(kTorch) ? name.substr(kTorch.size()) : name);
}

void readStoredTypes(CheckpointFields& fields, ModelTypes& types, Diagnostics& notes)
{
    const bool newName = !fields.value("torch_dtype") && fields.value("dtype");
    const std::string key = newName ? "dtype" : "torch_dtype";
    if (const nlohmann::json* other = fields.value("dtype"); other && !newName && *other != *fields.value("torch_dtype"))
        fields.refuse("dtype", "torch_dtype and dtype are two names of one type and differ");
    const std::string name = fields.text(key, "");
    if (name.empty())
        notes.push_back(note("checkpoint-dtype", "torch_dtype is absent: the class stores float32", fields.placeOf(key)));
    const auto type = name.empty() ? NumberType::Fp32 : storedTypeNamed(name);
    if (!type) {
        fields.refuse(key, key + " \"" + shownText(name) + "\" is not known", "float32, float16, bfloat16, float8_e4m3fn or int8");
        return;
    }
    types.param = *type;
    types.act = types.grad = types.kv = bytesOf(*type) == 1 ? NumberType::Bf16 : *type;
    types.fp8Linears = *type == NumberType::Fp8;
}

/// quantization_config changes bytes, never counts. Only DeepSeek's blocks of 128 x 128 in FP8 are stored as this program stores FP8.
void readQuantization(CheckpointFields& fields, ModelTypes& types, Diagnostics& notes)
{
    const nlohmann::json* config = fields.value("quantization_config");
    if (!config)
        return;
    const bool blocks = config->is_object() && config->value("weight_block_size", nlohmann::json()) == nlohmann::json::array({128, 128});
    if (blocks && config->value("quant_method", nlohmann::json()) == "fp8") {
        types.param = NumberType::Fp8;
        types.fp8Linears = true;
        return;
    }
    notes.push_back(warning("checkpoint-quantization", "quantization_config is not understood but for FP8 in blocks of 128 x 128: bytes are those of torch_dtype, counts are right",
                            fields.placeOf("quantization_config")));
}

/// Names every field that nobody read; the first that looks as if it changed sizes stops.
void nameUnread(CheckpointFields& fields, const JsonDocument& document, Diagnostics& notes)
{
    constexpr std::size_t kMost = 100;
    for (const std::string& key : fields.unread()) {
        const UnreadField kind = unreadField(key, document.root.at(key));
        if (kind == UnreadField::Sizes) {
            fields.refuse(key, "field " + shownText(key) + " is not understood and may change sizes", "a field of this architecture");
            return;
        }
        if (kind == UnreadField::Unknown && notes.size() < kMost)
            notes.push_back(warning("checkpoint-field", "field " + shownText(key) + " is not understood; it does not count", fields.placeOf(key)));
    }
}

} // namespace

std::vector<std::string_view> checkpointArchitectures()
{
    std::vector<std::string_view> names;
    for (const CheckpointArchitecture& row : allArchitectures())
        names.push_back(row.name);
    return names;
}

Result<CheckpointModel> readCheckpointConfig(const JsonDocument& document, bool predictLayers)
{
    Place whole;
    whole.file = document.file;
    if (!document.root.is_object())
        return invalidInput("a config.json is a JSON object", whole);
    CheckpointFields fields(document);
    const auto architecture = findArchitecture(fields);
    if (!architecture)
        return architecture.error();
    CheckpointModel read;
    ModelSpec& model = read.model;
    const std::string given = fields.text("_name_or_path", {});
    model.name = given.empty() ? std::string(architecture.value().first.name) : shownText(given.substr(0, 200));
    model.transformer.head = architecture.value().second;
    architecture.value().first.read(fields, model.transformer);
    checkModelType(fields, architecture.value().first, read.notes);
    readStoredTypes(fields, model.types, read.notes);
    readQuantization(fields, model.types, read.notes);
    if (model.transformer.predictLayers > 0 && !predictLayers) {
        read.notes.push_back(note("checkpoint-predict", std::to_string(model.transformer.predictLayers) + " layer(s) that predict further tokens do not count",
                                  fields.placeOf("num_nextn_predict_layers")));
        model.transformer.predictLayers = 0;
    }
    nameUnread(fields, document, read.notes);
    if (fields.error())
        return *fields.error();
    if (const auto problem = problemOf(model))
        return invalidInput(problem->message, whole, problem->expected);
    return read;
}

} // namespace fabricscope
