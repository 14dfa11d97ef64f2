#pragma once

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/planner/placementwatch.h"
#include "core/report/placementfigures.h"
#include "widgets/base/backgroundthreads.h"
#include "widgets/base/theme.h"

#include <QTimer>
#include <QWidget>

#include <memory>
#include <stop_token>

class QLabel;
class QProgressBar;
class QPushButton;
class QScrollArea;

namespace fabricscope {

class PlacementChart;
class ResultTable;
class TableModel;

/// Program and ratios of a design with `placement: hap`: ratios as bars by kind of device, the program as stages over time and in tables, both against the
/// baselines. The search runs beside the window; what takes longer than kSlowMs shows how far it is and can be stopped.
class PlacementView : public QWidget
{
    Q_OBJECT
public:
    explicit PlacementView(QWidget* parent = nullptr);
    ~PlacementView() override;

    /// Searches, unless it is the design that is on show or being searched for.
    void setDesign(std::shared_ptr<const Design> design);
    /// Shows nothing and stops what is under way.
    void clear();
    void stop();
    /// Ends a search whose design is no more; what is on show stays.
    void abandon();
    bool isWorking() const { return m_working; }
    const std::shared_ptr<const PlacementFigures>& figures() const { return m_figures; }

    PlacementChart* ratios() const { return m_ratios; }
    PlacementChart* stages() const { return m_stages; }
    PlacementChart* programs() const { return m_programs; }
    ResultTable* stageTable() const { return m_stageTable; }
    ResultTable* instructionTable() const { return m_instructionTable; }
    QPushButton* stopButton() const { return m_stopButton; }
    QString stateText() const;

    static constexpr int kSlowMs = 500;

signals:
    /// Figures or an error are there, or it was stopped.
    void settled();
    /// What speaks against the design; empty: nothing.
    void problemFound(const QString& text);

private:
    void setTheme(const Theme& theme);
    QWidget* makeState();
    void search();
    void take(Result<PlacementFigures> figures);
    void showFigures(std::shared_ptr<const PlacementFigures> figures);
    void showState();
    void showStage(int stage);

    BackgroundThreads m_thread{1}; ///< A search may take minutes; short work does not wait for it.
    std::shared_ptr<const Design> m_design;
    std::shared_ptr<const PlacementFigures> m_figures;
    PlacementChart* m_ratios;
    PlacementChart* m_stages;
    PlacementChart* m_programs;
    QScrollArea* m_charts;
    TableModel* m_stageModel;
    TableModel* m_instructionModel;
    ResultTable* m_stageTable;
    ResultTable* m_instructionTable;
    QWidget* m_state;
    QLabel* m_stateText;
    QProgressBar* m_progress;
    QPushButton* m_stopButton;
    QTimer m_slow;
    QTimer m_look; ///< At the watch.
    std::shared_ptr<PlacementWatch> m_watch;
    std::stop_source m_stop;
    int m_number = 0;
    bool m_working = false;
    bool m_stopped = false;
    bool m_answered = false; ///< By figures or by an error.
};

} // namespace fabricscope
