#include "core/model/parametertensors.h"
#include "core/model/presetmodels.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

ModelSpec presetNamed(const char* name)
{
    auto model = presetModel(name);
    if (!model)
        qFatal("%s", model.error().text().c_str());
    return std::move(model).value();
}

ParameterCount counted(const ModelSpec& model)
{
    const auto count = countParameters(model);
    if (!count)
        qFatal("%s", count.error().text().c_str());
    return count.value();
}

} // namespace

/// Totals of published checkpoints and papers; the sources stand in the public metadata of each model.
class ModelParametersTest : public QObject {
    Q_OBJECT

private slots:
    void aPresetHasThePublishedNumberOfParameters_data();
    void aPresetHasThePublishedNumberOfParameters();
    void aTokenUsesOnlyTheExpertsItSelects_data();
    void aTokenUsesOnlyTheExpertsItSelects();
    void everyPresetCanBeReadByItsName();
    void namesAreFoundWhateverTheirSpelling();
    void anUnknownNameIsRefusedWithTheNearest();
    void deepseekV3IsStoredInThreeTypes();
    void deepseekV3WithItsPredictionLayerIsStoredAsPublished();
    void aLatentModelWithThePredictionLayerHasOneMoreLayer();
    void aRecommendationModelCountsItsPartsApart();
};

void ModelParametersTest::aPresetHasThePublishedNumberOfParameters_data()
{
    QTest::addColumn<qint64>("parameters");
    const std::pair<const char*, qint64> rows[] = {
        {"gpt2-124m", 124439808}, {"gpt2-xl", 1557611200}, {"llama-7b", 6738415616}, {"llama-2-13b", 13015864320}, {"llama-2-70b", 68976648192},
        {"llama-3-8b", 8030261248}, {"llama-3-70b", 70553706496}, {"llama-3.1-405b", 405853388800}, {"mixtral-8x7b", 46702792704},
        {"bert-base", 109482240}, {"bert-large", 335141888}, {"vgg16", 138357544}, {"vgg19", 143667240}, {"resnet50", 25557032},
        {"resnet101", 44549160}, {"resnet152", 60192808}, {"gshard-128b", 137702416384}, {"gshard-1t", 1100041175040}, {"gshard-175b", 174366928896},
        {"llama-3.2-1b", 1235814400}, {"mistral-7b-v0.1", 7241732096}, {"mistral-nemo", 12247782400}, {"mixtral-8x22b", 140620634112},
        {"qwen2-0.5b", 494032768}, {"qwen2-7b", 7615616512}, {"qwen2-72b", 72706203648}, {"qwen1.5-moe-a2.7b", 14315784192},
        {"qwen2-57b-a14b", 57408658944}, {"qwen3-0.6b", 596049920}, {"qwen3-32b", 32762123264}, {"qwen3-30b-a3b", 30532122624},
        {"qwen3-235b-a22b", 235093634560}, {"gemma-7b", 8537680896}, {"gemma-2-2b", 2614341888}, {"gemma-2-9b", 9241705984}, {"gemma-2-27b", 27227128320},
        {"deepseek-v2-lite", 15706484224}, {"deepseek-v2", 235741434880}, {"deepseek-v3", 671026419200}, {"phi-2", 2779683840},
        {"phi-3-mini-4k", 3821079552}, {"gpt2-medium", 354823168}, {"gpt-neox-20b", 20554567680}, {"opt-1.3b", 1315758080}, {"opt-350m", 331196416},
        {"falcon-7b", 6921720704}, {"falcon-40b", 41303293952}, {"bloom-176b", 176247271424}};
    for (const auto& [name, parameters] : rows)
        QTest::newRow(name) << parameters;
}

void ModelParametersTest::aPresetHasThePublishedNumberOfParameters()
{
    QFETCH(qint64, parameters);
    QCOMPARE(counted(presetNamed(QTest::currentDataTag())).total, parameters);
}

void ModelParametersTest::aTokenUsesOnlyTheExpertsItSelects_data()
{
    QTest::addColumn<qint64>("active");
    const std::pair<const char*, qint64> rows[] = {
        {"mixtral-8x22b", 39152031744}, {"qwen1.5-moe-a2.7b", 2689173504}, {"qwen2-57b-a14b", 14249270784}, {"qwen3-30b-a3b", 3353032704},
        {"qwen3-235b-a22b", 22190763520}, {"deepseek-v2-lite", 2661150208}, {"deepseek-v2", 21375800320}, {"deepseek-v3", 37552297472},
        {"llama-3-8b", 8030261248}};
    for (const auto& [name, active] : rows)
        QTest::newRow(name) << active;
}

