#pragma once

#include "core/base/result.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/tasksearch.h"

#include <QWidget>

#include <stop_token>

class QLabel;
class QLineEdit;
class QToolButton;

namespace fabricscope {

class TimelineView;

/// The strip above a timeline that looks for tasks by name: from match to match in the order of time, wherever their rows are. It reads names on
/// another thread. Return and Shift+Return go on and back, Esc closes.
class TimelineFindBar : public QWidget
{
    Q_OBJECT
public:
    explicit TimelineFindBar(TimelineView* view, QWidget* parent = nullptr);
    ~TimelineFindBar() override;

    /// Another run is on show in the view; null: none. While it is open what is typed is looked for anew, which only counts: what is selected stays.
    void setRun(TimelineSourcePtr source, WorkloadPtr workload);
    /// On show, with the keyboard.
    void open();
    /// To the next match behind the selection, or the one before. Without a text it opens.
    void next();
    void previous();
    bool isSearching() const { return m_searching; }
    /// "3 of 12", "No match", or why it could not look.
    QString state() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    enum class Then { Go, Count }; ///< What becomes of the first match.
    void forget();
    void search(Then then, int steps = 0);
    void showFound(Result<TimelineMatches> found);
    void step(int by);
    void select(const std::optional<TimelineSelection>& match);
    void showState();
    void leave();

    TimelineView* m_view;
    QLineEdit* m_field;
    QLabel* m_state;
    std::vector<std::pair<QToolButton*, QString>> m_buttons; ///< With their icons.
    TimelineSourcePtr m_source;
    WorkloadPtr m_workload;
    TimelineMatches m_matches;
    std::stop_source m_stop;
    int m_asked = 0;       ///< Number of the newest search.
    bool m_searching = false;
    Then m_then = Then::Go;
    int m_steps = 0;       ///< Asked for while it was searching.
    QString m_error;       ///< Of the newest search.
};

} // namespace fabricscope
