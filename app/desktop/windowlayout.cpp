// The part of MainWindow that lays out panels and keeps how one looked at a design.
#include "app/desktop/exploreview.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/windowsession.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/design/document.h"
#include "widgets/timeline/view.h"

#include <QDockWidget>
#include <QSettings>

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

constexpr int kNarrow = 1200; ///< Below this the inspector shares the place of the design panel.

} // namespace

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
    const PanelSizes sizes = panelSizes(width());
    resizeDocks({m_designDock, m_inspectorDock}, {m_theme.scaled(sizes.design), m_theme.scaled(sizes.inspector)}, Qt::Horizontal);
    resizeDocks({m_tablesDock}, {m_theme.scaled(sizes.tables)}, Qt::Vertical);
    m_explore->resetSplitter();
    arrangeForWidth();
    setWorkspace(m_workspace);
}

/// In a narrow window the inspector becomes a tab of the design panel's place.
void MainWindow::arrangeForWidth()
{
    const bool narrow = width() < kNarrow;
    if (narrow == m_narrow)
        return;
    m_narrow = narrow;
    const bool visible = m_inspectorDock->isVisible();
    if (narrow) {
        addDockWidget(Qt::LeftDockWidgetArea, m_inspectorDock);
        tabifyDockWidget(m_designDock, m_inspectorDock);
        m_designDock->raise();
    } else {
        addDockWidget(Qt::RightDockWidgetArea, m_inspectorDock);
        const PanelSizes sizes = panelSizes(width());
        resizeDocks({m_designDock, m_inspectorDock}, {m_theme.scaled(sizes.design), m_theme.scaled(sizes.inspector)}, Qt::Horizontal);
    }
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
}

} // namespace fabricscope
