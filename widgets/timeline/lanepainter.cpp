#include "widgets/timeline/lanepainter.h"

#include "core/base/index.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/timeline/timetext.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr int kSmoothLimit = 1500;
constexpr double kMinColumn = 4;
constexpr double kHatchFrom = 14;

/// Shown span of an interval, cut a little outside the plot: painters slow down on very long shapes.
std::pair<double, double> xSpan(const TimelineScene& scene, const TimelineInterval& interval)
{
    const double low = scene.geometry.left - 8;
    const double high = scene.geometry.left + scene.geometry.width + 8;
    return {std::clamp(scene.geometry.xOf(interval.beginPs), low, high), std::clamp(scene.geometry.xOf(interval.endPs), low, high)};
}

/// 45 degree lines inside a rectangle, anchored to the page so that neighbours line up.
void hatch(QPainter& painter, const QRectF& rect, const QColor& color)
{
    std::vector<QLineF> lines;
    const double height = rect.height();
    for (double x = std::floor((rect.left() - height) / 6) * 6; x < rect.right(); x += 6) {
        const double from = std::max(x, rect.left());
        const double to = std::min(x + height, rect.right());
        if (to > from)
            lines.emplace_back(from, rect.bottom() - (from - x), to, rect.bottom() - (to - x));
    }
    painter.setPen(QPen(color, 1.5));
    painter.drawLines(lines.data(), static_cast<int>(lines.size()));
}

} // namespace

QRectF plotRect(const TimelineScene& scene)
{
    return {double(scene.label), double(scene.ruler), std::max(0.0, double(scene.size.width() - scene.label)),
            std::max(0.0, double(scene.size.height() - scene.ruler))};
}

int TimelineScene::pinned() const
{
    const int height = rows ? rows->pinnedHeight() : 0;
    return 2 * height <= size.height() - ruler ? height : 0;
}

double TimelineScene::topOf(const TimelineRow& row) const
{
    return ruler + row.top - (row.pinned && pinned() > 0 ? 0 : scroll);
}

int TimelineScene::rowsY(double y) const
{
    const int below = static_cast<int>(y) - ruler;
    return below < pinned() ? below : below + scroll;
}

QRectF TimelinePainter::barRect(const TimelineScene& scene, const TimelineRow& row)
{
    if (row.bar == 0)
        return {};
    const int slot = row.exposedTrack ? row.height - static_cast<int>(std::lround(4 * scene.theme.basePixels() / 13.0)) : row.height;
    const double top = scene.topOf(row) + (row.kind == TimelineRow::Kind::Busy ? slot - row.bar - 1 : (slot - row.bar) / 2);
    return {scene.geometry.left, top, scene.geometry.width, double(row.bar)};
}

const std::vector<TimelineBucket>& TimelinePainter::buckets(const TimelineScene& scene, const TimelineSourcePtr& source, std::size_t track)
{
    const std::pair<const void*, std::size_t> key{source.get(), track};
    for (const auto& [known, pixels] : m_buckets)
        if (known == key)
            return pixels;
    std::vector<TimelineBucket> pixels(static_cast<std::size_t>(m_pixels));
    source->buckets(track, SimTime{scene.geometry.visible.beginPs}, SimTime{scene.geometry.visible.endPs}, pixels);
    m_buckets.emplace_back(key, std::move(pixels));
    return m_buckets.back().second;
}

