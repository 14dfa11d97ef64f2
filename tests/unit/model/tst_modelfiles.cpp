#include "core/model/loadmodel.h"
#include "core/model/parametertensors.h"
#include "core/model/presetmodels.h"
#include "core/model/writemodel.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

Result<CheckpointModel> loaded(const std::string& text, const std::string& file = "m.yaml")
{
    return loadModelText(text, file);
}

ModelSpec modelOf(const std::string& text)
{
    auto read = loaded(text);
    if (!read)
        qFatal("%s", read.error().text().c_str());
    return std::move(read).value().model;
}

std::int64_t totalOf(const std::string& text)
{
    return countParameters(modelOf(text)).value().total;
}

} // namespace

/// Model files of ours: what they say, derive, override and refuse.
class ModelFilesTest : public QObject {
    Q_OBJECT

private slots:
    void theFormOfTheManualIsRead();
    void absentSizesFollowOthers();
    void aPresetIsOverriddenFieldByField();
    void derivedSizesOfAPresetFollowWhatIsOverridden();
    void expertsOfOneWidthAreReadInTheirLayers();
    void convolutionsKeepTheirShapes();
    void aGraphCountsItsEinsums();
    void aRecommendationModelIsRead();
    void aDesignGivesItsModel();
    void everyTransformerIsWrittenAndReadBack();
    void mistakesAreRefusedWithLineAndField_data();
    void mistakesAreRefusedWithLineAndField();
};

void ModelFilesTest::theFormOfTheManualIsRead()
{
    const ModelSpec model = modelOf(R"(model:
  name: gpt3-175b
  family: transformer
  dtype: {param: fp16, act: fp16, grad: fp16, master: fp32}
  optimizer: adam
  transformer:
    layers: 96
    hidden: 12288
    heads: 96
    kv_heads: 96
    head_dim: 128
    ff: 49152
    ff_kind: mlp
    bias: true
    norm: layernorm
    positions: learned
    vocab: 50257
    seq: 2048
    tied_embedding: true
    causal: true
    flash_attention: false
    moe: {experts: 0, top_k: 2, every: 1, capacity_factor: 1.25, shared_experts: 0, expert_ff: 0}
  train: {global_batch: 1536, micro_batch: 4}
plan:
  mesh: {axes: [dp, pp, tp], shape: [8, 8, 8], order: row_major}
)");
    QCOMPARE(model.name, std::string("gpt3-175b"));
    QCOMPARE(model.train.global, 1536);
    QCOMPARE(model.train.micro, 4);
    // 12 L h^2 (1 + 13 / 12h) + (V + s) h, and the final norm.
    const std::int64_t h = 12288;
    QCOMPARE(countParameters(model).value().total, 96 * (12 * h * h + 13 * h) + (50257 + 2048) * h + 2 * h);
    const ModelSpec preset = presetModel("gpt3-175b").value();
    QVERIFY(model.transformer == preset.transformer);
}

void ModelFilesTest::absentSizesFollowOthers()
{
    const TransformerSpec spec = modelOf("model: {transformer: {layers: 2, hidden: 64, heads: 4, vocab: 100, seq: 32}}").transformer;
    QCOMPARE(spec.kvHeads, 4);
    QCOMPARE(spec.headDim, 16);
    QCOMPARE(spec.ff, 256);
    QCOMPARE(spec.positionRows, 32);
}

void ModelFilesTest::aPresetIsOverriddenFieldByField()
{
    QCOMPARE(totalOf("model: llama-3-8b"), 8030261248);
    QCOMPARE(totalOf("model: {preset: Llama-3-8B}"), 8030261248);
    // Half the layers: each has 4 h^2 (1/4 of k and v) ... = h (2 q + 2 kv) + 3 h f + 2 h.
    const std::int64_t layer = 4096LL * (2 * 4096 + 2 * 1024) + 3LL * 4096 * 14336 + 2 * 4096;
    QCOMPARE(totalOf("model: {preset: llama-3-8b, transformer: {layers: 16}}"), 8030261248 - 16 * layer);
    QCOMPARE(totalOf("model: {preset: phi-2, transformer: {head_bias: false}}"), 2779683840 - 51200);
    QCOMPARE(modelOf("model: {preset: llama-3-8b, name: mine, train: {global_batch: 8, micro_batch: 2}}").name, std::string("mine"));
}

void ModelFilesTest::derivedSizesOfAPresetFollowWhatIsOverridden()
{
    const TransformerSpec gpt = modelOf("model: {preset: gpt3-175b, transformer: {hidden: 2048, heads: 16, ff: 8192, seq: 1024}}").transformer;
    QCOMPARE(gpt.kvHeads, 16);
    QCOMPARE(gpt.headDim, 128);
    QCOMPARE(gpt.positionRows, 1024);
    const TransformerSpec grouped = modelOf("model: {preset: llama-3-8b, transformer: {heads: 64}}").transformer;
    QCOMPARE(grouped.kvHeads, 8);
    QCOMPARE(grouped.headDim, 64);
    QVERIFY(!loaded("model: {preset: gemma-2-2b, transformer: {layers: 4}}"));
    QVERIFY(modelOf("model: {preset: gemma-2-2b, transformer: {layers: 4, sliding_layers: odd}}").transformer.slidesAt(3));
    QVERIFY(modelOf("model: {preset: mistral-7b, transformer: {layers: 4}}").transformer.slidesAt(3));
}

