#include "widgets/programissues.h"

#include "widgets/icons.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>

namespace fabricscope {

namespace {

QString severityText(Severity severity)
{
    switch (severity) {
    case Severity::Error: return ProgramIssuesModel::tr("Error");
    case Severity::Warning: return ProgramIssuesModel::tr("Warning");
    case Severity::Note: return ProgramIssuesModel::tr("Note");
    }
    return {};
}

} // namespace

void ProgramIssuesModel::setProgram(CheckedProgramPtr program)
{
    beginResetModel();
    m_program = std::move(program);
    endResetModel();
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
    const QString message = QString::fromStdString(shown.message);
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Rule: return shown.rule.size() > 4 ? QString() : QString::fromStdString(shown.rule); // "V15"; names of notes are for filters.
        case Line: return shown.line > 0 ? QString::number(shown.line) : QString();
        default: return message;
        }
    case Qt::DecorationRole:
        if (index.column() == Rule) {
            const bool error = shown.severity == Severity::Error;
            const bool warning = shown.severity == Severity::Warning;
            return icon(error ? "error" : warning ? "warning" : "info", IconColors::plain(m_theme.color(error ? fabricscope::Role::Err : warning ? fabricscope::Role::Warn : fabricscope::Role::Text3)));
        }
        return {};
    case Qt::TextAlignmentRole: return index.column() == Line ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ToolTipRole: return message;
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

ProgramIssuesView::ProgramIssuesView(QWidget* parent) : QTableView(parent), m_issues(new ProgramIssuesModel(this))
{
    setModel(m_issues);
    setAccessibleName(tr("Findings about the program"));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setTabKeyNavigation(false);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setWordWrap(false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(1);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsClickable(false);
    horizontalHeader()->setMinimumSectionSize(1);
    connect(this, &QAbstractItemView::clicked, this, [this](const QModelIndex& index) { emit activatedIssue(index.row()); });
    setTheme(Theme());
}

void ProgramIssuesView::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_issues->setTheme(theme);
    setFont(theme.font(TextStyle::Table));
    horizontalHeader()->setFont(theme.font(TextStyle::Label));
    verticalHeader()->setDefaultSectionSize(theme.scaled(24));
    setIconSize({theme.scaled(14), theme.scaled(14)});
    viewport()->update();
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

void ProgramIssuesView::keyPressEvent(QKeyEvent* event)
{
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid())
        emit activatedIssue(currentIndex().row());
    else
        QTableView::keyPressEvent(event);
}

void ProgramIssuesView::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    const int rule = m_theme.scaled(66);
    const int line = m_theme.scaled(48);
    horizontalHeader()->resizeSection(ProgramIssuesModel::Rule, rule);
    horizontalHeader()->resizeSection(ProgramIssuesModel::Line, line);
    horizontalHeader()->resizeSection(ProgramIssuesModel::Message, viewport()->width() - rule - line);
}

void ProgramIssuesView::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    if (m_issues->rowCount() > 0)
        return;
    QPainter painter(viewport());
    painter.setPen(m_theme.color(Role::Text2));
    painter.setFont(m_theme.font(TextStyle::Body));
    painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("No findings"));
}

} // namespace fabricscope
