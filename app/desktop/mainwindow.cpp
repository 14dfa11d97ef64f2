#include "app/desktop/mainwindow.h"

#include "app/desktop/commands.h"
#include "app/desktop/documentcorner.h"
#include "app/desktop/exploreview.h"
#include "app/desktop/exports/traceexport.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/hintline.h"
#include "app/desktop/macro/recordcommands.h"
#include "app/desktop/maintoolbar.h"
#include "app/desktop/modelcomparison.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "app/desktop/undokeys.h"
#include "app/desktop/viewheader.h"
#include "core/design/referencedfiles.h"
#include "widgets/base/apptheme.h"
#include "widgets/canvas/editing.h"
#include "widgets/base/cellcopies.h"
#include "widgets/start/commandpalette.h"
#include "widgets/design/document.h"
#include "widgets/design/panel.h"
#include "widgets/base/files/droptarget.h"
#include "widgets/results/inspector.h"
#include "widgets/results/logmodel.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/start/recentfiles.h"
#include "widgets/base/showntexts.h"
#include "widgets/results/statusstrip.h"
#include "widgets/timeline/view.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/base/files/usersettings.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStatusTipEvent>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

/// None of a design that has no file yet is itself one.
std::vector<NamedFile> filesOf(const DesignDocument& document)
{
    const std::shared_ptr<const Design> design = document.design();
    std::vector<NamedFile> files = referencedFiles(*design);
    if (document.file().isEmpty())
        std::erase_if(files, [&design](const NamedFile& file) { return file.path == design->file; });
    return files;
}

/// "Run again after every edit".
const QString kLiveKept = QStringLiteral("run/live");

/// With the letter that opens it: the first that none of `taken` is, which it is added to.
QString withLetter(const QString& title, QString& taken)
{
    for (qsizetype at = 0; at < title.size(); ++at) {
        if (!title[at].isLetter() || taken.contains(title[at], Qt::CaseInsensitive))
            continue;
        taken += title[at];
        return QString(title).insert(at, QLatin1Char('&'));
    }
    return title;
}

/// Where keys go on a page that comes on show: to what had them there before, else to its first control; null: it has none.
QWidget* focusOf(const QWidget& page)
{
    if (QWidget* const before = page.focusWidget())
        return before;
    for (QWidget* next = page.nextInFocusChain(); next && next != &page; next = next->nextInFocusChain()) {
        if (page.isAncestorOf(next) && (next->focusPolicy() & Qt::TabFocus) && next->isEnabled() && next->isVisibleTo(&page))
            return next;
    }
    return nullptr;
}

} // namespace

MainWindow::MainWindow(const Theme& theme, QWidget* parent)
    : Desk(parent), m_registry(new ActionRegistry(this)), m_document(new DesignDocument(this)), m_inUse([this] { return filesOf(*m_document); }),
      m_runs(new RunController(this)), m_files(new FileCommands(*m_document, this)), m_comparison(new ModelComparison(this)), m_explainer(new ExplainRunner(this)), m_traces(new TraceExport(this))
{
    AppTheme::global().set(theme); // Before there is anything to style.
    PlainLabels::install();
    CellCopies::install();
    registerCommands(*m_registry);
    m_macros = new RecordCommands(*this, [this] { return isAtRest(); });
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(QStringLiteral("Fabricscope"));
    setMinimumSize(1024, 640);
    setDockOptions(AnimatedDocks | AllowTabbedDocks | AllowNestedDocks);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);

    m_palette = new CommandPalette(*m_registry, this);
    m_toolBar = new MainToolBar(*m_registry, *m_palette, this);
    addToolBar(Qt::TopToolBarArea, m_toolBar);

    m_hint = new HintLine;
    m_pages = new QStackedWidget;
    m_explore = new ExploreView;
    m_pages->addWidget(m_explore);
    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_hint);
    column->addWidget(m_pages, 1);
    setCentralWidget(centre);

    buildDocks();
    m_status = new StatusStrip;
    statusBar()->addWidget(m_status, 1);
    statusBar()->setSizeGripEnabled(false);
    buildMenus();

    auto* drop = new DropTarget(this);
    drop->setObjectName(QStringLiteral("dropTarget"));
    connect(drop, &DropTarget::dropped, this, [this](const QStringList& paths) {
        if (!current() || !current()->takeFiles(paths))
            m_files->openPaths(paths);
    });

    makeWorkspaces();
    connectDocument();
    connectRuns();
    connectSelection();
    connectExplanation();
    connectCommands();
    new UndoKeys(this);
    m_registry->action(QStringLiteral("run.live"))->setChecked(true);
    for (QAction* action : m_registry->actions())
        addAction(action);
    followTheme(this, &MainWindow::setTheme);
    // Once more, now that all stand in the window: Qt forgets fonts of widgets that move into another one after they were styled.
    AppTheme::global().set(theme);
    setWorkspace(QStringLiteral("start"));
    m_selections.start({Selected::Kind::Nothing, -1, 0, m_workspace});
    updateTitle();
}

