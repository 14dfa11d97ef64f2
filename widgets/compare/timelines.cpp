#include "widgets/compare/timelines.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/compare/letters.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

namespace fabricscope {

ComparedTimelines::ComparedTimelines(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Runs on one time axis"));
    followTheme(this, &ComparedTimelines::setTheme);
}

void ComparedTimelines::setTheme(const Theme& theme)
{
    m_theme = theme;
    layOut();
}

void ComparedTimelines::setRuns(std::vector<ComparedTimeline> runs, std::size_t baseline)
{
    m_lanes.clear();
    m_baseline = baseline;
    std::int64_t latest = 1;
    QStringList said;
    for (ComparedTimeline& run : runs) {
        latest = std::max(latest, run.finish.ps);
        said.append(tr("%1 %2: %3").arg(comparing::letter(m_lanes.size()), run.name, run.complete ? texts::time(run.finish) : tr("never ends")));
        Lane lane;
        lane.run = std::move(run);
        if (lane.run.source) {
            lane.rows = std::make_unique<TimelineRows>();
            lane.rows->setSource(lane.run.source);
            lane.rows->setOpen(TimelineRows::kBusyGroup, false);
        }
        m_lanes.push_back(std::move(lane));
    }
    // A little room for the line of the last finish.
    constexpr std::int64_t kRoom = 50;
    m_geometry.run = m_geometry.visible = {0, latest + std::max<std::int64_t>(latest / kRoom, 1)};
    setAccessibleDescription(said.join(QStringLiteral("; ")));
    layOut();
}

void ComparedTimelines::layOut()
{
    constexpr double kUsualPixels = 13.0;
    for (Lane& lane : m_lanes) {
        lane.height = 0;
        if (!lane.rows)
            continue;
        lane.rows->setScale(m_theme.basePixels() / kUsualPixels);
        const int slowest = lane.rows->rows().empty() ? -1 : lane.rows->rows().front().rankClass;
        for (const TimelineRow& row : lane.rows->rows()) {
            if (row.rankClass == slowest)
                lane.height = row.top + row.height;
        }
        lane.painter.clear();
    }
    m_geometry.left = labelWidth();
    m_geometry.width = std::max(1, width() - labelWidth());
    updateGeometry();
    update();
}

QRect ComparedTimelines::runRect(std::size_t run) const
{
    int top = rulerHeight();
    for (std::size_t i = 0; i < run; ++i)
        top += headHeight() + m_lanes[i].height;
    return {0, top, width(), headHeight() + m_lanes[run].height};
}

QSize ComparedTimelines::sizeHint() const
{
    const int height = m_lanes.empty() ? rulerHeight() + headHeight() : runRect(m_lanes.size() - 1).bottom() + 1;
    return {m_theme.scaled(900), height};
}

void ComparedTimelines::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_geometry.width = std::max(1, width() - labelWidth());
}

TimelineScene ComparedTimelines::sceneOf(const Lane& lane) const
{
    TimelineScene scene;
    scene.source = lane.run.source;
    scene.theme = m_theme;
    scene.geometry = m_geometry;
    scene.rows = lane.rows.get();
    scene.ruler = rulerHeight(); // Cut off: one stands above all runs.
    scene.label = labelWidth();
    scene.size = {width(), rulerHeight() + lane.height};
    return scene;
}

void ComparedTimelines::paintHead(QPainter& painter, std::size_t run) const
{
    const ComparedTimeline& shown = m_lanes[run].run;
    const QRect place(0, runRect(run).top(), width(), headHeight());
    painter.fillRect(QRect(0, place.top(), labelWidth(), place.height()), m_theme.color(Role::Panel));
    painter.fillRect(QRect(0, place.top(), width(), 1), m_theme.color(Role::Line));
    painter.fillRect(QRect(labelWidth() - 1, place.top(), 1, place.height()), m_theme.color(Role::Line));
    const int side = m_theme.scaled(18);
    const QRectF box(m_theme.scaled(8), place.center().y() - side / 2.0, side, side);
    painter.setPen(QPen(m_theme.color(Role::Outline), 1));
    painter.setBrush(m_theme.color(Role::View));
    painter.drawRoundedRect(box, 3, 3);
    painter.setFont(m_theme.font(TextStyle::LabelStrong));
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(box, Qt::AlignCenter, comparing::letter(run));
    painter.setFont(m_theme.font(TextStyle::BodyStrong));
    const QFontMetrics metrics(m_theme.font(TextStyle::BodyStrong));
    const QRect words(static_cast<int>(box.right()) + m_theme.scaled(8), place.top(), labelWidth() - static_cast<int>(box.right()) - m_theme.scaled(14), place.height());
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(shown.name, Qt::ElideMiddle, words.width()));
    if (!shown.complete) {
        painter.setPen(m_theme.color(Role::Err));
        painter.drawText(QRect(labelWidth() + m_theme.scaled(8), place.top(), width(), place.height()), Qt::AlignLeft | Qt::AlignVCenter, tr("never ends"));
    }
}

