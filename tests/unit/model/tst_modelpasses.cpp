#include "core/model/attentionpairs.h"
#include "core/model/experts.h"
#include "core/model/parametertensors.h"
#include "core/model/passcost.h"
#include "core/model/presetmodels.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>

using namespace fabricscope;

namespace {

ModelSpec named(const char* name)
{
    auto model = presetModel(name);
    if (!model)
        qFatal("%s", model.error().text().c_str());
    return std::move(model).value();
}

template <typename T>
T got(Result<T> result)
{
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return std::move(result).value();
}

/// FLOPs of products of the ops with these names in the first layer of a kind.
std::int64_t flopsOf(const LayerKind& kind, const std::vector<std::string_view>& names)
{
    std::int64_t flops = 0;
    for (const LayerOp& op : kind.ops) {
        if (std::find(names.begin(), names.end(), op.name) != names.end())
            flops += op.flops;
    }
    return flops;
}

const std::vector<std::string_view> kLatentOps{"q_a", "q_b", "kv_a", "kv_b", "q_absorb", "value_up", "attention", "attention_out"};
const std::vector<std::string_view> kAttentionPart{"norm1", "q_a", "q_a_norm", "q_b", "kv_a", "kv_a_norm", "kv_b", "attention", "attention_out"};

std::int64_t latentFlops(PassShape pass, LatentForm form)
{
    pass.latent = form;
    return flopsOf(got(modelLayers(named("deepseek-v3"), pass)).kinds.front(), kLatentOps);
}

bool near(double value, double expected, double relative)
{
    return std::fabs(value - expected) <= std::fabs(expected) * relative;
}

std::int64_t whole(WideCount value)
{
    return static_cast<std::int64_t>(value);
}

/// GPT as in the tables of Megatron-LM.
ModelSpec gpt(std::int32_t layers, std::int64_t hidden, std::int32_t heads)
{
    ModelSpec model = named("megatron-1.7b");
    TransformerSpec& spec = model.transformer;
    spec.layers = layers;
    spec.hidden = hidden;
    spec.heads = spec.kvHeads = heads;
    spec.headDim = static_cast<std::int32_t>(hidden / heads);
    spec.ff = 4 * hidden;
    return model;
}

} // namespace

/// What passes of training and inference work and move, against numbers of papers and closed forms.
class ModelPassesTest : public QObject {
    Q_OBJECT

private slots:
    void aTrillionParametersTakeTheFlopsOfThePaper();
    void flopsOfATrainingStepFollowTheClosedForm();
    void aLayerKeepsTheActivationsOfThePaper();
    void opsOfALayerAreThoseOfTheTable();
    void latentAttentionTakesTheFlopsOfItsForm();
    void latentAttentionKeepsWhatBackwardNeeds();
    void aTokenOfTheCacheHasTheBytesOfItsHeads_data();
    void aTokenOfTheCacheHasTheBytesOfItsHeads();
    void reportsOfTrainingFlopsAreMet();
    void tokensReachAsManyNodesAsCountingAllChoicesSays();
    void copiesOfTokensHaveThePublishedBytes();
    void aLargeModelPrefillsAndDecodesAsTabled_data();
    void aLargeModelPrefillsAndDecodesAsTabled();
    void chunksOfAPromptAddUpToIt();
    void slidingLayersKeepTheirWindow();
    void pairsWithinAWindowAreThoseThatAreSeen();
    void decodingReadsTheExpertsThatAreHit();
    void capacityRoundsUpAndDroplessIsExact();
    void statesOfNarrowTypesHaveTheirBytes();
    void numbersBeyondSixtyThreeBitsAreRefused();
};

void ModelPassesTest::aTrillionParametersTakeTheFlopsOfThePaper()
{
    // Table of the 2021 paper: full recomputation, 2048 tokens, vocabulary 51200.
    const TrainingCost large = got(trainingCost(gpt(128, 25600, 160), 3072, 2048, LayerRecompute::Full));
    QVERIFY(near(static_cast<double>(large.executedFlops), 5.1391e19, 1e-4));
    QVERIFY(wideText(large.executedFlops).starts_with("5139"));
    QVERIFY(near(static_cast<double>(got(trainingCost(gpt(24, 2304, 24), 512, 2048, LayerRecompute::Full)).executedFlops), 1.5467e16, 1e-4));
    QVERIFY(near(static_cast<double>(got(countParameters(gpt(128, 25600, 160))).total), 1008.0e9, 1e-4));
    QVERIFY(near(static_cast<double>(got(countParameters(gpt(24, 2304, 24))).total), 1.65e9, 3e-3));
}

