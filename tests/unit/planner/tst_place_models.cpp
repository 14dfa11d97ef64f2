// Graphs of preset models: their parameters and FLOPs, and what the file may say.
#include "core/model/parametertensors.h"
#include "core/model/presetmodels.h"
#include "core/planner/modelgraphs.h"
#include "core/planner/placefile.h"
#include "core/planner/specgraph.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>

using namespace fabricscope;

namespace {

std::optional<ModelGraph> modelOf(const std::string& text, std::int64_t devices, std::string* refusal = nullptr)
{
    const auto document = YamlDocument::parse(text, "f.yaml");
    FieldContext context(document.value());
    auto model = readModelGraph(context, document.value().root(), "place.model", 32, ElementType::Fp32, devices);
    if (refusal && context.hasErrors())
        *refusal = context.firstError()->text();
    return model;
}

double macsOf(const ModelGraph& model)
{
    double flops = 0;
    for (const GraphOp& op : model.graph.ops) {
        if (op.kind == GraphOpKind::Einsum || op.kind == GraphOpKind::Conv)
            flops += forwardFlops(model.graph, op);
    }
    return flops / 2;
}

} // namespace

class TstPlaceModels : public QObject {
    Q_OBJECT

private slots:
    void convolutionNetworksHaveTheirParametersAndMultiplyAdds()
    {
        // VGG-19 for 10 classes of 32 x 32 images and VGG-16, VGG-19 of 224 x 224 and 1000 classes, as published; multiply-adds of one image.
        const auto small = modelOf("{preset: vgg19, input: [3, 32, 32], classes: 10}", 8);
        QVERIFY(small);
        QCOMPARE(small->parameters(), std::int64_t{139'611'210});
        QVERIFY(std::abs(macsOf(*small) / 32 - 0.518e9) < 0.001e9);
        const auto vgg16 = modelOf("{preset: vgg16, input: [3, 224, 224], classes: 1000}", 8);
        QVERIFY(vgg16);
        QCOMPARE(vgg16->parameters(), std::int64_t{138'357'544});
        QVERIFY(std::abs(macsOf(*vgg16) / 32 - 15.470e9) < 0.001e9);
        const auto vgg19 = modelOf("{preset: vgg19, input: [3, 224, 224], classes: 1000}", 8);
        QCOMPARE(vgg19->parameters(), std::int64_t{143'667'240});
        QVERIFY(std::abs(macsOf(*vgg19) / 32 - 19.632e9) < 0.001e9);
    }

    void transformersHaveTheParametersOfTheirLayers()
    {
        // A layer: 4 projections with biases, 2 products of the feed-forward part with theirs, 2 norms.
        const std::int64_t h = 768;
        const std::int64_t attention = 4 * (h * h + h);
        const std::int64_t feed = 2 * h * 3072 + 3072 + h;
        const std::int64_t norms = 4 * h;
        const auto vit = modelOf("{preset: vit}", 8);
        QVERIFY(vit);
        QCOMPARE(vit->parameters(), 12 * (attention + feed + norms) + 48 * h + h + 65 * h + 2 * h + h * 10 + 10);
        QVERIFY(std::abs(static_cast<double>(vit->parameters()) - 85.15e6) < 0.05e6);
        const auto bert = modelOf("{preset: bert}", 8);
        QCOMPARE(bert->parameters(), 12 * (attention + feed + norms) + 2 * 33280 * h + 128 * h + 2 * h);
        // 16 experts without biases in every second layer, and their routers.
        const auto moe = modelOf("{preset: moe}", 8);
        QCOMPARE(moe->parameters(), 12 * (attention + norms) + 6 * feed + 6 * (16 * 2 * h * 3072 + h * 16) + 2 * 33280 * h + 128 * h + 2 * h);
        QVERIFY(std::abs(static_cast<double>(moe->parameters()) - 0.56e9) < 0.005e9);
    }

    void sizesMayBeGiven()
    {
        const auto small = modelOf("{preset: bert, layers: 1, hidden: 8, heads: 2, ff: 16, seq: 4, vocab: 10}", 2);
        QVERIFY(small);
        QCOMPARE(small->parameters(), std::int64_t{4 * (64 + 8) + 2 * 8 * 16 + 16 + 8 + 4 * 8 + 2 * 10 * 8 + 4 * 8 + 2 * 8});
    }

