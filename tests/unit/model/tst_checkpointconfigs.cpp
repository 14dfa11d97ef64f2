#include "core/base/jsontext.h"
#include "core/model/checkpointconfig.h"
#include "core/model/parametertensors.h"
#include "core/model/presetmodels.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

Result<CheckpointModel> readConfig(const std::string& text, bool predict = false)
{
    const auto document = parseJson(text, "config.json");
    if (!document)
        return document.error();
    return readCheckpointConfig(document.value(), predict);
}

/// An object of one architecture with these fields.
std::string configOf(const std::string& architecture, const std::string& fields)
{
    return "{\"architectures\": [\"" + architecture + "\"], \"torch_dtype\": \"bfloat16\"" + (fields.empty() ? "" : ", ") + fields + "}";
}

TransformerSpec specOf(const std::string& architecture, const std::string& fields)
{
    const auto read = readConfig(configOf(architecture, fields));
    if (!read)
        qFatal("%s", read.error().text().c_str());
    return read.value().model.transformer;
}

std::int64_t totalOf(const std::string& architecture, const std::string& fields)
{
    const auto read = readConfig(configOf(architecture, fields));
    if (!read)
        qFatal("%s", read.error().text().c_str());
    return countParameters(read.value().model).value().total;
}

} // namespace

/// config.json of checkpoints: absent and null, what is named and what is refused.
class CheckpointConfigsTest : public QObject {
    Q_OBJECT

private slots:
    void absentAndNullDiffer();
    void aWindowIsOffOnlyWhenItIsNull();
    void layersOfOneTypeSlide();
    void biasesAreThoseOfTheArchitecture();
    void expertsStandInTheLayersOfTheStep();
    void normsBehindAddAFinalOneToOpt();
    void falconCountsItsOldAndItsNewNames();
    void predictionLayersCountOnlyWhenAsked();
    void quantisationChangesBytesOnly();
    void typesAreReadByBothNames();
    void aModelTypeAloneIsEnough();
    void aModelTypeOfAnotherClassIsNamed();
    void filesAsPublishedAreRead();
    void fieldsThatMayChangeSizesAreRefusedByName_data();
    void fieldsThatMayChangeSizesAreRefusedByName();
    void harmlessFieldsAreSilentAndOthersNamed();
    void whatIsNoModelIsRefused_data();
    void whatIsNoModelIsRefused();
    void everyFieldOfEveryTypeOfValueIsReadOrRefused();
};