void ModelPassesTest::flopsOfATrainingStepFollowTheClosedForm()
{
    for (const auto& [layers, h, a] : {std::tuple{3, 512, 8}, std::tuple{24, 2304, 24}}) {
        const std::int64_t B = 5, s = 2048, V = 51200, L = layers, width = h;
        // 72 B s L h^2 (1 + s / 6h + V / 12 h L), written out.
        const std::int64_t expected = 72 * B * s * L * width * width + 12 * B * s * s * L * width + 6 * B * s * width * V;
        const TrainingCost cost = got(trainingCost(gpt(layers, h, a), B, s, LayerRecompute::Selective));
        QCOMPARE(whole(cost.modelFlops), expected);
        // Selective recomputation runs the core of attention once more: 4 B s^2 h a layer. The published form counts its backward too.
        QCOMPARE(whole(cost.executedFlops), expected + 4 * B * s * s * L * width);
        QCOMPARE(whole(cost.publishedHardwareFlops), expected + 12 * B * s * s * L * width);
        // 96 B s L h^2 (1 + s / 6h + V / 16 h L)
        QCOMPARE(whole(got(trainingCost(gpt(layers, h, a), B, s, LayerRecompute::Full)).executedFlops),
                 96 * B * s * L * width * width + 16 * B * s * s * L * width + 6 * B * s * width * V);
    }
}

void ModelPassesTest::aLayerKeepsTheActivationsOfThePaper()
{
    for (const auto& [layers, h, a, B] : {std::tuple{48, 6144, 64, 4}, std::tuple{96, 12288, 96, 1}}) {
        const std::int64_t s = 2048, base = s * B * h;
        // s B h (34 + 5 a s / h)
        const std::int64_t all = 34 * base + 5 * a * s * s * B;
        QCOMPARE(got(trainingCost(gpt(layers, h, a), B, s, LayerRecompute::None)).savedBytes, all * layers);
        QCOMPARE(got(trainingCost(gpt(layers, h, a), B, s, LayerRecompute::Selective)).savedBytes, 34 * base * layers);
        QCOMPARE(got(trainingCost(gpt(layers, h, a), B, s, LayerRecompute::Full)).savedBytes, 2 * base * layers);
        // s B h of masks, and 4 s B h (1 + V / h) for final norm, logits' input and fp32 logits.
        QCOMPARE(got(trainingCost(gpt(layers, h, a), B, s, LayerRecompute::None)).outsideBytes, base + 4 * base + 4 * s * B * 51200);
        // Of a split along heads and width: 10 of 34 stay whole.
        const ModelLayers model = got(modelLayers(gpt(layers, h, a), PassShape::train(B, s)));
        std::int64_t kept = 0, divided = 0;
        for (const LayerOp& op : model.kinds.front().ops) {
            kept += op.saved.whole;
            divided += op.saved.divided;
        }
        QCOMPARE(kept, 10 * base);
        QCOMPARE(divided, 24 * base + 5 * a * s * s * B);
    }
}

void ModelPassesTest::opsOfALayerAreThoseOfTheTable()
{
    const std::int64_t B = 2, s = 128, h = 768, a = 12, f = 3072;
    const ModelLayers layers = got(modelLayers(named("gpt2-124m"), PassShape::train(B, s)));
    QCOMPARE(layers.kinds.size(), std::size_t{1});
    const std::vector<std::pair<std::string, std::int64_t>> expected{
        {"norm1", 5 * B * s * h}, {"qkv", 6 * B * s * h * h}, {"scores", 2 * B * s * s * h}, {"softmax", 5 * B * a * s * s}, {"attention_dropout", B * a * s * s},
        {"weighted_sum", 2 * B * s * s * h}, {"attention_out", 2 * B * s * h * h}, {"attention_residual", 2 * B * s * h}, {"norm2", 5 * B * s * h},
        {"ff_up", 2 * B * s * h * f}, {"activation", 8 * B * s * f}, {"ff_down", 2 * B * s * f * h}, {"ff_residual", 2 * B * s * h}};
    const std::vector<LayerOp>& ops = layers.kinds.front().ops;
    QCOMPARE(ops.size(), expected.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        QCOMPARE(ops[i].name, expected[i].first);
        QCOMPARE(ops[i].flops, expected[i].second);
        QCOMPARE(ops[i].backwardFlops, (ops[i].matrix ? 2 : 1) * expected[i].second);
    }
    QCOMPARE(layers.kinds.front().parameters, 12 * h * h + 13 * h);
    // FP32: input, weights with bias, output.
    QCOMPARE(ops[9].read.total(), 4 * (B * s * h + h * f + f));
    QCOMPARE(ops[9].written.total(), 4 * B * s * f);
}

