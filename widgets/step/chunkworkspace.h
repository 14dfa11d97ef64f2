#pragma once

#include "core/run/rundesign.h"
#include "widgets/base/theme.h"
#include "widgets/step/loader.h"
#include "widgets/step/player.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace fabricscope {

class MoveWhyPanel;
class OwnershipMatrix;
class StepCanvas;
class StepFacts;
class StepHeader;
class StepLanes;
class StepLists;
class StepTransport;
class Storyboard;

/// The Step workspace: one collective of a run, move by move. Left the collective with its steps and moves, in the middle group, transport,
/// lanes and storyboard, right who holds what and why the selected move took its time.
///
/// Steps are prepared on a worker thread, only while the workspace is visible; a newer run or choice drops older answers. What is shown
/// stays until the new steps are there. Home, Left, Right, End and Space work in the whole workspace.
class StepWorkspace : public QWidget
{
    Q_OBJECT
public:
    explicit StepWorkspace(QWidget* parent = nullptr);
    ~StepWorkspace() override;

    /// Null: no run. A run that is still going on is not stepped through.
    void setRun(RunResultPtr run);
    /// The run belongs to inputs that have changed since.
    void setOutdated(bool outdated);
    /// An index into Structure::instances; taken when the list of collectives is there.
    void selectInstance(int instance);
    /// Shows these steps at once, without a run.
    void showSteps(const LoadedSteps& steps);

    StepPlayer* player() { return &m_player; }
    StepLoader* loader() { return &m_loader; }

    QSize sizeHint() const override { return {1600, 900}; }
    QSize minimumSizeHint() const override { return {1000, 520}; }

signals:
    /// Index into CollectiveReplay::moves of the player's replay; -1: none.
    void moveSelected(qint64 move);
    /// An NPU of the group was selected on the canvas; -1: none.
    void nodeSelected(int node);
    /// "Step 4 of 8, 180.0 µs: 31 moves done, 17 open".
    void statusText(const QString& text);
    void showOnTimelineRequested(qint64 beginPs, qint64 endPs);
    void runRequested();
    /// The model of the run cannot be stepped through; `links` can.
    void linksModelRequested();

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setTheme(const Theme& theme);

    enum class State { NoRun, Running, NoCollective, WrongModel, Preparing, Failed, Canceled, Shown };

    QWidget* makeLeft();
    QWidget* makeCentre();
    QWidget* makeRight();
    void addShortcuts();
    void setState(State state, const QString& reason = {});
    bool isOfOneRank() const;
    void messageAction();
    void refresh();
    void listed(const std::vector<InstanceRun>& collectives);
    void prepare();
    void updateTexts();
    void distribute();

    StepPlayer m_player;
    StepLoader m_loader;
    Theme m_theme;
    RunResultPtr m_run;
    RunResultPtr m_listedRun;
    std::int32_t m_wanted = -1;    ///< Instance asked for before the list was there.
    State m_state = State::NoRun;
    bool m_dirty = false;          ///< The run is newer than what is listed.
    bool m_userSizes = false;
    QSplitter* m_outer;
    QSplitter* m_inner;
    QSplitter* m_right;
    QStackedWidget* m_stack;
    QLabel* m_message;
    QPushButton* m_button;
    StepFacts* m_facts;
    StepLists* m_lists;
    StepHeader* m_title;
    StepCanvas* m_canvas;
    StepTransport* m_transport;
    StepLanes* m_lanes;
    Storyboard* m_storyboard;
    StepHeader* m_matrixHead;
    OwnershipMatrix* m_matrix;
    QLabel* m_noParts;
    StepHeader* m_whyHead;
    MoveWhyPanel* m_why;
};

} // namespace fabricscope
