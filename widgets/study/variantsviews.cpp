// The views of a study: points, lines and rows, what they have in common, and how they share the room.
#include "core/base/index.h"
#include "core/study/paretofront.h"
#include "widgets/base/background.h"
#include "widgets/base/tablemodel.h"
#include "widgets/base/texts.h"
#include "widgets/base/valuerows.h"
#include "widgets/results/table.h"
#include "widgets/results/words.h"
#include "widgets/step/paneheader.h"
#include "widgets/study/effectschart.h"
#include "widgets/study/parallelchart.h"
#include "widgets/study/tradeoffchart.h"
#include "widgets/study/variantspage.h"
#include "widgets/study/varianttables.h"

#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

constexpr int kVariantsBoth = 1000;         ///< From this width on main effects stand beside the chart.
constexpr int kVariantsAll = 640;           ///< From this height on lines stand below the points.
constexpr std::size_t kColumnsAtOnce = 4000; ///< Rows.
constexpr std::array<VariantChoice, 3> kVariantChoices{VariantChoice::Front, VariantChoice::Done, VariantChoice::All};

QWidget* variantPane(QWidget* header, QWidget* view)
{
    auto* const pane = new QWidget;
    auto* const column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header);
    column->addWidget(view, 1);
    return pane;
}

} // namespace

QWidget* VariantsPage::makeCharts()
{
    for (QComboBox* axis : {m_yAxis, m_xAxis}) {
        axis->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        m_chartHeader->addControl(axis);
    }
    m_yAxis->setAccessibleName(tr("Upwards"));
    m_xAxis->setAccessibleName(tr("To the right"));
    m_yAxis->setToolTip(tr("Upwards"));
    m_xAxis->setToolTip(tr("To the right"));
    m_charts->setChildrenCollapsible(false);
    m_charts->addWidget(variantPane(m_chartHeader, m_chart));
    m_charts->addWidget(variantPane(m_effectsHeader, m_effects));
    m_charts->setSizes({3, 2});
    m_effects->parentWidget()->hide(); // Until there is room.
    return m_charts;
}

QWidget* VariantsPage::makeParallel()
{
    m_colour->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_colour->setAccessibleName(tr("Colour"));
    m_colour->setToolTip(tr("What brushed designs are coloured by"));
    auto* const shown = new QPushButton(tr("Shown"));
    shown->setToolTip(tr("Which axes are on show"));
    shown->setMenu(m_shownAxes);
    m_parallelHeader->addControl(m_colour);
    m_parallelHeader->addControl(shown);
    QWidget* const pane = variantPane(m_parallelHeader, m_parallel);
    pane->hide(); // Until it is known whether there is room.
    return pane;
}

QWidget* VariantsPage::makeMiddle()
{
    m_table->setModel(m_model, tr("Designs"));
    m_table->setEmptyText(tr("No design has run yet."));
    m_choice->setAccessibleName(tr("Which designs"));
    for (const QString& name : {tr("Front"), tr("Done"), tr("All")})
        m_choice->addTab(name);
    m_choice->setDrawBase(false);
    m_choice->setExpanding(false);
    m_axesButton->setText(tr("Axes"));
    m_axesButton->setCheckable(true);
    m_axesButton->setToolTip(tr("Designs as lines over all axes"));
    auto* const lower = new QWidget;
    auto* const column = new QVBoxLayout(lower);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* const tabs = new QHBoxLayout;
    tabs->addWidget(m_choice, 1);
    tabs->addWidget(m_axesButton);
    column->addLayout(tabs);
    column->addWidget(m_table, 1);
    m_middle->setChildrenCollapsible(false);
    m_middle->addWidget(makeCharts());
    m_middle->addWidget(makeParallel());
    m_middle->addWidget(lower);
    for (int i = 0; i < m_middle->count(); ++i)
        m_middle->setStretchFactor(i, 1);
    return m_middle;
}

