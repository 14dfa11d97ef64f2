#pragma once

#include "core/base/error.h"
#include "core/run/rundesign.h"
#include "widgets/theme.h"

#include <QWidget>

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
class UtilisationCharts;

/// What lies under the platform and the timeline: tables of the run, charts, the difference of two models, issues, log.
class TablesPanel : public QWidget
{
    Q_OBJECT
public:
    enum Tab { Ranks, Links, Collectives, Charts, Models, Issues, Log };

    explicit TablesPanel(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void setResult(const RunResultPtr& result);
    /// Its issues are listed, and those of the run.
    void setDocument(DesignDocument* document);
    void showTab(Tab tab);
    Tab tab() const;
    ResultTable& table(Tab tab) const; ///< \pre Ranks, Links, Collectives or Log
    UtilisationCharts& charts() { return *m_charts; }
    ReconcileView& models() { return *m_models; }
    LogModel& log() { return *m_log; }
    IssuesView& issues() { return *m_issuesView; }
    void selectLink(LinkId link);
    void selectRank(std::int64_t rank);
    /// Tells the place of the issue after the one told last; false when there is none.
    bool activateNextIssue();

signals:
    void linkSelected(qint64 link);
    void rankSelected(qint64 rank);
    void collectiveSelected(qint64 instance);
    void collectiveActivated(qint64 instance);
    void issueActivated(const QString& field, int line);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitBars();
    ResultTable* addTable(Tab tab, const QString& title, const QString& empty);
    void addPage(Tab tab, const QString& title, QWidget* page, QWidget* bar);
    QToolButton* addToggle(ResultTable* table, const QString& text, const QString& tip, bool on);

    QTabBar* m_tabs;
    QStackedWidget* m_bars;
    QStackedWidget* m_pages;
    RanksModel* m_ranks;
    LinksModel* m_links;
    CollectivesModel* m_collectives;
    LogModel* m_log;
    IssuesView* m_issuesView;
    UtilisationCharts* m_charts;
    ReconcileView* m_models;
    std::vector<ResultTable*> m_tables;
    std::vector<QWidget*> m_barOfTab;
    Theme m_theme;
    int m_nextIssue = 0;
};

} // namespace fabricscope
