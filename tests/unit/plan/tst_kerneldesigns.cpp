// compute.kernels of a design: its keys, what plan, simulate and generate make of it, and measured steps.
#include "core/base/files/textfile.h"
#include "core/design/computeconfig.h"
#include "core/design/file/readdesign.h"
#include "core/design/plankernels.h"
#include "core/design/validate.h"
#include "core/insight/reconcile.h"
#include "core/measure/rowpredictions.h"
#include "core/run/rundesign.h"
#include "core/scenario/designplan.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>

using namespace fabricscope;

namespace {

constexpr int kSmallLayers = 3;
constexpr int kSmallBatches = 4;

Design kernelDesign(const std::string& text)
{
    auto loaded = readDesignText(text, "made.yaml");
    if (!loaded)
        qFatal("%s\n%s", loaded.error().text().c_str(), text.c_str());
    return std::move(loaded).value().design;
}

/// On two ranks of 100 TFLOP/s whose links take no time worth naming; kernels move bytes in no time.
std::string smallText(const std::string& kernels, const std::string& plan = "mesh: {axes: [pp], shape: [1]}", int ranks = 1, const std::string& more = "")
{
    return "fabricscope: 1\nplatform: {dimensions: [{shape: switch, size: " + std::to_string(ranks) + ", bandwidth: 1000000 GB/s, latency: 0 ns}], npu: {peak: 100 TFLOP/s}}\ncompute: {kernels: {" + kernels + "}}\n" + more
        + "workload:\n  model: {family: transformer, transformer: {layers: " + std::to_string(kSmallLayers) + ", hidden: 256, heads: 4, vocab: 1024, seq: 128, flash_attention: true, dropout: false}, train: {global_batch: " + std::to_string(kSmallBatches)
        + ", micro_batch: 1}}\n  plan: {" + plan + "}\n";
}

double estimatedStepOf(const Design& design)
{
    const auto plan = analyseDesign(design);
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    return plan.value().analysis.times->step;
}

double simulatedStepOf(const Design& design)
{
    const auto result = runDesign(std::make_shared<const Design>(design), {}, {});
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return static_cast<double>(result.value()->record().finish.ps) * 1e-12;
}

/// What validate() says of it: the rule's words and the place.
QString saidOf(const std::string& text)
{
    QString out;
    for (const Diagnostic& found : validate(kernelDesign(text)))
        out += QString::fromStdString(found.message + " [" + found.place.field + (found.severity == Severity::Error ? "] error; " : "] warning; "));
    return out;
}

bool isWithin(double a, double b, double share)
{
    return std::abs(a / b - 1) <= share;
}

QByteArray asBoth(double a, double b)
{
    return QByteArray::number(a, 'g', 12) + " and " + QByteArray::number(b, 'g', 12);
}

/// A row of gpt-multi-node.csv as `validate` sees it.
std::string measuredText(const MeasuredTable& table, const MeasuredTable::Row& row)
{
    const auto cell = [&](const char* name) { return table.cell(row, name); };
    const auto whole = [&](const char* name) { return table.whole(row, name).value(); };
    return "fabricscope: 1\nmodel: {name: flow}\nplatform:\n  dimensions:\n    - {shape: switch, size: 8, bandwidth: 231 GB/s, latency: 0.3 us}\n    - {shape: switch, size: " + std::to_string(whole("gpus") / 8)
        + ", bandwidth: 12.4375 GB/s, latency: 5 us}\n  npu: {peak: 312 TFLOP/s, memory_bandwidth: 2039 GB/s, memory: 80 GB}\nnetwork: {launch: 20 us}\ncompute: {kernels: {machine: a100-megatron}}\n"
        + "workload:\n  model: {family: transformer, transformer: {layers: " + cell("layers") + ", hidden: " + cell("hidden") + ", heads: " + cell("heads") + ", vocab: 50257, seq: " + cell("seq") + "}, train: {global_batch: " + cell("global_batch") + ", micro_batch: "
        + cell("micro_batch") + "}}\n  plan: {mesh: {axes: [pp, dp, tp], shape: [" + cell("pp") + ", " + cell("dp") + ", " + cell("tp") + "]}, recompute: full}\n";
}

} // namespace