void CheckpointConfigsTest::absentAndNullDiffer()
{
    QCOMPARE(specOf("Qwen3ForCausalLM", R"("hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 8)").headDim, 128);
    QCOMPARE(specOf("Qwen3ForCausalLM", R"("hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": null)").headDim, 64);
    QCOMPARE(specOf("Qwen3MoeForCausalLM", R"("hidden_size": 1024, "num_attention_heads": 16)").headDim, 64);
    QCOMPARE(specOf("MistralForCausalLM", "").kvHeads, 8);
    QCOMPARE(specOf("MistralForCausalLM", R"("num_key_value_heads": null)").kvHeads, 32);
    QCOMPARE(specOf("LlamaForCausalLM", R"("num_attention_heads": 64)").kvHeads, 64);
    QCOMPARE(specOf("GPT2LMHeadModel", R"("n_embd": 1024, "n_head": 16, "n_inner": null)").ff, 4096);
    QCOMPARE(specOf("DeepseekV3ForCausalLM", "").latent.queryRank, 1536);
    QCOMPARE(specOf("DeepseekV3ForCausalLM", R"("q_lora_rank": null)").latent.queryRank, 0);
}

void CheckpointConfigsTest::aWindowIsOffOnlyWhenItIsNull()
{
    QCOMPARE(specOf("MistralForCausalLM", "").window, 4096);
    QCOMPARE(specOf("MistralForCausalLM", R"("sliding_window": null)").window, 0);
    QCOMPARE(specOf("MixtralForCausalLM", "").window, 0);
    QCOMPARE(specOf("Qwen2ForCausalLM", "").window, 0);
}

void CheckpointConfigsTest::layersOfOneTypeSlide()
{
    const TransformerSpec gemma = specOf("Gemma2ForCausalLM", R"("num_hidden_layers": 3)");
    QVERIFY(gemma.slidesAt(0) && !gemma.slidesAt(1) && gemma.slidesAt(2));
    const TransformerSpec listed = specOf("Gemma2ForCausalLM", R"("num_hidden_layers": 2, "layer_types": ["full_attention", "sliding_attention"])");
    QVERIFY(!listed.slidesAt(0) && listed.slidesAt(1));
    const TransformerSpec qwen = specOf("Qwen2ForCausalLM", R"("num_hidden_layers": 30, "use_sliding_window": true)");
    QVERIFY(!qwen.slidesAt(27) && qwen.slidesAt(28));
}

void CheckpointConfigsTest::biasesAreThoseOfTheArchitecture()
{
    // Per layer: q, k, v and o of 4096, or gate, up and down.
    const std::int64_t plain = totalOf("LlamaForCausalLM", "");
    QCOMPARE(totalOf("LlamaForCausalLM", R"("attention_bias": true)") - plain, 32 * 4 * 4096);
    QCOMPARE(totalOf("LlamaForCausalLM", R"("mlp_bias": true)") - plain, 32 * (2 * 11008 + 4096));
    QVERIFY(specOf("Qwen2ForCausalLM", "").qkvBias && !specOf("Qwen2ForCausalLM", "").outputBias);
    QCOMPARE(totalOf("PhiForCausalLM", R"("qk_layernorm": true)") - totalOf("PhiForCausalLM", ""), 24 * 4 * 64);
    // Without the bias of the logits a Phi has 51200 parameters less.
    ModelSpec phi = presetModel("phi-2").value();
    phi.transformer.headBias = false;
    QCOMPARE(countParameters(phi).value().total, 2779683840 - 51200);
}

void CheckpointConfigsTest::expertsStandInTheLayersOfTheStep()
{
    const TransformerSpec qwen = specOf("Qwen2MoeForCausalLM", R"("num_hidden_layers": 6, "decoder_sparse_step": 2, "mlp_only_layers": [3])");
    for (const auto& [layer, experts] : {std::pair{0, false}, {1, true}, {2, false}, {3, false}, {5, true}})
        QCOMPARE(qwen.hasExperts(layer), experts);
    const TransformerSpec deepseek = specOf("DeepseekV3ForCausalLM", R"("num_hidden_layers": 6, "moe_layer_freq": 2)");
    for (const auto& [layer, experts] : {std::pair{0, false}, {2, false}, {3, false}, {4, true}, {5, false}})
        QCOMPARE(deepseek.hasExperts(layer), experts);
}

void CheckpointConfigsTest::normsBehindAddAFinalOneToOpt()
{
    const std::string sizes = R"("hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "ffn_dim": 4096, "word_embed_proj_dim": 512, "do_layer_norm_before": )";
    QCOMPARE(totalOf("OPTForCausalLM", sizes + "false"), 331196416);
    QCOMPARE(totalOf("OPTForCausalLM", sizes + "true"), 331198464);
    QCOMPARE(totalOf("OPTForCausalLM", sizes + R"(true, "_remove_final_layer_norm": true)"), 331196416);
}