void ModelPassesTest::latentAttentionTakesTheFlopsOfItsForm()
{
    QCOMPARE(latentFlops(PassShape::decode(1, 4096), LatentForm::Naive), 709754880);
    QCOMPARE(latentFlops(PassShape::decode(1, 4096), LatentForm::Absorbed), 1515061248);
    QCOMPARE(latentFlops(PassShape::decode(1, 4096), LatentForm::Reexpand), 138115153920);
    QCOMPARE(latentFlops(PassShape::prefill(1, 4096), LatentForm::Naive), 2220128993280);
    QCOMPARE(latentFlops(PassShape::prefill(1, 4096), LatentForm::Absorbed), 3869799088128);
    QCOMPARE(latentFlops(PassShape::decode(1, 4096), LatentForm::Usual), latentFlops(PassShape::decode(1, 4096), LatentForm::Absorbed));
    QCOMPARE(latentFlops(PassShape::prefill(1, 4096), LatentForm::Usual), latentFlops(PassShape::prefill(1, 4096), LatentForm::Naive));
}

void ModelPassesTest::latentAttentionKeepsWhatBackwardNeeds()
{
    const std::int64_t tokens = 128;
    const ModelLayers layers = got(modelLayers(named("deepseek-v3"), PassShape::train(1, tokens)));
    std::int64_t all = 0, again = 0;
    for (const LayerOp& op : layers.kinds.front().ops) {
        if (std::find(kAttentionPart.begin(), kAttentionPart.end(), op.name) == kAttentionPart.end())
            continue;
        all += op.saved.total();
        again += keptBytes(op, kLayerNorm | kMlaUpProjection).total();
        QCOMPARE(keptBytes(op, 0), op.saved);
    }
    QCOMPARE(all, 201344 * tokens);
    QCOMPARE(again, 51840 * tokens);
}

void ModelPassesTest::aTokenOfTheCacheHasTheBytesOfItsHeads_data()
{
    QTest::addColumn<qint64>("bytes");
    const std::pair<const char*, qint64> rows[] = {{"llama-3-8b", 131072}, {"llama-3-70b", 327680}, {"llama-3.1-405b", 516096}, {"gpt3-175b", 4718592},
                                                   {"gemma-2b", 18432}, {"falcon-7b", 8192}, {"deepseek-v3", 70272}};
    for (const auto& [name, bytes] : rows)
        QTest::newRow(name) << bytes;
}

void ModelPassesTest::aTokenOfTheCacheHasTheBytesOfItsHeads()
{
    QFETCH(qint64, bytes);
    QCOMPARE(got(kvBytesPerToken(named(QTest::currentDataTag()))), bytes);
}

void ModelPassesTest::reportsOfTrainingFlopsAreMet()
{
    QVERIFY(near(got(reportedFlopsPerToken(named("deepseek-v3"), 4096)), 250.46e9, 1e-4));
    QVERIFY(near(got(reportedFlopsPerToken(named("deepseek-v2"), 4096)), 155.31e9, 1e-4));
    // The ops agree: three times forward; rounding of 6 (active - V h) counts norms as if they were products.
    const TrainingCost cost = got(trainingCost(named("deepseek-v3"), 1, 4096, LayerRecompute::None));
    QVERIFY(near(static_cast<double>(cost.modelFlops) / 4096, 250.46e9, 1e-3));
}

void ModelPassesTest::tokensReachAsManyNodesAsCountingAllChoicesSays()
{
    QVERIFY(near(expectedNodes(256, 8, 8), 5.294652, 1e-6));
    QVERIFY(near(expectedNodesLimited(256, 8, 8, 4), 3.629011, 1e-6));
    QVERIFY(near(expectedNodes(256, 8, 16), 6.523280, 1e-6));
    QVERIFY(near(expectedNodesLimited(256, 8, 16, 4), 3.658983, 1e-6));
    // All ways to pick 2 of 6 experts on 3 nodes of two: 3 of the 15 stay on one node.
    QVERIFY(near(expectedNodes(6, 2, 3), (3 * 1 + 12 * 2) / 15.0, 1e-12));
    QVERIFY(near(expectedExperts(8, 2, 4), 5.46875, 1e-12));
    QVERIFY(near(expectedExperts(256, 8, 32), 163.314, 1e-5));
}

