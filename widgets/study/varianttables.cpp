#include "widgets/study/varianttables.h"

#include "core/base/index.h"
#include "core/report/accuracyfigures.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/results/words.h"
#include "widgets/study/variantaxes.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace fabricscope {

namespace {

struct VariantTexts {
    Q_DECLARE_TR_FUNCTIONS(fabricscope::Variants)
};

/// Columns of figures have one unit.
struct FigureColumn {
    VariantAxis axis;
    ColumnUnit unit;
};

class VariantContent : public TableContent {
public:
    VariantContent(VariedStudyPtr study, StudyTablePtr table, std::vector<std::size_t> rows) : m_study(std::move(study)), m_table(std::move(table)), m_rows(std::move(rows))
    {
        addColumn(VariantTexts::tr("Design"), {}, TableColumn::Look::Number);
        std::vector<VariantAxis> others;
        for (const VariantAxis& axis : variantAxes(m_study->space, *m_table)) {
            if (!axis.figure)
                continue;
            const bool sought = std::any_of(m_study->space.objectives.begin(), m_study->space.objectives.end(), [&](const StudyObjective& objective) { return objective.figure == *axis.figure; });
            if (sought)
                addFigure(axis);
            else
                others.push_back(axis);
        }
        m_firstParameter = m_columns.size();
        for (const StudyParameter& parameter : m_study->space.parameters)
            addColumn(texts::shown(parameter.name), {}, TableColumn::Look::Text);
        m_state = m_columns.size();
        addColumn(VariantTexts::tr("State"), {}, TableColumn::Look::Text);
        for (const VariantAxis& axis : others)
            addFigure(axis);
    }

    int rows() const override { return static_cast<int>(m_rows.size()); }
    std::int64_t id(int row) const override { return rowAt(row).number; }
    QString text(int row, int column) const override
    {
        const StudyTableRow& of = rowAt(row);
        if (column == 0)
            return texts::count(of.number);
        if (const FigureColumn* figure = figureAt(column)) {
            const std::optional<double> value = of.figures[*figure->axis.figure];
            return value ? figure->unit.text(*value) : QString();
        }
        if (at(column) == m_state)
            return stateText(*m_table, m_rows[at(row)]);
        return texts::shown(of.labels[at(column) - m_firstParameter]);
    }
    /// As the file of the command has it: times in ns.
    TableValue value(int row, int column) const override
    {
        const StudyTableRow& of = rowAt(row);
        if (column == 0)
            return of.number;
        if (const FigureColumn* figure = figureAt(column)) {
            const std::optional<double> value = of.figures[*figure->axis.figure];
            if (!value)
                return {};
            return figure->axis.measure == Measure::Time ? TableValue(*value / 1000) : TableValue(*value);
        }
        if (at(column) == m_state)
            return stateText(*m_table, m_rows[at(row)]);
        const std::size_t parameter = at(column) - m_firstParameter;
        const std::optional<double> number = m_study->space.choicesOf(of.number)[parameter].named.number;
        return number ? TableValue(*number) : TableValue(texts::shown(of.labels[parameter]));
    }

private:
    const StudyTableRow& rowAt(int row) const { return m_table->rows[m_rows[at(row)]]; }
    const FigureColumn* figureAt(int column) const { return m_figures[at(column)] ? &*m_figures[at(column)] : nullptr; }
    void addColumn(const QString& title, std::optional<FigureColumn> figure, TableColumn::Look look)
    {
        const QString exact = figure && figure->axis.measure == Measure::Time ? title.section(QStringLiteral(", "), 0, 0) + QStringLiteral(" [ns]") : title.section(QStringLiteral(", "), 0, 0);
        m_columns.push_back({title, exact, look});
        m_figures.push_back(std::move(figure));
    }
    void addFigure(const VariantAxis& axis)
    {
        double largest = 0;
        double least = std::numeric_limits<double>::infinity();
        for (const StudyTableRow& row : m_table->rows) {
            if (const std::optional<double> value = row.figures[*axis.figure]) {
                largest = std::max(largest, std::abs(*value));
                least = std::min(least, std::abs(*value));
            }
        }
        ColumnUnit unit = axis.unit(largest);
        const bool whole = unit.divisor == 1 && axis.measure == Measure::Count && least == std::floor(least) && largest == std::floor(largest);
        unit.decimals = whole ? 0 : std::max(unit.decimals, 3);
        addColumn(largest > 0 ? unit.title(axis.name) : axis.name, FigureColumn{axis, unit}, TableColumn::Look::Number);
    }