void CheckpointConfigsTest::falconCountsItsOldAndItsNewNames()
{
    QCOMPARE(totalOf("FalconForCausalLM", R"("hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128, "num_kv_heads": 8, "new_decoder_architecture": true)"), 41303293952);
    QCOMPARE(totalOf("RWForCausalLM", R"("hidden_size": 8192, "n_layer": 60, "n_head": 128, "n_head_kv": 8, "new_decoder_architecture": true)"), 41303293952);
    QCOMPARE(specOf("FalconForCausalLM", R"("multi_query": false)").kvHeads, 71);
    QCOMPARE(specOf("FalconForCausalLM", R"("parallel_attn": false)").normsPerLayer, 2);
    // Files from before the class was named Falcon: the model type says which decoder it is.
    const std::string old = R"("hidden_size": 8192, "n_layer": 60, "n_head": 128, "n_head_kv": 8, "parallel_attn": true, "model_type": )";
    QCOMPARE(totalOf("RWForCausalLM", old + R"("RefinedWeb")"), 41303293952);
    QCOMPARE(totalOf("RWForCausalLM", R"("hidden_size": 4544, "n_layer": 32, "n_head": 71, "multi_query": true, "parallel_attn": true, "model_type": "RefinedWebModel")"), 6921720704);
    const auto differ = readConfig(configOf("FalconForCausalLM", R"("num_hidden_layers": 60, "n_layer": 61)"));
    QVERIFY(!differ && differ.error().message.find("n_layer") != std::string::npos);
}

void CheckpointConfigsTest::predictionLayersCountOnlyWhenAsked()
{
    const std::string text = configOf("DeepseekV3ForCausalLM", R"("num_nextn_predict_layers": 1)");
    const auto without = readConfig(text), with = readConfig(text, true);
    QVERIFY(without && with);
    QCOMPARE(countParameters(without.value().model).value().total, 671026419200);
    QCOMPARE(countParameters(with.value().model).value().total, 671026419200 + 11610068224);
    QCOMPARE(without.value().notes.size(), std::size_t{1});
}

void CheckpointConfigsTest::quantisationChangesBytesOnly()
{
    const auto fp8 = readConfig(configOf("DeepseekV3ForCausalLM", R"("quantization_config": {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]})"));
    QVERIFY(fp8);
    QCOMPARE(countParameters(fp8.value().model).value().bytes, 673150611808);
    const auto other = readConfig(configOf("LlamaForCausalLM", R"("quantization_config": {"quant_method": "gptq", "bits": 4})"));
    QVERIFY(other);
    QCOMPARE(countParameters(other.value().model).value().total, 6738415616);
    QCOMPARE(other.value().notes.size(), std::size_t{1});
    QVERIFY(other.value().notes.front().message.find("quantization_config") != std::string::npos);
}

void CheckpointConfigsTest::typesAreReadByBothNames()
{
    QVERIFY(readConfig(R"({"architectures": ["LlamaForCausalLM"], "dtype": "float16"})").value().model.types.param == NumberType::Fp16);
    QVERIFY(readConfig(R"({"architectures": ["LlamaForCausalLM"], "torch_dtype": "bfloat16"})").value().model.types.param == NumberType::Bf16);
    QVERIFY(readConfig(R"({"architectures": ["LlamaForCausalLM"]})").value().model.types.param == NumberType::Fp32);
    QVERIFY(!readConfig(R"({"architectures": ["LlamaForCausalLM"], "torch_dtype": "float12"})"));
    QVERIFY(readConfig(R"({"architectures": ["LlamaForCausalLM"], "dtype": "float16", "torch_dtype": "float16"})"));
    const auto differ = readConfig(R"({"architectures": ["LlamaForCausalLM"], "dtype": "float16", "torch_dtype": "bfloat16"})");
    QVERIFY(!differ && differ.error().message.find("dtype") != std::string::npos);
}

void CheckpointConfigsTest::aModelTypeAloneIsEnough()
{
    const auto read = readConfig(R"({"model_type": "qwen2", "torch_dtype": "bfloat16"})");
    QVERIFY(read && read.value().model.transformer.qkvBias);
    QVERIFY(!readConfig(R"({"model_type": "mamba"})"));
}

void CheckpointConfigsTest::aModelTypeOfAnotherClassIsNamed()
{
    const auto differ = readConfig(configOf("LlamaForCausalLM", R"("model_type": "mistral")"));
    QVERIFY(!differ && differ.error().message.find("\"mistral\"") != std::string::npos);
    QVERIFY(readConfig(configOf("LlamaForCausalLM", R"("model_type": "llama")")).value().notes.empty());
    // Kimi K2: the class of DeepSeek-V3 under a type of its own.
    const auto own = readConfig(configOf("DeepseekV3ForCausalLM", R"("model_type": "kimi_k2")"));
    QVERIFY(own);
    QCOMPARE(countParameters(own.value().model).value().total, 671026419200);
    QCOMPARE(own.value().notes.size(), std::size_t{1});
    QVERIFY(own.value().notes.front().message.find("kimi_k2") != std::string::npos);
}

void CheckpointConfigsTest::filesAsPublishedAreRead()
{
    // Fields that files of these checkpoints have beside those of their class.
    QCOMPARE(totalOf("Gemma2ForCausalLM", R"("hidden_size": 3584, "intermediate_size": 14336, "num_attention_heads": 16, "num_key_value_heads": 8, "num_hidden_layers": 42, "head_dim": 256,
                      "sliding_window": 4096, "sliding_window_size": 4096, "vocab_size": 256000)"), 9241705984);
    QVERIFY(!readConfig(configOf("Gemma2ForCausalLM", R"("sliding_window": 4096, "sliding_window_size": 1024)")));
    // Qwen3-Coder-480B: by hand, layer = attention h 128 (2 x 96 + 2 x 8) + 2 norms of 128 + 2 of h + router 160 h + 160 experts of 3 h 2560; beside the layers 2 V h + h.
    const std::int64_t h = 6144, layer = h * 128 * (2 * 96 + 2 * 8) + 2 * 128 + 2 * h + 160 * h + 160 * 3 * h * 2560;
    QCOMPARE(totalOf("Qwen3MoeForCausalLM", R"("hidden_size": 6144, "num_hidden_layers": 62, "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128, "num_experts": 160,
                      "moe_intermediate_size": 2560, "shared_expert_intermediate_size": 0, "qkv_bias": false, "use_qk_norm": true, "vocab_size": 151936)"), 62 * layer + 2 * 151936 * h + h);
    QVERIFY(!readConfig(configOf("Qwen3ForCausalLM", R"("use_qk_norm": false)")));
    const auto small = readConfig(configOf("LlamaForCausalLM", R"("is_llama_config": true, "rope_interleaved": false, "transformers.js_config": {"kv_cache_dtype": {"fp16": "float16"}}, "pruned_heads": {})"));
    QVERIFY(small && small.value().notes.empty());
    QVERIFY(readConfig(configOf("GPT2LMHeadModel", R"("_num_labels": 1, "n_special": 0)")).value().notes.empty());
    const auto pruned = readConfig(configOf("GPT2LMHeadModel", R"("pruned_heads": {"1": [0, 2]})"));
    QVERIFY(!pruned && pruned.error().message.find("pruned_heads") != std::string::npos);
}

void CheckpointConfigsTest::fieldsThatMayChangeSizesAreRefusedByName_data()
{
    QTest::addColumn<QByteArray>("fields");
    for (const char* field : {R"("num_experts": 8)", R"("vision_config": {"hidden_size": 8})", R"("adapter_rank": 16)", R"("n_extra_heads": 2)", R"("cross_attention_layers": [3, 8])",
                              R"("use_qk_norm": true)", R"("moe_intermediate_size": 77)"})
        QTest::newRow(field) << QByteArray(field);
}

void CheckpointConfigsTest::fieldsThatMayChangeSizesAreRefusedByName()
{
    QFETCH(QByteArray, fields);
    const auto read = readConfig(configOf("LlamaForCausalLM", fields.toStdString()));
    QVERIFY(!read);
    const std::string key = fields.mid(1, fields.indexOf('"', 1) - 1).toStdString();
    QVERIFY2(read.error().message.find(key) != std::string::npos, read.error().text().c_str());
    QVERIFY(read.error().place.line == 1);
}

void CheckpointConfigsTest::harmlessFieldsAreSilentAndOthersNamed()
{
    const auto silent = readConfig(configOf("LlamaForCausalLM", R"("rope_theta": 500000.0, "rope_scaling": {"factor": 8}, "bos_token_id": 1, "hidden_act": "silu", "pretraining_tp": 1)"));
    QVERIFY(silent && silent.value().notes.empty());
    const auto named = readConfig(configOf("LlamaForCausalLM", R"("house_style": "blue", "num_parrots": 0)"));
    QVERIFY(named);
    QCOMPARE(named.value().notes.size(), std::size_t{2});
    QVERIFY(named.value().notes[0].message.find("house_style") != std::string::npos);
}

void CheckpointConfigsTest::whatIsNoModelIsRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("named");
    QTest::newRow("list") << QByteArray("[]") << QByteArray("JSON object");
    QTest::newRow("number") << QByteArray("7") << QByteArray("JSON object");
    QTest::newRow("empty") << QByteArray("{}") << QByteArray("no architecture");
    QTest::newRow("mamba") << QByteArray(R"({"architectures": ["MambaForCausalLM"]})") << QByteArray("MambaForCausalLM");
    QTest::newRow("llama for other things") << QByteArray(R"({"architectures": ["LlamaForSequenceClassification"]})") << QByteArray("LlamaForSequenceClassification");
    QTest::newRow("two") << QByteArray(R"({"architectures": ["LlamaForCausalLM", "GPT2LMHeadModel"]})") << QByteArray("several");
    QTest::newRow("words") << QByteArray(R"({"architectures": "LlamaForCausalLM"})") << QByteArray("not a list");
    const std::pair<const char*, const char*> fields[] = {
        {R"("num_hidden_layers": 0)", "num_hidden_layers"}, {R"("num_hidden_layers": 1e9)", "num_hidden_layers"}, {R"("num_hidden_layers": 100000000)", "num_hidden_layers"},
        {R"("hidden_size": -4096)", "hidden_size"}, {R"("hidden_size": 18446744073709551615)", "hidden_size"}, {R"("hidden_size": null)", "hidden_size"}, {R"("hidden_size": "4096")", "hidden_size"},
        {R"("num_attention_heads": 31)", "31 heads"}, {R"("num_key_value_heads": 5)", "5 key"}, {R"("tie_word_embeddings": 1)", "tie_word_embeddings"},
        {R"("num_key_value_heads": 0)", "num_key_value_heads"}, {R"("attention_dropout": "none")", "attention_dropout"}};
    for (const auto& [field, named] : fields)
        QTest::newRow(field) << QByteArray::fromStdString(configOf("LlamaForCausalLM", field)) << QByteArray(named);
    QTest::newRow("types for fewer layers") << QByteArray::fromStdString(configOf("Gemma2ForCausalLM", R"("layer_types": ["full_attention"])")) << QByteArray("layer_types");
    QTest::newRow("unknown type of layer") << QByteArray::fromStdString(configOf("Gemma2ForCausalLM", R"("num_hidden_layers": 1, "layer_types": ["linear_attention"])")) << QByteArray("linear_attention");
    QTest::newRow("more than all experts") << QByteArray::fromStdString(configOf("MixtralForCausalLM", R"("num_local_experts": 4, "num_experts_per_tok": 5)")) << QByteArray("5 of 4");
    QTest::newRow("layer beyond the last") << QByteArray::fromStdString(configOf("Qwen2MoeForCausalLM", R"("num_hidden_layers": 4, "mlp_only_layers": [4])")) << QByteArray("mlp_only_layers");
    QTest::newRow("cross attention") << QByteArray::fromStdString(configOf("GPT2LMHeadModel", R"("add_cross_attention": true)")) << QByteArray("cross attention");
}

void CheckpointConfigsTest::whatIsNoModelIsRefused()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, named);
    const auto read = readConfig(text.toStdString());
    QVERIFY(!read);
    QVERIFY2(read.error().text().find(named.toStdString()) != std::string::npos, read.error().text().c_str());
    QCOMPARE(read.error().place.file, std::string("config.json"));
}

