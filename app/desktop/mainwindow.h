#pragma once

#include "app/desktop/resulthistory.h"
#include "app/desktop/selected.h"
#include "app/desktop/workspace.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/base/history.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/geometry.h"

#include <QByteArray>
#include <QElapsedTimer>

#include <memory>
#include <optional>
#include <vector>

class QDockWidget;
class QLabel;
class QStackedWidget;

namespace fabricscope {

class ActionRegistry;
class CanvasEditing;
class CommandPalette;
class DesignDocument;
class DesignPanel;
class ExplainRunner;
class ExploreView;
class FileCommands;
class HintLine;
class Inspector;
class MainToolBar;
class ModelComparison;
class RecordCommands;
class RunController;
class StatusStrip;
class TablesPanel;
class TraceExport;
struct GoToSetting;
struct OpenedRun;
struct RunProgress;

/// The window: one document, one current result, workspaces that look at both. It owns the parts and joins their signals; what a part
/// does is the part's business. In mainwindow.cpp, windowcommands.cpp (commands), windowselection.cpp (selections and going to things), windowlayout.cpp (panels and what is kept of the view), windowexplain.cpp (why a run takes so long) and windowresults.cpp (the document and its runs).
class MainWindow : public Desk
{
    Q_OBJECT
public:
    /// `theme` becomes that of the application.
    explicit MainWindow(const Theme& theme = Theme(), QWidget* parent = nullptr);
    ~MainWindow() override;

    DesignDocument& document() override { return *m_document; }
    RunController& runs() { return *m_runs; }
    ActionRegistry& commands() override { return *m_registry; }
    FileCommands& files() override { return *m_files; }
    const ResultHistory& history() const override { return m_history; }

    /// "explore", or the key of a row of workspaceRows(). Of another nothing happens.
    void setWorkspace(const QString& key) override;
    const QString& workspace() const { return m_workspace; }
    RecordCommands& macros() { return *m_macros; }
    /// Is all there that was asked for: nothing is read or runs, and the workspace on show has what it shows?
    bool isAtRest() const;
    /// Null: Explore, or there is none of this key.
    Workspace* workspaceOf(const QString& key) const;
    /// What workspaces kept of the last time.
    void offerRecovery();
    /// What workspaces had on show the last time.
    void restoreSession();
    /// Docks and splitters as they are at first for this window size.
    void resetLayout();
    /// The program is ended from outside: what is not saved is written beside at once, and the end asks nothing.
    void keepForRecovery();
    /// Says what did not work, where one looks.
    void showFailure(const Error& error) override;
    void showFailureText(const QString& message) override;
    /// The line of the first start.
    void showHint(const QString& text);
    /// Something worth knowing that is no error.
    void showNotice(const QString& text) { showProblem(Severity::Warning, text); }
    void say(const QString& text) override;
    void warn(const QString& text) override;
    void endProblem() override;
    void showDiskState(DiskState state, const QString& link, const QString& displayName) override;
    std::shared_ptr<const DesignSet> comparison() const override;
    bool isRunning() const override;
    void startRun() override;
    bool isOutdated() const override;
    void setModel(Model model) override;
    void selectNpu(NodeId npu, QObject* from) override;
    void showOnTimeline(qint64 begin, qint64 end) override;
    const HintLine& line() const { return *m_hint; }

signals:
    /// A finished result is on show.
    void resultShown();

protected:
    void closeEvent(QCloseEvent* event) override;
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QDockWidget* addPanel(const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area);
    void buildMenus();
    void buildDocks();
    void connectCommands();
    void connectDocument();
    void connectRuns();
    void connectSelection();
    void connectExplanation();
    void makeWorkspaces();
    Workspace* current() const { return workspaceOf(m_workspace); }

    void documentChanged();
    void showRun(const std::shared_ptr<OpenedRun>& run);
    void showProgress(const RunProgress& progress);
    void showResult();
    void showRunFailure(const Error& error);
    void showProblem(Severity severity, const QString& text);
    void placeHint();
    void runEnded();
    void showFreshness();
    void updateTitle();
    void compareModels();
    void explain();
    void dropExplanation();
    void tryEdit(const QString& field, const QString& value);
    void selectLink(LinkId link, QObject* from);
    void selectTask(std::int32_t rank, std::int32_t task);
    void selectCollective(qint64 number);
    void showTimelineSelection();
    void noteSelection(Selected selected);
    void walkSelection(bool back);
    void apply(const Selected& selected);
    bool isThere(const Selected& selected) const;
    void connectPalette();
    std::vector<GoToSetting> findSettings();
    void keepView();
    void restoreView();
    void keepDocks();
    void restoreDocks();
    void updateUndo();
    void updateStop();
    void updateExports();
    void exportTraces();
    void exportPicture();
    void saveRunFile();
    void showAbout();
    void arrangeForWidth();
    void limitPanels();
    void sizePanels();
    int panelWidth(int length) const;

    Theme m_theme;
    ActionRegistry* m_registry;
    DesignDocument* m_document;
    FilesInUse m_inUse; ///< What the document reads, which no export may replace.
    RunController* m_runs;
    FileCommands* m_files;
    RecordCommands* m_macros;
    ModelComparison* m_comparison;
    ExplainRunner* m_explainer;
    TraceExport* m_traces;
    CommandPalette* m_palette;
    MainToolBar* m_toolBar;
    HintLine* m_hint;
    QStackedWidget* m_pages;
    ExploreView* m_explore;
    struct Page {
        QString key;
        Workspace* workspace;
    };
    std::vector<Page> m_workspaces; ///< All but Explore.
    DesignPanel* m_designPanel;
    Inspector* m_inspector;
    TablesPanel* m_tables;
    StatusStrip* m_status = nullptr;
    CanvasEditing* m_editing = nullptr;
    QLabel* m_documentLabel;
    QDockWidget* m_designDock = nullptr;
    QDockWidget* m_inspectorDock = nullptr;
    QDockWidget* m_tablesDock = nullptr;

    ResultHistory m_history;
    QElapsedTimer m_runClock;
    QString m_workspace{QStringLiteral("explore")};
    History<Selected> m_selections;
    bool m_walking = false;       ///< Goes back or forth among them: what is selected then is no new step.
    QString m_viewOf;             ///< File whose view is on show, and kept when another comes.
    std::optional<TimeRange> m_wantedRange; ///< Of the run that is still to come,
    std::optional<std::int64_t> m_wantedCursor; ///< and its time cursor.
    QByteArray m_docks;           ///< As they were when Explore was left; empty: as at first.
    bool m_docksNarrow = false;   ///< The window was narrow then.
    bool m_holdRuns = false;      ///< A saved result is taking the place of a run.
    QString m_diskNotice;         ///< Whose file on disk the line under the toolbar is about: "design", "program"; empty: neither.
    bool m_runFailed = false;     ///< The line under the toolbar says so: it is over with the next run that ends well.
    bool m_problemIsNew = false;  ///< Of what is being done: that the rest of it worked does not end the problem.
    bool m_slowRun = false;       ///< A run goes on for longer than an eye notices.
    std::shared_ptr<const Design> m_modelsOf; ///< What the difference of two models is of.
    bool m_narrow = false;
    bool m_laidOut = false;
};

} // namespace fabricscope
