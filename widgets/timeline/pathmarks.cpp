// The critical path over the timeline: frames on what is on it, lines from one to the next, a veil over the rest.
#include "widgets/timeline/lanepainter.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

/// What is not on the path keeps so much of its contrast: names can still be read.
constexpr double kRest = 0.45;
/// Narrower frames are filled: there is no room for an edge on either side.
constexpr double kFrameFrom = 4;

/// A stretch of the path on one row.
struct PathBar {
    const TimelineRow* row = nullptr; ///< Null: it is not shown.
    QRectF rect;                      ///< Without height where the row has no bar.
};

/// Bars of the steps that are on show, those of a row that touch as one.
std::vector<PathBar> pathBars(const TimelineScene& scene)
{
    std::vector<PathBar> bars;
    const QRectF plot = plotRect(scene);
    const TimeRange visible = scene.geometry.visible;
    const std::vector<PathStep>& steps = *scene.path;
    auto step = std::lower_bound(steps.begin(), steps.end(), visible.beginPs, [](const PathStep& one, std::int64_t ps) { return one.endPs < ps; });
    for (; step != steps.end() && step->beginPs <= visible.endPs; ++step) {
        const TimelineRow* row = step->place ? rowShowing(scene, step->place->track) : nullptr;
        if (!row)
            row = bars.empty() ? nullptr : bars.back().row;
        const double left = std::max(scene.geometry.xOf(step->beginPs), plot.left() - 4);
        const double right = std::min(scene.geometry.xOf(step->endPs), plot.right() + 4);
        if (!bars.empty() && bars.back().row == row) {
            bars.back().rect.setRight(std::max(right, bars.back().rect.right()));
            continue;
        }
        const QRectF bar = row ? TimelinePainter::barRect(scene, *row) : QRectF();
        const double middle = row ? scene.topOf(*row) + row->height / 2.0 : 0;
        bars.push_back({row, bar.isNull() ? QRectF(left, middle, right - left, 0) : QRectF(left, bar.top(), right - left, bar.height())});
    }
    return bars;
}

} // namespace

void TimelinePainter::paintPath(QPainter& painter, const TimelineScene& scene) const
{
    if (!scene.path || scene.path->empty())
        return;
    const QRectF plot = plotRect(scene);
    const std::vector<PathBar> bars = pathBars(scene);
    painter.save();
    painter.setClipRect(plot, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing, false);
    QPainterPath rest;
    rest.setFillRule(Qt::OddEvenFill);
    rest.addRect(plot);
    for (const PathBar& bar : bars) {
        if (bar.rect.height() > 0)
            rest.addRect(bar.rect.intersected(plot));
    }
    QColor veil = scene.theme.color(Role::View);
    veil.setAlphaF(static_cast<float>(1 - kRest));
    painter.fillPath(rest, veil);

    const QColor ink = scene.theme.color(Role::Critical);
    for (std::size_t i = 1; i < bars.size(); ++i) {
        if (!bars[i].row || !bars[i - 1].row)
            continue;
        const double x = std::round(bars[i].rect.left());
        const double above = std::min(bars[i - 1].rect.center().y(), bars[i].rect.center().y());
        const double below = std::max(bars[i - 1].rect.center().y(), bars[i].rect.center().y());
        painter.fillRect(QRectF(x - 1, above, 2, below - above), ink);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    for (const PathBar& bar : bars) {
        if (!bar.row)
            continue;
        if (bar.rect.height() <= 0 || bar.rect.width() < kFrameFrom) {
            painter.fillRect(QRectF(bar.rect.left(), bar.rect.center().y() - std::max(bar.rect.height(), 2.0) / 2, std::max(bar.rect.width(), 1.0), std::max(bar.rect.height(), 2.0)), ink);
            continue;
        }
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(ink, 2));
        painter.drawRoundedRect(bar.rect.adjusted(1, 1, -1, -1), 1, 1);
    }
    painter.restore();
}

} // namespace fabricscope
