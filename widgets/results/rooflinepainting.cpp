// How a RooflineChart is painted.
#include "widgets/base/hoverbox.h"
#include "widgets/results/rooflinechart.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <utility>
#include <vector>

namespace fabricscope {

namespace {

constexpr double kRooflineRing = 7;

} // namespace

void RooflineChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::View));
    paintHead(painter);
    if (m_points.empty()) {
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text3));
        painter.drawText(rect().adjusted(m_theme.scaled(12), m_theme.scaled(24), -m_theme.scaled(12), -m_theme.scaled(8)), Qt::AlignCenter | Qt::TextWordWrap, m_empty);
    } else {
        painter.setRenderHint(QPainter::Antialiasing);
        paintAxes(painter);
        const RooflinePoint* const point = shown();
        for (std::size_t roof = 0; roof < m_roofs.size(); ++roof) {
            if (!point || point->roof != roof)
                paintRoof(painter, roof, m_roofs.size() == 1);
        }
        if (point && point->roof < m_roofs.size())
            paintRoof(painter, point->roof, true);
        paintPoints(painter);
        paintAbout(painter);
    }
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

/// Title and axis, or what the point is that stands out.
void RooflineChart::paintHead(QPainter& painter) const
{
    const int left = m_theme.scaled(12);
    const QRect upper(left, m_theme.scaled(4), width() - 2 * left, m_theme.scaled(17));
    const RooflinePoint* const point = shown();
    const QFont font = m_theme.font(point ? TextStyle::LabelStrong : TextStyle::Section);
    const QString text = point ? point->about.section(QLatin1Char('\n'), 0, 1).replace(QLatin1String("\n"), QLatin1String(": ")) : m_title;
    painter.setFont(font);
    painter.setPen(m_theme.color(point ? Role::Text : Role::Text2));
    painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, QFontMetrics(font).elidedText(text, Qt::ElideRight, upper.width()));
    if (m_points.empty() || point)
        return;
    const double title = QFontMetricsF(font).horizontalAdvance(m_title) + m_theme.scaled(12);
    painter.setFont(m_theme.font(TextStyle::Label));
    painter.setPen(m_theme.color(Role::Text3));
    const QString axes = isLow() ? tr("%1 over %2").arg(m_yAxis.title, m_xAxis.title) : m_yAxis.title;
    painter.drawText(QRectF(upper).adjusted(title, 0, 0, 0), Qt::AlignRight | Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(axes, Qt::ElideRight, std::max(0.0, upper.width() - title)));
}

void RooflineChart::paintAxes(QPainter& painter) const
{
    const QRectF area = plot();
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetricsF metrics(painter.font());
    const double tall = metrics.height();
    for (const double tick : m_y.ticks(static_cast<int>(area.height() / (1.3 * tall)))) {
        const double y = placeOf(m_x.least, tick).y();
        painter.setPen(m_theme.color(Role::Grid));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(m_theme.color(Role::Text3));
        painter.drawText(QRectF(0, y - tall, area.left() - m_theme.scaled(6), 2 * tall), Qt::AlignRight | Qt::AlignVCenter, m_yAxis.text(tick));
    }
    const double wide = metrics.horizontalAdvance(m_xAxis.text(m_x.most)) + metrics.horizontalAdvance(QStringLiteral("000"));
    for (const double tick : m_x.ticks(static_cast<int>(area.width() / wide))) {
        const double x = placeOf(tick, m_y.least).x();
        painter.setPen(m_theme.color(Role::Grid));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        painter.setPen(m_theme.color(Role::Text3));
        const QString text = m_xAxis.text(tick);
        const double needed = metrics.horizontalAdvance(text) + 2;
        painter.drawText(QRectF(std::min(x - needed / 2, width() - needed - 2), area.bottom() + 2, needed, tall), Qt::AlignCenter, text);
    }
    painter.setPen(m_theme.color(Role::Outline));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.drawLine(area.topLeft(), area.bottomLeft());
    painter.setPen(m_theme.color(Role::Text3));
    if (!isLow())
        painter.drawText(QRectF(0, area.bottom() + 2 + tall, area.right(), tall), Qt::AlignRight | Qt::AlignVCenter, m_xAxis.title);
    if (!hasStrip())
        return;
    const QRectF beside = strip();
    painter.fillRect(beside, m_theme.color(Role::Stripe));
    painter.setPen(m_theme.color(Role::Text3));
    painter.drawText(QRectF(beside.left() - tall, area.bottom() + 2, beside.width() + 2 * tall, tall), Qt::AlignCenter, tr("no bytes"));
}

