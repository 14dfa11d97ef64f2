// What lies over the whole timeline: arrows of the selection, the chosen range with its sums, bookmarks, the crosshair.
#include "widgets/timeline/lanepainter.h"

#include "widgets/timeline/timetext.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace fabricscope {

const TimelineRow* rowShowing(const TimelineScene& scene, std::size_t track)
{
    const auto& rows = scene.rows->rows();
    if (const int row = scene.rows->rowOfTrack(track); row >= 0)
        return &rows[static_cast<std::size_t>(row)];
    const std::int32_t rankClass = scene.source->tracks()[track].rankClass;
    const auto header = std::find_if(rows.begin(), rows.end(), [rankClass](const TimelineRow& row) { return row.isHeader() && row.rankClass == rankClass; });
    return header == rows.end() ? nullptr : &*header;
}

std::vector<FlowArrow> flowArrows(const TimelineScene& scene, const TimelineSelection& selection, const TimelineFlow& flow)
{
    std::vector<FlowArrow> arrows;
    const auto point = [&scene](const TimelineSelection& at, bool end) -> std::optional<QPointF> {
        const TimelineRow* row = rowShowing(scene, at.track);
        if (!row)
            return std::nullopt;
        const TimelineInterval interval = scene.source->interval(at.track, at.index);
        const QRectF bar = TimelinePainter::barRect(scene, *row);
        return QPointF(scene.geometry.xOf(end ? interval.endPs : interval.beginPs), bar.isNull() ? scene.topOf(*row) + row->height / 2.0 : bar.center().y());
    };
    const auto add = [&](const TimelineSelection& from, const TimelineSelection& to, bool message) {
        // A message is received when it is there: the arrow ends where the receive does.
        const auto begin = point(from, !message);
        const auto end = point(to, message);
        if (begin && end)
            arrows.push_back({*begin, *end, message});
    };
    for (std::size_t i = 0; i < std::min(flow.before.size(), kMostArrows); ++i)
        add(flow.before[i], selection, flow.before[i] == flow.partner);
    for (std::size_t i = 0; i < std::min(flow.after.size(), kMostArrows); ++i)
        add(selection, flow.after[i], flow.after[i] == flow.partner);
    return arrows;
}

void TimelinePainter::paintFlow(QPainter& painter, const TimelineScene& scene, const std::vector<FlowArrow>& arrows) const
{
    constexpr double kHead = 5;
    constexpr double kBend = 40;
    constexpr double kNear = 16;
    const QRectF plot = plotRect(scene);
    painter.save();
    painter.setClipRect(plot, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const FlowArrow& arrow : arrows) {
        // Far outside only the direction can be seen; painters slow down on very long curves.
        const QPointF from(std::clamp(arrow.from.x(), plot.left() - 4 * kBend, plot.right() + 4 * kBend), arrow.from.y());
        const QPointF to(std::clamp(arrow.to.x(), plot.left() - 4 * kBend, plot.right() + 4 * kBend), arrow.to.y());
        const bool near = to.x() - from.x() < kNear;
        const double down = to.y() >= from.y() ? 1 : -1;
        QPainterPath path(from);
        QPolygonF head;
        if (near && from.y() != to.y()) {
            // No room for a bend to the right: from above or below.
            const double middle = (from.y() + to.y()) / 2;
            path.cubicTo(QPointF(from.x(), middle), QPointF(to.x(), middle), to - QPointF(0, down * (kHead - 1)));
            head = QPolygonF{{to, to + QPointF(-kHead + 1, -down * (kHead + 1)), to + QPointF(kHead - 1, -down * (kHead + 1))}};
        } else {
            const double bend = std::clamp(std::abs(to.x() - from.x()) / 2, 0.0, kBend);
            path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to - QPointF(kHead - 1, 0));
            head = QPolygonF{{to, to + QPointF(-kHead - 1, -kHead + 1), to + QPointF(-kHead - 1, kHead - 1)}};
        }
        // On fills of any colour: a light edge around a dark line.
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(scene.theme.color(Role::View), 3.5));
        painter.drawPath(path);
        const QColor color = scene.theme.color(arrow.message ? Role::Accent : Role::Text);
        painter.setPen(QPen(color, 1.5, arrow.message ? Qt::SolidLine : Qt::DashLine));
        painter.drawPath(path);
        painter.setPen(QPen(scene.theme.color(Role::View), 1));
        painter.setBrush(color);
        painter.drawPolygon(head);
    }
    painter.restore();
}

void TimelinePainter::paintBookmarks(QPainter& painter, const TimelineScene& scene) const
{
    const QRectF plot = plotRect(scene);
    const QColor color = scene.theme.color(Role::Accent);
    for (const std::int64_t ps : scene.bookmarks) {
        const double x = std::round(scene.geometry.xOf(ps));
        if (x < plot.left() || x > plot.right())
            continue;
        painter.setPen(QPen(color, 1, Qt::DotLine));
        painter.drawLine(QPointF(x + 0.5, scene.ruler), QPointF(x + 0.5, scene.size.height()));
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawPolygon(QPolygonF{{QPointF(x - 4, scene.ruler - 9), QPointF(x + 5, scene.ruler - 9), QPointF(x + 5, scene.ruler - 4), QPointF(x + 0.5, scene.ruler), QPointF(x - 4, scene.ruler - 4)}});
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
}

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

void TimelinePainter::paintTimeCursor(QPainter& painter, const TimelineScene& scene) const
{
    if (!scene.timeCursor)
        return;
    const QRectF plot = plotRect(scene);
    const double x = std::round(scene.geometry.xOf(*scene.timeCursor));
    if (x < plot.left() || x > plot.right())
        return;
    const QColor color = scene.theme.color(Role::Accent);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(x, scene.ruler, 1, scene.size.height() - scene.ruler), color);
    // A head on the ruler that hangs from its top, unlike a bookmark's, which stands on its foot.
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(QPolygonF{{QPointF(x - 5, 0), QPointF(x + 6, 0), QPointF(x + 6, 5), QPointF(x + 0.5, 11), QPointF(x - 5, 5)}});
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(x, 10, 1, scene.ruler - 10), color);
}

void TimelinePainter::paintCrosshair(QPainter& painter, const TimelineScene& scene, double x) const
{
    if (x < scene.label || x > scene.size.width())
        return;
    painter.fillRect(QRectF(std::round(x), scene.ruler, 1, scene.size.height() - scene.ruler), scene.theme.color(Role::Text3));
}

} // namespace fabricscope