    void whatDoesNotFitIsRefused_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("said");
        QTest::newRow("no preset") << "{layers: 2}" << "\"preset\" is missing";
        QTest::newRow("an unknown one") << "{preset: vgg18}" << "nearest: vgg1";
        QTest::newRow("not used") << "{preset: vgg19, seq: 8}" << "not used by this preset";
        QTest::newRow("experts without them") << "{preset: bert, experts: 8}" << "not used by this preset";
        QTest::newRow("an image without a classifier") << "{preset: vgg19, input: [3, 100, 100]}" << "7 x 7 places";
        QTest::newRow("two sizes") << "{preset: vgg19, input: [3, 32]}" << "channels, height and width";
        QTest::newRow("heads that do not divide") << "{preset: vit, heads: 5}" << "a divisor";
        QTest::newRow("too many elements") << "{preset: bert, vocab: 1000000000, hidden: 1000000, heads: 1}" << "elements";
        QTest::newRow("too many layers") << "{preset: bert, layers: 1000}" << "from 1 to 200";
    }
    void whatDoesNotFitIsRefused()
    {
        QFETCH(QString, text);
        QFETCH(QString, said);
        std::string refusal;
        QVERIFY(!modelOf(text.toStdString(), 8, &refusal));
        QVERIFY2(QString::fromStdString(refusal).contains(said), refusal.c_str());
    }

    /// The graph of a design's model has the parameters that the model counts tensor by tensor, and 2 FLOP for each of them and token in its products.
    void modelsOfDesignsHaveAllTheirParameters()
    {
        for (const char* name : {"gpt2", "llama-2-7b", "llama-3-8b"}) {
            const auto model = presetModel(name);
            QVERIFY2(bool(model), name);
            ModelSpec spec = model.value();
            spec.transformer.seq = spec.transformer.positions == PositionKind::Learned ? spec.transformer.seq : 64;
            const auto graph = graphOfModel(spec, 3);
            QVERIFY2(bool(graph), graph ? "" : graph.error().text().c_str());
            QCOMPARE(graph.value().parameters(), countParameters(spec).value().total);
            const TransformerSpec& t = spec.transformer;
            double flops = 0;
            for (const GraphOp& op : graph.value().graph.ops)
                flops += op.kind == GraphOpKind::Einsum ? forwardFlops(graph.value().graph, op) : 0;
            const double tokens = 3.0 * static_cast<double>(t.seq);
            const double width = t.heads * t.headDim;
            const double layer = 2.0 * static_cast<double>(t.hidden) * (2 * width + 2.0 * t.kvHeads * t.headDim) + 2.0 * (t.ffKind == FeedForwardKind::Glu ? 3 : 2) * static_cast<double>(t.hidden * t.ff)
                + 4.0 * width * static_cast<double>(t.seq);
            const double expected = tokens * (t.layers * layer + 2.0 * static_cast<double>(t.hidden * t.vocab));
            QVERIFY2(std::abs(flops - expected) <= 1e-9 * expected, name);
        }
    }

    void partsThatGraphsDoNotHaveAreRefusedByName()
    {
        const std::pair<const char*, const char*> kRefused[] = {{"mixtral-8x7b", "experts"}, {"resnet-50", "family convnet"}, {"deepseek-v3", "experts"}};
        for (const auto& [name, part] : kRefused) {
            const auto model = presetModel(name);
            if (!model)
                continue;
            const auto graph = graphOfModel(model.value(), 8);
            QVERIFY2(!graph && graph.error().message.find(part) != std::string::npos, name);
        }
        ModelSpec sliding = presetModel("gpt2").value();
        sliding.transformer.window = 128;
        const auto refused = graphOfModel(sliding, 8);
        QVERIFY(!refused);
        QCOMPARE(refused.error().message, std::string("placement: hap does not place sliding attention"));
    }

    void attentionIsSplitByHeads()
    {
        // One layer, few samples, fast network of one all-reduce: heads and rows save the weights' gradients.
        const auto document = YamlDocument::parse("fabricscope: 1\nplace:\n  batch: 2\n  model: {preset: bert, layers: 1, hidden: 256, heads: 8, ff: 1024, seq: 16, vocab: 512}\n  cluster:\n"
                                                  "    devices: [{name: a, speed: 1 TFLOP/s, count: 2}]\n    collectives: {all_gather: {bandwidth: 4 GB/s}, reduce_scatter: {bandwidth: 4 GB/s}, all_reduce: {bandwidth: 4 GB/s}}\n",
            "f.yaml");
        const auto file = readPlaceFile(document.value());
        QVERIFY(bool(file));
        const auto placement = place(file.value().problem, SearchMethod::Bound);
        QVERIFY(bool(placement));
        for (const PlacedStep& step : placement.value().program.steps) {
            if (step.kind != PlacedStep::Kind::Compute || step.op < 0)
                continue;
            const std::string& name = file.value().problem.graph.ops[static_cast<std::size_t>(step.op)].name;
            if (name == "l0_context")
                QCOMPARE(step.makes, Property::gather(2));
            if (name == "l0_out" || name == "l0_down")
                QCOMPARE(std::string(wordOf(step.word)), std::string("row"));
        }
    }
};

FABRICSCOPE_TEST(TstPlaceModels)
#include "tst_place_models.moc"
