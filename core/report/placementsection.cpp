#include "core/report/reportsections.h"

#include "core/base/index.h"
#include "core/draw/numbertext.h"
#include "core/report/placementdrawing.h"

#include <algorithm>
#include <cstdlib>

namespace fabricscope {

namespace {

using Look = ReportCell::Look;

constexpr std::size_t kMostPlacedDevices = 64; ///< Rows of the picture of ratios,
constexpr std::size_t kMostPlacedStages = 60;  ///< and of the table of stages.

std::string changeText(SimTime time)
{
    return (time.ps >= 0 ? "+" : "") + numbertext::time(time);
}

/// "1.21 times as fast as DP-CP (1.108 s)": the fastest baseline by simulation, else by estimate.
std::string besideBaselines(const PlacementFigures& placement)
{
    const PlacedTimes& found = placement.times.front();
    const PlacedTimes* fastest = nullptr;
    const auto timeOf = [&](const PlacedTimes& row) { return found.simulated && row.simulated ? *row.simulated : row.estimate; };
    for (std::size_t i = 1; i < placement.times.size(); ++i) {
        if (!fastest || timeOf(placement.times[i]) < timeOf(*fastest))
            fastest = &placement.times[i];
    }
    if (!fastest || timeOf(found).ps <= 0)
        return {};
    const std::string ratio = numbertext::ratio(timeOf(*fastest).ps, timeOf(found).ps, 2);
    return " The best of what it is compared with, " + fastest->name + ", takes " + ratio + " times as long" + (found.simulated && fastest->simulated ? " in the simulation." : " by the estimate.");
}

ReportTable programsTable(const PlacementFigures& placement)
{
    ReportTable table;
    table.columns = {{"Program", false, 3}, {"Estimated", true, 1}, {"Simulated", true, 1}};
    for (const PlacedTimes& row : placement.times) {
        const bool own = &row == &placement.times.front();
        table.rows.push_back({ReportCell(row.name, own ? Look::Strong : Look::Plain), numbertext::time(row.estimate), row.simulated ? numbertext::time(*row.simulated) : std::string("-")});
        for (const auto& [cause, time] : own ? placement.way : decltype(placement.way)())
            table.rows.push_back({"from the estimate: " + cause, changeText(time), ""});
    }
    table.note = "Even ratios: the best program with equal parts. DP-EV, DP-CP: data parallel with equal parts, and with parts by speed.";
    return table;
}

ReportTable stagesTable(const PlacementFigures& placement, const std::vector<PlacedStage>& stages)
{
    ReportTable table;
    table.columns = {{"Stage", true, 0.6}, {"Waits for", false, 3}, {"Computes", false, 3}, {"Collectives", true, 1.1}, {"Computation", true, 1.1}, {"Gradients", true, 1.1}};
    for (std::size_t i = 0; i < std::min(stages.size(), kMostPlacedStages); ++i) {
        const PlacedStage& stage = stages[i];
        table.rows.push_back({std::to_string(stage.number), enteringText(placement, stage), computingText(placement, stage), numbertext::time(stage.entering), numbertext::time(stage.computing), numbertext::time(stage.gradients)});
    }
    if (stages.size() > kMostPlacedStages)
        table.note = "The first " + std::to_string(kMostPlacedStages) + " of " + numbertext::count(static_cast<std::int64_t>(stages.size())) + " stages.";
    return table;
}

} // namespace

ReportSection placementSection(const PlacementFigures& placement, int& figure)
{
    ReportSection section{ReportPart::Placement, "Placement on unequal devices", false, true, {}};
    const std::vector<PlacedStage> stages = stagesOf(placement);
    std::string text = "Program and ratios were searched for " + numbertext::count(placement.deviceCount()) + (placement.deviceCount() == 1 ? " device." : " devices.") + besideBaselines(placement);
    if (!placement.note.empty())
        text += ' ' + placement.note + '.';
    if (!placement.proved)
        text += " There were too many states to look at all: the program need not be the best.";
    section.blocks.emplace_back(ReportText{text});
    std::string caption = "How much of every split dimension a device owns, and what it holds of its memory (dashed).";
    if (placement.devices.size() > kMostPlacedDevices)
        caption += " The first " + std::to_string(kMostPlacedDevices) + " of " + numbertext::count(static_cast<std::int64_t>(placement.devices.size())) + " kinds of devices.";
    section.blocks.emplace_back(ReportFigure{ratioDrawing(placement, kPlacementWidth, kMostPlacedDevices), {}, figure++, caption});
    section.blocks.emplace_back(ReportFigure{programsDrawing(placement), {}, figure++, "The program that was found against the baselines."});
    section.blocks.emplace_back(programsTable(placement));
    section.blocks.emplace_back(ReportFigure{stageDrawing(placement), {}, figure++, "Stages of the program over the estimated time."});
    section.blocks.emplace_back(stagesTable(placement, stages));
    return section;
}

} // namespace fabricscope
