#include "widgets/timeline/lanelegend.h"

#include "core/base/index.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"

#include <QPainter>

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

constexpr int kLegendMark = 10;
constexpr int kLegendGap = 5;
constexpr int kBetweenEntries = 14;

/// Kinds of intervals that occur in some runs.
struct SeenKinds {
    std::array<bool, kActivityCount> found{};
    bool exposed = false;

    void look(const TimelineSource& source)
    {
        for (std::size_t track = 0; track < source.tracks().size(); ++track) {
            const TimelineTrack& lane = source.tracks()[track];
            if (lane.kind == TimelineTrack::Kind::Busy)
                continue;
            // The first intervals of a lane tell its kinds; a lane of collectives may mix a few.
            const std::int32_t count = std::min(source.intervalCount(track), 64);
            for (std::int32_t i = 0; i < count; ++i)
                found[at(source.interval(track, i).activity)] = true;
            exposed = exposed || (lane.kind == TimelineTrack::Kind::Waiting && count > 0);
        }
    }
};

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
    setSources({source}, source && hasPrevious);
}

void TimelineLegend::setSources(const std::vector<TimelineSourcePtr>& sources, bool hasPrevious)
{
    m_entries.clear();
    SeenKinds seen;
    for (const TimelineSourcePtr& source : sources) {
        if (source)
            seen.look(*source);
    }
    for (std::size_t kind = 0; kind < kActivityCount; ++kind) {
        const auto activity = static_cast<Activity>(kind);
        if (seen.found[kind] && activity != Activity::Waiting && activity != Activity::Barrier)
            m_entries.push_back({Entry::Mark::Fill, activity, Role::Text, texts::activity(activity)});
    }
    if (seen.exposed) {
        m_entries.push_back({Entry::Mark::Hatch, Activity::Waiting, Role::Wait, tr("Waiting")});
        m_entries.push_back({Entry::Mark::Line, Activity::Waiting, Role::Exposed, tr("Exposed")});
    }
    if (hasPrevious)
        m_entries.push_back({Entry::Mark::Line, Activity::Waiting, Role::Ghost, tr("Previous run")});
    setAccessibleDescription(entries().join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

QStringList TimelineLegend::entries() const
{
    QStringList all;
    for (const Entry& entry : m_entries)
        all.append(entry.text);
    return all;
}

int TimelineLegend::widthOf(const Entry& entry) const
{
    return m_theme.scaled(kLegendMark + kLegendGap) + fontMetrics().horizontalAdvance(entry.text);
}

QSize TimelineLegend::sizeHint() const
{
    int width = 0;
    for (const Entry& entry : m_entries)
        width += widthOf(entry) + m_theme.scaled(kBetweenEntries);
    return {width, fontMetrics().height() + 4};
}

void TimelineLegend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const int mark = m_theme.scaled(kLegendMark);
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
        painter.drawText(QRect(x + mark + m_theme.scaled(kLegendGap), 0, end - x, height()), Qt::AlignVCenter | Qt::AlignLeft, entry.text);
        x = end + m_theme.scaled(kBetweenEntries);
    }
}

} // namespace fabricscope
