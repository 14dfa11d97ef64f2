#include "widgets/timeline/rows.h"

#include "core/base/index.h"
#include "core/draw/rankstext.h"
#include "core/record/memoryuse.h"
#include "widgets/base/fuzzy.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>
#include <QHash>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

QString tr(const char* text, int n = -1)
{
    return QCoreApplication::translate("fabricscope", text, nullptr, n);
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

QString trackLabel(const TimelineTrack& track)
{
    switch (track.kind) {
    case TimelineTrack::Kind::Compute: return tr("Compute");
    case TimelineTrack::Kind::Host: return tr("Host");
    case TimelineTrack::Kind::Memory: return tr("Memory");
    case TimelineTrack::Kind::Collective: return track.name.empty() ? tr("All ranks") : texts::shown(track.name);
    case TimelineTrack::Kind::PointToPoint: return tr("Send and receive");
    case TimelineTrack::Kind::Waiting:
    case TimelineTrack::Kind::Busy: break;
    }
    return {};
}

/// Part of a key: not translated, so that what was kept in one language fits in another.
QString trackWord(const TimelineTrack& track)
{
    switch (track.kind) {
    case TimelineTrack::Kind::Compute: return QStringLiteral("compute");
    case TimelineTrack::Kind::Host: return QStringLiteral("host");
    case TimelineTrack::Kind::Memory: return QStringLiteral("memory");
    case TimelineTrack::Kind::Collective: return QStringLiteral("collective ") + QString::fromStdString(track.name);
    case TimelineTrack::Kind::PointToPoint: return QStringLiteral("messages");
    case TimelineTrack::Kind::Waiting:
    case TimelineTrack::Kind::Busy: break;
    }
    return {};
}

/// Of two with one name the later gets a number.
template <class Units>
QString keyAmong(const Units& units, const QString& key)
{
    QString free = key;
    for (int number = 2; std::any_of(units.begin(), units.end(), [&free](const auto& unit) { return unit.key == free; }); ++number)
        free = QStringLiteral("%1 #%2").arg(key).arg(number);
    return free;
}

/// `bound`: rankBound() of the classes, which costs as much as there are of them.
QString className(const TimelineSource& source, int rankClass, std::int64_t bound)
{
    const TimelineClass& group = source.classes()[at(rankClass)];
    const std::int64_t count = group.ranks.count();
    if (source.classes().size() == 1)
        return count == 1 ? tr("Rank %1").arg(group.ranks.intervals().front().first) : tr("All %1 ranks").arg(texts::count(count));
    const QString ranks = QString::fromStdString(ranksText(group.ranks, bound, kNamedIntervals));
    return (count == 1 ? tr("Rank %1") : tr("Ranks %1")).arg(ranks);
}

} // namespace

QString rankClassName(const TimelineSource& source, int rankClass)
{
    return className(source, rankClass, rankBound(source.classes()));
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
            const TimelineClass& left = classes[at(a)];
            const TimelineClass& right = classes[at(b)];
            return left.finish != right.finish ? left.finish > right.finish : left.ranks.count() < right.ranks.count();
        });
        if (!sameClasses) {
            m_open = {kBusyGroup, kLiveGroup};
            if (!m_order.empty())
                m_open.insert(m_order.front());
        }
    }
    m_groups.clear();
    const std::int64_t bound = m_source ? rankBound(m_source->classes()) : 0;
    for (const int rankClass : m_order)
        readClass(rankClass, bound);
    if (m_source && m_showsMemory)
        readMemory(bound);
    if (m_source)
        readBusy();
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

