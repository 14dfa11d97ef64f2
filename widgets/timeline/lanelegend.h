#pragma once

#include "core/record/timelinesource.h"
#include "widgets/base/theme.h"

#include <QStringList>
#include <QWidget>

#include <vector>

namespace fabricscope {

/// Which colour means what on a time axis: only the kinds that occur in the runs.
class TimelineLegend : public QWidget
{
    Q_OBJECT
public:
    explicit TimelineLegend(QWidget* parent = nullptr);

    void setSource(const TimelineSourcePtr& source, bool hasPrevious);
    /// Of several runs at once; null ones do not count.
    void setSources(const std::vector<TimelineSourcePtr>& sources, bool hasPrevious);
    /// What is explained, in its order.
    QStringList entries() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, 0}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void setTheme(const Theme& theme);
    struct Entry {
        enum class Mark { Fill, Hatch, Line };
        Mark mark = Mark::Fill;
        Activity activity = Activity::Compute;
        Role role = Role::Wait;
        QString text;
    };
    int widthOf(const Entry& entry) const;

    std::vector<Entry> m_entries;
    Theme m_theme;
};

} // namespace fabricscope
