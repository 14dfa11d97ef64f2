#pragma once

#include "core/base/result.h"
#include "core/run/rundesign.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <memory>
#include <stop_token>

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace fabricscope {

class DesignDocument;
class PipelineChart;
class PlacementView;
class PlanForm;
class ResultTable;
class TableModel;
class ValueRows;
struct DesignPlan;

/// A model spread over ranks: the fields of the plan at the left, the pipeline with the memory of its ranks and what they send in the middle, what people quote of a step
/// at the right. Nothing is simulated: it follows every edit. Of a plan with `placement: hap` the middle is what the search for program and ratios finds.
class PlanPage : public QWidget
{
    Q_OBJECT
public:
    explicit PlanPage(QWidget* parent = nullptr);
    ~PlanPage() override;

    void setDocument(DesignDocument* document);
    /// The design has changed; looked at when somebody sees it.
    void showDesign();
    /// The result of the design, with the figures of its plan; null: there is none, or not of this text.
    void setRun(const RunResultPtr& run);
    /// What is on show belongs to the design, and nothing is being worked out.
    bool isSettled() const;

    PipelineChart* chart() const { return m_chart; }
    PlanForm* form() const { return m_form; }
    ResultTable* communications() const { return m_communications; }
    ResultTable* memory() const { return m_memory; }
    ValueRows* figures() const { return m_figures; }
    /// On show where the plan says `placement: hap`.
    PlacementView* placement() const { return m_placement; }
    bool showsPlacement() const;
    ValueRows* simulated() const { return m_simulated; }
    QPushButton* searchButton() const { return m_search; }
    /// What speaks against the plan; empty: nothing.
    QString problemText() const;

signals:
    void refused(const QString& text);
    /// What is on show is that of the design, or says why there is none.
    void settled();
    /// The best plans are to be searched.
    void searchRequested();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QWidget* makeMiddle();
    QWidget* makeRight();
    void look();
    void work();
    void take(Result<DesignPlan> plan);
    void showChart(const DesignPlan& plan);
    void showPlacement();
    void showProblem(const QString& text);
    void clear(const QString& why, const QString& ofRanks);

    DesignDocument* m_document = nullptr;
    QSplitter* m_split;
    QStackedWidget* m_middle;
    PlacementView* m_placement;
    PlanForm* m_form;
    PipelineChart* m_chart;
    QTabWidget* m_tabs;
    TableModel* m_communicationModel;
    TableModel* m_memoryModel;
    ResultTable* m_communications;
    ResultTable* m_memory;
    ValueRows* m_figures;
    ValueRows* m_simulated;
    QLabel* m_simulatedTitle;
    QLabel* m_title;
    QLabel* m_estimate;
    QLabel* m_problem;
    QPushButton* m_search;
    std::stop_source m_stop;
    std::int64_t m_capacity = 0; ///< Bytes of an NPU; 0: not known.
    int m_number = 0; ///< Of the newest question; older answers are not taken.
    bool m_working = false;
    bool m_stale = true;
    Theme m_theme;
};

} // namespace fabricscope
