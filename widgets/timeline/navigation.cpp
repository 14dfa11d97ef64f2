// What the keys and the commands of TimelineView do: along intervals, rows, ranges shown before, what waited for what, bookmarks.
#include "widgets/timeline/view.h"

#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>
#include <limits>

namespace fabricscope {

void TimelineView::selectNext(int step)
{
    if (!m_scene.source)
        return;
    if (!m_selection) {
        for (const TimelineRow& row : m_rows.rows())
            for (const std::size_t track : row.tracks)
                if (row.kind == TimelineRow::Kind::Track && m_scene.source->intervalCount(track) > 0
                    && m_scene.source->tracks()[track].kind != TimelineTrack::Kind::Waiting) {
                    const std::int32_t first = m_scene.source->firstIn(track, SimTime{m_scene.geometry.visible.beginPs}, SimTime{m_scene.geometry.run.endPs});
                    setSelection(TimelineSelection{track, std::max(first, 0)});
                    showSelection();
                    return;
                }
        return;
    }
    const std::int32_t next = std::clamp(m_selection->index + step, 0, m_scene.source->intervalCount(m_selection->track) - 1);
    setSelection(TimelineSelection{m_selection->track, next});
    showSelection();
}

void TimelineView::selectRow(int step)
{
    if (!m_scene.source)
        return;
    if (!m_selection) {
        selectNext(1);
        return;
    }
    const TimelineInterval at = m_scene.source->interval(m_selection->track, m_selection->index);
    const std::int64_t middle = at.beginPs + (at.endPs - at.beginPs) / 2;
    const int count = static_cast<int>(m_rows.rows().size());
    for (int row = m_rows.rowOfTrack(m_selection->track) + step; row >= 0 && row < count; row += step) {
        const TimelineRow& candidate = m_rows.rows()[static_cast<std::size_t>(row)];
        if (candidate.tracks.empty() || candidate.kind == TimelineRow::Kind::Busy)
            continue;
        const std::size_t track = candidate.tracks.back();
        if (m_scene.source->intervalCount(track) == 0)
            continue;
        const std::int32_t found = m_scene.source->firstIn(track, SimTime{middle}, SimTime{std::numeric_limits<std::int64_t>::max()});
        setSelection(TimelineSelection{track, found < 0 ? m_scene.source->intervalCount(track) - 1 : found});
        showSelection();
        return;
    }
}

void TimelineView::showSelection()
{
    if (!m_selection)
        return;
    const TimelineInterval at = m_scene.source->interval(m_selection->track, m_selection->index);
    if (at.endPs <= m_scene.geometry.visible.beginPs || at.beginPs >= m_scene.geometry.visible.endPs)
        visitRange(m_scene.geometry.centred(at.beginPs + (at.endPs - at.beginPs) / 2));
    showRow(m_rows.rowOfTrack(m_selection->track));
}

void TimelineView::showRow(int index)
{
    if (index < 0)
        return;
    const TimelineRow& row = m_rows.rows()[static_cast<std::size_t>(index)];
    const int page = viewport()->height() - m_scene.ruler;
    if (row.pinned && m_scene.pinned() > 0)
        return; // Never scrolled away.
    if (row.top < m_scene.scroll + m_scene.pinned())
        verticalScrollBar()->setValue(row.top - m_scene.pinned());
    else if (row.top + row.height > m_scene.scroll + page)
        verticalScrollBar()->setValue(row.top + row.height - page);
}

void TimelineView::reveal(const TimelineSelection& selection)
{
    if (!m_scene.source || selection.track >= m_scene.source->tracks().size() || selection.index >= m_scene.source->intervalCount(selection.track))
        return;
    const std::int32_t group = m_scene.source->tracks()[selection.track].rankClass;
    // In a collapsed row what computes lies over what communicates, which may not be seen there.
    const TimelineTrack::Kind kind = m_scene.source->tracks()[selection.track].kind;
    const bool covered = kind == TimelineTrack::Kind::Collective || kind == TimelineTrack::Kind::PointToPoint;
    if ((covered || m_rows.rowOfTrack(selection.track) < 0) && !m_rows.isOpen(group))
        setGroupOpen(group, true);
    if (m_rows.rowOfTrack(selection.track) < 0) {
        TimelineArrangement arrangement = m_rows.arrangement();
        arrangement.setHidden(m_rows.keyOfTrack(selection.track), false);
        arrangement.setHidden(m_rows.keyOfGroup(group), false);
        arrange(arrangement);
    }
    if (m_rows.rowOfTrack(selection.track) < 0) {
        setFilter({});
        emit filterGivenUp();
    }
    setSelection(selection);
    showSelection();
}

void TimelineView::readFlow()
{
    m_flow = m_selection && m_workload && m_scene.source ? timelineFlow(*m_scene.source, *m_workload, *m_selection) : TimelineFlow{};
}

std::vector<FlowArrow> TimelineView::arrows() const
{
    return m_arrowsShown && m_selection ? flowArrows(m_scene, *m_selection, m_flow) : std::vector<FlowArrow>{};
}

void TimelineView::setArrowsShown(bool shown)
{
    m_arrowsShown = shown;
    viewport()->update();
}

void TimelineView::goToPredecessor()
{
    if (!m_flow.before.empty())
        reveal(TimelineSelection(m_flow.before.front()));
}

void TimelineView::goToSuccessor()
{
    if (!m_flow.after.empty())
        reveal(TimelineSelection(m_flow.after.front()));
}

void TimelineView::goToPartner()
{
    if (m_flow.partner)
        reveal(TimelineSelection(*m_flow.partner));
}

void TimelineView::setCriticalPath(std::shared_ptr<const std::vector<PathStep>> steps)
{
    if (steps == m_scene.path)
        return;
    m_scene.path = std::move(steps);
    m_pathStep.reset();
    redraw();
}

void TimelineView::goToPathStep(std::size_t step)
{
    if (!m_scene.path || step >= m_scene.path->size())
        return;
    m_pathStep = step;
    const PathStep at = (*m_scene.path)[step];
    if (at.place)
        reveal(*at.place);
    else
        setSelection(std::nullopt);
    // A task may be longer than what of it is on the path.
    if (at.endPs <= m_scene.geometry.visible.beginPs || at.beginPs >= m_scene.geometry.visible.endPs)
        visitRange(m_scene.geometry.centred(at.beginPs + at.ps() / 2));
    emit pathStepReached(static_cast<qint64>(step));
}

std::optional<std::size_t> TimelineView::firstPathStepOnShow() const
{
    const std::vector<PathStep>& steps = *m_scene.path;
    const auto first = std::lower_bound(steps.begin(), steps.end(), m_scene.geometry.visible.beginPs, [](const PathStep& step, std::int64_t ps) { return step.beginPs < ps; });
    return first == steps.end() ? std::nullopt : std::optional<std::size_t>(first - steps.begin());
}

void TimelineView::nextPathStep()
{
    if (!m_scene.path || m_scene.path->empty())
        return;
    if (m_pathStep)
        goToPathStep(std::min(*m_pathStep + 1, m_scene.path->size() - 1));
    else
        goToPathStep(firstPathStepOnShow().value_or(m_scene.path->size() - 1));
}

void TimelineView::previousPathStep()
{
    if (!m_scene.path || m_scene.path->empty())
        return;
    if (m_pathStep)
        goToPathStep(*m_pathStep > 0 ? *m_pathStep - 1 : 0);
    else
        goToPathStep(firstPathStepOnShow().value_or(m_scene.path->size() - 1));
}

void TimelineView::zoomBack()
{
    if (m_zooms.canBack())
        showRange(m_zooms.back());
}

void TimelineView::zoomForward()
{
    if (m_zooms.canForward())
        showRange(m_zooms.forward());
}

void TimelineView::arrange(TimelineArrangement arrangement)
{
    if (arrangement == m_rows.arrangement())
        return;
    m_rows.setArrangement(std::move(arrangement));
    relayoutRows();
    emit arrangementChanged();
}

void TimelineView::setArrangement(const TimelineArrangement& arrangement)
{
    arrange(arrangement);
}

void TimelineView::setFilter(const QString& filter)
{
    m_rows.setFilter(filter);
    relayoutRows();
}

void TimelineView::setCurrentRow(const QString& key)
{
    if (key == m_scene.currentRow)
        return;
    m_scene.currentRow = key;
    redraw();
}

void TimelineView::togglePin()
{
    const int row = m_rows.rowOfKey(currentRow());
    if (row < 0 || m_rows.rows()[static_cast<std::size_t>(row)].isHeader())
        return; // A group stays together where it is.
    TimelineArrangement arrangement = m_rows.arrangement();
    arrangement.setPinned(currentRow(), !arrangement.isPinned(currentRow()));
    arrange(arrangement);
    showRow(m_rows.rowOfKey(currentRow()));
}

void TimelineView::hideRow()
{
    const int row = m_rows.rowOfKey(currentRow());
    if (row < 0)
        return;
    TimelineArrangement arrangement = m_rows.arrangement();
    arrangement.setHidden(currentRow(), true);
    arrange(arrangement);
    // The commands go on with what has taken its place.
    const int last = static_cast<int>(m_rows.rows().size()) - 1;
    setCurrentRow(last < 0 ? QString() : m_rows.rows()[static_cast<std::size_t>(std::min(row, last))].key);
}

void TimelineView::showAllRows()
{
    TimelineArrangement arrangement = m_rows.arrangement();
    arrangement.hidden.clear();
    arrange(arrangement);
}

void TimelineView::moveRow(int by)
{
    if (!m_rows.move(currentRow(), by))
        return;
    relayoutRows();
    showRow(m_rows.rowOfKey(currentRow()));
    emit arrangementChanged();
}

void TimelineView::moveRowUp()
{
    moveRow(-1);
}

void TimelineView::moveRowDown()
{
    moveRow(1);
}

/// Makes the row above or below the current one.
void TimelineView::stepRow(int step)
{
    const auto& rows = m_rows.rows();
    const int count = static_cast<int>(rows.size());
    int row = m_rows.rowOfKey(currentRow());
    if (row < 0)
        row = step > 0 ? -1 : count;
    do
        row += step;
    while (row >= 0 && row < count && rows[static_cast<std::size_t>(row)].key == currentRow()); // Further lanes are part of it.
    if (row < 0 || row >= count)
        return;
    setCurrentRow(rows[static_cast<std::size_t>(row)].key);
    showRow(m_rows.rowOfKey(currentRow()));
}

void TimelineView::setBookmarks(std::vector<std::int64_t> bookmarks)
{
    m_bookmarks.set(std::move(bookmarks));
    m_scene.bookmarks = m_bookmarks.all();
    redraw();
    emit bookmarksChanged();
}

void TimelineView::toggleBookmark()
{
    if (!m_scene.source)
        return;
    constexpr double kReachPixels = 4;
    const TimeRange visible = m_scene.geometry.visible;
    std::int64_t at = visible.beginPs + visible.spanPs() / 2;
    if (m_pointer)
        at = m_scene.geometry.timeAt(*m_pointer);
    else if (m_selection)
        at = m_scene.source->interval(m_selection->track, m_selection->index).beginPs;
    m_bookmarks.toggle(at, static_cast<std::int64_t>(kReachPixels * m_scene.geometry.psPerPixel()));
    m_scene.bookmarks = m_bookmarks.all();
    redraw();
    emit bookmarksChanged();
}

void TimelineView::setTimeCursor(std::optional<std::int64_t> ps)
{
    if (ps && m_scene.source)
        ps = std::clamp<std::int64_t>(*ps, 0, m_scene.source->finish().ps);
    else
        ps.reset();
    if (ps == m_scene.timeCursor)
        return;
    m_scene.timeCursor = ps;
    viewport()->update();
    emit timeCursorChanged();
}

void TimelineView::stepTimeCursor(int hundredths)
{
    const TimeRange visible = m_scene.geometry.visible;
    if (!m_scene.timeCursor) {
        setTimeCursor(hundredths > 0 ? visible.beginPs : visible.endPs);
        return;
    }
    const std::int64_t step = std::max<std::int64_t>(visible.spanPs() / 100, 1);
    setTimeCursor(std::clamp(*m_scene.timeCursor + hundredths * step, visible.beginPs, visible.endPs));
}

void TimelineView::goToBookmark(std::optional<std::int64_t> ps)
{
    if (!ps || !m_scene.source)
        return;
    visitRange(m_scene.geometry.centred(*ps));
    // In a range that cannot move, too, one sees which it is.
    m_pointer = m_scene.geometry.xOf(*ps);
    m_atBookmark = *ps;
    emit bookmarkReached(*ps);
}

std::int64_t TimelineView::bookmarkPlace() const
{
    const TimelineGeometry& geometry = m_scene.geometry;
    if (m_atBookmark && m_pointer == geometry.xOf(*m_atBookmark))
        return *m_atBookmark;
    return m_pointer ? geometry.timeAt(*m_pointer) : geometry.visible.beginPs + geometry.visible.spanPs() / 2;
}

void TimelineView::nextBookmark()
{
    goToBookmark(m_bookmarks.after(bookmarkPlace()));
}

void TimelineView::previousBookmark()
{
    goToBookmark(m_bookmarks.before(bookmarkPlace()));
}

void TimelineView::centreSelection()
{
    if (!m_selection)
        return;
    const TimelineGeometry& geometry = m_scene.geometry;
    const TimelineInterval at = m_scene.source->interval(m_selection->track, m_selection->index);
    const TimeRange centred = geometry.centred(at.beginPs + (at.endPs - at.beginPs) / 2);
    // Already in the middle: fit it.
    visitRange(centred == geometry.visible ? geometry.fitted({at.beginPs, at.endPs}, 0.8) : centred);
}

bool TimelineView::zoomByKey(int key)
{
    const TimelineGeometry& geometry = m_scene.geometry;
    const double middle = m_pointer ? *m_pointer : geometry.left + geometry.width / 2;
    switch (key) {
    case Qt::Key_W: visitRange(geometry.zoomed(1.5, middle)); return true;
    case Qt::Key_S: visitRange(geometry.zoomed(1 / 1.5, middle)); return true;
    case Qt::Key_A: visitRange(geometry.panned(-0.2)); return true;
    case Qt::Key_D: visitRange(geometry.panned(0.2)); return true;
    case Qt::Key_F: centreSelection(); return true;
    default: return false;
    }
}

bool TimelineView::walkByKey(int key)
{
    switch (key) {
    case Qt::Key_Period: selectNext(1); return true;
    case Qt::Key_Comma: selectNext(-1); return true;
    case Qt::Key_Down: selectRow(1); return true;
    case Qt::Key_Up: selectRow(-1); return true;
    case Qt::Key_Left: stepTimeCursor(-1); return true;
    case Qt::Key_Right: stepTimeCursor(1); return true;
    case Qt::Key_Home: setTimeCursor(m_scene.geometry.visible.beginPs); return true;
    case Qt::Key_End: setTimeCursor(m_scene.geometry.visible.endPs); return true;
    case Qt::Key_Space:
        if (const int row = m_rows.rowOfKey(currentRow()); row >= 0) {
            const int group = m_rows.rows()[static_cast<std::size_t>(row)].rankClass;
            setGroupOpen(group, !m_rows.isOpen(group));
        }
        return true;
    case Qt::Key_Escape:
        setSelection(std::nullopt);
        clearRange();
        setTimeCursor(std::nullopt);
        return true;
    default: return false;
    }
}

void TimelineView::keyPressEvent(QKeyEvent* event)
{
    const int key = event->key();
    if (key == Qt::Key_0 && event->modifiers() == Qt::ControlModifier) {
        fitRun();
        return;
    }
    if ((key == Qt::Key_Up || key == Qt::Key_Down) && event->modifiers() == Qt::ControlModifier) {
        stepRow(key == Qt::Key_Down ? 1 : -1);
        return;
    }
    if (key == Qt::Key_Backspace) {
        event->modifiers().testFlag(Qt::ShiftModifier) ? zoomForward() : zoomBack();
        return;
    }
    const bool plain = (event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) == Qt::NoModifier;
    if (!plain || !m_scene.source || !(zoomByKey(key) || walkByKey(key))) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    event->accept();
}

} // namespace fabricscope
