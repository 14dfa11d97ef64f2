#pragma once

#include "core/base/error.h"
#include "core/run/rundesign.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <array>

class QComboBox;
class QLabel;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace fabricscope {

class CollectivesModel;
class DesignDocument;
class IssuesView;
class LinksModel;
class LogModel;
class RanksModel;
class ReconcileView;
class ResultTable;
class RooflineView;
class TableModel;
class TimeCharts;
class UtilisationCharts;

/// What lies under the platform and the timeline: tables of the run, charts, the difference of two models, issues, log.
class TablesPanel : public QWidget
{
    Q_OBJECT
public:
    enum Tab { Ranks, Links, Collectives, Charts, Models, Issues, Log };

    /// What the tab Collectives lists: when each ran, how near it comes to its lower bound, what `algorithm: auto` looked at.
    enum CollectiveView { Times, Bounds, Candidates };

    /// What the tab Charts shows: sums over the run, shares over time, what computations and collectives reach of what is possible.
    enum ChartView { Totals, OverTime, Rooflines };

    explicit TablesPanel(QWidget* parent = nullptr);

    void setResult(const RunResultPtr& result);
    /// Its issues are listed, and those of the run.
    void setDocument(DesignDocument* document);
    /// The result belongs to inputs that have changed since: said above the tables, and in the names of exported files.
    void setOutdated(bool outdated);
    /// The same of the difference of two models.
    void setModelsOutdated(bool outdated);
    /// What is said above the tab on show; empty: nothing.
    QString notice() const;
    void showTab(Tab tab);
    Tab tab() const;
    void showCollectives(CollectiveView view);
    void showCharts(ChartView view);
    TimeCharts& timeCharts() { return *m_timeCharts; }
    RooflineView& rooflines() { return *m_rooflines; }
    ResultTable& table(Tab tab) const; ///< \pre Ranks, Links, Collectives or Log
    ReconcileView& models() { return *m_models; }
    LogModel& log() { return *m_log; }
    IssuesView& issues() { return *m_issuesView; }
    void selectLink(LinkId link);
    /// Tells the place of the issue after the one told last; false when there is none.
    bool activateNextIssue();

signals:
    void linkSelected(qint64 link);
    void rankSelected(qint64 rank);
    void taskSelected(std::int32_t rank, std::int32_t task);
    void collectiveSelected(qint64 instance);
    void collectiveActivated(qint64 instance);
    void issueActivated(const QString& field, int line);
    /// A time of a chart is to be shown on the timeline.
    void timeActivated(qint64 ps);
    /// A table was written; `error` is empty, or says why not.
    void exported(const QString& path, const QString& error);

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void fitBars();
    void fitTabs();
    void showNotice();
    void addCollectives();
    void addCharts();
    void showChartControls();
    void addLog();
    void sayWhyEmpty();
    ResultTable* addTable(Tab tab, const QString& title, const QString& empty);
    void addPage(Tab tab, const QString& title, QWidget* page, QWidget* bar);
    QToolButton* addToggle(ResultTable* table, const QString& text, const QString& tip, bool on);

    QTabBar* m_tabs;
    QStackedWidget* m_bars;
    QLabel* m_notice;
    QStackedWidget* m_pages;
    RanksModel* m_ranks;
    LinksModel* m_links;
    CollectivesModel* m_collectives;
    TableModel* m_bounds;
    TableModel* m_candidates;
    LogModel* m_log;
    IssuesView* m_issuesView;
    UtilisationCharts* m_charts;
    TimeCharts* m_timeCharts;
    RooflineView* m_rooflines;
    QStackedWidget* m_chartPages;
    std::array<QToolButton*, 3> m_chartKinds{}; ///< By ChartView.
    ReconcileView* m_models;
    QComboBox* m_collectiveViews = nullptr;
    QToolButton* m_eachGroup = nullptr;
    std::vector<ResultTable*> m_tables;
    std::vector<QWidget*> m_barOfTab;
    Theme m_theme;
    int m_nextIssue = 0;
    bool m_hasResult = false;
    bool m_outdated = false;
    bool m_modelsOutdated = false;
};

} // namespace fabricscope