MainWindow::~MainWindow()
{
    // Jobs hand their results to this window: they end before its parts go.
    delete m_runs;
    for (const Page& page : m_workspaces)
        delete page.workspace;
    m_workspaces.clear();
    // Parts that go tell their last changes; by then the members of this window are gone.
    m_document->undoStack().disconnect(this);
    for (QObject* part : findChildren<QObject*>())
        part->disconnect(this);
}

QDockWidget* MainWindow::addPanel(const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area)
{
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(content);
    dock->setTitleBarWidget(new QWidget(dock)); // The content has its own header.
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::buildDocks()
{
    m_designPanel = new DesignPanel;
    m_designPanel->setDocument(m_document);
    m_inspector = new Inspector;
    m_tables = new TablesPanel;
    m_tables->setDocument(m_document);
    m_designDock = addPanel(QStringLiteral("designDock"), tr("Design"), m_designPanel, Qt::LeftDockWidgetArea);
    m_inspectorDock = addPanel(QStringLiteral("inspectorDock"), tr("Inspector"), m_inspector, Qt::RightDockWidgetArea);
    m_tablesDock = addPanel(QStringLiteral("tablesDock"), tr("Tables"), m_tables, Qt::BottomDockWidgetArea);
    m_editing = new CanvasEditing(&m_explore->canvas(), this);
    m_editing->setDocument(m_document);
}

void MainWindow::buildMenus()
{
    QString letters;
    for (const QString& title : m_registry->menus()) {
        QMenu* menu = menuBar()->addMenu(withLetter(title, letters));
        for (QAction* action : m_registry->inMenu(title)) {
            menu->addAction(action);
            if (ActionRegistry::idOf(*action) == QStringLiteral("file.open")) {
                QMenu* recent = menu->addMenu(tr("Open re&cent"));
                connect(recent, &QMenu::aboutToShow, this, [this, recent] {
                    m_files->recent().refresh();
                    m_files->recent().fillMenu(*recent, [this](const QString& path) { m_files->openPaths({path}); });
                });
            }
        }
    }
    m_documentLabel = new DocumentCorner(menuBar());
    menuBar()->setCornerWidget(m_documentLabel, Qt::TopRightCorner);
}

void MainWindow::setTheme(const Theme& theme)
{
    m_theme = theme;
    menuBar()->setFixedHeight(theme.scaled(28));
    m_documentLabel->setFixedHeight(theme.scaled(24)); // As high as its neighbours, so that the words stand on one line.
    statusBar()->setFixedHeight(theme.scaled(28));
    m_registry->action(QStringLiteral("view.dark"))->setChecked(theme.isDark());
    m_registry->action(QStringLiteral("view.patterns"))->setChecked(theme.patterns());
    if (m_laidOut)
        arrangeForWidth(); // Larger text makes the same window narrower.
    else
        limitPanels();
}

void MainWindow::makeWorkspaces()
{
    for (const WorkspaceRow& row : workspaceRows()) {
        const Page page{QString::fromLatin1(row.key), row.make(*this)};
        m_pages->addWidget(page.workspace->page());
        connect(page.workspace, &Workspace::undoChanged, this, [this] {
            updateUndo();
            updateTitle();
        });
        connect(page.workspace, &Workspace::comparisonChanged, this, &Desk::comparisonChanged);
        if (QAction* show = m_registry->action(QStringLiteral("view.") + page.key))
            connect(show, &QAction::triggered, this, [this, key = page.key] { setWorkspace(key); });
        m_workspaces.push_back(page);
    }
}

std::shared_ptr<const DesignSet> MainWindow::comparison() const
{
    for (const Page& page : m_workspaces) {
        if (auto set = page.workspace->comparison())
            return set;
    }
    return nullptr;
}

bool MainWindow::isAtRest() const
{
    return !m_files->isReading() && !m_runs->isBusy() && !m_traces->isBusy() && (!current() || current()->isSettled());
}

Workspace* MainWindow::workspaceOf(const QString& key) const
{
    for (const Page& page : m_workspaces) {
        if (page.key == key)
            return page.workspace;
    }
    return nullptr;
}

void MainWindow::setWorkspace(const QString& key)
{
    const bool explore = key == QStringLiteral("explore");
    Workspace* workspace = workspaceOf(key);
    if (!workspace && !explore)
        return;
    const bool changed = m_workspace != key;
    if (changed) {
        if (Workspace* before = current())
            before->deactivate();
        keepDocks();
        m_workspace = key;
        m_status->setMessage({}); // It was about the other one.
        noteSelection(m_selections.current());
    }
    // Panels belong to Explore; which of them are open is remembered by their commands. They go before the other page comes and come after it has
    // gone: one that needs much room would take it from them, and they would stay narrow.
    const auto showPanels = [this, explore] {
        const auto wanted = [this, explore](const char* id) { return explore && m_registry->action(QString::fromLatin1(id))->isChecked(); };
        m_designDock->setVisible(wanted("view.design"));
        m_inspectorDock->setVisible(wanted("view.inspector"));
        m_tablesDock->setVisible(wanted("view.tables"));
    };
    if (!explore)
        showPanels();
    QWidget* shown = explore ? m_explore : workspace->page();
    // Pages that are not on show must not ask for room beside the panels.
    for (int page = 0; page < m_pages->count(); ++page) {
        const auto policy = m_pages->widget(page) == shown ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        m_pages->widget(page)->setSizePolicy(policy, policy);
    }
    const bool begins = explore && !m_explore->focusWidget(); // Pages hand the focus to their first control: here a choice of colours.
    m_pages->setCurrentWidget(shown);
    placeHint();
    if (explore)
        showPanels();
    m_registry->action(QStringLiteral("view.explore"))->setChecked(explore);
    for (const Page& page : m_workspaces) {
        if (QAction* show = m_registry->action(QStringLiteral("view.") + page.key))
            show->setChecked(page.key == key);
    }
    if (workspace)
        workspace->activate();
    // What had the focus is gone, and keys would go to the buttons of the toolbar.
    const bool lost = !focusWidget() || !focusWidget()->isVisible() || (m_toolBar->isAncestorOf(focusWidget()) && qobject_cast<QAbstractButton*>(focusWidget()));
    if (QWidget* const next = !changed || !(lost || begins) ? nullptr : begins ? &m_explore->canvas() : focusOf(*shown))
        next->setFocus(Qt::OtherFocusReason);
    updateUndo();
    updateTitle();
}

/// Hints belong to Explore; what went wrong is said wherever one goes, until it is dismissed.
void MainWindow::placeHint()
{
    m_hint->setVisible(m_hint->isReading() || (m_hint->hasText() && (m_workspace == QStringLiteral("explore") || m_hint->severity() != Severity::Note)));
}

void MainWindow::showHint(const QString& text)
{
    m_hint->setText(text);
    placeHint();
}

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (m_laidOut)
        return;
    // Docks take sizes only once the window has its own.
    QTimer::singleShot(0, this, [this] {
        if (std::exchange(m_laidOut, true))
            return; // It was shown twice meanwhile.
        resetLayout();
        restoreDocks();
    });
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    if (m_laidOut)
        arrangeForWidth();
}

