#pragma once

#include "core/run/rundesign.h"
#include "widgets/base/theme.h"

#include <QObject>

#include <span>

class QLineEdit;
class QToolButton;

namespace fabricscope {

class ActionRegistry;
class TimelineFindBar;
class TimelineView;
class ViewHeader;
struct CommandRow;

/// What stands in the header of the timeline and below it: the filter of its rows, how many are hidden, the strip that finds tasks. It answers the
/// commands of the menu Timeline.
class TimelineTools : public QObject
{
    Q_OBJECT
public:
    TimelineTools(TimelineView* view, ViewHeader* header);

    /// To be laid out between the header and the view.
    TimelineFindBar* findBar() { return m_find; }
    void setResult(const RunResultPtr& result);
    void connectCommands(ActionRegistry& registry);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void showHidden();

    TimelineView* m_view;
    QLineEdit* m_filter;
    QToolButton* m_hidden;
    TimelineFindBar* m_find;
};

/// Commands of the menu Timeline, for registerCommands().
std::span<const CommandRow> timelineCommands();

} // namespace fabricscope
