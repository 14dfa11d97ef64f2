#pragma once

#include "core/insight/limits/roofline.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <stop_token>

class QBoxLayout;
class QStackedWidget;
class QToolButton;

namespace fabricscope {

class ResultTable;
class RooflineChart;
struct RooflinePoint;
struct RooflineRoof;
class TableModel;

/// What computations, collectives and messages of a run reach, below what NPUs and network allow: two charts, or their points as a table. Worked out on another thread,
/// when somebody looks.
class RooflineView : public QWidget
{
    Q_OBJECT
public:
    explicit RooflineView(QWidget* parent = nullptr);
    ~RooflineView() override;

    /// Null: empty. Of a run that goes on, what there is of it.
    void setResult(RunResultPtr result);
    RooflineChart& compute() { return *m_compute; }
    RooflineChart& network() { return *m_network; }
    ResultTable& table() { return *m_table; }
    /// Charts or table. Both are hidden until somebody gives them a place.
    QToolButton* tableButton() { return m_tableButton; }
    QWidget* tableBar() const;
    bool isTableShown() const;
    void setTableShown(bool shown);
    bool isWorking() const { return m_working; }
    /// Of the tabs' other charts: two of its own beside each other would push a panel out of a small window.
    QSize minimumSizeHint() const override;

signals:
    /// The longest task of the chosen computations, or the send of the slowest of the chosen messages.
    void taskChosen(std::int32_t rank, std::int32_t task);
    /// The fastest of the chosen collectives; the user wants to go through it.
    void collectiveChosen(qint64 instance);
    void collectiveActivated(qint64 instance);
    void tableShown(bool shown);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void work();
    void fill();
    void fillCompute();
    void fillNetwork();
    void addMessages(std::vector<RooflinePoint>& points, std::vector<RooflineRoof>& roofs) const;
    QString whyEmpty(const QString& none) const;
    /// Of a row: all views show it as chosen.
    void choose(qint64 id);
    void activate(qint64 id);

    RunResultPtr m_result;
    Roofline m_roofline;
    QString m_problem;
    QStackedWidget* m_pages;
    QBoxLayout* m_charts;
    RooflineChart* m_compute;
    RooflineChart* m_network;
    TableModel* m_points;
    ResultTable* m_table;
    QToolButton* m_tableButton;
    std::stop_source m_stop;
    int m_number = 0;
    bool m_working = false;
    bool m_stale = false;
    Theme m_theme;
};

} // namespace fabricscope
