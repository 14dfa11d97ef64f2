#include "widgets/timeline/tasksearch.h"

#include "core/base/stop.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <tuple>

namespace fabricscope {

namespace {

char folded(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string foldedText(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), folded);
    return result;
}

/// One name after the other may be looked up, without memory of its own for each.
class Needle {
public:
    explicit Needle(std::string_view text) : m_text(foldedText(text)) {}
    bool isIn(std::string_view name) const
    {
        return std::search(name.begin(), name.end(), m_text.begin(), m_text.end(), [](char here, char wanted) { return folded(here) == wanted; }) != name.end();
    }

private:
    std::string m_text;
};

/// How many intervals of each track are looked at where all may not be: tracks with few are looked at whole, those with more in equal parts of what is left.
std::vector<std::int64_t> shares(const TimelineSource& source, std::int64_t budget)
{
    std::vector<std::int64_t> share(source.tracks().size(), 0);
    std::vector<std::size_t> named;
    for (std::size_t track = 0; track < share.size(); ++track)
        if (source.tracks()[track].kind != TimelineTrack::Kind::Waiting && source.intervalCount(track) > 0) // Waiting has no names.
            named.push_back(track);
    std::stable_sort(named.begin(), named.end(), [&source](std::size_t a, std::size_t b) { return source.intervalCount(a) < source.intervalCount(b); });
    for (std::size_t i = 0; i < named.size(); ++i) {
        const auto left = static_cast<std::int64_t>(named.size() - i);
        share[named[i]] = std::min<std::int64_t>(source.intervalCount(named[i]), budget / left);
        budget -= share[named[i]];
    }
    return share;
}

} // namespace

struct TimelineMatches::Key {
    std::int64_t beginPs = 0;
    std::size_t track = 0;
    std::int32_t index = 0;
    friend bool operator<(const Key& left, const Key& right)
    {
        return std::tie(left.beginPs, left.track, left.index) < std::tie(right.beginPs, right.track, right.index);
    }
};

const RankGraph* graphOfClass(const TimelineSource& source, const Workload& workload, std::int32_t rankClass)
{
    if (rankClass < 0)
        return nullptr;
    const RankSet& ranks = source.classes()[static_cast<std::size_t>(rankClass)].ranks;
    return ranks.empty() ? nullptr : &workload.graph(static_cast<std::int32_t>(ranks.intervals().front().first));
}

TimelineMatches TimelineMatches::find(TimelineSourcePtr source, WorkloadPtr workload, std::string_view text, const std::stop_token& stop)
{
    TimelineMatches matches;
    const Needle needle(text);
    matches.m_ofTrack.resize(source->tracks().size());
    for (std::size_t track = 0; !text.empty() && track < source->tracks().size(); ++track) {
        const RankGraph* graph = graphOfClass(*source, *workload, source->tracks()[track].rankClass);
        for (std::int32_t i = 0; graph && i < source->intervalCount(track); ++i) {
            checkStop(stop);
            const TaskIndex task = source->interval(track, i).task;
            if (task >= 0 && needle.isIn(graph->name(task)))
                matches.m_ofTrack[track].push_back(i);
        }
        matches.m_count += static_cast<std::int64_t>(matches.m_ofTrack[track].size());
    }
    matches.m_source = std::move(source);
    return matches;
}

std::vector<NamedTask> namedTasks(const TimelineSource& source, const Workload& workload, std::string_view text, std::size_t most, std::int64_t budget)
{
    std::vector<NamedTask> found;
    if (text.empty())
        return found;
    const Needle needle(text);
    std::set<std::string_view> known; // Of the graphs, which outlive this.
    const std::vector<std::int64_t> share = shares(source, budget);
    for (std::size_t track = 0; track < share.size(); ++track) {
        const RankGraph* graph = share[track] > 0 ? graphOfClass(source, workload, source.tracks()[track].rankClass) : nullptr;
        for (std::int32_t i = 0; graph && i < share[track]; ++i) {
            if (found.size() == most)
                return found;
            const TaskIndex task = source.interval(track, i).task;
            if (task < 0 || !needle.isIn(graph->name(task)) || !known.insert(graph->name(task)).second)
                continue;
            found.push_back({std::string(graph->name(task)), {track, i}});
        }
    }
    return found;
}

TimelineMatches::Key TimelineMatches::keyOf(const TimelineSelection& at) const
{
    return {m_source->interval(at.track, at.index).beginPs, at.track, at.index};
}

std::size_t TimelineMatches::before(std::size_t track, const Key& key) const
{
    const std::vector<std::int32_t>& found = m_ofTrack[track];
    const auto end = std::partition_point(found.begin(), found.end(), [&](std::int32_t index) { return keyOf({track, index}) < key; });
    return static_cast<std::size_t>(end - found.begin());
}

std::optional<TimelineSelection> TimelineMatches::firstNotBefore(const Key& key) const
{
    std::optional<TimelineSelection> best;
    for (std::size_t track = 0; track < m_ofTrack.size(); ++track) {
        const std::size_t place = before(track, key);
        if (place == m_ofTrack[track].size())
            continue;
        const TimelineSelection candidate{track, m_ofTrack[track][place]};
        if (!best || keyOf(candidate) < keyOf(*best))
            best = candidate;
    }
    return best;
}

std::optional<TimelineSelection> TimelineMatches::from(std::int64_t ps) const
{
    const auto found = firstNotBefore({ps, 0, 0});
    return found ? found : firstNotBefore({std::numeric_limits<std::int64_t>::min(), 0, 0});
}

std::optional<TimelineSelection> TimelineMatches::next(const TimelineSelection& at) const
{
    if (m_count == 0)
        return std::nullopt;
    Key key = keyOf(at);
    ++key.index;
    const auto found = firstNotBefore(key);
    return found ? found : from(std::numeric_limits<std::int64_t>::min());
}

std::optional<TimelineSelection> TimelineMatches::previous(const TimelineSelection& at) const
{
    if (m_count == 0)
        return std::nullopt;
    const auto lastBefore = [this](const Key& key) {
        std::optional<TimelineSelection> best;
        for (std::size_t track = 0; track < m_ofTrack.size(); ++track) {
            const std::size_t place = before(track, key);
            if (place == 0)
                continue;
            const TimelineSelection candidate{track, m_ofTrack[track][place - 1]};
            if (!best || keyOf(*best) < keyOf(candidate))
                best = candidate;
        }
        return best;
    };
    const auto found = lastBefore(keyOf(at));
    return found ? found : lastBefore({std::numeric_limits<std::int64_t>::max(), m_ofTrack.size(), 0});
}

std::int64_t TimelineMatches::numberOf(const TimelineSelection& match) const
{
    if (match.track >= m_ofTrack.size() || !std::binary_search(m_ofTrack[match.track].begin(), m_ofTrack[match.track].end(), match.index))
        return 0;
    const Key key = keyOf(match);
    std::int64_t number = 1;
    for (std::size_t track = 0; track < m_ofTrack.size(); ++track)
        number += static_cast<std::int64_t>(before(track, key));
    return number;
}

} // namespace fabricscope
