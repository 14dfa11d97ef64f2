#include "widgets/workload/placedtables.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>

#include <algorithm>

namespace fabricscope::planned {

namespace {

struct PlacedTexts {
    Q_DECLARE_TR_FUNCTIONS(PlacedTexts)
};

StoredTable::Cell wordCell(const QString& text)
{
    return {text, text, 0};
}

StoredTable::Cell timeCell(SimTime time, const ColumnUnit& unit)
{
    return {unit.text(static_cast<double>(time.ps)), time.ps, 0};
}

/// ×1.21: how much longer than what was found.
QString timesText(SimTime time, SimTime found)
{
    return found.ps > 0 ? QStringLiteral("\u00d7%1").arg(texts::number(static_cast<double>(time.ps) / static_cast<double>(found.ps), 2)) : QString();
}

} // namespace

std::shared_ptr<StoredTable> stageTable(const PlacementFigures& figures)
{
    using Look = TableColumn::Look;
    const std::vector<PlacedStage> stages = stagesOf(figures);
    std::int64_t most = 0;
    for (const PlacedStage& stage : stages)
        most = std::max({most, stage.entering.ps, stage.computing.ps, stage.gradients.ps});
    const ColumnUnit unit = ColumnUnit::ofTime(most);
    auto content = std::make_shared<StoredTable>(std::vector<TableColumn>{{PlacedTexts::tr("Stage"), PlacedTexts::tr("Stage"), Look::Number},
                                                                          {PlacedTexts::tr("Waits for"), PlacedTexts::tr("Waits for"), Look::Text},
                                                                          {PlacedTexts::tr("Computes"), PlacedTexts::tr("Computes"), Look::Text},
                                                                          {unit.title(PlacedTexts::tr("Collectives")), PlacedTexts::tr("Collectives [ps]"), Look::Number},
                                                                          {unit.title(PlacedTexts::tr("Computation")), PlacedTexts::tr("Computation [ps]"), Look::Number},
                                                                          {unit.title(PlacedTexts::tr("Gradients")), PlacedTexts::tr("Gradients [ps]"), Look::Number}});
    for (const PlacedStage& stage : stages) {
        StoredTable::Row line;
        line.cells.push_back({texts::count(stage.number), std::int64_t{stage.number}, 0});
        line.cells.push_back(wordCell(texts::shown(enteringText(figures, stage))));
        line.cells.push_back(wordCell(texts::shown(computingText(figures, stage))));
        for (const SimTime time : {stage.entering, stage.computing, stage.gradients})
            line.cells.push_back(timeCell(time, unit));
        line.id = stage.number;
        content->add(std::move(line));
    }
    return content;
}

std::shared_ptr<StoredTable> instructionTable(const PlacementFigures& figures)
{
    using Look = TableColumn::Look;
    std::int64_t most = 0;
    for (const PlacedInstruction& row : figures.program)
        most = std::max(most, row.time.ps);
    const ColumnUnit unit = ColumnUnit::ofTime(most);
    auto content = std::make_shared<StoredTable>(std::vector<TableColumn>{{PlacedTexts::tr("Stage"), PlacedTexts::tr("Stage"), Look::Number},
                                                                          {PlacedTexts::tr("Instruction"), PlacedTexts::tr("Instruction"), Look::Text},
                                                                          {PlacedTexts::tr("Makes"), PlacedTexts::tr("Makes"), Look::Text},
                                                                          {unit.title(PlacedTexts::tr("Estimated")), PlacedTexts::tr("Estimated [ps]"), Look::Number},
                                                                          {PlacedTexts::tr("Rule or form"), PlacedTexts::tr("Rule or form"), Look::Text},
                                                                          {PlacedTexts::tr("As"), PlacedTexts::tr("As"), Look::Text},
                                                                          {PlacedTexts::tr("Tensor"), PlacedTexts::tr("Tensor [B]"), Look::Number},
                                                                          {PlacedTexts::tr("Owners"), PlacedTexts::tr("Owners"), Look::Text}});
    for (const PlacedInstruction& row : figures.program) {
        StoredTable::Row line;
        line.cells.push_back({texts::count(row.stage), std::int64_t{row.stage}, 0});
        line.cells.push_back(wordCell(texts::shown(row.kind)));
        line.cells.push_back(wordCell(texts::shown(row.makes)));
        line.cells.push_back(timeCell(row.time, unit));
        line.cells.push_back(wordCell(texts::shown(row.how)));
        line.cells.push_back(wordCell(texts::shown(row.property)));
        line.cells.push_back({texts::bytes(row.bytes), row.bytes, 0});
        line.cells.push_back(wordCell(texts::shown(row.owners)));
        line.id = content->rows();
        content->add(std::move(line));
    }
    return content;
}

std::vector<ValueRow> placementRows(const PlacementFigures& figures)
{
    std::vector<ValueRow> rows;
    if (figures.times.empty())
        return rows;
    const PlacedTimes& found = figures.times.front();
    rows.push_back({PlacedTexts::tr("Estimated"), texts::time(found.estimate)});
    for (const auto& [cause, time] : figures.way)
        rows.push_back({texts::shown(cause), (time.ps > 0 ? QStringLiteral("+") : QString()) + texts::time(time)});
    if (found.simulated) {
        ValueRow sum{PlacedTexts::tr("Simulated"), texts::time(*found.simulated)};
        sum.strong = true;
        rows.push_back(std::move(sum));
    }
    for (std::size_t i = 1; i < figures.times.size(); ++i) {
        const PlacedTimes& row = figures.times[i];
        const bool both = found.simulated && row.simulated;
        rows.push_back({both ? PlacedTexts::tr("%1, simulated").arg(texts::shown(row.name)) : PlacedTexts::tr("%1, estimated").arg(texts::shown(row.name)), texts::time(both ? *row.simulated : row.estimate),
            timesText(both ? *row.simulated : row.estimate, both ? *found.simulated : found.estimate)});
    }
    rows.push_back({PlacedTexts::tr("States looked at"), texts::count(figures.states)});
    return rows;
}

} // namespace fabricscope::planned