void ModelPassesTest::copiesOfTokensHaveThePublishedBytes()
{
    QCOMPARE(dispatchBytes(7168, NumberType::Bf16, true), 7392);
    QCOMPARE(dispatchBytes(7168, NumberType::Bf16, false), 14336);
    const double away = 7.0 / 8.0;
    QVERIFY(std::fabs(expectedNodes(256, 8, 8) * away * 7392 - 34245.8) < 0.1);
    QVERIFY(std::fabs(expectedNodes(256, 8, 8) * away * 14336 - 66416.1) < 0.1);
    QVERIFY(std::fabs(expectedNodesLimited(256, 8, 8, 4) * away * 7392 - 23472.4) < 0.1);
    QVERIFY(std::fabs(expectedNodesLimited(256, 8, 8, 4) * away * 14336 - 45522.3) < 0.1);
}

void ModelPassesTest::aLargeModelPrefillsAndDecodesAsTabled_data()
{
    QTest::addColumn<bool>("decode");
    QTest::addColumn<qint64>("batch");
    QTest::addColumn<qint64>("tokens");
    QTest::addColumn<qint64>("linear");
    QTest::addColumn<qint64>("attention");
    QTest::addColumn<qint64>("kv");
    QTest::newRow("prefill 2048") << false << qint64{1} << qint64{2048} << qint64{280377566429184} << qint64{5500242493440} << qint64{0};
    QTest::newRow("prefill 8192") << false << qint64{1} << qint64{8192} << qint64{1121503961677824} << qint64{87971667640320} << qint64{0};
    QTest::newRow("decode 1") << true << qint64{1} << qint64{1024} << qint64{139003428864} << qint64{2684354560} << qint64{335544320};
    QTest::newRow("decode 16") << true << qint64{16} << qint64{4096} << qint64{2224054861824} << qint64{171798691840} << qint64{21474836480};
    QTest::newRow("decode 64") << true << qint64{64} << qint64{4096} << qint64{8896219447296} << qint64{687194767360} << qint64{85899345920};
}

void ModelPassesTest::aLargeModelPrefillsAndDecodesAsTabled()
{
    QFETCH(bool, decode);
    QFETCH(qint64, batch);
    QFETCH(qint64, tokens);
    QFETCH(qint64, linear);
    QFETCH(qint64, attention);
    QFETCH(qint64, kv);
    const InferenceCost cost = got(inferenceCost(named("llama-3-70b"), decode ? PassShape::decode(batch, tokens) : PassShape::prefill(batch, tokens)));
    QCOMPARE(cost.linearFlops, linear);
    QCOMPARE(cost.attentionFlops, attention);
    QCOMPARE(cost.kvReadBytes, kv);
    QCOMPARE(cost.weightBytes, 139006066688);
    QCOMPARE(cost.kvWriteBytes, 327680 * batch * (decode ? 1 : tokens));
}

void ModelPassesTest::chunksOfAPromptAddUpToIt()
{
    const ModelSpec model = named("llama-3-70b");
    const std::vector<InferenceCost> chunks = got(chunkedPrefill(model, 1, 8192, 2048));
    const std::vector<std::int64_t> expected{5500242493440, 16495358771200, 27490475048960, 38485591326720};
    QCOMPARE(chunks.size(), expected.size());
    std::int64_t attention = 0, kv = 0, weights = 0;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        QCOMPARE(chunks[i].attentionFlops, expected[i]);
        attention += chunks[i].attentionFlops;
        kv += chunks[i].kvReadBytes;
        weights += chunks[i].weightBytes;
    }
    QCOMPARE(attention, got(inferenceCost(model, PassShape::prefill(1, 8192))).attentionFlops);
    QCOMPARE(kv, 4026531840);
    QCOMPARE(weights, 4 * 139006066688);
    QVERIFY(!chunkedPrefill(model, 1, 8192, 0));
    QVERIFY(!chunkedPrefill(model, 1, std::int64_t{1} << 31, 1));
}