void TimelineRows::readClass(int rankClass, std::int64_t bound)
{
    const TimelineClass& of = m_source->classes()[at(rankClass)];
    Group group;
    group.id = rankClass;
    // Classes have no rank in common, so that the first one tells them apart.
    const std::int64_t alike = of.ranks.count();
    group.key = QStringLiteral("ranks %1 x%2").arg(of.ranks.intervals().empty() ? -1 : of.ranks.intervals().front().first).arg(alike);
    group.label = className(*m_source, rankClass, bound);
    if (alike > 1)
        group.detail = tr("%1 alike").arg(texts::count(alike));
    for (int i = 0; i < of.trackCount; ++i) {
        const auto index = static_cast<std::size_t>(of.firstTrack + i);
        const TimelineTrack& track = m_source->tracks()[index];
        if (track.kind == TimelineTrack::Kind::Waiting) {
            group.waiting.push_back(index);
        } else if (track.subLane > 0 && !group.units.empty()) {
            group.units.back().tracks.push_back(index);
        } else {
            Unit unit;
            unit.label = trackLabel(track);
            unit.key = keyAmong(group.units, group.key + QLatin1Char('/') + trackWord(track));
            unit.words = group.label + QLatin1Char(' ') + unit.label;
            unit.tracks.push_back(index);
            group.units.push_back(std::move(unit));
        }
    }
    m_groups.push_back(std::move(group));
}

/// One row for ranks whose memory holds the same; those that come nearest to their capacity, or above it, say so.
void TimelineRows::readMemory(std::int64_t bound)
{
    const std::shared_ptr<const MemoryUse>& memory = m_source->record().memory;
    if (!memory)
        return;
    Group group;
    group.id = kLiveGroup;
    group.key = QStringLiteral("live");
    group.label = tr("Memory, live bytes");
    for (std::size_t i = 0; i < memory->classes.size(); ++i) {
        const MemoryUse::Class& use = memory->classes[i];
        if (use.peakBytes == 0)
            continue; // Its live bytes are not followed.
        Unit unit;
        unit.memoryClass = static_cast<int>(i);
        const std::int64_t count = use.ranks.count();
        const QString ranks = QString::fromStdString(ranksText(use.ranks, bound, kNamedIntervals));
        unit.label = (count == 1 ? tr("Rank %1") : tr("Ranks %1")).arg(ranks);
        const QString peak = texts::bytes(use.peakBytes);
        unit.detail = !use.capacity ? peak : use.overPs >= 0 ? tr("%1, over %2").arg(peak, texts::bytes(*use.capacity)) : tr("%1 of %2").arg(peak, texts::bytes(*use.capacity));
        unit.key = keyAmong(group.units, QStringLiteral("live/%1 x%2").arg(use.ranks.intervals().empty() ? -1 : use.ranks.intervals().front().first).arg(count));
        unit.words = group.label + QLatin1Char(' ') + unit.label;
        group.units.push_back(std::move(unit));
    }
    if (!group.units.empty())
        m_groups.push_back(std::move(group));
}

void TimelineRows::readBusy()
{
    Group group;
    group.key = QStringLiteral("busy");
    group.label = tr("Dimensions, busy share");
    const auto& tracks = m_source->tracks();
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        if (tracks[i].kind != TimelineTrack::Kind::Busy)
            continue;
        Unit unit;
        unit.busy = true;
        unit.label = tracks[i].links == 1 ? linkLabel(tracks[i]) : tr("%1 links").arg(texts::count(tracks[i].links));
        unit.detail = texts::percent(tracks[i].busyShare);
        unit.key = keyAmong(group.units, QStringLiteral("busy/") + QString::fromStdString(tracks[i].name));
        unit.words = QStringLiteral("%1 D%2 %3 %4").arg(group.label).arg(tracks[i].dimension).arg(unit.label, texts::shown(tracks[i].name));
        unit.tracks.push_back(i);
        group.units.push_back(std::move(unit));
    }
    if (!group.units.empty())
        m_groups.push_back(std::move(group));
}

bool TimelineRows::answers(const Unit& unit) const
{
    return m_filter.trimmed().isEmpty() || fuzzyScore(m_filter, unit.words).has_value();
}

bool TimelineRows::isShown(const Unit& unit) const
{
    return !m_arrangement.isHidden(unit.key) && answers(unit);
}

