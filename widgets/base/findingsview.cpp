#include "widgets/base/findingsview.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/icons.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>

namespace fabricscope {

QString severityText(Severity severity)
{
    switch (severity) {
    case Severity::Error: return FindingsView::tr("Error");
    case Severity::Warning: return FindingsView::tr("Warning");
    case Severity::Note: return FindingsView::tr("Note");
    }
    return {};
}

QIcon severityIcon(Severity severity, const Theme& theme)
{
    const bool error = severity == Severity::Error;
    const bool warning = severity == Severity::Warning;
    return icon(error ? "error" : warning ? "warning" : "info", IconColors::plain(theme.color(error ? Role::Err : warning ? Role::Warn : Role::Text3)));
}

FindingsView::FindingsView(const QString& name, const QString& emptyText, Pointer pointer, int wide, QWidget* parent)
    : QTableView(parent), m_emptyText(emptyText), m_wide(wide)
{
    setAccessibleName(name);
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
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(this, pointer == Pointer::Click ? &QAbstractItemView::clicked : &QAbstractItemView::doubleClicked, this, &FindingsView::findingActivated);
}

void FindingsView::setTheme(const Theme& theme)
{
    m_theme = theme;
    setFont(theme.font(TextStyle::Table));
    horizontalHeader()->setFont(theme.font(TextStyle::Label));
    horizontalHeader()->setFixedHeight(theme.scaled(24)); // By itself it keeps the height of the text it began with.
    verticalHeader()->setDefaultSectionSize(theme.scaled(24));
    setIconSize({theme.scaled(14), theme.scaled(14)});
    viewport()->update();
}

void FindingsView::keyPressEvent(QKeyEvent* event)
{
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid())
        emit findingActivated(currentIndex());
    else
        QTableView::keyPressEvent(event);
}

void FindingsView::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    if (!model())
        return;
    int left = viewport()->width();
    for (int column = 0; column < model()->columnCount(); ++column) {
        if (column == m_wide)
            continue;
        const int width = columnWidth(column, viewport()->width());
        horizontalHeader()->resizeSection(column, width);
        left -= width;
    }
    horizontalHeader()->resizeSection(m_wide, left);
}

void FindingsView::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    if (!model() || model()->rowCount() > 0)
        return;
    QPainter painter(viewport());
    painter.setPen(m_theme.color(Role::Text2));
    painter.setFont(m_theme.font(TextStyle::Body));
    painter.drawText(viewport()->rect(), Qt::AlignCenter, m_emptyText);
}

} // namespace fabricscope