/// Flag of the finish, and the way from there to the baseline's.
void ComparedTimelines::paintDifference(QPainter& painter, std::size_t run) const
{
    const ComparedTimeline& shown = m_lanes[run].run;
    if (!shown.complete)
        return;
    const QRect place = runRect(run);
    const double x = xOf(shown.finish);
    const QString time = texts::time(shown.finish);
    const QFontMetricsF metrics(m_theme.font(TextStyle::LabelStrong));
    const double wide = metrics.horizontalAdvance(time) + m_theme.scaled(12);
    const QRectF flag(std::clamp(x - wide, static_cast<double>(labelWidth()), width() - wide), place.top() + 3, wide, headHeight() - 6);
    painter.setFont(m_theme.font(TextStyle::LabelStrong));
    if (run != m_baseline || !shown.source) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(Role::Text));
        painter.drawRoundedRect(flag, 3, 3);
        painter.setPen(m_theme.color(Role::View));
        painter.drawText(flag, Qt::AlignCenter, time);
    }
    const ComparedTimeline& baseline = m_lanes[m_baseline].run;
    if (run == m_baseline || !baseline.complete || baseline.finish == shown.finish)
        return;
    const bool faster = shown.finish < baseline.finish;
    const QString words = comparing::difference(shown.finish - baseline.finish);
    const double wanted = metrics.horizontalAdvance(words) + m_theme.scaled(16);
    const double other = xOf(baseline.finish);
    const double y = place.top() + headHeight() + m_lanes[run].height / 2.0;
    const QColor color = m_theme.color(faster ? Role::Ok : Role::Err);
    painter.setPen(QPen(color, 1.5));
    painter.drawLine(QPointF(x, y), QPointF(other, y));
    for (const double end : {x, other})
        painter.drawLine(QPointF(end, y - 4), QPointF(end, y + 4));
    // Beside it where there is no room on it, on the side that has some.
    const double right = std::max(x, other) + 2;
    const double beside = right + wanted > width() ? std::min(x, other) - wanted : right;
    const QRectF label(std::abs(other - x) >= wanted ? (x + other - wanted) / 2 : beside, y - metrics.height() / 2, wanted, metrics.height());
    painter.fillRect(label, m_theme.color(Role::View));
    painter.setPen(color);
    painter.drawText(label, Qt::AlignCenter, words);
}

void ComparedTimelines::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), m_theme.color(Role::View));
    TimelineScene ruler;
    ruler.source = m_baseline < m_lanes.size() ? m_lanes[m_baseline].run.source : nullptr; // Its flag stands on the ruler.
    ruler.theme = m_theme;
    ruler.geometry = m_geometry;
    ruler.ruler = rulerHeight();
    ruler.label = labelWidth();
    ruler.size = {width(), rulerHeight()};
    m_ruler.paint(painter, ruler, devicePixelRatioF());
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        const TimelineScene scene = sceneOf(m_lanes[i]);
        painter.save();
        painter.translate(0, runRect(i).top() + headHeight() - rulerHeight());
        painter.setClipRect(QRect(0, rulerHeight(), width(), m_lanes[i].height));
        m_lanes[i].painter.paint(painter, scene, devicePixelRatioF());
        painter.restore();
        paintHead(painter, i);
    }
    painter.setClipRect(QRect(labelWidth(), 0, width() - labelWidth(), height()));
    for (std::size_t i = 0; i < m_lanes.size(); ++i)
        paintDifference(painter, i);
    if (m_baseline < m_lanes.size() && m_lanes[m_baseline].run.complete) {
        painter.setPen(QPen(m_theme.color(Role::Outline), 1, Qt::DashLine));
        const double x = xOf(m_lanes[m_baseline].run.finish);
        painter.drawLine(QPointF(x, rulerHeight()), QPointF(x, height()));
    }
    painter.setClipping(false);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void ComparedTimelines::keyPressEvent(QKeyEvent* event)
{
    constexpr double kZoom = 1.5; // As on the timeline.
    constexpr double kPan = 0.2;
    const double middle = m_geometry.left + m_geometry.width / 2;
    const bool control = event->modifiers() & Qt::ControlModifier;
    TimeRange range = m_geometry.visible;
    if (event->key() == Qt::Key_0 && control)
        range = m_geometry.run;
    else if (control)
        return QWidget::keyPressEvent(event);
    else if (event->key() == Qt::Key_W)
        range = m_geometry.zoomed(kZoom, middle);
    else if (event->key() == Qt::Key_S)
        range = m_geometry.zoomed(1 / kZoom, middle);
    else if (event->key() == Qt::Key_A)
        range = m_geometry.panned(-kPan);
    else if (event->key() == Qt::Key_D)
        range = m_geometry.panned(kPan);
    else
        return QWidget::keyPressEvent(event);
    m_geometry.visible = range;
    update();
}

} // namespace fabricscope