void ModelParametersTest::aTokenUsesOnlyTheExpertsItSelects()
{
    QFETCH(qint64, active);
    QCOMPARE(counted(presetNamed(QTest::currentDataTag())).active, active);
}

void ModelParametersTest::everyPresetCanBeReadByItsName()
{
    QVERIFY(modelPresets().size() >= 48);
    for (const ModelPreset& preset : modelPresets()) {
        const auto model = presetModel(preset.name);
        QVERIFY2(model, model ? "" : model.error().text().c_str());
        QCOMPARE(model.value().name, std::string(preset.name));
        const auto layers = modelLayers(model.value(), PassShape::train(1, 128));
        QVERIFY2(layers, layers ? "" : layers.error().text().c_str());
        // Ops and tensors are two ways to the same sum.
        QCOMPARE(totalsOf(layers.value()).value().parameters, counted(model.value()).total);
    }
}

void ModelParametersTest::namesAreFoundWhateverTheirSpelling()
{
    for (const char* name : {"Llama-3-70B", "llama 3 70b", "LLAMA_3_70b", "llama-3.1-70b"})
        QCOMPARE(presetNamed(name).name, std::string("llama-3-70b"));
    QCOMPARE(presetNamed("GPT-2 XL").name, std::string("gpt2-xl"));
    QCOMPARE(presetNamed("ResNet-50").name, std::string("resnet50"));
}

void ModelParametersTest::anUnknownNameIsRefusedWithTheNearest()
{
    const auto model = presetModel("llama-3-80b");
    QVERIFY(!model);
    QVERIFY(model.error().message.find("llama-3-80b") != std::string::npos);
    QVERIFY(model.error().expected.find("nearest: llama-3-8") != std::string::npos);
}

namespace {

std::int64_t ofType(const ParameterCount& count, NumberType type)
{
    return count.byType[static_cast<std::size_t>(type)];
}

/// As published: FP8 for the linear layers, and one layer that predicts a further token.
ModelSpec storedV3(bool predict)
{
    ModelSpec model = presetNamed("deepseek-v3");
    model.types.param = NumberType::Fp8;
    model.transformer.predictLayers = predict ? 1 : 0;
    return model;
}

} // namespace

void ModelParametersTest::deepseekV3IsStoredInThreeTypes()
{
    const ParameterCount count = counted(storedV3(false));
    QCOMPARE(ofType(count, NumberType::Fp8), 669065609216);
    QCOMPARE(ofType(count, NumberType::Bf16), 1960795136);
    QCOMPARE(ofType(count, NumberType::Fp32), 40853080);
    QCOMPARE(count.bytes, 673150611808);
}

void ModelParametersTest::deepseekV3WithItsPredictionLayerIsStoredAsPublished()
{
    const auto checkpoint = countCheckpoint(storedV3(true));
    QVERIFY(checkpoint);
    const ParameterCount count = checkpoint.value();
    QCOMPARE(ofType(count, NumberType::Fp8), 680571043840);
    QCOMPARE(ofType(count, NumberType::Bf16), 3918786560);
    QCOMPARE(ofType(count, NumberType::Fp32), 41555600);
    QCOMPARE(count.bytes, 688574839360);
}

void ModelParametersTest::aLatentModelWithThePredictionLayerHasOneMoreLayer()
{
    QCOMPARE(counted(storedV3(true)).total - counted(storedV3(false)).total, 11610068224);
}

void ModelParametersTest::aRecommendationModelCountsItsPartsApart()
{
    const auto layers = modelLayers(presetNamed("mlperf-dlrm"), PassShape::train(1, 1));
    QVERIFY(layers);
    std::int64_t bottom = 0, top = 0;
    for (const LayerOp& op : layers.value().before) {
        bottom += op.name.starts_with("bottom") ? op.parameters.total() : 0;
        top += op.name.starts_with("top") ? op.parameters.total() : 0;
    }
    QCOMPARE(bottom, 171392);
    QCOMPARE(top, 2197505);
    QCOMPARE(totalsOf(layers.value()).value().matrixFlops / 2, 2458496);
}

FABRICSCOPE_TEST(ModelParametersTest)
#include "tst_modelparameters.moc"
