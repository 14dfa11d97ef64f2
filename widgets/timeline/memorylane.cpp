// Live bytes over time as a row of the timeline.
#include "widgets/timeline/lanepainter.h"

#include "core/base/index.h"
#include "core/record/memorytrack.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fabricscope {

/// One column per pixel, the most that is live in it; the whole height is the capacity, or the peak where that is more. What is above the capacity stands over its line.
void TimelinePainter::paintLive(QPainter& painter, const TimelineScene& scene, const TimelineRow& row, const QRectF& bar)
{
    const std::shared_ptr<const MemoryUse>& memory = scene.source->record().memory;
    if (!memory || at(row.memoryClass) >= memory->classes.size())
        return;
    const MemoryUse::Class& use = memory->classes[at(row.memoryClass)];
    const auto scale = static_cast<double>(memoryScale(use));
    const double unit = 1 / m_ratio;
    const double psPerPixel = scene.geometry.psPerPixel() / m_ratio;
    const QColor color = scene.theme.activity(Activity::Memory);
    const double ends = scene.geometry.xOf(scene.source->finish().ps);
    const auto heightOf = [&](std::int64_t bytes) { return bytes > 0 ? std::max(1.0, std::round(static_cast<double>(bytes) / scale * bar.height() * m_ratio) / m_ratio) : 0.0; };
    const double full = use.capacity ? heightOf(*use.capacity) : bar.height();
    std::int64_t from = scene.geometry.visible.beginPs;
    for (int pixel = 0; pixel < m_pixels; ++pixel) {
        const auto to = std::max(from + 1, scene.geometry.visible.beginPs + static_cast<std::int64_t>(std::llround(psPerPixel * (pixel + 1))));
        const double x = bar.left() + pixel * unit;
        const double height = x <= ends ? heightOf(mostLiveBytes(use, from, to)) : 0;
        painter.fillRect(QRectF(x, bar.bottom() - std::min(height, full), unit, std::min(height, full)), color);
        if (height > full)
            painter.fillRect(QRectF(x, bar.bottom() - height, unit, height - full), scene.theme.color(Role::Err));
        from = to;
    }
    painter.fillRect(QRectF(bar.left(), bar.bottom(), bar.width(), 1), scene.theme.color(Role::Line));
    if (!use.capacity)
        return;
    painter.setPen(QPen(scene.theme.color(Role::Text2), 1, Qt::DashLine));
    const double line = std::floor(bar.bottom() - full) + 0.5;
    painter.drawLine(QPointF(bar.left(), line), QPointF(bar.right(), line));
}

} // namespace fabricscope
