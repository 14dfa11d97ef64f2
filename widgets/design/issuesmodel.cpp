#include "widgets/design/issuesmodel.h"

#include "core/base/index.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QResizeEvent>

#include <algorithm>

namespace fabricscope {

namespace {

QString messageText(const Diagnostic& issue)
{
    const QString message = texts::shownMessage(issue.message);
    return issue.expected.empty() ? message : IssuesModel::tr("%1. Expected: %2").arg(message, texts::shownMessage(issue.expected));
}

QString placeText(const Place& place)
{
    QStringList parts;
    if (!place.file.empty())
        parts << texts::shown(QFileInfo(QString::fromStdString(place.file)).fileName());
    if (place.line > 0)
        parts << IssuesModel::tr("line %1").arg(place.line);
    if (place.rank >= 0)
        parts << IssuesModel::tr("rank %1").arg(place.rank);
    if (place.hasNode)
        parts << IssuesModel::tr("trace node %1").arg(static_cast<quint64>(place.node));
    if (!place.field.empty() && place.line <= 0)
        parts << texts::shown(place.field);
    return parts.join(QStringLiteral(", "));
}

bool same(const Diagnostic& a, const Diagnostic& b)
{
    return a.severity == b.severity && a.message == b.message && a.place.text() == b.place.text();
}

} // namespace

IssuesModel::IssuesModel(QObject* parent) : QAbstractTableModel(parent)
{
    followTheme(this, &IssuesModel::setTheme);
}

void IssuesModel::setDocument(DesignDocument* document)
{
    if (m_document)
        disconnect(m_document, nullptr, this, nullptr);
    m_document = document;
    if (document) {
        connect(document, &DesignDocument::replaced, this, [this] { m_run.clear(); });
        connect(document, &DesignDocument::changed, this, &IssuesModel::read);
    }
    read();
}

void IssuesModel::setRunDiagnostics(Diagnostics diagnostics)
{
    m_run = std::move(diagnostics);
    read();
}

void IssuesModel::setTheme(const Theme& theme)
{
    m_theme = theme;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void IssuesModel::read()
{
    Diagnostics rows = m_document ? m_document->issues() : Diagnostics();
    for (const Diagnostic& issue : m_run) {
        if (std::none_of(rows.begin(), rows.end(), [&](const Diagnostic& known) { return same(known, issue); }))
            rows.push_back(issue);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Diagnostic& a, const Diagnostic& b) { return a.severity > b.severity; });
    if (rows.size() == m_rows.size() && std::equal(rows.begin(), rows.end(), m_rows.begin(), same)) {
        m_rows = std::move(rows);
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
    emit countChanged(count(Severity::Error) + count(Severity::Warning));
}

int IssuesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int IssuesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

int IssuesModel::count(Severity severity) const
{
    return static_cast<int>(std::count_if(m_rows.begin(), m_rows.end(), [&](const Diagnostic& issue) { return issue.severity == severity; }));
}

QVariant IssuesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Diagnostic& issue = m_rows[at(index.row())];
    switch (role) {
    case Qt::DisplayRole: return index.column() == Message ? messageText(issue) : placeText(issue.place);
    case Qt::DecorationRole: return index.column() == Message ? QVariant(severityIcon(issue.severity, m_theme)) : QVariant();
    case Qt::ToolTipRole: return texts::toolTip(severityText(issue.severity) + QStringLiteral(": ") + messageText(issue));
    case Qt::AccessibleTextRole: return index.column() == Message ? severityText(issue.severity) + QStringLiteral(": ") + messageText(issue) : placeText(issue.place);
    case SeverityRole: return static_cast<int>(issue.severity);
    case FieldRole: return QString::fromStdString(issue.place.field);
    case LineRole: {
        // A line of another file (a network file, a trace) is none of the text.
        const bool own = m_document && (issue.place.file.empty() || issue.place.file == m_document->design()->file);
        return own ? issue.place.line : 0;
    }
    default: return {};
    }
}

QVariant IssuesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Message ? tr("Issue") : section == Location ? tr("Place") : QVariant();
}

IssuesView::IssuesView(QWidget* parent) : FindingsView(tr("Issues"), tr("No issues"), Pointer::DoubleClick, IssuesModel::Message, parent), m_issues(new IssuesModel(this))
{
    setModel(m_issues);
    connect(this, &FindingsView::findingActivated, this, [this](const QModelIndex& index) {
        emit issueActivated(index.data(IssuesModel::FieldRole).toString(), index.data(IssuesModel::LineRole).toInt());
    });
    connect(m_issues, &IssuesModel::countChanged, this, [this] {
        QResizeEvent same(size(), size()); // Other places want another width.
        resizeEvent(&same);
    });
    followTheme(this, &IssuesView::setTheme);
}

/// Of the places: what they need, so that the sentence has the rest.
int IssuesView::columnWidth(int column, int viewWidth) const
{
    constexpr int kMeasured = 100;
    int width = QFontMetrics(horizontalHeader()->font()).horizontalAdvance(tr("Place"));
    for (int row = 0; row < std::min(model()->rowCount(), kMeasured); ++row)
        width = std::max(width, fontMetrics().horizontalAdvance(model()->index(row, column).data().toString()));
    return std::min({viewWidth / 3, theme().scaled(260), width + theme().scaled(24)});
}

} // namespace fabricscope