void ModelPassesTest::slidingLayersKeepTheirWindow()
{
    QCOMPARE(got(kvCacheBytes(named("gemma-2-9b"), 8192)), 2113929216);
    QCOMPARE(got(kvCacheBytes(named("mistral-7b-v0.1"), 8192)), 536870912);
    const ModelLayers layers = got(modelLayers(named("gemma-2-9b"), PassShape::decode(1, 8192)));
    QCOMPARE(layers.kinds.size(), std::size_t{2});
    QCOMPARE(layers.kinds[0].window, 4096);
    QCOMPARE(layers.kinds[0].layers[1], 2);
    QCOMPARE(layers.kindOf[1], 1);
}

void ModelPassesTest::pairsWithinAWindowAreThoseThatAreSeen()
{
    QCOMPARE(windowPairs(0, 8192, 4096).value(), 25167872);
    // Counted one by one.
    for (const std::int64_t window : {1, 3, 7, 20}) {
        for (std::int64_t offset = 0; offset < 12; ++offset) {
            std::int64_t seen = 0;
            for (std::int64_t keys = offset + 1; keys < 15; ++keys) {
                seen += std::min(keys, window);
                QCOMPARE(windowPairs(offset, keys, window).value(), seen);
            }
        }
    }
}

void ModelPassesTest::decodingReadsTheExpertsThatAreHit()
{
    QCOMPARE(got(inferenceCost(named("mixtral-8x7b"), PassShape::decode(1, 1024))).weightBytes, 25497706496);
    QCOMPARE(got(inferenceCost(named("mixtral-8x7b"), PassShape::decode(4, 1024))).weightBytes, 64605396992);
}

void ModelPassesTest::capacityRoundsUpAndDroplessIsExact()
{
    MoeSpec moe;
    moe.experts = 8;
    moe.topK = 2;
    moe.capacityFactor = 1.25;
    QCOMPARE(expertCapacity(moe, 2048).value(), 640);
    QCOMPARE(expertCapacity(moe, 2049).value(), 641); // 640.3125
    QCOMPARE(expertRows(moe, 2048, true).value(), 5120);
    QCOMPARE(expertRows(moe, 2048, false).value(), 4096);
    moe.capacityFactor = 0;
    QCOMPARE(expertRows(moe, 2048, true).value(), 4096);
    QCOMPARE(alignedRows({1, 0, 128, 129}, 128).value(), 512);
    QCOMPARE(alignedRows({1, 0, 128, 129}, 1).value(), 258);
}

void ModelPassesTest::statesOfNarrowTypesHaveTheirBytes()
{
    ModelTypes types{NumberType::Fp8, NumberType::Bf16, NumberType::Fp32, NumberType::Fp32, NumberType::Bf16, NumberType::Bf16, true};
    const StateBytes narrow = stateBytesOf(types, OptimizerKind::AdamW);
    QCOMPARE(narrow.total(), 13.000244140625);
    QVERIFY(std::fabs(narrow.total() * 671026419200.0 - 8723507274409.4) < 1);
    QVERIFY(std::fabs(narrow.zero1(64) - 5.125244) < 1e-6);
    types = {NumberType::Bf16, NumberType::Bf16, NumberType::Fp32, NumberType::Fp32, NumberType::Fp32, NumberType::Bf16, false};
    QCOMPARE(stateBytesOf(types, OptimizerKind::Adam).total(), 18.0);
    types = {NumberType::Fp32, NumberType::Fp32, NumberType::Fp32, NumberType::Fp32, NumberType::Fp32, NumberType::Fp32, false};
    QCOMPARE(stateBytesOf(types, OptimizerKind::Adam).total(), 16.0);
    QCOMPARE(stateBytesOf(types, OptimizerKind::Sgd).total(), 8.0);
}

void ModelPassesTest::numbersBeyondSixtyThreeBitsAreRefused()
{
    const auto layers = modelLayers(named("llama-3.1-405b"), PassShape::train(std::int64_t{1} << 32, std::int64_t{1} << 32));
    QVERIFY(!layers);
    QVERIFY(layers.error().message.find("2^63") != std::string::npos);
    QVERIFY(!modelLayers(named("gpt2"), PassShape::train(1, 1025)));
    QVERIFY(!modelLayers(named("gpt2"), PassShape::train(0, 16)));
    QVERIFY(!modelLayers(named("gpt2"), PassShape{PassMode::Decode, 1, 2, 1, {}}));
}

FABRICSCOPE_TEST(ModelPassesTest)
#include "tst_modelpasses.moc"