void ModelFilesTest::expertsOfOneWidthAreReadInTheirLayers()
{
    const std::string text = "model: {transformer: {layers: 4, hidden: 64, heads: 4, ff: 256, vocab: 100, seq: 32, bias: false, moe: {experts: 8, top_k: 2, every: 2, shared_experts: 1}}}";
    const TransformerSpec spec = modelOf(text).transformer;
    QVERIFY(!spec.hasExperts(0) && spec.hasExperts(1) && !spec.hasExperts(2) && spec.hasExperts(3));
    QCOMPARE(spec.moe.expertFf, 256);
    // Two dense and two layers with experts: router, eight experts and one shared of 2 h f each.
    const std::int64_t common = 4 * 64 * 64 + 4 * 64;
    QCOMPARE(totalOf(text), 4 * common + 2 * (2 * 64 * 256) + 2 * (8 * 64 + 9 * 2 * 64 * 256) + (100 + 32) * 64 + 2 * 64);
    QVERIFY(modelOf("model: {transformer: {layers: 1, hidden: 64, heads: 4, ff: 256, vocab: 100, seq: 32, moe: {experts: 8, capacity_factor: none}}}").transformer.moe.capacityFactor == 0.0);
}

void ModelFilesTest::convolutionsKeepTheirShapes()
{
    // 3 x 3 of 8 channels on 8 x 8 with stride 2: 4 x 4; groups of two channels; then 10 classes.
    const ModelSpec model = modelOf("model: {family: convnet, convnet: {input: [4, 8, 8], layers: [{conv: {out: 8, k: 3, stride: 2, pad: 1, groups: 2, bias: false}}, {bn}, {relu}, "
                                    "{residual: [{conv: {out: 8, k: 1}}]}, {pool: {k: 2, stride: 2, kind: max}}, {fc: 10}]}}");
    const auto count = countParameters(model);
    QVERIFY(count);
    QCOMPARE(count.value().total, 8 * 2 * 9 + 16 + (8 * 8 + 8) + (8 * 2 * 2 * 10 + 10));
    const auto layers = modelLayers(model, PassShape::train(3, 1));
    QVERIFY(layers);
    QCOMPARE(totalsOf(layers.value()).value().matrixFlops, 3 * 2 * (4 * 4 * 8 * 2 * 9 + 4 * 4 * 8 * 8 + 32 * 10));
    QVERIFY(!modelLayers(modelOf("model: {family: convnet, convnet: {layers: [{residual: [{conv: {out: 8, k: 1}}]}]}}"), PassShape::train(1, 1)));
    for (const auto& [name, macs] : {std::pair{"vgg16", 15.470e9}, {"vgg19", 19.632e9}, {"resnet50", 4.089e9}, {"resnet101", 7.801e9}, {"resnet152", 11.514e9}}) {
        const auto known = modelLayers(presetModel(name).value(), PassShape::train(1, 1));
        QVERIFY(known);
        QVERIFY(std::abs(static_cast<double>(totalsOf(known.value()).value().matrixFlops) / 2 - macs) <= 0.0005e9);
    }
}

void ModelFilesTest::aGraphCountsItsEinsums()
{
    const ModelSpec model = modelOf("model: {family: graph, graph: {sizes: {b: 2, s: 3, m: 4, h: 5}, params: [w1], ops: [{name: up, type: einsum, eq: \"bsm,mh->bsh\", in: [x, w1], out: y}]}}");
    const auto layers = modelLayers(model, PassShape::train(1, 1));
    QVERIFY(layers);
    QCOMPARE(totalsOf(layers.value()).value().matrixFlops, 2 * 2 * 3 * 4 * 5);
    QCOMPARE(countParameters(model).value().total, 20);
    QVERIFY(!modelLayers(modelOf("model: {family: graph, graph: {sizes: {b: 2}, ops: [{eq: \"bs->b\", in: [x], out: y}]}}"), PassShape::train(1, 1)));
    QVERIFY(!modelLayers(modelOf("model: {family: graph, graph: {sizes: {b: 2}, ops: [{eq: \"b\", in: [x], out: y}]}}"), PassShape::train(1, 1)));
}

