// What is written beside the tracks: the ruler above, labels at the left.
#include "widgets/timeline/lanepainter.h"

#include "widgets/base/icons.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

struct RowLabelTexts {
    Q_DECLARE_TR_FUNCTIONS(RowLabelTexts)
};

} // namespace

void TimelinePainter::paintRuler(QPainter& painter, const TimelineScene& scene)
{
    const QRectF plot = plotRect(scene);
    painter.fillRect(QRectF(0, 0, scene.size.width(), scene.ruler), scene.theme.color(Role::Panel));
    painter.fillRect(QRectF(0, scene.ruler - 1, scene.size.width(), 1), scene.theme.color(Role::Line));
    if (!scene.note.isEmpty()) {
        painter.setFont(scene.theme.font(TextStyle::LabelStrong));
        painter.setPen(scene.theme.color(Role::Warn));
        painter.drawText(QRectF(scene.theme.scaled(12), 0, scene.label - scene.theme.scaled(16), scene.ruler), Qt::AlignLeft | Qt::AlignVCenter, scene.note);
    }
    if (!scene.source)
        return;
    const QFont font = scene.theme.font(TextStyle::Label);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    const double baseline = (scene.ruler + metrics.ascent() - metrics.descent()) / 2;

    // What stands on the ruler for certain; ticks give way.
    std::vector<QRectF> taken;
    const auto right = [&](double x, double w) { return std::clamp(x, plot.left(), std::max(plot.left(), plot.right() - w)); };
    const double finishX = std::round(scene.geometry.xOf(scene.source->finish().ps));
    QRectF flag;
    QString flagText;
    if (finishX >= plot.left() && finishX <= plot.right()) {
        flagText = texts::time(scene.source->finish());
        const double w = std::ceil(metrics.horizontalAdvance(flagText)) + 12;
        flag = QRectF(right(finishX - w + 1, w), 3, w, scene.ruler - 7);
        taken.push_back(flag);
    }
    QRectF was;
    QString wasText;
    if (scene.previous) {
        const double x = scene.geometry.xOf(scene.previous->finish().ps);
        if (x >= plot.left() && x <= plot.right()) {
            wasText = RowLabelTexts::tr("was %1").arg(texts::time(scene.previous->finish()));
            const double w = std::ceil(metrics.horizontalAdvance(wasText));
            was = QRectF(right(x - w - 4, w), 0, w, scene.ruler);
            if (was.intersects(flag))
                was.moveLeft(right(std::max(flag.right() + 6, x + 4), w));
            if (!was.intersects(flag))
                taken.push_back(was);
            else
                wasText.clear();
        }
    }

    const SimTime scale{std::max<std::int64_t>(scene.geometry.visible.endPs, 1)};
    std::int64_t step = scene.geometry.tickStep(90);
    const auto tickText = [&](std::int64_t time) {
        int decimals = 0;
        const QString unit = texts::timeUnit(scale);
        const double unitPs = unit == QStringLiteral("s") ? 1e12 : unit == QStringLiteral("ms") ? 1e9 : unit == QStringLiteral("ns") ? 1e3 : unit == QStringLiteral("ps") ? 1 : 1e6;
        while (decimals < 12 && std::fmod(static_cast<double>(step) * std::pow(10.0, decimals), unitPs) != 0)
            ++decimals;
        return texts::timeIn(SimTime{time}, scale, decimals);
    };
    const double widest = metrics.horizontalAdvance(tickText(scene.geometry.visible.endPs / step * step)) + 24;
    step = scene.geometry.tickStep(std::max(90.0, widest));
    for (const TimelineTick& tick : scene.geometry.ticks(step)) {
        const double x = std::round(scene.geometry.xOf(tick.timePs));
        if (x > plot.left())
            painter.fillRect(QRectF(x, scene.ruler, 1, plot.height()), scene.theme.color(Role::Grid));
        painter.fillRect(QRectF(x, scene.ruler - (tick.major ? 6 : 4), 1, tick.major ? 5 : 3), scene.theme.color(tick.major ? Role::Outline : Role::Line2));
        if (!tick.major)
            continue;
        const QString text = tickText(tick.timePs);
        const QRectF place(x + 4, 0, metrics.horizontalAdvance(text), scene.ruler);
        const bool free = place.right() <= plot.right() && std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.adjusted(-4, -20, 4, 20).intersects(place); });
        if (free) {
            painter.setPen(scene.theme.color(Role::Text2));
            painter.drawText(QPointF(place.left(), baseline), text);
        }
    }
    if (!flagText.isEmpty()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(scene.theme.color(Role::Text));
        painter.drawRoundedRect(flag, 3, 3);
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setFont(scene.theme.font(TextStyle::LabelStrong));
        painter.setPen(scene.theme.color(Role::View));
        painter.drawText(flag, Qt::AlignCenter, flagText);
    }
    if (!wasText.isEmpty()) {
        painter.setFont(font);
        painter.setPen(scene.theme.color(Role::Text3));
        painter.drawText(QPointF(was.left(), baseline), wasText);
    }
}

