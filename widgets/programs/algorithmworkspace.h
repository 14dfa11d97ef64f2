#pragma once

#include "core/design/programsource.h"
#include "widgets/base/theme.h"
#include "widgets/base/valuerows.h"
#include "widgets/programs/checker.h"
#include "widgets/programs/operationplayer.h"

#include <QWidget>

class QLabel;
class QFrame;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace fabricscope {

class ActionRegistry;
class CodeEditor;
class ProgramDiagram;
class ProgramFiles;
class ProgramIssuesView;
class ProgramMatrix;
class ProgramTransport;
class StepHeader;
class SynthesisPanel;

/// Where a text came from, beside its file. Forgotten with the first change of the text.
struct ProgramOrigin {
    std::optional<ProgramSource> algorithm; ///< The generator that gives it for groups of any size.
    std::int32_t chunks = 1;                ///< Of the generator.
    std::vector<ValueRow> facts;            ///< What its maker knows: planned time, bound, share.
};

/// The Programs workspace: the text of a collective at the left over what is found in it, its drawing, steps and who holds what at the right.
/// The text is checked a moment after the last key, on a worker thread; what is shown stays until the new answer is there, and longer while
/// the text cannot be read.
class ProgramWorkspace : public QWidget
{
    Q_OBJECT
public:
    explicit ProgramWorkspace(QWidget* parent = nullptr);
    ~ProgramWorkspace() override;

    /// A button in the head of the text that does a command of the window.
    void addCommand(QAction* action);
    /// A button in the head of the drawing that does something with the program.
    void addProgramCommand(QAction* action);

    CodeEditor* editor() const { return m_editor; }
    ProgramFiles* files() const { return m_files; }
    ProgramChecker* checker() { return &m_checker; }
    ProgramPlayer* player() { return &m_player; }
    /// The newest answer; null: none yet.
    const CheckedProgramPtr& checked() const { return m_checked; }

    /// The example of the first visit, where there is no text yet.
    void begin();
    /// To the next finding and its line. False: there is none.
    bool nextFinding();
    /// Shows a text that has no file yet, after asking about unsaved changes. False: kept as it was.
    bool showText(const QString& text, const QString& suggestedName, ProgramOrigin origin = {});
    const ProgramOrigin& origin() const { return m_origin; }
    /// In the place of the text and its findings.
    void showSynthesis(bool on);
    SynthesisPanel* synthesis() const { return m_synthesis; }

    QSize sizeHint() const override { return {1600, 900}; }
    QSize minimumSizeHint() const override { return {940, 480}; }

signals:
    void statusText(const QString& text);
    /// The newest answer is on show.
    void shown();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QWidget* makeLeft();
    QWidget* makeRight();
    void textChanged();
    void take(const CheckedProgramPtr& program);
    void showState();
    void showFacts();
    void goToIssue(int row);
    void markLine(int line);
    void updateHead();
    void distribute();

    Theme m_theme;
    ProgramChecker m_checker;
    ProgramPlayer m_player;
    CheckedProgramPtr m_checked;
    ProgramOrigin m_origin;
    CodeEditor* m_editor = nullptr;
    ProgramFiles* m_files = nullptr;
    ProgramIssuesView* m_issues = nullptr;
    ProgramDiagram* m_diagram = nullptr;
    ProgramTransport* m_transport = nullptr;
    ProgramMatrix* m_matrix = nullptr;
    ValueRows* m_facts = nullptr;
    StepHeader* m_textHead = nullptr;
    StepHeader* m_issuesHead = nullptr;
    StepHeader* m_drawingHead = nullptr;
    StepHeader* m_matrixHead = nullptr;
    StepHeader* m_factsHead = nullptr;
    QToolButton* m_cancel = nullptr;
    QFrame* m_banner = nullptr;
    QLabel* m_bannerText = nullptr;
    QWidget* m_factsPanel = nullptr;
    QSplitter* m_outer = nullptr;
    QSplitter* m_left = nullptr;
    QStackedWidget* m_pages = nullptr;
    SynthesisPanel* m_synthesis = nullptr;
    QSplitter* m_right = nullptr;
    std::vector<std::pair<QToolButton*, QAction*>> m_icons;
    std::vector<QToolButton*> m_programButtons;
    bool m_busy = false;
    bool m_slow = false;
    double m_share = 0; ///< Of a slow check.
    bool m_stopped = false;
    bool m_userSizes = false;
};

} // namespace fabricscope
