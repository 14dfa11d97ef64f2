#include "app/desktop/timelinelegend.h"

#include "core/base/index.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"

#include <QPainter>

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

constexpr int kMark = 10;
constexpr int kGap = 5;
constexpr int kBetween = 14;

} // namespace

TimelineLegend::TimelineLegend(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Timeline legend"));
    followTheme(this, &TimelineLegend::setTheme);
}

void TimelineLegend::setTheme(const Theme& theme)
{
    m_theme = theme;
    setFont(theme.font(TextStyle::Hint));
    updateGeometry();
    update();
}

void TimelineLegend::setSource(const TimelineSourcePtr& source, bool hasPrevious)
{
    m_entries.clear();
    if (source) {
        std::array<bool, kActivityCount> found{};
        bool exposed = false;
        for (std::size_t track = 0; track < source->tracks().size(); ++track) {
            const TimelineTrack& lane = source->tracks()[track];
            if (lane.kind == TimelineTrack::Kind::Busy)
                continue;
            // The first intervals of a lane tell its kinds; a lane of collectives may mix a few.
            const std::int32_t seen = std::min(source->intervalCount(track), 64);
            for (std::int32_t i = 0; i < seen; ++i)
                found[at(source->interval(track, i).activity)] = true;
            exposed = exposed || (lane.kind == TimelineTrack::Kind::Waiting && seen > 0);
        }
        for (std::size_t kind = 0; kind < kActivityCount; ++kind) {
            const auto activity = static_cast<Activity>(kind);
            if (found[kind] && activity != Activity::Waiting && activity != Activity::Barrier)
                m_entries.push_back({Entry::Mark::Fill, activity, Role::Text, texts::activity(activity)});
        }
        if (exposed) {
            m_entries.push_back({Entry::Mark::Hatch, Activity::Waiting, Role::Wait, tr("Waiting")});
            m_entries.push_back({Entry::Mark::Line, Activity::Waiting, Role::Exposed, tr("Exposed")});
        }
        if (hasPrevious)
            m_entries.push_back({Entry::Mark::Line, Activity::Waiting, Role::Ghost, tr("Previous run")});
    }
    QString spoken;
    for (const Entry& entry : m_entries)
        spoken += (spoken.isEmpty() ? QString() : QStringLiteral(", ")) + entry.text;
    setAccessibleDescription(spoken);
    updateGeometry();
    update();
}

int TimelineLegend::widthOf(const Entry& entry) const
{
    return m_theme.scaled(kMark + kGap) + fontMetrics().horizontalAdvance(entry.text);
}

QSize TimelineLegend::sizeHint() const
{
    int width = 0;
    for (const Entry& entry : m_entries)
        width += widthOf(entry) + m_theme.scaled(kBetween);
    return {width, fontMetrics().height() + 4};
}

void TimelineLegend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const int mark = m_theme.scaled(kMark);
    int x = 0;
    for (const Entry& entry : m_entries) {
        const int end = x + widthOf(entry);
        if (end > width())
            break; // Whole entries or none: half a word explains nothing.
        const QRect box(x, (height() - mark) / 2, mark, mark);
        switch (entry.mark) {
        case Entry::Mark::Fill:
            painter.fillRect(box, m_theme.activity(entry.activity));
            break;
        case Entry::Mark::Hatch: {
            painter.setPen(m_theme.color(entry.role));
            painter.setBrush(QBrush(m_theme.color(entry.role), Qt::BDiagPattern));
            painter.drawRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5));
            break;
        }
        case Entry::Mark::Line:
            painter.fillRect(QRect(box.left(), box.center().y(), mark, 2), m_theme.color(entry.role));
            break;
        }
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(QRect(x + mark + m_theme.scaled(kGap), 0, end - x, height()), Qt::AlignVCenter | Qt::AlignLeft, entry.text);
        x = end + m_theme.scaled(kBetween);
    }
}

} // namespace fabricscope