void TimelinePainter::paint(QPainter& painter, const TimelineScene& scene, double devicePixelRatio)
{
    const int pixels = std::max(1, static_cast<int>(std::lround(scene.geometry.width * devicePixelRatio)));
    if (pixels != m_pixels || !(scene.geometry.visible == m_range) || scene.source.get() != m_source) {
        m_buckets.clear();
        m_pixels = pixels;
        m_range = scene.geometry.visible;
        m_source = scene.source.get();
    }
    m_ratio = devicePixelRatio;
    m_smooth = 0;
    if (m_textFont != scene.theme.font(TextStyle::Label)) {
        m_textFont = scene.theme.font(TextStyle::Label);
        m_texts.clear();
    }

    painter.fillRect(QRectF(QPointF(0, 0), QSizeF(scene.size)), scene.theme.color(Role::View));
    painter.fillRect(QRectF(0, 0, scene.label, scene.size.height()), scene.theme.color(Role::Panel));
    paintRuler(painter, scene);
    if (!scene.source || !scene.rows)
        return;

    const int pinned = scene.pinned();
    const auto& rows = scene.rows->rows();
    if (pinned > 0) {
        const auto others = std::find_if(rows.begin(), rows.end(), [](const TimelineRow& row) { return !row.pinned; });
        paintRows(painter, scene, 0, static_cast<std::size_t>(others - rows.begin()));
    }
    const int first = std::max(0, scene.rows->rowAt(scene.scroll + pinned));
    painter.save();
    painter.setClipRect(QRectF(0, scene.ruler + pinned, scene.size.width(), scene.size.height() - scene.ruler - pinned));
    paintRows(painter, scene, static_cast<std::size_t>(first), rows.size());
    painter.restore();
    if (pinned > 0)
        painter.fillRect(QRectF(0, scene.ruler + pinned - 1, scene.size.width(), 1), scene.theme.color(Role::Line2));
    painter.fillRect(QRectF(scene.label - 1, 0, 1, scene.size.height()), scene.theme.color(Role::Line));
    paintFinish(painter, scene);
    paintBookmarks(painter, scene);
}

void TimelinePainter::paintRows(QPainter& painter, const TimelineScene& scene, std::size_t first, std::size_t end)
{
    const QRectF plot = plotRect(scene);
    const auto& rows = scene.rows->rows();
    for (std::size_t i = first; i < end && scene.topOf(rows[i]) < scene.size.height(); ++i) {
        const TimelineRow& row = rows[i];
        const double top = scene.topOf(row);
        if (row.isHeader() && i > 0 && row.kind != TimelineRow::Kind::ClassCollapsed)
            painter.fillRect(QRectF(0, top, scene.size.width(), 1), scene.theme.color(Role::Line));
        paintLabel(painter, scene, row);
        painter.save();
        painter.setClipRect(QRectF(plot.left(), top, plot.width(), row.height), Qt::IntersectClip);
        paintRow(painter, scene, row);
        painter.restore();
    }
}

/// Finish of this run, and of the one before, through all rows.
void TimelinePainter::paintFinish(QPainter& painter, const TimelineScene& scene)
{
    const QRectF plot = plotRect(scene);
    const double finish = std::round(scene.geometry.xOf(scene.source->finish().ps));
    if (finish >= plot.left() && finish <= plot.right())
        painter.fillRect(QRectF(finish, scene.ruler - 4, 1, plot.height() + 4), scene.theme.color(Role::Text));
    if (scene.previous) {
        const double was = std::round(scene.geometry.xOf(scene.previous->finish().ps)) + 0.5;
        if (was >= plot.left() && was <= plot.right()) {
            painter.setPen(QPen(scene.theme.color(Role::Ghost), 1, Qt::DashLine));
            painter.drawLine(QPointF(was, scene.ruler), QPointF(was, scene.size.height()));
        }
    }
}

