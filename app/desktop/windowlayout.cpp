// The part of MainWindow that lays out panels and keeps how one looked at a design.
#include "app/desktop/exploreview.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/tablespanel.h"
#include "app/desktop/windowsession.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/design/document.h"
#include "widgets/design/panel.h"
#include "widgets/results/inspector.h"
#include "widgets/timeline/view.h"

#include <QDockWidget>
#include <QSettings>

#include <algorithm>
#include <initializer_list>

namespace fabricscope {

namespace {

/// Sizes: panels at 1280, 1600 and 2560 px of width.
struct PanelSizes {
    int design;
    int inspector;
    int tables;
};

PanelSizes panelSizes(int width)
{
    if (width >= 2300)
        return {400, 400, 260};
    if (width >= 1500)
        return {352, 320, 206};
    return {304, 288, 200};
}

constexpr int kNarrow = 1200;        ///< Below this, for text of 13 px, the inspector shares the place of the design panel.
constexpr int kSmallestPanel = 280;  ///< For text of 13 px.
constexpr int kPanelShare = 30;      ///< Percent of the window that each of two panels has at most, so that the views between them keep theirs.
constexpr int kOnlyPanelShare = 40;  ///< Of the panel that has both contents.

} // namespace

/// `length`, for text of 13 px, as large text wants it and the window has room for.
int MainWindow::panelWidth(int length) const
{
    return std::min(m_theme.scaled(length), width() * (m_narrow ? kOnlyPanelShare : kPanelShare) / 100);
}

void MainWindow::limitPanels()
{
    for (QWidget* panel : std::initializer_list<QWidget*>{m_designPanel, m_inspector})
        panel->setMinimumWidth(panelWidth(kSmallestPanel));
    // Tables of large text would push the views above them out of a low window.
    const int most = height() * kPanelShare / 100;
    m_tables->setMinimumHeight(m_tables->minimumSizeHint().height() > most ? most : 0);
}

void MainWindow::sizePanels()
{
    const PanelSizes sizes = panelSizes(width());
    if (m_narrow)
        resizeDocks({m_designDock}, {panelWidth(sizes.design)}, Qt::Horizontal);
    else
        resizeDocks({m_designDock, m_inspectorDock}, {panelWidth(sizes.design), panelWidth(sizes.inspector)}, Qt::Horizontal);
}

void MainWindow::resetLayout()
{
    m_narrow = false;
    m_docks.clear(); // Also where Explore is not on show: what was kept of it is no longer wanted.
    addDockWidget(Qt::LeftDockWidgetArea, m_designDock);
    addDockWidget(Qt::RightDockWidgetArea, m_inspectorDock);
    addDockWidget(Qt::BottomDockWidgetArea, m_tablesDock);
    for (QDockWidget* dock : {m_designDock, m_inspectorDock, m_tablesDock})
        dock->setFloating(false);
    for (const char* id : {"view.design", "view.inspector", "view.tables"})
        m_registry->action(QString::fromLatin1(id))->setChecked(true);
    arrangeForWidth();
    sizePanels();
    resizeDocks({m_tablesDock}, {std::min(m_theme.scaled(panelSizes(width()).tables), height() * kPanelShare / 100)}, Qt::Vertical);
    m_explore->resetSplitter();
    setWorkspace(m_workspace);
}

/// In a window that is narrow for its text the inspector becomes a tab of the design panel's place.
void MainWindow::arrangeForWidth()
{
    const bool narrow = width() < m_theme.scaled(kNarrow);
    const bool same = narrow == m_narrow;
    m_narrow = narrow;
    limitPanels();
    if (same)
        return;
    const bool visible = m_inspectorDock->isVisible();
    if (narrow) {
        addDockWidget(Qt::LeftDockWidgetArea, m_inspectorDock);
        tabifyDockWidget(m_designDock, m_inspectorDock);
        m_designDock->raise();
    } else {
        addDockWidget(Qt::RightDockWidgetArea, m_inspectorDock);
    }
    sizePanels();
    m_inspectorDock->setVisible(visible);
}

/// Panels are as they were only while Explore is on show, and nothing before the window has its size.
void MainWindow::keepDocks()
{
    if (!m_laidOut || m_workspace != QStringLiteral("explore"))
        return;
    m_docks = saveState();
    m_docksNarrow = m_narrow;
}

/// Panels as they were when the program ended, where the window is as wide as then; where it is not, they are kept for the next time.
void MainWindow::restoreDocks()
{
    const auto settings = openSettings();
    const QByteArray docks = settings->value(QStringLiteral("window/docks")).toByteArray();
    const bool narrow = settings->value(QStringLiteral("window/narrow")).toBool();
    if (docks.isEmpty() || (narrow == m_narrow && !restoreState(docks)))
        return;
    m_docks = docks;
    m_docksNarrow = narrow;
    if (narrow != m_narrow)
        return;
    for (const auto& [id, dock] : {std::pair{"view.design", m_designDock}, {"view.inspector", m_inspectorDock}, {"view.tables", m_tablesDock}})
        m_registry->action(QString::fromLatin1(id))->setChecked(!dock->isHidden());
    setWorkspace(m_workspace);
}

void MainWindow::keepView()
{
    const TimelineView& timeline = m_explore->timeline();
    DesignSession session;
    session.rows = timeline.arrangement();
    session.bookmarks = timeline.bookmarks();
    if (m_wantedRange)
        session.visible = m_wantedRange; // What is on show is not of the run that it waits for.
    else if (timeline.source() && timeline.visibleRange() != timeline.timeGeometry().run)
        session.visible = timeline.visibleRange();
    session.cursor = m_wantedCursor ? m_wantedCursor : timeline.timeCursor();
    keepSession(m_viewOf, session);
}

/// Another design is on show: that of the one before is kept, its own comes back.
void MainWindow::restoreView()
{
    keepView();
    m_viewOf = m_document->file();
    const DesignSession session = keptSession(m_viewOf);
    m_explore->timeline().setArrangement(session.rows);
    m_explore->timeline().setBookmarks(session.bookmarks);
    m_explore->timeline().setTimeCursor(std::nullopt);
    m_wantedRange = session.visible;
    m_wantedCursor = session.cursor;
}

} // namespace fabricscope