    VariedStudyPtr m_study;
    StudyTablePtr m_table;
    std::vector<std::size_t> m_rows;
    std::vector<std::optional<FigureColumn>> m_figures; ///< By column.
    std::size_t m_firstParameter = 0;
    std::size_t m_state = 0;
};

/// Is not broken inside of "400 Gbit/s".
QString unbroken(const std::string& label)
{
    return texts::shown(label).replace(QLatin1Char(' '), QChar(0x00a0)).replace(QLatin1Char('/'), QStringLiteral("/") + QChar(0x2060));
}

std::vector<std::size_t> chosenRows(const StudyTable& table, VariantChoice choice, const BrushedRows& inside)
{
    std::vector<std::size_t> rows;
    if (choice == VariantChoice::Front)
        rows = table.front;
    for (std::size_t i = 0; choice != VariantChoice::Front && i < table.rows.size(); ++i) {
        if (choice == VariantChoice::All || table.rows[i].state == StudyTableRow::State::Done)
            rows.push_back(i);
    }
    if (inside)
        std::erase_if(rows, [&](std::size_t row) { return (*inside)[row] == 0; });
    return rows;
}

QString valuesOfParameter(const StudyParameter& parameter)
{
    constexpr std::size_t kMostListed = 6;
    if (parameter.range && parameter.choices.empty())
        return unbroken(parameter.at(0).label) + QStringLiteral(" – ") + unbroken(parameter.at(1).label);
    QStringList labels;
    for (const ParameterChoice& choice : parameter.choices)
        labels.append(unbroken(choice.label));
    if (parameter.choices.size() > kMostListed)
        return labels.first() + QStringLiteral(" … ") + labels.last();
    return labels.join(QStringLiteral(", "));
}

} // namespace

bool isOnFront(const StudyTable& table, std::size_t row)
{
    return std::binary_search(table.front.begin(), table.front.end(), row);
}

QString stateText(const StudyTable& table, std::size_t row)
{
    const StudyTableRow& of = table.rows[row];
    const QString message = of.message.empty() ? QString() : QStringLiteral(": ") + texts::shownMessage(of.message);
    switch (of.state) {
    case StudyTableRow::State::Done: return isOnFront(table, row) ? VariantTexts::tr("on the front") : VariantTexts::tr("done");
    case StudyTableRow::State::Infeasible: return VariantTexts::tr("infeasible") + message;
    case StudyTableRow::State::Failed: return VariantTexts::tr("failed") + message;
    case StudyTableRow::State::Pruned: return VariantTexts::tr("pruned") + message;
    case StudyTableRow::State::Open: break;
    }
    return VariantTexts::tr("open");
}

QString variantText(const StudySpec& space, const StudyTable& table, std::size_t row, std::span<const VariantAxis> axes)
{
    const StudyTableRow& of = table.rows[row];
    QStringList labels;
    for (const std::string& label : of.labels)
        labels.append(texts::shown(label));
    QStringList values;
    for (const VariantAxis& axis : axes) {
        if (const std::optional<double> value = axis.of(space, of))
            values.append(axis.name + QLatin1Char(' ') + axis.text(*value));
    }
    return labels.join(QStringLiteral(", ")) + QLatin1Char('\n') + values.join(QStringLiteral(", ")) + QLatin1Char('\n') + stateText(table, row);
}

TableContentPtr variantTable(const VariedStudyPtr& study, const StudyTablePtr& table, VariantChoice choice, const BrushedRows& inside)
{
    return std::make_shared<const VariantContent>(study, table, chosenRows(*table, choice, inside));
}

std::int64_t variantCount(const StudyTable& table, VariantChoice choice, const BrushedRows& inside)
{
    return static_cast<std::int64_t>(chosenRows(table, choice, inside).size());
}