class KernelDesignsTest : public QObject {
    Q_OBJECT

private slots:
    void keysGoBeforeTheMachine()
    {
        const KernelTerms none = planKernels(kernelDesign(smallText("")))->terms;
        QVERIFY(none.start == 0 && none.share == 1 && none.attention == 1 && none.memory == 1 && none.traffic == 1 && none.units == 0 && none.layer == 0 && none.fp8Peak == 0 && none.fp32Peak == 0);
        const KernelTerms fitted = planKernels(kernelDesign(smallText("machine: a100-megatron")))->terms;
        QVERIFY(fitted.start == 2e-6 && fitted.share == 0.882 && fitted.attention == 0.5 && fitted.memory == 0.85 && fitted.traffic == 2.08 && fitted.units == 108 && fitted.layer == 3.3e-3);
        const KernelTerms h200 = planKernels(kernelDesign(smallText("machine: h200")))->terms;
        QVERIFY(h200.start == 3.4e-6 && h200.share == 0.702 && h200.attention == 0.187 && h200.memory == 0.85 && h200.traffic == 3.23 && h200.units == 132 && h200.layer == 1e-3 && h200.fp8Peak == 1979e12);
        const KernelTerms own = planKernels(kernelDesign(smallText("machine: a100-megatron, start: 3 us, units: 0, layer: 0 ms, traffic: 1, fp32_peak: 50 TFLOP/s")))->terms;
        QVERIFY(isWithin(own.start, 3e-6, 1e-12) && own.share == 0.882 && own.units == 0 && own.layer == 0 && own.traffic == 1 && own.fp32Peak == 5e13);
    }

    void aMachineMayStandAlone()
    {
        const auto alone = [](const std::string& machine) {
            std::string text = smallText("machine: h200");
            return text.replace(text.find("{machine: h200}"), 15, machine);
        };
        const Design named = kernelDesign(alone("h200"));
        QVERIFY(*named.compute == *kernelDesign(smallText("machine: h200")).compute);
        for (const auto& [wrong, expected] : {std::pair{"h20", "one of"}, {"[h200]", "a mapping is needed here"}, {"", "kernels"}}) {
            const auto refused = readDesignText(alone(wrong), "made.yaml");
            QVERIFY2(!refused && refused.error().text().find(expected) != std::string::npos && refused.error().place.field == "compute.kernels", refused ? wrong : refused.error().text().c_str());
        }
    }

    /// Forward: two norms, qkv, attention, out, two residuals, up, activation, down; backward another one for each of the four weights. Before: embedding and positions, forward and back. Behind: norm, logits, loss, and one more backward.
    /// And the optimizer.
    void plansAndRunsHaveTheKernels()
    {
        constexpr int kKernels = kSmallBatches * (kSmallLayers * (10 + 14) + 4 + 7) + 1;
        const Design one = kernelDesign(smallText("start: 1 us"));
        const Design two = kernelDesign(smallText("start: 2 us"));
        QVERIFY2(isWithin(estimatedStepOf(two) - estimatedStepOf(one), kKernels * 1e-6, 1e-6), asBoth(estimatedStepOf(two), estimatedStepOf(one)).constData());
        QVERIFY2(isWithin(simulatedStepOf(two) - simulatedStepOf(one), kKernels * 1e-6, 1e-6), asBoth(simulatedStepOf(two), simulatedStepOf(one)).constData());
        // Alone there is nothing to share: the estimate is the run, but for less than a picosecond of every task.
        QVERIFY2(isWithin(simulatedStepOf(two), estimatedStepOf(two), 1e-6), asBoth(simulatedStepOf(two), estimatedStepOf(two)).constData());
    }