std::vector<const TimelineRows::Unit*> TimelineRows::shownUnits(const Group& group) const
{
    QStringList keys;
    QHash<QString, const Unit*> byKey;
    for (const Unit& unit : group.units) {
        keys.append(unit.key);
        byKey.insert(unit.key, &unit);
    }
    std::vector<const Unit*> shown;
    for (const QString& key : m_arrangement.ordered(keys))
        if (!m_arrangement.isPinned(key) && isShown(*byKey.value(key)))
            shown.push_back(byKey.value(key));
    return shown;
}

void TimelineRows::addUnit(const Group& group, const Unit& unit, bool pinned)
{
    if (unit.memoryClass >= 0) {
        TimelineRow& row = add(TimelineRow::Kind::Live, 40, 34);
        row.rankClass = group.id;
        row.memoryClass = unit.memoryClass;
        row.key = unit.key;
        row.pinned = pinned;
        row.label = unit.label;
        row.detail = unit.detail;
    }
    for (const std::size_t track : unit.tracks) {
        TimelineRow& row = unit.busy ? add(TimelineRow::Kind::Busy, 24, 18) : add(TimelineRow::Kind::Track, 20, 18);
        row.rankClass = group.id;
        row.key = unit.key;
        row.pinned = pinned;
        if (m_source->tracks()[track].kind == TimelineTrack::Kind::Compute && track == unit.tracks.front())
            row.tracks = group.waiting;
        row.tracks.push_back(track);
        if (track != unit.tracks.front())
            continue;
        row.label = unit.label;
        row.detail = pinned && !unit.busy ? group.label : unit.detail;
    }
}

/// Time of waiting that no computing hides stands as a line under the last row of communication.
void TimelineRows::addExposed(const Group& group, std::size_t from)
{
    if (group.waiting.empty())
        return;
    for (std::size_t i = m_rows.size(); i-- > from;) {
        const TimelineTrack::Kind kind = m_rows[i].tracks.empty() ? TimelineTrack::Kind::Busy : m_source->tracks()[m_rows[i].tracks.back()].kind;
        if (kind != TimelineTrack::Kind::Collective && kind != TimelineTrack::Kind::PointToPoint)
            continue;
        m_rows[i].exposedTrack = group.waiting.front();
        const int extra = static_cast<int>(std::lround(4 * m_scale));
        m_rows[i].height += extra;
        for (std::size_t below = i + 1; below < m_rows.size(); ++below)
            m_rows[below].top += extra;
        return;
    }
}

void TimelineRows::addGroup(const Group& group)
{
    const bool filtered = !m_filter.trimmed().isEmpty();
    const std::vector<const Unit*> shown = shownUnits(group);
    if (m_arrangement.isHidden(group.key) || (filtered && shown.empty()))
        return;
    const bool busy = group.id == kBusyGroup;
    const bool live = group.id == kLiveGroup;
    const bool open = filtered || isOpen(group.id);
    TimelineRow& header = busy ? add(TimelineRow::Kind::BusyHeader, 24, 0) : live ? add(TimelineRow::Kind::LiveHeader, 24, 0) : open ? add(TimelineRow::Kind::ClassHeader, 24, 0) : add(TimelineRow::Kind::ClassCollapsed, 22, 16);
    header.rankClass = group.id;
    header.key = group.key;
    header.label = group.label;
    header.detail = group.detail;
    header.open = open;
    if (!open) {
        if (busy || live)
            return;
        // The later over the earlier: a moment belongs to the first of computing, memory, communication and waiting that fills it.
        header.tracks = group.waiting;
        for (const auto kind : {TimelineTrack::Kind::PointToPoint, TimelineTrack::Kind::Collective, TimelineTrack::Kind::Memory, TimelineTrack::Kind::Compute})
            for (const Unit& unit : group.units)
                if (m_source->tracks()[unit.tracks.front()].kind == kind)
                    header.tracks.insert(header.tracks.end(), unit.tracks.begin(), unit.tracks.end());
        return;
    }
    const std::size_t from = m_rows.size();
    for (const Unit* unit : shown)
        addUnit(group, *unit, false);
    addExposed(group, from);
}

