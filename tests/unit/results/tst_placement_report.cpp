// What a run and a report say of a plan with placement: hap.
#include "core/draw/drawing.h"
#include "core/insight/comparisonsection.h"
#include "core/report/html.h"
#include "core/report/placementdrawing.h"
#include "core/report/planfigures.h"
#include "core/report/runfile.h"
#include "core/report/runjson.h"
#include "core/report/runtext.h"
#include "core/run/rundesign.h"
#include "core/run/savedresult.h"
#include "tests/unit/support/testprogram.h"

#include <nlohmann/json.hpp>
#include <QtTest/QtTest>

#include <algorithm>

using namespace fabricscope;

namespace {

/// Two fast and two slow NPUs, not side by side.
const std::string kMixed = R"(fabricscope: 1
name: Mixed
platform:
  dimensions: [{shape: switch, size: 4, bandwidth: 12 GB/s, latency: 3 us}]
  npu: {peak: 1 TFLOP/s, memory: 4 GB}
  overrides: {npus: [{npu: 0, peak: 3 TFLOP/s, memory: 8 GB}, {npu: 2, peak: 3 TFLOP/s, memory: 8 GB}]}
workload:
  model:
    family: transformer
    transformer: {layers: 1, hidden: 256, heads: 4, ff: 1024, vocab: 1000, seq: 64}
    train: {global_batch: 32}
    dtype: {param: fp32, act: fp32, grad: fp32}
  plan: {placement: hap}
)";

RunResultPtr placedRunOf(const std::string& text)
{
    auto loaded = readDesignText(text, "mixed.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    auto result = runDesign(std::make_shared<const Design>(std::move(loaded.value().design)), loaded.value().diagnostics, {});
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return result.value();
}

const ReportSection* placementOf(const ReportContent& content)
{
    const auto found = std::find_if(content.sections.begin(), content.sections.end(), [](const ReportSection& section) { return section.part == ReportPart::Placement; });
    return found == content.sections.end() ? nullptr : &*found;
}

/// Boxes of the colour of computations, left to right and down.
std::vector<RectF> computeBoxes(const Drawing& drawing)
{
    std::vector<RectF> boxes;
    for (const DrawShape& shape : drawing.shapes) {
        const auto* const box = std::get_if<BoxShape>(&shape);
        if (box && box->fill == DrawColor::activity(Activity::Compute))
            boxes.push_back(box->rect);
    }
    return boxes;
}

PlacedInstruction instruction(std::int32_t stage, PlacedInstruction::Part part, const char* makes, std::int64_t ps)
{
    const bool computes = part == PlacedInstruction::Part::Computing;
    return {stage, part, computes ? Activity::Compute : Activity::AllReduce, computes ? "compute" : "all_reduce", makes, "", "identity", 4, "0", {ps}};
}

} // namespace

class PlacementReportTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_run = placedRunOf(kMixed); }

    void devicesThatAreAlikeAreOneRowAndTimesAddUp()
    {
        const PlacementFigures* const figures = m_run->summary.plan->placement.get();
        QVERIFY(figures);
        QCOMPARE(figures->devices.size(), std::size_t{2});
        QCOMPARE(figures->devices[0].name, std::string("NPU 0,2"));
        QCOMPARE(figures->devices[1].name, std::string("NPU 1,3"));
        QVERIFY(std::abs(2 * figures->devices[0].ratio + 2 * figures->devices[1].ratio - 1) < 1e-9);
        QCOMPARE(figures->devices[0].memory, std::int64_t{8'000'000'000} - (std::int64_t{1} << 30)); // Without what libraries take.
        // Every instruction is rounded to a ps, their sum is the estimate, which is rounded to a ns.
        std::int64_t stages = 0;
        for (const PlacedStage& stage : stagesOf(*figures))
            stages += stage.all().ps;
        QVERIFY(std::abs(stages - figures->times.front().estimate.ps) <= 500 + std::ssize(figures->program));
        std::int64_t way = figures->times.front().estimate.ps;
        for (const auto& [cause, time] : figures->way)
            way += time.ps;
        QCOMPARE(way, figures->times.front().simulated->ps);
        QCOMPARE((m_run->record().finish.ps + 500) / 1000 * 1000, way);
        QCOMPARE(figures->times.size(), std::size_t{4});
        for (const PlacedTimes& other : figures->times)
            QVERIFY2(figures->times.front().estimate <= other.estimate, other.name.c_str());
    }

    void aReportHasASectionWithBarsOfTheRatios()
    {
        ReportSource source;
        source.summary = &m_run->summary;
        source.scenario = m_run->scenario;
        const ReportContent content = reportContent(source);
        const ReportSection* const section = placementOf(content);
        QVERIFY(section);
        QCOMPARE(std::count_if(section->blocks.begin(), section->blocks.end(), [](const ReportBlock& block) { return std::holds_alternative<ReportFigure>(block); }), 3);
        const PlacementFigures& figures = *m_run->summary.plan->placement;
        const std::vector<RectF> bars = computeBoxes(ratioDrawing(figures));
        QCOMPARE(bars.size(), std::size_t{2});
        QVERIFY(std::abs(bars[0].width() / bars[1].width() - figures.devices[0].ratio / figures.devices[1].ratio) < 1e-9);
        // Figures are numbered through.
        int number = 1;
        for (const ReportSection& each : content.sections) {
            for (const ReportBlock& block : each.blocks) {
                if (const auto* const figure = std::get_if<ReportFigure>(&block))
                    QCOMPARE(figure->number, number++);
            }
        }
        QVERIFY(reportHtml(source).find("Placement on unequal devices") != std::string::npos);
    }

    void aSavedRunGivesTheSamePage()
    {
        RunResult result = *m_run;
        result.summary.designText = kMixed;
        const auto saved = readRunText(runFileText(result.summary, result.cost), "run.json");
        QVERIFY(bool(saved));
        ReportSource source;
        source.summary = &result.summary;
        source.scenario = result.scenario;
        source.timeline = result.timeline;
        QVERIFY(reportHtml(saved.value().summary) == reportHtml(source));
    }

    /// Where the scenario is there, nothing is searched: what stands in the summary is shown, even where a search would find no more.
    void aRunThatWasJustDoneIsNotPlacedAgain()
    {
        SavedRun just{m_run->summary, m_run->cost, m_run->scenario};
        just.summary.designText = kMixed;
        const Result<ReportContent> same = comparedReport(just, {}, {});
        QVERIFY(same);
        SavedRun kept{m_run->summary, m_run->cost};
        kept.summary.designText = kMixed;
        const Result<ReportContent> rebuilt = comparedReport(kept, {}, {});
        QVERIFY(rebuilt);
        QCOMPARE(reportHtml(same.value()), reportHtml(rebuilt.value()));
        auto marked = std::make_shared<PlanFigures>(*m_run->summary.plan);
        auto placement = std::make_shared<PlacementFigures>(*marked->placement);
        placement->note = "No search says so";
        marked->placement = placement;
        just.summary.plan = marked;
        for (const bool compared : {false, true}) {
            const Result<ReportContent> content = comparedReport(just, compared ? std::vector<SavedRun>{kept} : std::vector<SavedRun>(), {});
            QVERIFY2(content, content ? "" : content.error().text().c_str());
            QVERIFY(reportHtml(content.value()).find("No search says so") != std::string::npos);
        }
    }

    /// As the run itself has none.
    void aSavedRunThatNeverEndsHasNoPlacement()
    {
        SavedRun saved{m_run->summary, m_run->cost};
        saved.summary.designText = kMixed;
        saved.summary.plan = nullptr;
        const auto whole = resultOfSavedRun(saved);
        QVERIFY(bool(whole) && whole.value()->summary.plan && whole.value()->summary.plan->placement);
        auto record = std::make_shared<RunRecord>(*saved.summary.record);
        record->complete = false;
        saved.summary.record = record;
        const auto result = resultOfSavedRun(saved);
        QVERIFY(bool(result));
        QVERIFY(!result.value()->summary.plan);
    }

    void textAndJsonSayTheSame()
    {
        const PlacementFigures& figures = *m_run->summary.plan->placement;
        const std::string text = runText(m_run->summary, m_run->cost, RankRows::Classes);
        for (const char* part : {"NPU 0,2", "DP-EV", "DP-CP", "Even ratios", "waits for", "whole elements instead of ratios"})
            QVERIFY2(text.find(part) != std::string::npos, part);
        const auto placement = nlohmann::json::parse(runJson(m_run->summary, m_run->cost, RankRows::None))["result"]["placement"];
        QCOMPARE(placement["devices"].size(), std::size_t{2});
        QVERIFY(std::abs(placement["devices"][0]["ratio"].get<double>() - figures.devices[0].ratio) <= 5e-7);
        QCOMPARE(placement["stages"].size(), stagesOf(figures).size());
        QCOMPARE(placement["programs"][0]["simulated_ns"].get<std::int64_t>() * 1000, figures.times.front().simulated->ps);
        QCOMPARE(placement["programs"][3]["program"].get<std::string>(), std::string("DP-CP"));
    }

    void aPlanWithAMeshHasNone()
    {
        std::string text = kMixed;
        text.replace(text.find("{placement: hap}"), 16, "{mesh: {axes: [dp], shape: [4]}}");
        const RunResultPtr run = placedRunOf(text);
        QVERIFY(!run->summary.plan || !run->summary.plan->placement);
        ReportSource source;
        source.summary = &run->summary;
        source.scenario = run->scenario;
        QVERIFY(!placementOf(reportContent(source)));
    }

    /// Which has no broadcasts.
    void underFlowNothingIsGrouped()
    {
        const RunResultPtr run = placedRunOf(kMixed + "model: {name: flow}\n");
        QVERIFY(run->summary.plan && run->summary.plan->placement);
        for (const PlacedInstruction& row : run->summary.plan->placement->program)
            QVERIFY2(row.how != "grouped" && !row.kind.starts_with("grouped"), row.makes.c_str());
        QCOMPARE((run->record().finish.ps + 500) / 1000 * 1000, run->summary.plan->placement->times.front().simulated->ps);
    }

    void stagesAreSumsOfTheirInstructions()
    {
        using Part = PlacedInstruction::Part;
        PlacementFigures figures;
        figures.program = {instruction(1, Part::Computing, "a", 10), instruction(1, Part::Gradients, "grad w", 5), instruction(1, Part::Computing, "b", 20), instruction(2, Part::Entering, "b as identity", 7),
            instruction(2, Part::Computing, "c", 40)};
        const std::vector<PlacedStage> stages = stagesOf(figures);
        QCOMPARE(stages.size(), std::size_t{2});
        QCOMPARE(stages[0].computing.ps, std::int64_t{30});
        QCOMPARE(stages[0].gradients.ps, std::int64_t{5});
        QCOMPARE(stages[0].entering.ps, std::int64_t{0});
        QCOMPARE(stages[1].all().ps, std::int64_t{47});
        QCOMPARE(enteringText(figures, stages[0]), std::string("nothing"));
        QCOMPARE(enteringText(figures, stages[1]), std::string("all_reduce b as identity"));
        QCOMPARE(computingText(figures, stages[0]), std::string("a to b, 2 ops"));
        // Places in the picture are as long as the stages: 35 and 47 of 82.
        const RectF first = stageRect(stages, 0, 900);
        const RectF second = stageRect(stages, 1, 900);
        QVERIFY(std::abs(first.right() - second.left()) < 1e-9);
        QVERIFY(std::abs(first.width() / second.width() - 35.0 / 47) < 1e-9);
        figures.devices = {{"a", 1, 1e12, 1, 0, 0}, {"b", 3, 1e9, 0, 0, 0}};
        figures.times = {{"Found", {82}, std::nullopt}};
        QCOMPARE(computeBoxes(stageDrawing(figures)).size(), std::size_t{3});
        QVERIFY(ratioDrawing(figures).description.find("b \xC3\x97" "3 owns nothing") != std::string::npos);
        QVERIFY(!programsDrawing(figures).isEmpty());
    }

private:
    RunResultPtr m_run;
};

FABRICSCOPE_TEST(PlacementReportTest)
#include "tst_placement_report.moc"