QString samplingText(const StudySampling& sampling)
{
    static constexpr const char* kKinds[] = {QT_TRANSLATE_NOOP("fabricscope::Variants", "full grid"), QT_TRANSLATE_NOOP("fabricscope::Variants", "Latin hypercube"), QT_TRANSLATE_NOOP("fabricscope::Variants", "Sobol sequence"), QT_TRANSLATE_NOOP("fabricscope::Variants", "Saltelli's sampling")};
    static constexpr const char* kSearches[] = {QT_TRANSLATE_NOOP("fabricscope::Variants", "successive halving"), QT_TRANSLATE_NOOP("fabricscope::Variants", "NSGA-II"), QT_TRANSLATE_NOOP("fabricscope::Variants", "local search")};
    return VariantTexts::tr(sampling.search ? kSearches[at(*sampling.search)] : kKinds[at(sampling.kind)]);
}

std::vector<ValueRow> parameterRows(const StudySpec& space)
{
    std::vector<ValueRow> rows;
    for (const StudyParameter& parameter : space.parameters)
        rows.push_back({texts::shown(parameter.name), valuesOfParameter(parameter), parameter.choices.empty() ? QString() : texts::count(static_cast<std::int64_t>(parameter.choices.size()))});
    return rows;
}

std::vector<ValueRow> objectiveRows(const StudySpec& space)
{
    std::vector<ValueRow> rows;
    for (const StudyObjective& objective : space.objectives) {
        const char* const how = objective.sense == StudyObjective::Sense::Minimise ? QT_TRANSLATE_NOOP("fabricscope::Variants", "minimise")
                                : objective.sense == StudyObjective::Sense::Maximise ? QT_TRANSLATE_NOOP("fabricscope::Variants", "maximise")
                                                                                     : QT_TRANSLATE_NOOP("fabricscope::Variants", "report");
        rows.push_back({figureTitle(objective.figure), VariantTexts::tr(how)});
    }
    return rows;
}

std::vector<ValueRow> constraintRows(const StudySpec& space)
{
    std::vector<ValueRow> rows;
    for (const StudyConstraint& constraint : space.constraints)
        rows.push_back({texts::shown(constraint.condition.text()), {}});
    return rows;
}

/// "3 others by step time, 7 % off": designs whose first objective that follows times differs by less than the error; empty: nobody measured, or there is no such objective.
static QString alikeText(const VariedStudy& study, const StudyTable& table, std::size_t row)
{
    const auto& objectives = study.space.objectives;
    const auto objective = std::find_if(objectives.begin(), objectives.end(), [](const StudyObjective& one) { return followsTime(one.figure); });
    const std::optional<double> value = objective == objectives.end() ? std::nullopt : table.rows[row].figures[objective->figure];
    if (!value || !study.errorPct)
        return {};
    std::int64_t others = 0;
    for (std::size_t other = 0; other < table.rows.size(); ++other) {
        const StudyTableRow& of = table.rows[other];
        const std::optional<double> its = of.figures[objective->figure];
        others += other != row && of.state == StudyTableRow::State::Done && its && isWithinError(*value, *its, *study.errorPct) ? 1 : 0;
    }
    return (others == 1 ? VariantTexts::tr("%1 other by %2, %3") : VariantTexts::tr("%1 others by %2, %3")).arg(texts::count(others), texts::inSentence(figureTitle(objective->figure)), texts::shown(errorText(study.errorPct)));
}

std::vector<ValueRow> variantRows(const VariedStudy& study, const StudyTable& table, std::size_t row)
{
    std::vector<ValueRow> rows;
    const StudyTableRow& of = table.rows[row];
    for (std::size_t i = 0; i < of.labels.size(); ++i)
        rows.push_back({texts::shown(study.space.parameters[i].name), texts::shown(of.labels[i])});
    for (const VariantAxis& axis : variantAxes(study.space, table)) {
        if (!axis.figure)
            continue;
        if (const std::optional<double> value = of.figures[*axis.figure])
            rows.push_back({axis.name, axis.text(*value)});
    }
    if (const QString alike = alikeText(study, table, row); !alike.isEmpty())
        rows.push_back({VariantTexts::tr("Not distinguishable"), alike});
    return rows;
}

} // namespace fabricscope