void VariantsPage::connectViews()
{
    connect(m_choice, &QTabBar::currentChanged, this, &VariantsPage::showRows);
    connect(m_table, &ResultTable::rowSelected, this, &VariantsPage::select);
    connect(m_table, &ResultTable::rowActivated, this, &VariantsPage::designWanted);
    const auto choose = [this](qint64 number) {
        select(number);
        // A table that does not have it gives way to one that has.
        const std::optional<std::size_t> row = rowOfNumber(number);
        if (row && m_table->selectedId() != number && m_table->filterField()->text().isEmpty())
            m_choice->setCurrentIndex(m_runner->table()->rows[*row].state == StudyTableRow::State::Done ? 1 : 2);
    };
    connect(m_chart, &TradeoffChart::chosen, this, choose);
    connect(m_chart, &TradeoffChart::activated, this, &VariantsPage::designWanted);
    connect(m_chart, &TradeoffChart::brushed, this, &VariantsPage::takeDrawnBrush);
    connect(m_parallel, &ParallelChart::chosen, this, choose);
    connect(m_parallel, &ParallelChart::activated, this, &VariantsPage::designWanted);
    connect(m_parallel, &ParallelChart::axesChanged, this, &VariantsPage::showParallelAxes);
    connect(m_parallel, &ParallelChart::brushWanted, this, [this](const VariantBrush& brush) {
        m_drawn.clear();
        setBrush(brush);
    });
    for (QComboBox* axis : {m_xAxis, m_yAxis}) {
        connect(axis, &QComboBox::currentIndexChanged, this, [this] {
            // What was drawn over the points was one of other values.
            VariantBrush brush = m_brush;
            for (const VariantAxis& drawn : m_drawn)
                brush.remove(drawn);
            m_drawn.clear();
            showChart();
            setBrush(brush);
        });
    }
    connect(m_colour, &QComboBox::currentIndexChanged, this, [this](int index) { m_parallel->setColour(index > 0 ? std::optional(m_axes[at(index - 1)]) : std::nullopt); });
    connect(m_axesButton, &QToolButton::clicked, this, [this] {
        m_isAxesChosen = true;
        giveRoom();
        // What had the focus may be gone.
        (m_axesButton->isChecked() ? static_cast<QWidget*>(m_parallel) : m_chart)->setFocus();
    });
    m_chart->setDescriber([this](qint64 number) { return describe(number); });
    m_parallel->setDescriber([this](qint64 number) { return describe(number); });
}

/// Points have a little more than half, with lines a third. Where there is no room for both, lines stand in the place of the points.
void VariantsPage::giveRoom()
{
    constexpr int kChartShare = 55;
    const bool both = height() >= m_theme.scaled(kVariantsAll);
    if (!m_isAxesChosen)
        m_axesButton->setChecked(both);
    const bool lines = m_axesButton->isChecked();
    m_parallel->parentWidget()->setVisible(lines);
    m_charts->setVisible(both || !lines);
    const int part = height() / 100;
    m_middle->setSizes(lines && both ? QList<int>{part * 40, part * 26, part * 34} : QList<int>{part * kChartShare, part * kChartShare, part * (100 - kChartShare)});
    // With large text the panels at both sides need what there is.
    m_effects->parentWidget()->setVisible(width() >= m_theme.scaled(kVariantsBoth));
}

/// Of many designs the columns are made beside the window; until they are there the views show what they did.
void VariantsPage::showTable()
{
    if (!m_runner->study())
        return;
    const std::uint64_t asked = ++m_asked;
    const auto make = [study = m_runner->study(), table = m_runner->table()] { return variantColumns(study, table); };
    if (m_runner->table()->rows.size() <= kColumnsAtOnce)
        return takeColumns(make());
    showState();
    inBackground(this, make, [this, asked](const Result<VariantColumnsPtr>& columns) {
        if (columns && asked == m_asked)
            takeColumns(columns.value());
    });
}

void VariantsPage::takeColumns(const VariantColumnsPtr& columns)
{
    m_columns = columns;
    m_inside = brushedRows(*m_columns, m_brush);
    showAxes();
    m_parallel->setColumns(m_columns);
    m_parallel->setCurrent(m_selected);
    showParallelAxes();
    showBrush();
    showRows();
    showState();
    showSelected();
}

