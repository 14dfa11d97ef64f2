#include "widgets/timeline/rows.h"

#include "core/draw/rankstext.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

QString tr(const char* text, int n = -1)
{
    return QCoreApplication::translate("Timeline", text, nullptr, n);
}

constexpr std::size_t kNamedIntervals = 4;

/// "37 > D2 switch" as "37 \u2192 switch": the chip beside it names the dimension.
QString linkLabel(const TimelineTrack& track)
{
    QString label = texts::shown(track.name);
    label.replace(QStringLiteral(" > "), QStringLiteral(" \u2192 "));
    label.remove(QStringLiteral("D%1 ").arg(track.dimension));
    return label;
}

} // namespace

QString rankClassName(const TimelineSource& source, int rankClass)
{
    const TimelineClass& group = source.classes()[static_cast<std::size_t>(rankClass)];
    const auto& intervals = group.ranks.intervals();
    const std::int64_t count = group.ranks.count();
    if (source.classes().size() == 1)
        return count == 1 ? tr("Rank %1").arg(intervals.front().first) : tr("All %1 ranks").arg(texts::count(count));
    const QString ranks = QString::fromStdString(ranksText(group.ranks, rankBound(source.classes()), kNamedIntervals));
    return (count == 1 ? tr("Rank %1") : tr("Ranks %1")).arg(ranks);
}

void TimelineRows::setSource(TimelineSourcePtr source)
{
    const bool sameClasses = m_source && source && m_source->classes().size() == source->classes().size();
    m_source = std::move(source);
    m_order.clear();
    if (m_source) {
        const auto& classes = m_source->classes();
        for (std::size_t i = 0; i < classes.size(); ++i)
            m_order.push_back(static_cast<int>(i));
        // Slowest first; among equals the smaller class says more.
        std::stable_sort(m_order.begin(), m_order.end(), [&classes](int a, int b) {
            const TimelineClass& left = classes[static_cast<std::size_t>(a)];
            const TimelineClass& right = classes[static_cast<std::size_t>(b)];
            return left.finish != right.finish ? left.finish > right.finish : left.ranks.count() < right.ranks.count();
        });
        if (!sameClasses) {
            m_open = {kBusyGroup};
            if (!m_order.empty())
                m_open.insert(m_order.front());
        }
    }
    rebuild();
}

void TimelineRows::setScale(double scale)
{
    m_scale = scale;
    rebuild();
}

void TimelineRows::setOpen(int group, bool open)
{
    if (open)
        m_open.insert(group);
    else
        m_open.erase(group);
    rebuild();
}

TimelineRow& TimelineRows::add(TimelineRow::Kind kind, int height, int bar)
{
    TimelineRow row;
    row.kind = kind;
    row.top = totalHeight();
    row.height = static_cast<int>(std::lround(height * m_scale));
    row.bar = static_cast<int>(std::lround(bar * m_scale));
    m_rows.push_back(std::move(row));
    return m_rows.back();
}

