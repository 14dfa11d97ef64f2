#pragma once

#include "core/record/resultparts.h"
#include "core/run/rundesign.h"
#include "widgets/base/theme.h"

#include <QWidget>

class QBoxLayout;
class QLabel;

namespace fabricscope {

class PartsBar;
class ValueRows;

/// The answer of a run: how long it takes, what changed, and what the time consists of.
class ResultSection : public QWidget
{
    Q_OBJECT
public:
    explicit ResultSection(QWidget* parent = nullptr);

    /// `previous` may be null; `sinceText` is the title of the edit between them.
    void setResult(RunResultPtr current, RunResultPtr previous, const QString& sinceText);

    static constexpr std::size_t kTasksAtOnce = 100'000; ///< Larger classes are taken apart on a worker.

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void arrangeChange();
    void showParts(ResultParts parts);
    void refresh();

    RunResultPtr m_result;
    RunResultPtr m_previous;
    QString m_sinceText;
    ResultParts m_parts;
    Theme m_theme;
    QLabel* m_headline;
    QLabel* m_delta;
    QLabel* m_since;
    QBoxLayout* m_change;
    PartsBar* m_bar;
    QLabel* m_missing;
    ValueRows* m_rows;
    QLabel* m_planTitle;
    ValueRows* m_plan; ///< What people quote of a plan.
    int m_wanted = 0;
};

/// "▼ 1.510 ms (−11.8 %)"; equal: "No change".
QString deltaText(SimTime before, SimTime now);

} // namespace fabricscope
