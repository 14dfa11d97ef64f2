#include "core/insight/messagelog.h"

#include "core/base/index.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fabricscope {

void MessageLog::add(const MessageRecord& message)
{
    if (m_over)
        return;
    if (m_messages.size() >= m_most) {
        clear();
        m_over = true;
        return;
    }
    const Course course{.instance = message.instance, .bytes = message.bytes, .readyPs = message.readyPs, .leftPs = message.leftPs, .donePs = message.donePs, .chunk = message.chunk,
                        .phase = message.phase, .step = message.step};
    if (m_courses.empty() || m_courses.back() != course)
        m_courses.push_back(course);
    if (message.target < 0)
        m_toSwitches.push_back(static_cast<std::uint32_t>(m_messages.size()));
    m_messages.push_back({message.source, message.target, static_cast<std::uint32_t>(m_courses.size() - 1)});
}

void MessageLog::clear()
{
    *this = MessageLog(m_most);
}

MessageRecord MessageLog::operator[](std::uint32_t number) const
{
    const Kept& kept = m_messages[number];
    const Course& course = m_courses[kept.course];
    return {.instance = course.instance, .source = kept.source, .target = kept.target, .chunk = course.chunk, .phase = course.phase, .step = course.step, .slot = 0, .bytes = course.bytes,
            .readyPs = course.readyPs, .leftPs = course.leftPs, .donePs = course.donePs};
}

std::span<const std::uint32_t> MessageLog::ByRank::of(std::int32_t rank) const
{
    if (rank < 0 || static_cast<std::size_t>(rank) + 1 >= begin.size())
        return {};
    return std::span(numbers).subspan(begin[at(rank)], begin[at(rank) + 1] - begin[at(rank)]);
}

/// By rank, in the order they came in. A switch sends and receives too: it is no rank.
MessageLog::ByRank MessageLog::placed(std::int32_t Kept::*end) const
{
    ByRank list;
    const auto isRank = [this](std::int32_t rank) { return rank >= 0 && rank < m_ranks; };
    list.begin.assign(at(m_ranks) + 1, 0);
    for (const Kept& message : m_messages) {
        if (isRank(message.*end))
            ++list.begin[at(message.*end) + 1];
    }
    std::partial_sum(list.begin.begin(), list.begin.end(), list.begin.begin());
    list.numbers.resize(list.begin.back());
    std::vector<std::uint32_t> place(list.begin.begin(), list.begin.end() - 1);
    std::uint32_t number = 0;
    for (const Kept& message : m_messages) {
        if (isRank(message.*end))
            list.numbers[place[at(message.*end)]++] = number;
        ++number;
    }
    return list;
}

/// By rank, in the order of time.
MessageLog::ByRank MessageLog::ordered(std::int32_t Kept::*end, std::int64_t Course::*time) const
{
    ByRank list;
    if (m_folded) {
        list.begin = {0, static_cast<std::uint32_t>(m_messages.size())};
        list.numbers.resize(m_messages.size());
        std::iota(list.numbers.begin(), list.numbers.end(), 0U);
    } else {
        list = placed(end);
    }
    order(time, list);
    return list;
}

void MessageLog::order(std::int64_t Course::*time, ByRank& list) const
{
    const auto isBefore = [time](const Course& a, const Course& b) { return a.*time < b.*time; };
    if (std::ranges::is_sorted(m_courses, isBefore))
        return; // Then so are those of each rank.
    std::vector<std::int64_t> times; // One after the other as they came in: lists of ranks jump.
    times.reserve(m_messages.size());
    for (const Kept& message : m_messages)
        times.push_back(m_courses[message.course].*time);
    std::vector<std::pair<std::int64_t, std::uint32_t>> timed; // Of equal times in the order they came in.
    for (std::size_t rank = 0; rank + 1 < list.begin.size(); ++rank) {
        const std::span<std::uint32_t> numbers = std::span(list.numbers).subspan(list.begin[rank], list.begin[rank + 1] - list.begin[rank]);
        timed.clear();
        for (const std::uint32_t number : numbers)
            timed.emplace_back(times[number], number);
        if (std::ranges::is_sorted(timed))
            continue;
        std::ranges::sort(timed);
        std::ranges::transform(timed, numbers.begin(), [](const auto& entry) { return entry.second; });
    }
}

void MessageLog::sort(std::int32_t ranks, bool folded)
{
    m_ranks = ranks;
    m_folded = folded;
    std::stable_sort(m_toSwitches.begin(), m_toSwitches.end(), [this](std::uint32_t a, std::uint32_t b) { return course(a).donePs < course(b).donePs; });
    m_arrivals = ordered(&Kept::target, &Course::donePs);
    m_departures.reset();
}

std::span<const std::uint32_t> MessageLog::departures(std::int32_t rank) const
{
    if (!m_departures)
        m_departures = ordered(&Kept::source, &Course::leftPs);
    return m_departures->of(m_folded ? 0 : rank);
}

std::size_t MessageLog::countUpTo(std::span<const std::uint32_t> numbers, std::int64_t ps, std::int64_t Course::*time) const
{
    const auto end = std::upper_bound(numbers.begin(), numbers.end(), ps, [&](std::int64_t value, std::uint32_t number) { return value < course(number).*time; });
    return static_cast<std::size_t>(end - numbers.begin());
}

std::optional<std::uint32_t> MessageLog::lastToSwitch(const MessageRecord& of, std::int64_t ps) const
{
    std::size_t count = countUpTo(m_toSwitches, ps, &Course::donePs);
    while (count-- > 0) {
        const Course& message = course(m_toSwitches[count]);
        if (message.instance == of.instance && message.chunk == of.chunk && message.readyPs < of.readyPs)
            return m_toSwitches[count];
    }
    return std::nullopt;
}

std::span<const std::uint32_t> MessageLog::arrivedUpTo(std::int32_t rank, std::int64_t ps) const
{
    const std::span<const std::uint32_t> all = arrivals(rank);
    return all.first(countUpTo(all, ps, &Course::donePs));
}

std::span<const std::uint32_t> MessageLog::leftUpTo(std::int32_t rank, std::int64_t ps) const
{
    const std::span<const std::uint32_t> all = departures(rank);
    return all.first(countUpTo(all, ps, &Course::leftPs));
}

std::span<const std::uint32_t> MessageLog::arrivedAt(std::int32_t rank, std::int64_t ps) const
{
    return arrivedUpTo(rank, ps).subspan(arrivedUpTo(rank, ps - 1).size());
}

std::span<const std::uint32_t> MessageLog::leftAt(std::int32_t rank, std::int64_t ps) const
{
    return leftUpTo(rank, ps).subspan(leftUpTo(rank, ps - 1).size());
}

} // namespace fabricscope
