// What lies over the whole timeline: the chosen range with its sums, the crosshair.
#include "widgets/timeline/lanepainter.h"

#include "widgets/timeline/timetext.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fabricscope {

void TimelinePainter::paintRange(QPainter& painter, const TimelineScene& scene, TimeRange range, const TimelineSums& sums) const
{
    const Theme& theme = scene.theme;
    const QRectF plot = plotRect(scene);
    const double x0 = std::clamp(scene.geometry.xOf(range.beginPs), plot.left(), plot.right());
    const double x1 = std::clamp(scene.geometry.xOf(range.endPs), plot.left(), plot.right());
    QColor shade = theme.color(Role::Accent);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const double x : {x0, x1})
        painter.fillRect(QRectF(std::round(x), 0, 1, scene.size.height()), shade);
    // Handles to drag, on the ruler.
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(shade);
    for (const double x : {x0, x1})
        painter.drawRoundedRect(QRectF(std::round(x) - 2, scene.ruler - 14, 5, 12), 2, 2);
    shade.setAlphaF(0.14F);
    painter.fillRect(QRectF(x0, scene.ruler, x1 - x0, plot.height()), shade);

    const std::vector<TextLine> lines = sumDetails(sums);
    const QFont font = theme.font(TextStyle::Hint);
    const QFontMetricsF metrics(font);
    double labels = 0;
    double values = 0;
    for (const auto& [label, value] : lines) {
        labels = std::max(labels, metrics.horizontalAdvance(label));
        values = std::max(values, metrics.horizontalAdvance(value));
    }
    const double rowHeight = std::ceil(metrics.height()) + 2;
    const QSizeF size(std::ceil(labels + values) + 16 + 20, rowHeight * static_cast<double>(lines.size()) + 12);
    double left = x1 + 8;
    if (left + size.width() > plot.right())
        left = x0 - 8 - size.width();
    left = std::clamp(left, plot.left() + 4, std::max(plot.left() + 4, plot.right() - size.width() - 4));
    const QRectF box(QPointF(std::round(left) + 0.5, plot.top() + 6.5), size);
    painter.setPen(QPen(theme.color(Role::Line2), 1));
    painter.setBrush(theme.color(Role::Raised));
    painter.drawRoundedRect(box, 4, 4);
    painter.setFont(font);
    double y = box.top() + 6;
    for (const auto& [label, value] : lines) {
        const QRectF line(box.left() + 10, y, box.width() - 20, rowHeight);
        painter.setPen(theme.color(Role::Text2));
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, label);
        painter.setPen(theme.color(Role::Text));
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, value);
        y += rowHeight;
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void TimelinePainter::paintCrosshair(QPainter& painter, const TimelineScene& scene, double x) const
{
    if (x < scene.label || x > scene.size.width())
        return;
    painter.fillRect(QRectF(std::round(x), scene.ruler, 1, scene.size.height() - scene.ruler), scene.theme.color(Role::Text3));
}

} // namespace fabricscope