void TimelineRows::rebuild()
{
    m_rows.clear();
    m_pinnedHeight = 0;
    QStringList keys;
    QHash<QString, const Group*> groups;
    QHash<QString, std::pair<const Group*, const Unit*>> pinned;
    for (const Group& group : m_groups) {
        keys.append(group.key);
        groups.insert(group.key, &group);
        for (const Unit& unit : group.units)
            if (m_arrangement.isPinned(unit.key) && isShown(unit))
                pinned.insert(unit.key, {&group, &unit});
    }
    for (const QString& key : m_arrangement.pinned)
        if (const auto found = pinned.constFind(key); found != pinned.constEnd())
            addUnit(*found->first, *found->second, true);
    m_pinnedHeight = totalHeight();
    for (const QString& key : m_arrangement.ordered(keys))
        addGroup(*groups.value(key));
}

void TimelineRows::setArrangement(TimelineArrangement arrangement)
{
    m_arrangement = std::move(arrangement);
    rebuild();
}

void TimelineRows::setFilter(const QString& filter)
{
    m_filter = filter;
    rebuild();
}

bool TimelineRows::move(const QString& key, int by)
{
    QStringList siblings;
    QStringList shown;
    for (const Group& group : m_groups) {
        siblings.append(group.key);
        if (std::none_of(group.units.begin(), group.units.end(), [&key](const Unit& unit) { return unit.key == key; }))
            continue;
        siblings.clear();
        for (const Unit& unit : group.units)
            siblings.append(unit.key);
        break;
    }
    const bool ofPinned = m_arrangement.isPinned(key);
    for (const TimelineRow& row : m_rows)
        if ((ofPinned ? row.pinned : !row.pinned && siblings.contains(row.key)) && !shown.contains(row.key))
            shown.append(row.key);
    const bool moved = m_arrangement.move(siblings, shown, key, by);
    if (moved)
        rebuild();
    return moved;
}

int TimelineRows::hiddenCount() const
{
    int count = 0;
    for (const Group& group : m_groups) {
        count += m_arrangement.isHidden(group.key) ? 1 : 0;
        for (const Unit& unit : group.units)
            count += m_arrangement.isHidden(unit.key) ? 1 : 0;
    }
    return count;
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

int TimelineRows::rowOfKey(const QString& key) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].key == key)
            return static_cast<int>(i);
    return -1;
}

QString TimelineRows::keyOfTrack(std::size_t track) const
{
    for (const Group& group : m_groups)
        for (const Unit& unit : group.units)
            if (std::find(unit.tracks.begin(), unit.tracks.end(), track) != unit.tracks.end())
                return unit.key;
    return {};
}

QString TimelineRows::keyOfGroup(int id) const
{
    const auto found = std::find_if(m_groups.begin(), m_groups.end(), [id](const Group& group) { return group.id == id; });
    return found == m_groups.end() ? QString() : found->key;
}

std::vector<std::size_t> TimelineRows::groupTracks(int row) const
{
    std::vector<std::size_t> found;
    if (!m_source)
        return found;
    int rankClass = row >= 0 ? m_rows[at(row)].rankClass : -1;
    const bool busy = row >= 0 && rankClass == kBusyGroup;
    if ((row < 0 || rankClass == kLiveGroup) && !m_order.empty())
        rankClass = m_order.front();
    for (std::size_t i = 0; i < m_source->tracks().size(); ++i) {
        const TimelineTrack& track = m_source->tracks()[i];
        if (busy ? track.kind == TimelineTrack::Kind::Busy : track.rankClass == rankClass && rankClass >= 0)
            found.push_back(i);
    }
    return found;
}

} // namespace fabricscope