void TimelineRows::addClass(int rankClass)
{
    const TimelineClass& group = m_source->classes()[static_cast<std::size_t>(rankClass)];
    const auto tracksOf = [&](TimelineTrack::Kind kind) {
        std::vector<std::size_t> found;
        for (int i = 0; i < group.trackCount; ++i)
            if (m_source->tracks()[static_cast<std::size_t>(group.firstTrack + i)].kind == kind)
                found.push_back(static_cast<std::size_t>(group.firstTrack + i));
        return found;
    };
    const bool open = isOpen(rankClass);
    TimelineRow& header = open ? add(TimelineRow::Kind::ClassHeader, 24, 0) : add(TimelineRow::Kind::ClassCollapsed, 22, 16);
    header.rankClass = rankClass;
    header.label = rankClassName(*m_source, rankClass);
    const std::int64_t alike = group.ranks.count();
    if (alike > 1 && m_source->classes().size() > 1 && group.ranks.intervals().size() <= kNamedIntervals)
        header.detail = tr("%1 alike").arg(texts::count(alike));
    else if (alike > 1 && !header.label.startsWith(texts::count(alike)))
        header.detail = tr("%1 alike").arg(texts::count(alike));
    if (!open) {
        for (const auto kind : {TimelineTrack::Kind::Waiting, TimelineTrack::Kind::Memory, TimelineTrack::Kind::Compute})
            for (const std::size_t track : tracksOf(kind))
                header.tracks.push_back(track);
        return;
    }

    const std::vector<std::size_t> waiting = tracksOf(TimelineTrack::Kind::Waiting);
    int lastCommunication = -1;
    for (int i = 0; i < group.trackCount; ++i) {
        const auto index = static_cast<std::size_t>(group.firstTrack + i);
        const TimelineTrack& track = m_source->tracks()[index];
        if (track.kind == TimelineTrack::Kind::Waiting)
            continue;
        TimelineRow& row = add(TimelineRow::Kind::Track, 20, 18);
        row.rankClass = rankClass;
        if (track.kind == TimelineTrack::Kind::Compute && track.subLane == 0)
            row.tracks = waiting;
        row.tracks.push_back(index);
        switch (track.kind) {
        case TimelineTrack::Kind::Compute: row.label = tr("Compute"); break;
        case TimelineTrack::Kind::Host: row.label = tr("Host"); break;
        case TimelineTrack::Kind::Memory: row.label = tr("Memory"); break;
        case TimelineTrack::Kind::Collective: row.label = track.name.empty() ? tr("All ranks") : texts::shown(track.name); break;
        case TimelineTrack::Kind::PointToPoint: row.label = tr("Send and receive"); break;
        case TimelineTrack::Kind::Waiting:
        case TimelineTrack::Kind::Busy: break;
        }
        if (track.subLane > 0)
            row.label.clear();
        if (track.kind == TimelineTrack::Kind::Collective || track.kind == TimelineTrack::Kind::PointToPoint)
            lastCommunication = static_cast<int>(m_rows.size()) - 1;
    }
    if (lastCommunication >= 0 && !waiting.empty()) {
        TimelineRow& row = m_rows[static_cast<std::size_t>(lastCommunication)];
        row.exposedTrack = waiting.front();
        const int extra = static_cast<int>(std::lround(4 * m_scale));
        row.height += extra;
        for (std::size_t i = static_cast<std::size_t>(lastCommunication) + 1; i < m_rows.size(); ++i)
            m_rows[i].top += extra;
    }
}

void TimelineRows::addBusy()
{
    const auto& tracks = m_source->tracks();
    if (std::none_of(tracks.begin(), tracks.end(), [](const TimelineTrack& track) { return track.kind == TimelineTrack::Kind::Busy; }))
        return;
    add(TimelineRow::Kind::BusyHeader, 24, 0).label = tr("Dimensions, busy share");
    if (!isOpen(kBusyGroup))
        return;
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        if (tracks[i].kind != TimelineTrack::Kind::Busy)
            continue;
        TimelineRow& row = add(TimelineRow::Kind::Busy, 24, 18);
        row.tracks.push_back(i);
        row.label = tracks[i].links == 1 ? linkLabel(tracks[i]) : tr("%1 links").arg(texts::count(tracks[i].links));
        row.detail = texts::percent(tracks[i].busyShare);
    }
}

void TimelineRows::rebuild()
{
    m_rows.clear();
    if (!m_source)
        return;
    for (const int rankClass : m_order)
        addClass(rankClass);
    addBusy();
}

int TimelineRows::rowAt(int y) const
{
    if (y < 0 || y >= totalHeight())
        return -1;
    const auto after = std::upper_bound(m_rows.begin(), m_rows.end(), y, [](int value, const TimelineRow& row) { return value < row.top; });
    return static_cast<int>(after - m_rows.begin()) - 1;
}

int TimelineRows::rowOfTrack(std::size_t track) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (std::find(m_rows[i].tracks.begin(), m_rows[i].tracks.end(), track) != m_rows[i].tracks.end())
            return static_cast<int>(i);
    return -1;
}

std::vector<std::size_t> TimelineRows::groupTracks(int row) const
{
    std::vector<std::size_t> found;
    if (!m_source)
        return found;
    int rankClass = row >= 0 ? m_rows[static_cast<std::size_t>(row)].rankClass : -1;
    const bool busy = row >= 0 && rankClass < 0;
    if (row < 0 && !m_order.empty())
        rankClass = m_order.front();
    for (std::size_t i = 0; i < m_source->tracks().size(); ++i) {
        const TimelineTrack& track = m_source->tracks()[i];
        if (busy ? track.kind == TimelineTrack::Kind::Busy : track.rankClass == rankClass && rankClass >= 0)
            found.push_back(i);
    }
    return found;
}

} // namespace fabricscope