void TimelinePainter::paintRow(QPainter& painter, const TimelineScene& scene, const TimelineRow& row)
{
    const QRectF bar = barRect(scene, row);
    if (bar.isNull())
        return;
    if (row.kind == TimelineRow::Kind::Busy)
        return paintBusy(painter, scene, row, bar);
    if (row.kind == TimelineRow::Kind::Live)
        return paintLive(painter, scene, row, bar);
    if (scene.previous)
        paintGhost(painter, scene, row, bar);
    for (const std::size_t track : row.tracks)
        paintIntervals(painter, scene, track, bar, row.kind == TimelineRow::Kind::Track);
    if (row.exposedTrack)
        paintExposed(painter, scene, row, bar);

    const SimTime end = row.rankClass >= 0 ? scene.source->classes()[at(row.rankClass)].finish : SimTime{};
    if (row.kind == TimelineRow::Kind::ClassCollapsed && end < scene.source->finish()) {
        const QString text = tr("done %1").arg(texts::timeIn(end, scene.source->finish(), 3));
        const QFont font = scene.theme.font(TextStyle::Label);
        const double x = scene.geometry.xOf(end.ps) + 6;
        const double room = scene.geometry.xOf(scene.source->finish().ps) - x;
        if (x >= scene.geometry.left && QFontMetricsF(font).horizontalAdvance(text) + 6 < room) {
            painter.setFont(font);
            painter.setPen(scene.theme.color(Role::Text3));
            painter.drawText(QRectF(x, bar.top(), room, bar.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        }
    }
}

void TimelinePainter::drawText(QPainter& painter, double x, double middle, const QString& text)
{
    auto found = m_texts.find(text);
    if (found == m_texts.end()) {
        QStaticText prepared(text);
        prepared.setTextFormat(Qt::PlainText);
        prepared.setPerformanceHint(QStaticText::AggressiveCaching);
        prepared.prepare(QTransform(), m_textFont);
        if (m_texts.size() > 5000)
            m_texts.clear();
        found = m_texts.insert(text, {prepared, prepared.size().height()});
    }
    painter.drawStaticText(QPointF(x, middle - found->second / 2), found->first);
}

void TimelinePainter::paintBox(QPainter& painter, const TimelineScene& scene, const TimelineInterval& interval, std::size_t track, std::int32_t index,
                               const QRectF& bar, bool labels)
{
    const Theme& theme = scene.theme;
    const auto [x0, x1] = xSpan(scene, interval);
    const auto snap = [this](double x) { return std::round(x * m_ratio) / m_ratio; };
    const double left = snap(x0);
    // One pixel of gap to the neighbour, as soon as there is room for it.
    const double right = std::max(snap(x1) - (x1 - x0 >= 3 ? 1 : 0), left + 1 / m_ratio);
    const QRectF box(left, bar.top(), right - left, bar.height());

    if (interval.activity == Activity::Waiting) {
        const QColor color = theme.color(Role::Wait);
        // Short waits are the gaps between the work; a hatch needs room to be read as one.
        if (box.width() < kHatchFrom || m_smooth > kSmoothLimit)
            return;
        m_smooth += static_cast<int>(box.width() / 6);
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        hatch(painter, box, color);
        painter.setPen(QPen(color, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
        painter.restore();
        return;
    }
    if (interval.activity == Activity::Barrier) {
        painter.fillRect(QRectF(box.left(), box.top(), 2, box.height()), theme.color(Role::Outline));
        return;
    }
    const QColor fill = theme.activity(interval.activity);
    if (box.width() >= 6 && m_smooth < kSmoothLimit) {
        ++m_smooth;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(box, 1.5, 1.5);
        painter.setRenderHint(QPainter::Antialiasing, false);
    } else {
        painter.fillRect(box, fill);
    }
    if (theme.patterns() && theme.pattern(interval.activity) != Qt::SolidPattern) {
        QColor ink = theme.ink(fill);
        ink.setAlphaF(0.35F);
        painter.fillRect(box, QBrush(ink, theme.pattern(interval.activity)));
    }
    if (!labels || box.width() < 24)
        return;
    const QRectF seen = box.intersected(QRectF(scene.geometry.left, box.top(), scene.geometry.width, box.height()));
    const TimelineEvent event = scene.source->event(track, index);
    if (event.name.empty() || seen.width() < 24)
        return;
    const QString name = texts::shown(event.name);
    painter.setFont(m_textFont);
    painter.setPen(theme.ink(fill));
    const QFontMetricsF metrics(m_textFont);
    const double wanted = metrics.horizontalAdvance(name);
    if (wanted + 8 <= seen.width())
        drawText(painter, seen.left() + 5, seen.center().y(), name);
    else if (seen.width() >= 40)
        drawText(painter, seen.left() + 5, seen.center().y(), metrics.elidedText(name, Qt::ElideRight, seen.width() - 8));
}

void TimelinePainter::paintIntervals(QPainter& painter, const TimelineScene& scene, std::size_t track, const QRectF& bar, bool labels)
{
    const std::vector<TimelineBucket>& pixels = buckets(scene, scene.source, track);
    const TimelineGeometry& geometry = scene.geometry;
    const double pixelPs = geometry.psPerPixel() / m_ratio;
    const double unit = 1 / m_ratio;
    const bool hatched = scene.source->tracks()[track].kind == TimelineTrack::Kind::Waiting;
    std::int32_t drawn = -1; // boxes up to this index are on the page

    // Columns that merge: a stretch of them is labelled with how many they stand for.
    std::int32_t mergedFirst = -1;
    std::int32_t mergedLast = -1;
    std::size_t mergedBegin = 0;
    struct Merged {
        double left, right;
        std::int32_t count;
    };
    std::vector<Merged> merged;
    const auto finishMerged = [&](std::size_t end) {
        if (mergedFirst >= 0 && static_cast<double>(end - mergedBegin) * unit >= 36 && mergedLast > mergedFirst)
            merged.push_back({geometry.left + static_cast<double>(mergedBegin) * unit, geometry.left + static_cast<double>(end) * unit, mergedLast - mergedFirst + 1});
        mergedFirst = -1;
    };
    const auto isWide = [&](const TimelineInterval& interval) { return static_cast<double>(interval.endPs - interval.beginPs) >= pixelPs; };

    // Neighbouring columns of one colour and height become one rectangle.
    QRectF pending;
    QColor pendingColor;
    const auto flush = [&] {
        if (!pending.isNull())
            painter.fillRect(pending, pendingColor);
        pending = {};
    };
    const auto column = [&](double x, double top, double height, const QColor& color) {
        if (!pending.isNull() && color == pendingColor && pending.top() == top && pending.height() == height && std::abs(pending.right() - x) < unit / 2) {
            pending.setRight(x + unit);
            return;
        }
        flush();
        pending = QRectF(x, top, unit, height);
        pendingColor = color;
    };

    for (std::size_t p = 0; p < pixels.size(); ++p) {
        const TimelineBucket& bucket = pixels[p];
        if (bucket.count == 0) {
            finishMerged(p);
            continue;
        }
        std::int32_t narrow = bucket.count;
        const std::int32_t last = bucket.first + bucket.count - 1;
        // Only an interval with a pixel almost to itself can be wide: where many meet on both sides of an edge, none is looked at.
        const bool sparse = bucket.count <= 2;
        const bool lookFirst = sparse || (p > 0 && pixels[p - 1].count <= 2);
        const bool lookLast = sparse || (p + 1 < pixels.size() && pixels[p + 1].count <= 2);
        const auto look = [&](std::int32_t index) {
            if (index <= drawn) {
                --narrow;
                return;
            }
            const TimelineInterval interval = scene.source->interval(track, index);
            if (!isWide(interval))
                return;
            --narrow;
            flush();
            paintBox(painter, scene, interval, track, index, bar, labels);
            drawn = index;
        };
        if (lookFirst)
            look(bucket.first);
        if (lookLast && bucket.count > 1)
            look(last);
        if (narrow <= 0 || hatched) {
            finishMerged(p);
            continue;
        }
        const double x = geometry.left + static_cast<double>(p) * unit;
        const double share = std::min(1.0, static_cast<double>(bucket.busyPs) / std::max(pixelPs, 1.0));
        const double height = std::clamp(std::ceil(share * bar.height() * m_ratio) / m_ratio, kMinColumn, bar.height());
        column(x, bar.bottom() - height, height, scene.theme.activity(bucket.dominant));
        if (narrow > 1) {
            if (mergedFirst < 0) {
                mergedFirst = bucket.first;
                mergedBegin = p;
            }
            mergedLast = last;
        } else {
            finishMerged(p);
        }
    }
    flush();
    finishMerged(pixels.size());
    if (hatched)
        return;

    // The darker cap of columns that merge more than one; in a second pass, so that equal columns stay one rectangle.
    for (std::size_t p = 0; p < pixels.size(); ++p) {
        const TimelineBucket& bucket = pixels[p];
        if (bucket.count < 3)
            continue;
        const double x = geometry.left + static_cast<double>(p) * unit;
        const double share = std::min(1.0, static_cast<double>(bucket.busyPs) / std::max(pixelPs, 1.0));
        const double height = std::clamp(std::ceil(share * bar.height() * m_ratio) / m_ratio, kMinColumn, bar.height());
        column(x, bar.bottom() - height, 1, Theme::mix(scene.theme.activity(bucket.dominant), scene.theme.color(Role::Critical), 0.45));
    }
    flush();

    painter.setFont(m_textFont);
    for (const Merged& stretch : merged) {
        const QString text = QStringLiteral("%1\u202F\u00D7").arg(texts::count(stretch.count));
        const double width = QFontMetricsF(m_textFont).horizontalAdvance(text);
        if (!labels || width + 12 > stretch.right - stretch.left)
            continue;
        const QRectF plate((stretch.left + stretch.right - width) / 2 - 4, bar.center().y() - 7, width + 8, 14);
        painter.fillRect(plate, scene.theme.color(Role::View));
        painter.setPen(scene.theme.color(Role::Text2));
        drawText(painter, plate.left() + 4, bar.center().y(), text);
    }
}

void TimelinePainter::paintBusy(QPainter& painter, const TimelineScene& scene, const TimelineRow& row, const QRectF& bar)
{
    const std::size_t track = row.tracks.front();
    const std::vector<TimelineBucket>& pixels = buckets(scene, scene.source, track);
    const double pixelPs = scene.geometry.psPerPixel() / m_ratio;
    const double unit = 1 / m_ratio;
    const int dimension = scene.source->tracks()[track].dimension;
    const QColor color = dimension >= 0 ? scene.theme.dimension(dimension) : scene.theme.color(Role::Outline);
    std::size_t begin = 0;
    double height = 0;
    const auto flush = [&](std::size_t end) {
        if (height > 0)
            painter.fillRect(QRectF(bar.left() + static_cast<double>(begin) * unit, bar.bottom() - height, static_cast<double>(end - begin) * unit, height), color);
    };
    for (std::size_t p = 0; p < pixels.size(); ++p) {
        double next = 0;
        if (pixels[p].count > 0) {
            const double share = std::min(1.0, static_cast<double>(pixels[p].busyPs) / std::max(pixelPs, 1.0));
            next = std::max(1.0, std::round(share * bar.height() * m_ratio) / m_ratio);
        }
        if (next != height) {
            flush(p);
            begin = p;
            height = next;
        }
    }
    flush(pixels.size());
    painter.fillRect(QRectF(bar.left(), bar.bottom(), bar.width(), 1), scene.theme.color(Role::Line));
}

void TimelinePainter::paintLine(QPainter& painter, const TimelineScene& scene, const TimelineSourcePtr& source, std::size_t track, double y, const QColor& color)
{
    const std::vector<TimelineBucket>& pixels = buckets(scene, source, track);
    const double unit = 1 / m_ratio;
    for (std::size_t p = 0; p < pixels.size();) {
        if (pixels[p].count == 0) {
            ++p;
            continue;
        }
        std::size_t end = p;
        while (end < pixels.size() && pixels[end].count > 0)
            ++end;
        painter.fillRect(QRectF(scene.geometry.left + static_cast<double>(p) * unit, y, static_cast<double>(end - p) * unit, 2), color);
        p = end;
    }
}

void TimelinePainter::paintExposed(QPainter& painter, const TimelineScene& scene, const TimelineRow& row, const QRectF& bar)
{
    paintLine(painter, scene, scene.source, *row.exposedTrack, bar.bottom() + 2, scene.theme.color(Role::Exposed));
}

void TimelinePainter::paintGhost(QPainter& painter, const TimelineScene& scene, const TimelineRow& row, const QRectF& bar)
{
    if (row.rankClass < 0 || row.tracks.empty())
        return;
    const TimelineTrack& wanted = scene.source->tracks()[row.tracks.back()];
    const std::int32_t rankClass = scene.previous->classOf(scene.source->classes()[at(row.rankClass)].ranks.intervals().front().first);
    for (std::size_t i = 0; i < scene.previous->tracks().size(); ++i) {
        const TimelineTrack& track = scene.previous->tracks()[i];
        if (track.rankClass == rankClass && track.kind == wanted.kind && track.name == wanted.name && track.subLane == wanted.subLane)
            paintLine(painter, scene, scene.previous, i, bar.bottom() - 1, scene.theme.color(Role::Ghost));
    }
}

void TimelinePainter::paintSelection(QPainter& painter, const TimelineScene& scene, const TimelineSelection& selection) const
{
    const int index = scene.rows->rowOfTrack(selection.track);
    if (index < 0)
        return;
    const QRectF bar = barRect(scene, scene.rows->rows()[at(index)]);
    if (bar.isNull())
        return;
    const auto [x0, x1] = xSpan(scene, scene.source->interval(selection.track, selection.index));
    const double right = std::max(x1 - (x1 - x0 >= 3 ? 1 : 0), x0 + 2);
    painter.save();
    painter.setClipRect(plotRect(scene), Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame(x0, bar.top(), right - x0, bar.height());
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(scene.theme.color(Role::View), 1));
    painter.drawRoundedRect(frame.adjusted(1.5, 1.5, -1.5, -1.5), 1, 1);
    painter.setPen(QPen(scene.theme.color(Role::Critical), 2));
    painter.drawRoundedRect(frame, 2, 2);
    painter.restore();
}

} // namespace fabricscope