void VariantsPage::showRows()
{
    if (!m_columns)
        return;
    const StudyTable& table = *m_columns->table;
    const auto counted = [&](std::size_t choice) { return texts::count(variantCount(table, kVariantChoices[choice], m_inside)); };
    m_choice->setTabText(0, (m_inside ? tr("Front in the brush %1") : tr("Front %1")).arg(counted(0)));
    m_choice->setTabText(1, (m_inside ? tr("Brushed %1") : tr("Done %1")).arg(counted(1)));
    m_choice->setTabText(2, (m_inside ? tr("All in the brush %1") : tr("All %1")).arg(counted(2)));
    m_model->setContent(variantTable(m_runner->study(), m_columns->table, kVariantChoices[at(std::max(0, m_choice->currentIndex()))], m_inside));
    m_table->selectId(m_selected);
}

void VariantsPage::setBrush(const VariantBrush& brush)
{
    m_brush = brush;
    if (brush.isEmpty())
        m_drawn.clear();
    m_inside = m_columns ? brushedRows(*m_columns, m_brush) : nullptr;
    showBrush();
    showRows();
}

/// In all views, and in words.
void VariantsPage::showBrush()
{
    m_parallel->setBrush(m_brush, m_inside);
    std::optional<TradeoffChart::Brush> drawn;
    if (!m_axes.empty()) {
        const VariantInterval* const across = m_brush.of(m_axes[at(m_xAxis->currentIndex())]);
        const VariantInterval* const up = m_brush.of(m_axes[at(m_yAxis->currentIndex())]);
        const VariantInterval x = across ? *across : VariantInterval();
        const VariantInterval y = up ? *up : VariantInterval();
        if (across || up)
            drawn = TradeoffChart::Brush{x.low, x.high, y.low, y.high};
    }
    m_chart->setBrush(drawn);
    m_chart->setInside(m_inside);
    std::vector<ValueRow> rows;
    for (const auto& [axis, interval] : m_brush.sides())
        rows.push_back({axis.name, m_columns && m_columns->find(axis) ? m_columns->find(axis)->text(interval) : QString()});
    m_brushed->setRows(std::move(rows));
    m_brushHeader->parentWidget()->setVisible(!m_brush.isEmpty());
    const auto count = [](std::int64_t number) { return texts::count(number); };
    if (!m_columns || m_columns->table->count(StudyTableRow::State::Done) == 0)
        return m_parallelHeader->setHint({});
    const std::int64_t done = m_columns->table->count(StudyTableRow::State::Done);
    const std::int64_t inside = variantCount(*m_columns->table, VariantChoice::Done, m_inside);
    const QString front = tr("%1 on the front").arg(count(variantCount(*m_columns->table, VariantChoice::Front, m_inside)));
    m_parallelHeader->setHint(m_inside ? tr("%1 brushed, %2, %3 others").arg(count(inside), front, count(done - inside)) : tr("%1, drag on an axis to brush, its name to move it").arg(front));
    m_brushHeader->setHint(tr("%1 of %2").arg(count(inside), count(done)));
}

void VariantsPage::takeDrawnBrush()
{
    const VariantAxis& across = m_axes[at(m_xAxis->currentIndex())];
    const VariantAxis& up = m_axes[at(m_yAxis->currentIndex())];
    if (!m_chart->brush())
        return setBrush({});
    VariantBrush brush = m_brush;
    brush.set(across, {m_chart->brush()->left, m_chart->brush()->right});
    brush.set(up, {m_chart->brush()->low, m_chart->brush()->high});
    setBrush(brush);
    m_drawn = {across, up};
}

/// More figures may be known by now; what was chosen stays.
void VariantsPage::showAxes()
{
    m_axes.clear();
    for (std::size_t i = 0; i < m_columns->numeric; ++i)
        m_axes.push_back(m_columns->columns[i].axis());
    const auto fill = [this](QComboBox& box, const QString& first, int otherwise) {
        const QString before = box.currentText();
        const QSignalBlocker quiet(&box);
        box.clear();
        if (!first.isEmpty())
            box.addItem(first);
        for (const VariantAxis& axis : m_axes)
            box.addItem(axis.name);
        const int now = box.findText(before);
        box.setCurrentIndex(now < 0 ? otherwise : now);
    };
    fill(*m_yAxis, {}, 0);
    fill(*m_xAxis, {}, m_axes.size() > 1 ? 1 : 0);
    fill(*m_colour, tr("One colour"), 0);
    showChart();
}