    void theHostLaunchesPassesOfARun()
    {
        for (const std::string again : {"", ", recompute: full"}) {
            const std::string plan = "mesh: {axes: [pp], shape: [1]}" + again;
            const double more = simulatedStepOf(kernelDesign(smallText("layer: 2 ms", plan))) - simulatedStepOf(kernelDesign(smallText("layer: 1 ms", plan)));
            // A third forward and two back; what is computed again is one more.
            QVERIFY2(isWithin(more, kSmallBatches * kSmallLayers * (again.empty() ? 1e-3 : 4e-3 / 3), 1e-6), QByteArray::number(more).constData());
        }
        // Split backward passes: nothing is launched twice.
        const std::string split = "mesh: {axes: [pp], shape: [2]}, pipeline: {schedule: zb_h1, layers: [2, 1]}";
        const double longer = simulatedStepOf(kernelDesign(smallText("layer: 2 ms", split, 2))) - simulatedStepOf(kernelDesign(smallText("layer: 1 ms", split, 2)));
        const double guess = estimatedStepOf(kernelDesign(smallText("layer: 2 ms", split, 2))) - estimatedStepOf(kernelDesign(smallText("layer: 1 ms", split, 2)));
        QVERIFY2(longer >= kSmallBatches * 2 * 1e-3 * (1 - 1e-6) && isWithin(longer, guess, 0.02), asBoth(longer, guess).constData());
        // Shorter than what computes: nothing.
        QVERIFY(isWithin(simulatedStepOf(kernelDesign(smallText("start: 1 us, layer: 1 ns"))), simulatedStepOf(kernelDesign(smallText("start: 1 us"))), 1e-9));
    }

    void inferenceHasKernelsToo()
    {
        const std::string plan = "mesh: {axes: [pp], shape: [1]}, inference: {batch: 1, prompt: 16, output: 4}";
        const double more = simulatedStepOf(kernelDesign(smallText("start: 2 us", plan))) - simulatedStepOf(kernelDesign(smallText("start: 1 us", plan)));
        // Of every token: what a training step has forward, without the loss.
        const double passes = more / ((kSmallLayers * 10 + 4) * 1e-6);
        QVERIFY2(isWithin(passes, 4, 1e-5), QByteArray::number(passes).constData());
    }

