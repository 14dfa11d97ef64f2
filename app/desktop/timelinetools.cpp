#include "app/desktop/timelinetools.h"

#include "app/desktop/commands.h"
#include "app/desktop/viewheader.h"
#include "widgets/base/actions.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/timeline/findbar.h"
#include "widgets/timeline/view.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>

#include <span>

namespace fabricscope {

namespace {

constexpr CommandRow kTimelineCommands[] = {
    {"timeline.find", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Find task…"), "Ctrl+F", QT_TRANSLATE_NOOP("fabricscope::Commands", "Find tasks of the run by a part of their name"), "search"},
    {"timeline.findNext", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Find &next"), "F3", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go to the next task of this name"), "forward"},
    {"timeline.findPrevious", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Find p&revious"), "Shift+F3", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go to the task of this name before"), "back"},
    {"timeline.filter", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Fi&lter rows"), "Ctrl+Alt+F", QT_TRANSLATE_NOOP("fabricscope::Commands", "Show only rows that answer a few letters"), "filter"},
    {"timeline.pin", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Pin or unpin row"), "Ctrl+Alt+P", QT_TRANSLATE_NOOP("fabricscope::Commands", "Keep the current row above all others"), "pin"},
    {"timeline.hide", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Hide row"), "Ctrl+Alt+K", QT_TRANSLATE_NOOP("fabricscope::Commands", "Take the current row or group out of the timeline"), "hide"},
    {"timeline.showAll", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Show hidden rows"), "Ctrl+Alt+Shift+K", QT_TRANSLATE_NOOP("fabricscope::Commands", "Show all rows again"), "expand"},
    {"timeline.rowUp", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Move row &up"), "Alt+Up", QT_TRANSLATE_NOOP("fabricscope::Commands", "Move the current row or group up"), "collapse"},
    {"timeline.rowDown", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Move row &down"), "Alt+Down", QT_TRANSLATE_NOOP("fabricscope::Commands", "Move the current row or group down"), "expand"},
    {"timeline.zoomBack", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Back to the range before"), "Backspace", QT_TRANSLATE_NOOP("fabricscope::Commands", "Show the range of time that was shown before"), "first"},
    {"timeline.zoomForward", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "F&orward to the range after"), "Shift+Backspace", QT_TRANSLATE_NOOP("fabricscope::Commands", "Show the range of time again that was gone back from"), "last"},
    {"timeline.predecessor", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "To pr&edecessor"), "Alt+,", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go to what the selected task had to wait for last"), "back"},
    {"timeline.successor", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "To su&ccessor"), "Alt+.", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go to what waited for the selected task first"), "forward"},
    {"timeline.partner", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "To the o&ther end"), "Ctrl+;", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go from a send to its receive, and back"), "swap"},
    {"timeline.arrows", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Flow &arrows"), "Ctrl+Alt+A", QT_TRANSLATE_NOOP("fabricscope::Commands", "Draw arrows from what the selection waited for, and to what waited for it"), "flow-arrows", true},
    {"timeline.criticalPath", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Cr&itical path"), "C", QT_TRANSLATE_NOOP("fabricscope::Commands", "Frame what the end of the run hangs on, and fade the rest"), "critical-path", true},
    {"timeline.pathNext", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Follo&wing step of the path"), "Shift+C", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go to what the critical path does next"), "forward"},
    {"timeline.pathPrevious", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Pre&vious step of the path"), "Shift+X", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go to what the critical path does before"), "back"},
    {"timeline.bookmark", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Book&mark"), "Ctrl+Alt+M", QT_TRANSLATE_NOOP("fabricscope::Commands", "Mark the time under the pointer or of the selection, or take the mark away"), "baseline"},
    {"timeline.play", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Pla&y or pause"), "P", QT_TRANSLATE_NOOP("fabricscope::Commands", "Move the time cursor through what is on show; links are coloured by how busy they are then"), "play"},
    {"timeline.nextBookmark", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Ne&xt bookmark"), "Ctrl+Alt+J", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go to the next marked time"), "forward"},
    {"timeline.previousBookmark", QT_TRANSLATE_NOOP("fabricscope::Commands", "Timeline"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Previous boo&kmark"), "Ctrl+Alt+Shift+J", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go to the marked time before"), "back"},
};

/// Keys that mean something else outside of the timeline.
bool isOfTheViewOnly(const QString& id)
{
    static const QStringList everywhere{QStringLiteral("timeline.find"), QStringLiteral("timeline.findNext"), QStringLiteral("timeline.findPrevious"), QStringLiteral("timeline.filter")};
    return !everywhere.contains(id);
}

} // namespace

std::span<const CommandRow> timelineCommands()
{
    return kTimelineCommands;
}

TimelineTools::TimelineTools(TimelineView* view, ViewHeader* header)
    : QObject(view), m_view(view), m_filter(new QLineEdit), m_hidden(new QToolButton), m_find(new TimelineFindBar(view))
{
    m_filter->setPlaceholderText(tr("Filter rows"));
    m_filter->setAccessibleName(m_filter->placeholderText());
    m_filter->setToolTip(tr("Only rows that answer these letters (Ctrl+Alt+F)"));
    m_filter->installEventFilter(this);
    m_hidden->setProperty("flat", true);
    m_hidden->setToolTip(tr("Show hidden rows"));
    m_hidden->hide();
    header->addControl(m_hidden);
    header->addControl(m_filter);
    connect(m_filter, &QLineEdit::textChanged, view, &TimelineView::setFilter);
    connect(view, &TimelineView::filterGivenUp, m_filter, &QLineEdit::clear);
    connect(view, &TimelineView::arrangementChanged, this, &TimelineTools::showHidden);
    connect(m_hidden, &QToolButton::clicked, view, &TimelineView::showAllRows);
    followTheme(this, &TimelineTools::setTheme);
}

void TimelineTools::setTheme(const Theme& theme)
{
    m_filter->setFixedSize(theme.scaled(128), theme.scaled(24));
    m_hidden->setFixedHeight(theme.scaled(24));
}

void TimelineTools::setResult(const RunResultPtr& result)
{
    m_find->setRun(result ? result->timeline : nullptr, result ? result->scenario->structure->workload : nullptr);
    showHidden();
}

void TimelineTools::showHidden()
{
    const int hidden = m_view->rows().hiddenCount();
    m_hidden->setVisible(hidden > 0);
    m_hidden->setText(tr("%1 hidden").arg(texts::count(hidden)));
    m_hidden->setAccessibleName(tr("%1 hidden, show them").arg(texts::count(hidden)));
}

void TimelineTools::connectCommands(ActionRegistry& registry)
{
    const auto on = [&](const char* id, auto* receiver, auto what) { connect(registry.action(QString::fromLatin1(id)), &QAction::triggered, receiver, what); };
    on("timeline.find", m_find, &TimelineFindBar::open);
    on("timeline.findNext", m_find, &TimelineFindBar::next);
    on("timeline.findPrevious", m_find, &TimelineFindBar::previous);
    on("timeline.filter", m_filter, [this] { m_filter->setFocus(Qt::ShortcutFocusReason); });
    on("timeline.pin", m_view, &TimelineView::togglePin);
    on("timeline.hide", m_view, &TimelineView::hideRow);
    on("timeline.showAll", m_view, &TimelineView::showAllRows);
    on("timeline.rowUp", m_view, &TimelineView::moveRowUp);
    on("timeline.rowDown", m_view, &TimelineView::moveRowDown);
    on("timeline.zoomBack", m_view, &TimelineView::zoomBack);
    on("timeline.zoomForward", m_view, &TimelineView::zoomForward);
    on("timeline.predecessor", m_view, &TimelineView::goToPredecessor);
    on("timeline.successor", m_view, &TimelineView::goToSuccessor);
    on("timeline.partner", m_view, &TimelineView::goToPartner);
    on("timeline.pathNext", m_view, &TimelineView::nextPathStep);
    on("timeline.pathPrevious", m_view, &TimelineView::previousPathStep);
    on("timeline.bookmark", m_view, &TimelineView::toggleBookmark);
    on("timeline.nextBookmark", m_view, &TimelineView::nextBookmark);
    on("timeline.previousBookmark", m_view, &TimelineView::previousBookmark);
    QAction* arrows = registry.action(QStringLiteral("timeline.arrows"));
    arrows->setChecked(true);
    connect(arrows, &QAction::toggled, m_view, &TimelineView::setArrowsShown);
    for (const CommandRow& row : timelineCommands()) {
        QAction* action = registry.action(QString::fromLatin1(row.id));
        if (isOfTheViewOnly(QString::fromLatin1(row.id)))
            action->setShortcutContext(Qt::WidgetShortcut);
        m_view->addAction(action); // Its menu, too.
    }
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);
}

bool TimelineTools::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_filter && event->type() == QEvent::KeyPress) {
        const int key = static_cast<const QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape)
            m_filter->clear();
        if (key == Qt::Key_Escape || key == Qt::Key_Return || key == Qt::Key_Enter) {
            m_view->setFocus();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace fabricscope
