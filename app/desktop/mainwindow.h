#pragma once

#include "app/desktop/resulthistory.h"
#include "core/program/program.h"
#include "widgets/base/diskstate.h"
#include "widgets/base/savetarget.h"
#include "widgets/base/theme.h"

#include <QElapsedTimer>
#include <QMainWindow>

#include <functional>

class QStackedWidget;

namespace fabricscope {

class ActionRegistry;
class CanvasEditing;
class CommandPalette;
class DesignDocument;
class DesignPanel;
class ExploreView;
class FileCommands;
class HintLine;
class Inspector;
class MainToolBar;
class ModelComparison;
class ProgramWorkspace;
class ReportWorkspace;
class RunController;
class StartPage;
class StatusStrip;
class StepWorkspace;
class TablesPanel;
struct OpenedRun;
struct ProgramToUse;
struct RunProgress;
struct SynthesisedProgram;

enum class Workspace { Start, Explore, Step, Programs, Report };

/// The window: one document, one current result, workspaces that look at both. It owns the parts and joins their signals; what a part
/// does is the part's business.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    /// `theme` becomes that of the application.
    explicit MainWindow(const Theme& theme = Theme(), QWidget* parent = nullptr);
    ~MainWindow() override;

    DesignDocument& document() { return *m_document; }
    RunController& runs() { return *m_runs; }
    ActionRegistry& commands() { return *m_registry; }
    FileCommands& files() { return *m_files; }
    ExploreView& explore() { return *m_explore; }
    DesignPanel& designPanel() { return *m_designPanel; }
    Inspector& inspector() { return *m_inspector; }
    TablesPanel& tables() { return *m_tables; }
    StepWorkspace& stepper() { return *m_step; }
    ProgramWorkspace& programs() { return *m_programs; }
    ReportWorkspace& report() { return *m_report; }
    const ResultHistory& history() const { return m_history; }

    void setWorkspace(Workspace workspace);
    Workspace workspace() const { return m_workspace; }
    /// Docks and splitters as they are at first for this window size.
    void resetLayout();
    /// The program is ended from outside: what is not saved is written beside at once, and the end asks nothing.
    void keepForRecovery();
    /// Says what did not work, where one looks.
    void showFailure(const Error& error);
    /// The line of the first start.
    void showHint(const QString& text);
    /// Something worth knowing that is no error.
    void showNotice(const QString& text) { showProblem(Severity::Warning, text); }
    const HintLine& line() const { return *m_hint; }

signals:
    /// A finished result is on show.
    void resultShown();
    void workspaceChanged();

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
    void connectPrograms();
    void connectSynthesis();

    void documentChanged();
    void startRun();
    void showRun(const std::shared_ptr<OpenedRun>& run);
    void showProgress(const RunProgress& progress);
    void showResult();
    void showRunFailure(const Error& error);
    void showProblem(Severity severity, const QString& text);
    void placeHint();
    void runEnded();
    bool isOutdated() const;
    void showFreshness();
    void updateTitle();
    void showDiskState(DiskState state, const QString& what, const QString& displayName);
    void setModel(Model model);
    void compareModels();
    void selectLink(LinkId link, QObject* from);
    void selectNpu(NodeId npu, QObject* from);
    void showTimelineSelection();
    void stepThrough(std::int32_t instance);
    void generateProgramText();
    void showExamplePrograms();
    void exportProgram();
    void askWhereToWrite(ProgramPtr program, QString name, std::int64_t bytes);
    void writeProgram(const ProgramPtr& program, const QString& path, std::int64_t bytes, const std::function<void()>& done);
    void openSynthesised(const SynthesisedProgram& made);
    void useSynthesised(const SynthesisedProgram& made);
    void useShownProgram();
    void askWhereToUse(const ProgramToUse& program, const std::function<void(const QString&, const std::function<void()>&)>& write);
    QString defaultFolder() const;
    void updateUndo();
    void exportReport();
    void exportPicture();
    void saveRunFile();
    void showAbout();
    void refreshReport();
    void arrangeForWidth();

    Theme m_theme;
    ActionRegistry* m_registry;
    DesignDocument* m_document;
    FilesInUse m_inUse; ///< What the document reads, which no export may replace.
    RunController* m_runs;
    FileCommands* m_files;
    ModelComparison* m_comparison;
    CommandPalette* m_palette;
    MainToolBar* m_toolBar;
    HintLine* m_hint;
    QStackedWidget* m_pages;
    StartPage* m_start;
    ExploreView* m_explore;
    StepWorkspace* m_step;
    ProgramWorkspace* m_programs;
    ReportWorkspace* m_report;
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
    Workspace m_workspace = Workspace::Explore;
    bool m_holdRuns = false;      ///< A saved result is taking the place of a run.
    QString m_diskNotice;         ///< Whose file on disk the line under the toolbar is about: "design", "program"; empty: neither.
    bool m_slowRun = false;       ///< A run goes on for longer than an eye notices.
    bool m_reportOutdated = false; ///< The report on show says so.
    std::shared_ptr<const Design> m_modelsOf; ///< What the difference of two models is of.
    bool m_reportStale = true;
    bool m_stepStale = true;
    bool m_narrow = false;
    bool m_laidOut = false;
};

} // namespace fabricscope