bool MainWindow::event(QEvent* event)
{
    // The strip is one widget, which the status bar of Qt would write over.
    if (event->type() == QEvent::StatusTip && m_status) {
        m_status->setTip(static_cast<QStatusTipEvent*>(event)->tip());
        return true;
    }
    return QMainWindow::event(event);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    const bool may = m_files->mayEnd() && std::all_of(m_workspaces.begin(), m_workspaces.end(), [](const Page& page) { return page.workspace->mayEnd(); });
    if (!may) {
        event->ignore();
        return;
    }
    m_runs->cancel();
    m_files->finish();
    for (const Page& page : m_workspaces)
        page.workspace->finish();
    const auto settings = openSettings();
    settings->setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings->setValue(QStringLiteral("window/dark"), m_theme.isDark());
    settings->setValue(QStringLiteral("window/patterns"), m_theme.patterns());
    UserSettings::global().set(UserSettings::kTextPixels, std::clamp(qRound(m_theme.basePixels()), UserSettings::kTextPixels.least, UserSettings::kTextPixels.most));
    keepDocks();
    if (m_laidOut) {
        settings->setValue(QStringLiteral("window/docks"), m_docks);
        settings->setValue(QStringLiteral("window/narrow"), m_docksNarrow);
    }
    keepView();
    event->accept();
}