void ModelFilesTest::aRecommendationModelIsRead()
{
    const ModelSpec model = modelOf("model: {family: dlrm, dlrm: {dense_in: 3, bottom: [8, 4], top: [5, 1], tables: [{rows: 100, dim: 4, count: 2}], interaction: dot}}");
    // Three vectors of 4 meet in 3 products, beside the 4 of the bottom part.
    QCOMPARE(countParameters(model).value().total, 3 * 8 + 8 + 8 * 4 + 4 + 2 * 100 * 4 + 7 * 5 + 5 + 5 + 1);
    // The same with the keys beside the family.
    QVERIFY(modelOf("model:\n  family: dlrm\n  dense_in: 3\n  bottom: [8, 4]\n  top: [5, 1]\n  tables: [{rows: 100, dim: 4, pooling: 1}, {rows: 100, dim: 4}]\n  interaction: dot\n") == model);
    QVERIFY(!loaded("model: {family: dlrm, dense_in: 3, dlrm: {dense_in: 3, bottom: [8], top: [1], tables: [{rows: 1, dim: 8}]}}"));
    QVERIFY(!loaded("model: {dense_in: 3, transformer: {layers: 2, hidden: 64, heads: 4, vocab: 100, seq: 32}}"));
}

void ModelFilesTest::aDesignGivesItsModel()
{
    QCOMPARE(totalOf("fabricscope: 1\nmodel: {name: links}\nworkload:\n  model: {preset: llama-3-8b}\n"), 8030261248);
}

void ModelFilesTest::everyTransformerIsWrittenAndReadBack()
{
    int written = 0;
    for (const ModelPreset& preset : modelPresets()) {
        ModelSpec model = presetModel(preset.name).value();
        const auto text = writeModelFile(model);
        QCOMPARE(static_cast<bool>(text), model.family == ComputeFamily::Transformer);
        if (!text)
            continue;
        const ModelSpec again = modelOf(text.value());
        QVERIFY2(again.types == model.types && again.name == model.name, text.value().c_str());
        // What counts only with learned positions is not written.
        if (model.transformer.positions != PositionKind::Learned)
            model.transformer.positionRows = again.transformer.positionRows;
        QVERIFY2(again == model, text.value().c_str());
        ++written;
    }
    QVERIFY(written >= 48);
}

void ModelFilesTest::mistakesAreRefusedWithLineAndField_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* name, const char* text, const char* named) { QTest::newRow(name) << QByteArray(text) << QByteArray(named); };
    const auto inside = [](const char* name, const char* fields, const char* named) {
        QTest::newRow(name) << QByteArray("model:\n  transformer: {layers: 2, hidden: 64, heads: 4, vocab: 100, seq: 32, ") + fields + "}\n" << QByteArray(named);
    };
    row("no model", "plan: {}", "\"model\" is missing");
    row("a list", "- model", "mapping");
    row("unknown preset", "model: lama-3-8b", "nearest: llama-3-8b");
    row("unknown key", "model: {transfomer: {}}", "transformer");
    row("no layers", "model: {transformer: {hidden: 64, heads: 4, vocab: 100, seq: 32}}", "layers");
    row("no part of the family", "model: {family: dlrm}", "dlrm");
    row("part of another family", "model: {family: dlrm, transformer: {}, dlrm: {}}", "transformer");
    row("type", "model: {preset: gpt2, dtype: {param: fp12}}", "fp12");
    row("micro above global", "model: {preset: gpt2, train: {global_batch: 2, micro_batch: 4}}", "micro");
    row("tables of another width", "model: {family: dlrm, dlrm: {dense_in: 3, bottom: [8, 4], top: [1], tables: [{rows: 9, dim: 5}]}}", "5");
    row("no layer", "model: {family: convnet, convnet: {layers: [{blur: 3}]}}", "no layer");
    inside("heads", "kv_heads: 3", "kv_heads");
    inside("a key twice", "ff: 9, heads: 5", "heads");
    row("indivisible", "model: {transformer: {layers: 2, hidden: 64, heads: 5, vocab: 100, seq: 32}}", "does not divide");
    inside("norms", "norms_per_layer: 3", "norms");
    inside("huge", "ff: 99999999999999999999", "ff");
    inside("negative", "kv_heads: -1", "kv_heads");
    inside("top k", "moe: {experts: 2, top_k: 3}", "3 of 2");
    inside("phase", "moe: {experts: 4, every: 2, phase: 2}", "phase");
    inside("capacity", "moe: {experts: 4, capacity_factor: much}", "capacity_factor");
    inside("dense layer", "moe: {experts: 4, dense_layers: [2]}", "dense_layers[0]");
    inside("latent", "latent: {nope_dim: 8}", "kv_rank");
    inside("window of nothing", "sliding_layers: all", "sliding_window");
    inside("positions", "positions: relative(x)", "relative(x)");
    inside("few rows", "position_rows: 8", "learned positions");
}

void ModelFilesTest::mistakesAreRefusedWithLineAndField()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, named);
    const auto read = loaded(text.toStdString());
    QVERIFY(!read);
    QVERIFY2(read.error().text().find(named.toStdString()) != std::string::npos, read.error().text().c_str());
    QVERIFY2(read.error().text().starts_with("m.yaml"), read.error().text().c_str());
}

FABRICSCOPE_TEST(ModelFilesTest)
#include "tst_modelfiles.moc"