void TimelinePainter::paintLabel(QPainter& painter, const TimelineScene& scene, const TimelineRow& row)
{
    const Theme& theme = scene.theme;
    const double top = scene.topOf(row);
    if (!row.key.isEmpty() && row.key == scene.currentRow)
        painter.fillRect(QRectF(0, top, scene.label, row.height), theme.color(Role::Sel));
    const QRectF area(0, top, scene.label - 8, row.exposedTrack ? barRect(scene, row).bottom() + 1 - top : row.height);
    double x = 14;
    if (row.isHeader()) {
        const bool open = row.open;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.color(Role::Text2), 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const QPointF c(17, area.center().y());
        const QPointF open3[] = {c + QPointF(-3.5, -1.75), c + QPointF(0, 1.75), c + QPointF(3.5, -1.75)};
        const QPointF shut3[] = {c + QPointF(-1.75, -3.5), c + QPointF(1.75, 0), c + QPointF(-1.75, 3.5)};
        painter.drawPolyline(open ? open3 : shut3, 3);
        painter.setRenderHint(QPainter::Antialiasing, false);
        x = 27;
    } else {
        x = 30;
    }
    if (row.pinned && !row.label.isEmpty()) {
        const int side = theme.scaled(12);
        icon(QStringLiteral("pin"), IconColors::plain(theme.color(Role::Text2))).paint(&painter, QRect(12, static_cast<int>(area.center().y()) - side / 2, side, side));
    }
    if (row.kind == TimelineRow::Kind::Busy) {
        const int dimension = scene.source->tracks()[row.tracks.front()].dimension;
        const QRectF chip(30, area.center().y() - 8, 26, 16);
        if (dimension >= 0) {
            painter.setRenderHint(QPainter::Antialiasing);
            const QColor fill = theme.dimension(dimension);
            painter.setPen(dimension >= Theme::kDimensionColors ? QPen(theme.color(Role::Text), 1, Qt::DashLine) : QPen(Qt::NoPen));
            painter.setBrush(fill);
            painter.drawRoundedRect(chip, 3, 3);
            painter.setRenderHint(QPainter::Antialiasing, false);
            painter.setFont(theme.font(TextStyle::LabelStrong));
            painter.setPen(theme.ink(fill));
            painter.drawText(chip, Qt::AlignCenter, QStringLiteral("D%1").arg(dimension));
        }
        x = 64;
    }
    double right = area.right();
    if (!row.detail.isEmpty()) {
        const QFont font = theme.font(TextStyle::Label);
        painter.setFont(font);
        painter.setPen(theme.color(row.key == scene.currentRow ? Role::Text2 : Role::Text3));
        painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, row.detail);
        right -= QFontMetricsF(font).horizontalAdvance(row.detail) + 8;
    }
    const QFont font = theme.font(row.isHeader() ? TextStyle::Section : TextStyle::Hint);
    painter.setFont(font);
    painter.setPen(theme.color(row.isHeader() ? Role::Text : Role::Text2));
    const QRectF place(x, area.top(), right - x, area.height());
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(font).elidedText(row.label, Qt::ElideRight, place.width()));
}

} // namespace fabricscope