/// `strong`: also with what its parts are.
void RooflineChart::paintRoof(QPainter& painter, std::size_t number, bool strong) const
{
    const RooflineRoof& roof = m_roofs[number];
    const QPolygonF line = roofLine(number);
    if (line.isEmpty())
        return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_theme.color(strong ? Role::Critical : Role::Outline), strong ? 1.5 : 1));
    painter.drawPolyline(line);
    if (!strong)
        return;
    painter.setFont(m_theme.font(TextStyle::Label));
    painter.setPen(m_theme.color(Role::Text2));
    const QRectF flat = flatNameRect(number);
    const QRectF slope = slopeNameRect(number);
    if (!flat.isEmpty())
        painter.drawText(flat, Qt::AlignCenter | Qt::TextDontClip, roof.flatName);
    if (!slope.isEmpty() && !slope.intersects(flat))
        painter.drawText(slope, Qt::AlignCenter | Qt::TextDontClip, roof.slopeName);
}

void RooflineChart::paintPoints(QPainter& painter) const
{
    const RooflinePoint* const strong = shown();
    if (strong && strong->roof < m_roofs.size()) {
        const RooflineRoof& roof = m_roofs[strong->roof];
        const double sloped = strong->x > 0 && roof.slope > 0 ? strong->x * roof.slope : 0;
        const double height = sloped > 0 && (roof.flat <= 0 || sloped < roof.flat) ? sloped : roof.flat;
        painter.setPen(QPen(m_theme.color(Role::Critical), 1, Qt::DashLine));
        if (height > 0)
            painter.drawLine(placeOf(strong->x, strong->y), placeOf(strong->x, height));
    }
    const std::vector<std::pair<qint64, QRectF>> names = labels();
    QColor ground = m_theme.color(Role::View);
    ground.setAlpha(215);
    for (const auto& [id, box] : names)
        painter.fillRect(box, ground); // A roof that runs through a name would strike it out.
    for (const RooflinePoint& point : m_points) {
        const QPointF here = placeOf(point.x, point.y);
        if (point.low > 0 && point.low < point.y) {
            painter.setPen(QPen(point.color, 1));
            painter.drawLine(here, placeOf(point.x, point.low));
        }
        painter.setPen(QPen(m_theme.color(Role::View), 1));
        painter.setBrush(point.color);
        painter.drawEllipse(here, kDot, kDot);
    }
    painter.setBrush(Qt::NoBrush);
    if (const RooflinePoint* const point = pointOf(m_current)) {
        painter.setPen(QPen(m_theme.color(hasFocus() ? Role::Accent : Role::Text), 2));
        painter.drawEllipse(placeOf(point->x, point->y), kRooflineRing, kRooflineRing);
    }
    painter.setFont(m_theme.font(TextStyle::Label));
    for (const auto& [id, box] : names) {
        painter.setPen(m_theme.color(strong && strong->id == id ? Role::Text : Role::Text2));
        painter.drawText(box, Qt::AlignCenter | Qt::TextDontClip, pointOf(id)->name);
    }
}

/// All that is known of the point under the pointer.
void RooflineChart::paintAbout(QPainter& painter) const
{
    const RooflinePoint* const point = pointOf(m_hovered);
    if (!point)
        return;
    HoverBox box(m_theme, point->about, size());
    box.moveBeside(placeOf(point->x, point->y), m_theme.scaled(kRooflineRing + 6));
    box.paint(painter);
}

} // namespace fabricscope
