#include "widgets/programs/findingsmodel.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"

namespace fabricscope {

void ProgramIssuesModel::setProgram(CheckedProgramPtr program)
{
    beginResetModel();
    m_program = std::move(program);
    endResetModel();
}

ProgramIssuesModel::ProgramIssuesModel(QObject* parent) : QAbstractTableModel(parent)
{
    followTheme(this, &ProgramIssuesModel::setTheme);
}

void ProgramIssuesModel::setTheme(const Theme& theme)
{
    m_theme = theme;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int ProgramIssuesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_program ? 0 : static_cast<int>(m_program->issues.size());
}

int ProgramIssuesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProgramIssuesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const ProgramIssue& shown = issue(index.row());
    const QString message = texts::shownMessage(shown.message);
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Rule: return shown.rule.size() > 4 ? QString() : QString::fromStdString(shown.rule); // "V15"; names of notes are for filters.
        case Line: return shown.line > 0 ? QString::number(shown.line) : QString();
        default: return message;
        }
    case Qt::DecorationRole:
        if (index.column() == Rule)
            return severityIcon(shown.severity, m_theme);
        return {};
    case Qt::TextAlignmentRole: return index.column() == Line ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ToolTipRole: return texts::toolTip(message);
    case Qt::AccessibleTextRole:
        if (index.column() == Rule)
            return severityText(shown.severity) + (shown.rule.empty() ? QString() : QLatin1Char(' ') + QString::fromStdString(shown.rule));
        return index.column() == Line ? tr("line %1").arg(shown.line) : message;
    default: return {};
    }
}

QVariant ProgramIssuesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section == Line ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    return section == Rule ? tr("Rule") : section == Line ? tr("Line") : tr("Finding");
}

ProgramIssuesView::ProgramIssuesView(QWidget* parent)
    : FindingsView(tr("Findings about the program"), tr("No findings"), Pointer::Click, ProgramIssuesModel::Message, parent), m_issues(new ProgramIssuesModel(this))
{
    setModel(m_issues);
    connect(this, &FindingsView::findingActivated, this, [this](const QModelIndex& index) { emit activatedIssue(index.row()); });
    followTheme(this, &ProgramIssuesView::setTheme);
}

bool ProgramIssuesView::next()
{
    const int rows = m_issues->rowCount();
    if (rows == 0)
        return false;
    const int row = currentIndex().isValid() ? (currentIndex().row() + 1) % rows : 0;
    setCurrentIndex(m_issues->index(row, 0));
    emit activatedIssue(row);
    return true;
}

int ProgramIssuesView::columnWidth(int column, int) const
{
    return theme().scaled(column == ProgramIssuesModel::Rule ? 66 : 48);
}

} // namespace fabricscope