void MainWindow::keepForRecovery()
{
    m_files->keepForRecovery();
    for (const Page& page : m_workspaces)
        page.workspace->keepForRecovery();
}

void MainWindow::offerRecovery()
{
    for (const Page& page : m_workspaces)
        page.workspace->offerRecovery();
}

void MainWindow::restoreSession()
{
    QAction* const live = m_registry->action(QStringLiteral("run.live"));
    live->setChecked(openSettings()->value(kLiveKept, true).toBool());
    connect(live, &QAction::toggled, this, [](bool on) { openSettings()->setValue(kLiveKept, on); });
    for (const Page& page : m_workspaces)
        page.workspace->restoreSession();
}

void MainWindow::updateTitle()
{
    const std::optional<Workspace::ShownFile> own = current() ? current()->shownFile() : std::nullopt;
    const Workspace::ShownFile shown = own ? *own : Workspace::ShownFile{m_document->displayName(), m_document->isModified(), m_files->shared().isReadOnly(), m_files->shared().openElsewhere()};
    const QString name = own ? QString() : texts::shown(m_document->design()->name);
    QString file = texts::shown(shown.name);
    if (shown.modified)
        file += tr(", edited");
    if (shown.readOnly)
        file += tr(", read-only");
    if (shown.elsewhere > 0)
        file += shown.elsewhere == 1 ? tr(", also open in another window") : tr(", also open in %1 other windows").arg(shown.elsewhere);
    m_documentLabel->setText(name.isEmpty() ? file : QStringLiteral("%1 — %2").arg(name, file));
    setWindowTitle(QStringLiteral("%1%2 — Fabricscope").arg(shown.modified ? QStringLiteral("*") : QString(), texts::shown(shown.name)));
    // The corner takes its new width only with the next layout of the menu bar.
    menuBar()->setCornerWidget(m_documentLabel, Qt::TopRightCorner);
    m_documentLabel->show();
}

} // namespace fabricscope