void CheckpointConfigsTest::everyFieldOfEveryTypeOfValueIsReadOrRefused()
{
    // Any value in any field: a model that can be counted, or an error with words; never a crash.
    const char* const keys[] = {"hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size", "vocab_size", "max_position_embeddings",
                                "tie_word_embeddings", "sliding_window", "layer_types", "num_experts", "num_local_experts", "n_routed_experts", "n_shared_experts", "moe_intermediate_size",
                                "first_k_dense_replace", "moe_layer_freq", "decoder_sparse_step", "mlp_only_layers", "n_group", "topk_group", "kv_lora_rank", "q_lora_rank", "v_head_dim", "n_embd",
                                "n_layer", "n_head", "n_inner", "n_positions", "ffn_dim", "word_embed_proj_dim", "num_kv_heads", "torch_dtype", "quantization_config", "num_nextn_predict_layers",
                                "use_sliding_window", "max_window_layers", "dropout", "architectures", "model_type", "_name_or_path"};
    const char* const values[] = {"null", "true", "0", "1", "-1", "7", "3.5", "1e308", "9223372036854775807", "67108864", "\"\"", "\"7\"", "[]", "[1]", "[null]", "[\"full_attention\"]", "{}", "{\"a\": 1}"};
    int counted = 0;
    for (const std::string_view name : checkpointArchitectures()) {
        const std::string architecture = std::string(name) + (name == "GPT2" ? "LMHeadModel" : "ForCausalLM");
        for (const char* key : keys) {
            for (const char* value : values) {
                const std::string head = std::string_view(key) == "architectures" ? "{" : "{\"architectures\": [\"" + architecture + "\"], ";
                const auto read = readConfig(head + '"' + key + "\": " + value + "}", true);
                if (!read) {
                    QVERIFY(!read.error().message.empty());
                    continue;
                }
                counted += countParameters(read.value().model) ? 1 : 0;
                const auto layers = modelLayers(read.value().model, PassShape::train(1, 16));
                QVERIFY(layers || !layers.error().message.empty());
            }
        }
    }
    QVERIFY(counted > 1000);
}

FABRICSCOPE_TEST(CheckpointConfigsTest)
#include "tst_checkpointconfigs.moc"