    void whatTimesNothingIsSaid_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, std::string text, const char* expected) { QTest::newRow(name) << QString::fromStdString(text) << QString::fromLatin1(expected); };
        row("older rules", smallText("start: 1 us", "mesh: {axes: [pp], shape: [1]}", 1, "model: {version: physical/2}\n"), "the rules of physical/2 know no kernels [compute.kernels] error");
        row("older flow", smallText("start: 1 us", "mesh: {axes: [pp], shape: [1]}", 1, "model: {name: flow, version: flow/1}\n"), "the rules of flow/1 know no kernels [compute.kernels] error");
        row("astra", smallText("start: 1 us", "mesh: {axes: [pp], shape: [1]}", 1, "model: {name: astra-unaware}\n"), "astra-* models know no kernels: these are not used [compute.kernels] warning");
        row("no roofline", smallText("start: 1 us", "mesh: {axes: [pp], shape: [1]}", 1, "model: {roofline: false}\n"), "without roofline ops take no time: these are not used [compute.kernels] warning");
        row("steps", "fabricscope: 1\nplatform: {topology: Ring(2), bandwidth: 1 GB/s, latency: 1 us}\ncompute: {kernels: {start: 1 us}}\nworkload: {collective: all_reduce, size: 1 MiB}\n",
            "only ops of a model that is spread by a plan are kernels: these are not used [compute.kernels] warning");
        row("share", smallText("share: 0"), "not a share [compute.kernels.share] error");
        row("share above 1", smallText("attention_share: 1.5"), "not a share [compute.kernels.attention_share] error");
        row("start", smallText("start: 2 s"), "not possible here [compute.kernels.start] error");
        row("traffic", smallText("traffic: 2000"), "not possible here [compute.kernels.traffic] error");
        row("peak", smallText("fp8_peak: 0 TFLOP/s"), "0 TFLOP/s cannot be meant [compute.kernels.fp8_peak] error");
    }
    void whatTimesNothingIsSaid()
    {
        QFETCH(const QString, text);
        QFETCH(const QString, expected);
        const QString found = saidOf(text.toStdString());
        QVERIFY2(found.contains(expected), qPrintable(found));
    }

    /// No astra-* model knows what kernels take: first they are switched off, which is the design without them.
    void kernelsAreARuleBetweenModels()
    {
        const auto loaded = readDesign(FABRICSCOPE_SOURCE_DIR "/resources/examples/plan/megatron-22b.yaml");
        QVERIFY2(bool(loaded), loaded ? "" : loaded.error().text().c_str());
        const auto design = std::make_shared<const Design>(loaded.value().design);
        auto plain = std::make_shared<Design>(*design);
        plain->compute.reset();
        const auto rulesOf = [](const std::shared_ptr<const Design>& of, Model other) {
            const auto result = reconcile(of, {}, Model::Links, other, {});
            if (!result)
                qFatal("%s", result.error().text().c_str());
            return result.value().items;
        };
        const std::vector<ReconcileItem> items = rulesOf(design, Model::AstraUnaware);
        QCOMPARE(items.front().rule, std::string("kernels"));
        QVERIFY(items.front().delta().ps < 0);
        QVERIFY2(isWithin(static_cast<double>(items.front().to.ps) * 1e-12, simulatedStepOf(*plain), 1e-15), items.front().explanation.c_str());
        QVERIFY(std::ranges::none_of(items, [](const ReconcileItem& item) { return item.rule == "rest"; }));
        QVERIFY(std::ranges::none_of(rulesOf(plain, Model::AstraUnaware), [](const ReconcileItem& item) { return item.rule == "kernels"; }));
        QVERIFY(std::ranges::none_of(rulesOf(design, Model::Ideal), [](const ReconcileItem& item) { return item.rule == "kernels"; }));
    }

    /// A shipped example, on its row of the measured set: nothing was fitted to it.
    void theExampleTakesWhatWasMeasured()
    {
        const auto text = readTextFile(FABRICSCOPE_SOURCE_DIR "/resources/measured/megatron-2022.csv");
        QVERIFY(bool(text));
        auto table = readMeasuredRows(text.value(), "megatron-2022.csv");
        QVERIFY(bool(table));
        std::erase_if(table.value().rows, [&](const MeasuredTable::Row& row) { return table.value().cell(row, "model") != "22B" || table.value().cell(row, "recompute") != "selective"; });
        const auto predicted = predictRows(MeasuredKind::Megatron, table.value(), {});
        QVERIFY(predicted && predicted.value().size() == 1);
        const PredictedRow& row = predicted.value().front();
        QCOMPARE(row.measured, 1.1);
        const auto example = readDesign(FABRICSCOPE_SOURCE_DIR "/resources/examples/plan/megatron-22b.yaml");
        QVERIFY2(bool(example), example ? "" : example.error().text().c_str());
        QVERIFY2(isWithin(estimatedStepOf(example.value().design), *row.predicted, 1e-9), asBoth(estimatedStepOf(example.value().design), *row.predicted).constData());
        const double run = simulatedStepOf(example.value().design);
        QVERIFY2(isWithin(run, row.measured, 0.06), asBoth(run, row.measured).constData());
    }

    /// The measured steps of GPT-3 175B: estimated as `validate` predicts them, and one simulated, close to that and to the measurement.
    void measuredStepsOf175B()
    {
        const auto text = readTextFile(FABRICSCOPE_SOURCE_DIR "/resources/measured/gpt-multi-node.csv");
        QVERIFY(bool(text));
        auto read = readMeasuredRows(text.value(), "gpt-multi-node.csv");
        QVERIFY(bool(read));
        MeasuredTable& table = read.value();
        std::erase_if(table.rows, [&](const MeasuredTable::Row& row) { return table.cell(row, "params_b") != "175"; });
        QCOMPARE(table.rows.size(), std::size_t{14});
        const auto predicted = predictRows(MeasuredKind::Gpt, table, {});
        QVERIFY(bool(predicted));
        double off = 0;
        int runs = 0;
        for (const PredictedRow& one : predicted.value()) {
            const MeasuredTable::Row& row = table.rows[one.row];
            const Design design = kernelDesign(measuredText(table, row));
            const double estimate = estimatedStepOf(design);
            QVERIFY2(isWithin(estimate, *one.predicted, 1e-9), asBoth(estimate, *one.predicted).constData());
            off += std::abs(estimate / one.measured - 1) / static_cast<double>(predicted.value().size());
            if (table.cell(row, "tp") != "8" || table.cell(row, "dp") != "8" || table.cell(row, "micro_batch") != "4")
                continue;
            const double run = simulatedStepOf(design);
            ++runs;
            QVERIFY2(isWithin(run, estimate, 0.03) && isWithin(run, one.measured, 0.05), (asBoth(run, estimate) + ", measured " + QByteArray::number(one.measured)).constData());
        }
        QVERIFY2(off < 0.04, QByteArray::number(off).constData()); // As the table of accuracies has it of 175B (manual: accuracy 1).
        QCOMPARE(runs, 1);
    }
};

FABRICSCOPE_TEST(KernelDesignsTest)
#include "tst_kerneldesigns.moc"