void VariantsPage::showChart()
{
    if (m_axes.empty() || !m_columns)
        return;
    const StudyTable& table = *m_columns->table;
    const VariantColumn& acrossColumn = m_columns->columns[at(m_xAxis->currentIndex())];
    const VariantColumn& upColumn = m_columns->columns[at(m_yAxis->currentIndex())];
    const VariantAxis& across = acrossColumn.axis();
    const VariantAxis& up = upColumn.axis();
    std::vector<TradeoffChart::Point> points;
    std::vector<std::vector<double>> done;
    std::vector<std::size_t> ofDone;
    const auto signOf = [](const VariantAxis& axis) { return axis.sense == StudyObjective::Sense::Maximise ? -1.0 : 1.0; };
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const StudyTableRow& of = table.rows[row];
        if (of.state != StudyTableRow::State::Done && of.state != StudyTableRow::State::Infeasible)
            continue;
        const double x = acrossColumn.value(row);
        const double y = upColumn.value(row);
        if (std::isnan(x) || std::isnan(y))
            continue;
        if (of.state == StudyTableRow::State::Done) {
            done.push_back({signOf(across) * x, signOf(up) * y});
            ofDone.push_back(points.size());
        }
        points.push_back({of.number, x, y, of.state == StudyTableRow::State::Done, false, row});
    }
    const bool sought = across.sense != StudyObjective::Sense::Report && up.sense != StudyObjective::Sense::Report && m_xAxis->currentIndex() != m_yAxis->currentIndex();
    const std::vector<std::size_t> front = sought ? paretoFront(done) : std::vector<std::size_t>();
    for (const std::size_t of : front)
        points[ofDone[of]].front = true;
    m_chartHeader->setHint(sought && !front.empty() ? tr("%1 on the front of both").arg(texts::count(static_cast<std::int64_t>(front.size()))) : QString());
    m_chart->setEmptyText(table.count(StudyTableRow::State::Done) == 0 ? tr("Designs stand here once they have run.") : tr("No design has both: %1, %2.").arg(up.name, across.name));
    const auto errorOf = [this](const VariantAxis& axis) { return axis.figure && followsTime(*axis.figure) ? m_runner->study()->errorPct.value_or(0) : 0; };
    m_chart->setErrors(errorOf(across), errorOf(up));
    m_chart->setPoints(std::move(points), across, up);
    m_chart->setCurrent(m_selected);
    const VariantAxis& figure = up.figure ? up : m_axes.front();
    m_effects->setMeans(m_runner->study()->space, table, figure);
    m_effectsHeader->setHint(m_effects->effects().empty() ? QString() : tr("mean %1 of each value").arg(texts::inSentence(figure.name)));
}

/// The menu of axes, each ticked that is on show.
void VariantsPage::showParallelAxes()
{
    m_shownAxes->clear();
    if (!m_columns)
        return;
    const std::vector<VariantAxis>& shown = m_parallel->axes();
    for (const VariantColumn& column : m_columns->columns) {
        const VariantAxis& axis = column.axis();
        QAction* const action = m_shownAxes->addAction(axis.name);
        action->setCheckable(true);
        action->setChecked(std::any_of(shown.begin(), shown.end(), [&](const VariantAxis& other) { return other.isSame(axis); }));
        action->setEnabled(!action->isChecked() || shown.size() > 2);
        connect(action, &QAction::triggered, this, [this, axis](bool on) { m_parallel->setShown(axis, on); }, Qt::QueuedConnection); // The menu is made anew.
    }
}

/// "400 Gbit/s, 2:1", what the axes say of it, its state.
QString VariantsPage::describe(qint64 number) const
{
    const std::optional<std::size_t> row = rowOfNumber(number);
    if (!row || m_axes.empty())
        return {};
    const VariantAxis axes[] = {m_axes[at(m_yAxis->currentIndex())], m_axes[at(m_xAxis->currentIndex())]};
    return variantText(m_runner->study()->space, *m_runner->table(), *row, axes);
}

} // namespace fabricscope
