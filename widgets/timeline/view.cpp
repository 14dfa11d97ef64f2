#include "widgets/timeline/view.h"

#include "core/record/memorytrack.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/timeline/timetext.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {
constexpr int kRightPadding = 12;
constexpr int kReach = 3; ///< Pixels a click may miss an interval by.
} // namespace

TimelineView::TimelineView(QWidget* parent) : QAbstractScrollArea(parent)
{
    m_scene.rows = &m_rows;
    m_rows.showMemory();
    setAccessibleName(tr("Timeline"));
    setAccessibleDescription(tr("Time of the run by rank class and dimension"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    followTheme(this, &TimelineView::setTheme);
}

void TimelineView::setSource(TimelineSourcePtr source, WorkloadPtr workload)
{
    const bool keep = m_scene.source && source && m_scene.source->classes().size() == source->classes().size() && m_scene.source->tracks().size() == source->tracks().size();
    const bool wasFitted = m_scene.geometry.visible == m_scene.geometry.run;
    setCriticalPath(nullptr); // Of another run.
    m_scene.source = std::move(source);
    m_workload = std::move(workload);
    m_painter.clear();
    m_rows.setSource(m_scene.source);
    if (m_selection && (!keep || m_selection->index >= m_scene.source->intervalCount(m_selection->track)))
        setSelection(std::nullopt);
    clearRange();
    layoutGeometry();
    // A run that goes on may still come to it.
    if (m_scene.timeCursor && (!m_scene.source || (!m_scene.source->record().cutAt && *m_scene.timeCursor > m_scene.source->finish().ps)))
        setTimeCursor(std::nullopt);
    if (!keep || wasFitted) {
        showRange(m_scene.geometry.run);
        m_zooms.start(m_scene.geometry.visible);
    } else {
        showRange(m_scene.geometry.visible);
    }
    readFlow();
    relayoutRows();
}

void TimelineView::setNote(const QString& note)
{
    if (note == m_scene.note)
        return;
    m_scene.note = note;
    redraw();
}

void TimelineView::setPrevious(TimelineSourcePtr previous)
{
    const bool wasFitted = m_scene.geometry.visible == m_scene.geometry.run;
    m_scene.previous = std::move(previous);
    m_painter.clear();
    layoutGeometry();
    if (wasFitted) {
        showRange(m_scene.geometry.run);
        m_zooms.start(m_scene.geometry.visible);
    }
    redraw();
}

void TimelineView::setTheme(const Theme& theme)
{
    m_scene.theme = theme;
    m_scene.ruler = theme.scaled(22);
    m_rows.setScale(std::max(1.0, theme.basePixels() / 13.0));
    relayoutRows();
}

void TimelineView::layoutGeometry()
{
    m_scene.size = viewport()->size();
    m_scene.geometry.left = m_scene.label;
    m_scene.geometry.width = std::max(1, m_scene.size.width() - m_scene.label - kRightPadding);
    std::int64_t end = 1;
    if (m_scene.source)
        end = std::max(end, m_scene.source->finish().ps);
    if (m_scene.previous)
        end = std::max(end, m_scene.previous->finish().ps);
    m_scene.geometry.run = {0, end};
}

void TimelineView::relayoutRows()
{
    const int page = std::max(0, viewport()->height() - m_scene.ruler);
    verticalScrollBar()->setRange(0, std::max(0, m_rows.totalHeight() - page));
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(20);
    m_scene.scroll = verticalScrollBar()->value();
    redraw();
}

void TimelineView::redraw()
{
    m_layerValid = false;
    viewport()->update();
}

void TimelineView::showRange(TimeRange range)
{
    m_scene.geometry.visible = m_scene.geometry.clamped(range);
    redraw();
}

void TimelineView::visitRange(TimeRange range, TimelineZoomHistory::Act act)
{
    showRange(range);
    m_zooms.visit(m_scene.geometry.visible, act);
}

void TimelineView::setVisibleRange(TimeRange range)
{
    visitRange(range);
}

void TimelineView::fitRun()
{
    visitRange(m_scene.geometry.run);
}

void TimelineView::goToTime(std::int64_t ps)
{
    constexpr std::int64_t kShare = 8;
    TimelineGeometry geometry = m_scene.geometry;
    if (geometry.visible == geometry.run)
        geometry.visible = geometry.clamped({geometry.run.beginPs, geometry.run.beginPs + geometry.run.spanPs() / kShare});
    visitRange(geometry.centred(ps));
}

void TimelineView::setGroupOpen(int group, bool open)
{
    m_rows.setOpen(group, open);
    if (m_rows.rowOfKey(currentRow()) < 0 && !currentRow().isEmpty())
        setCurrentRow(m_rows.keyOfGroup(group));
    relayoutRows();
}

QRectF TimelineView::trackRect(std::size_t track) const
{
    const int row = m_rows.rowOfTrack(track);
    return row < 0 ? QRectF() : TimelinePainter::barRect(m_scene, m_rows.rows()[static_cast<std::size_t>(row)]);
}

void TimelineView::setSelection(std::optional<TimelineSelection> selection)
{
    if (m_selection == selection)
        return;
    m_selection = selection;
    if (m_selection) {
        const TimelineEvent event = m_scene.source->event(m_selection->track, m_selection->index);
        const int row = m_rows.rowOfTrack(m_selection->track);
        setCurrentRow(row >= 0 ? m_rows.rows()[static_cast<std::size_t>(row)].key : m_rows.keyOfGroup(m_scene.source->tracks()[m_selection->track].rankClass));
        setAccessibleDescription(tr("%1, %2 from %3").arg(eventTitle(event), texts::time(event.end - event.begin), texts::time(event.begin)));
    } else {
        setAccessibleDescription(tr("Time of the run by rank class and dimension"));
    }
    readFlow();
    viewport()->update();
    emit selectionChanged();
}

void TimelineView::clearRange()
{
    if (!m_range)
        return;
    m_range.reset();
    viewport()->update();
    emit rangeCleared();
}

void TimelineView::updateRange(std::int64_t from, std::int64_t to)
{
    m_range = TimeRange{std::min(from, to), std::max(from, to)};
    const std::vector<std::size_t> tracks = m_rows.groupTracks(m_dragRow);
    m_rangeSums = m_scene.source->sums(tracks, SimTime{m_range->beginPs}, SimTime{m_range->endPs});
    viewport()->update();
}

int TimelineView::rowAtPosition(const QPointF& position) const
{
    return position.y() < m_scene.ruler ? -1 : m_rows.rowAt(m_scene.rowsY(position.y()));
}

std::optional<TimelineSelection> TimelineView::hitTest(const QPointF& position) const
{
    const int index = rowAtPosition(position);
    if (index < 0 || !m_scene.source || position.x() < m_scene.geometry.left)
        return std::nullopt;
    const TimelineRow& row = m_rows.rows()[static_cast<std::size_t>(index)];
    // What lies on top is asked first; exactly under the pointer before a little beside it.
    for (const double reach : {0.5, double(kReach)}) {
        const std::int64_t from = m_scene.geometry.timeAt(position.x() - reach);
        const std::int64_t to = std::max(m_scene.geometry.timeAt(position.x() + reach), from + 1);
        for (auto track = row.tracks.rbegin(); track != row.tracks.rend(); ++track) {
            std::int32_t found = m_scene.source->firstIn(*track, SimTime{from}, SimTime{to});
            if (found < 0)
                continue;
            // Of several, the one nearest to the pointer.
            const std::int64_t at = m_scene.geometry.timeAt(position.x());
            while (found + 1 < m_scene.source->intervalCount(*track) && m_scene.source->interval(*track, found).endPs <= at
                   && m_scene.source->interval(*track, found + 1).beginPs <= at)
                ++found;
            return TimelineSelection{*track, found};
        }
    }
    return std::nullopt;
}

void TimelineView::paintOn(QPainter& painter, double devicePixelRatio)
{
    m_painter.paint(painter, m_scene, devicePixelRatio);
    if (!m_scene.source)
        return;
    m_painter.paintPath(painter, m_scene);
    if (m_selection)
        m_painter.paintSelection(painter, m_scene, *m_selection);
    m_painter.paintFlow(painter, m_scene, arrows());
    if (m_range)
        m_painter.paintRange(painter, m_scene, *m_range, m_rangeSums);
    m_painter.paintTimeCursor(painter, m_scene);
}

void TimelineView::paintEvent(QPaintEvent*)
{
    const double ratio = devicePixelRatioF();
    const QSize size = viewport()->size() * ratio;
    if (!m_layerValid || m_layer.size() != size) {
        if (m_layer.size() != size)
            m_layer = QImage(size, QImage::Format_RGB32);
        m_layer.setDevicePixelRatio(ratio);
        QPainter layer(&m_layer);
        m_painter.paint(layer, m_scene, ratio);
        m_painter.paintPath(layer, m_scene);
        m_layerValid = true;
    }
    QPainter painter(viewport());
    painter.drawImage(QPointF(0, 0), m_layer);
    if (!m_scene.source) {
        painter.setFont(m_scene.theme.font(TextStyle::Body));
        painter.setPen(m_scene.theme.color(Role::Text2));
        painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("Nothing has run yet."));
    } else {
        if (m_selection)
            m_painter.paintSelection(painter, m_scene, *m_selection);
        m_painter.paintFlow(painter, m_scene, arrows());
        if (m_range)
            m_painter.paintRange(painter, m_scene, *m_range, m_rangeSums);
        m_painter.paintTimeCursor(painter, m_scene);
        if (m_pointer)
            m_painter.paintCrosshair(painter, m_scene, *m_pointer);
    }
    if (m_keyboardFocus) {
        painter.setPen(QPen(m_scene.theme.color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

void TimelineView::resizeEvent(QResizeEvent*)
{
    const bool fitted = m_scene.geometry.visible == m_scene.geometry.run;
    layoutGeometry();
    showRange(fitted ? m_scene.geometry.run : m_scene.geometry.visible);
    relayoutRows();
}

void TimelineView::scrollContentsBy(int, int)
{
    m_scene.scroll = verticalScrollBar()->value();
    redraw();
}

void TimelineView::wheelEvent(QWheelEvent* event)
{
    const QPoint delta = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier) {
        visitRange(m_scene.geometry.zoomed(std::pow(1.25, delta.y() / 120.0), event->position().x()), TimelineZoomHistory::Act::Wheel);
    } else if ((event->modifiers() & Qt::ShiftModifier) || std::abs(delta.x()) > std::abs(delta.y())) {
        // Some platforms turn Shift+wheel into a horizontal wheel themselves.
        const int turned = std::abs(delta.x()) > std::abs(delta.y()) ? delta.x() : delta.y();
        visitRange(m_scene.geometry.panned(-0.1 * turned / 120.0), TimelineZoomHistory::Act::Wheel);
    } else {
        QScrollBar* bar = verticalScrollBar();
        bar->setValue(bar->value() - delta.y() * 3 * bar->singleStep() / 120);
    }
    event->accept();
}

void TimelineView::mousePressEvent(QMouseEvent* event)
{
    if (!m_scene.source)
        return;
    const QPointF at = event->position();
    m_dragFrom = at;
    m_dragVisible = m_scene.geometry.visible;
    m_keyboardFocus = false;
    if (event->button() == Qt::MiddleButton) {
        m_drag = Drag::Pan;
        return;
    }
    const int clicked = rowAtPosition(at);
    if (event->button() == Qt::RightButton && clicked >= 0)
        setCurrentRow(m_rows.rows()[static_cast<std::size_t>(clicked)].key); // The menu is about this one.
    if (event->button() != Qt::LeftButton)
        return;
    if (std::abs(at.x() - m_scene.label) <= 3) {
        m_drag = Drag::Labels;
        return;
    }
    if (at.x() < m_scene.label) {
        if (clicked < 0)
            return;
        const TimelineRow row = m_rows.rows()[static_cast<std::size_t>(clicked)];
        setCurrentRow(row.key);
        if (row.isHeader())
            setGroupOpen(row.rankClass, !m_rows.isOpen(row.rankClass));
        return;
    }
    if (at.y() < m_scene.ruler || (event->modifiers() & Qt::ShiftModifier)) {
        m_drag = Drag::Range;
        m_dragRow = rowAtPosition(at);
        m_dragTime = m_scene.geometry.timeAt(at.x());
        // A handle is taken up again: the other end stays.
        if (m_range && at.y() < m_scene.ruler) {
            if (std::abs(at.x() - m_scene.geometry.xOf(m_range->beginPs)) <= 4)
                m_dragTime = m_range->endPs;
            else if (std::abs(at.x() - m_scene.geometry.xOf(m_range->endPs)) <= 4)
                m_dragTime = m_range->beginPs;
        }
        return;
    }
    setSelection(hitTest(at));
}

void TimelineView::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF at = event->position();
    m_pointer = at.x() >= m_scene.geometry.left ? std::optional(at.x()) : std::nullopt;
    switch (m_drag) {
    case Drag::Pan: {
        const double share = (m_dragFrom.x() - at.x()) / m_scene.geometry.width;
        const std::int64_t shift = std::llround(share * static_cast<double>(m_dragVisible.spanPs()));
        visitRange({m_dragVisible.beginPs + shift, m_dragVisible.endPs + shift}, TimelineZoomHistory::Act::Drag);
        break;
    }
    case Drag::Range: updateRange(m_dragTime, m_scene.geometry.timeAt(at.x())); break;
    case Drag::Labels:
        m_scene.label = std::clamp(static_cast<int>(at.x()), 120, 320);
        layoutGeometry();
        showRange(m_scene.geometry.visible);
        break;
    case Drag::None:
        viewport()->setCursor(std::abs(at.x() - m_scene.label) <= 3 ? Qt::SplitHCursor : Qt::ArrowCursor);
        viewport()->update();
        break;
    }
    emit pointerMoved(m_pointer && m_scene.source ? m_scene.geometry.timeAt(at.x()) : -1);
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_drag == Drag::Range) {
        if (std::abs(event->position().x() - m_dragFrom.x()) < 2) {
            clearRange();
            if (m_dragFrom.y() < m_scene.ruler)
                setTimeCursor(m_scene.geometry.timeAt(m_dragFrom.x()));
        } else if (m_range)
            emit rangeSelected(*m_range, m_rangeSums);
    }
    m_drag = Drag::None;
    m_zooms.endAct();
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const std::optional<TimelineSelection> hit = hitTest(event->position());
    if (!hit)
        return;
    setSelection(hit);
    const TimelineInterval at = m_scene.source->interval(hit->track, hit->index);
    visitRange(m_scene.geometry.fitted({at.beginPs, at.endPs}, 0.8));
}

void TimelineView::focusInEvent(QFocusEvent* event)
{
    m_keyboardFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason || event->reason() == Qt::ShortcutFocusReason;
    viewport()->update();
}

void TimelineView::focusOutEvent(QFocusEvent*)
{
    m_keyboardFocus = false;
    viewport()->update();
}

QString TimelineView::tooltipAt(const QPointF& position) const
{
    const int index = rowAtPosition(position);
    if (index < 0 || !m_scene.source)
        return {};
    const TimelineRow& row = m_rows.rows()[static_cast<std::size_t>(index)];
    if (position.x() < m_scene.label || (row.tracks.empty() && row.memoryClass < 0))
        return texts::toolTip(row.label);
    const std::int64_t from = m_scene.geometry.timeAt(position.x());
    const std::int64_t to = std::max(m_scene.geometry.timeAt(position.x() + 1), from + 1);
    if (row.memoryClass >= 0) {
        const MemoryUse::Class& use = m_scene.source->record().memory->classes[static_cast<std::size_t>(row.memoryClass)];
        const QString bytes = texts::bytes(mostLiveBytes(use, from, to));
        return texts::toolTip(use.capacity ? tr("%1: %2 of %3 live at %4").arg(row.label, bytes, texts::bytes(*use.capacity), texts::time(SimTime{from}))
                                           : tr("%1: %2 live at %3").arg(row.label, bytes, texts::time(SimTime{from})));
    }
    if (row.kind == TimelineRow::Kind::Busy)
        return texts::toolTip(tr("%1: %2 busy at %3").arg(row.label, texts::percent(m_scene.source->busyShare(row.tracks.front(), SimTime{from}, SimTime{to})), texts::time(SimTime{from})));
    const std::optional<TimelineSelection> hit = hitTest(position);
    if (!hit)
        return {};
    std::vector<TimelineBucket> bucket(1);
    m_scene.source->buckets(hit->track, SimTime{from}, SimTime{to}, bucket);
    if (bucket[0].count > 2)
        return bucketTooltip(bucket[0], static_cast<double>(bucket[0].busyPs) / static_cast<double>(to - from), SimTime{to - from});
    return eventTooltip(m_scene.source->event(hit->track, hit->index));
}

bool TimelineView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString text = tooltipAt(help->pos());
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, viewport());
        return true;
    }
    if (event->type() == QEvent::Leave) {
        m_pointer.reset();
        viewport()->update();
        emit pointerMoved(-1);
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace fabricscope
