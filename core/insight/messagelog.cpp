#include "core/insight/messagelog.h"

#include "core/base/index.h"

#include <algorithm>

namespace fabricscope {

void MessageLog::add(const MessageRecord& message)
{
    if (m_over)
        return;
    if (m_messages.size() >= m_most) {
        m_over = true;
        m_messages = {};
        return;
    }
    m_messages.push_back(message);
}

void MessageLog::clear()
{
    m_over = false;
    m_messages.clear();
}

std::span<const std::uint32_t> MessageLog::ByRank::of(std::int32_t rank) const
{
    if (rank < 0 || static_cast<std::size_t>(rank) + 1 >= begin.size())
        return {};
    return std::span(numbers).subspan(begin[at(rank)], begin[at(rank) + 1] - begin[at(rank)]);
}

template <typename Rank, typename Time>
MessageLog::ByRank MessageLog::sorted(std::int32_t ranks, Rank rankOf, Time timeOf) const
{
    ByRank list;
    list.begin.assign(static_cast<std::size_t>(ranks) + 1, 0);
    const auto isRank = [ranks](std::int32_t rank) { return rank >= 0 && rank < ranks; }; // A switch sends and receives too.
    for (const MessageRecord& message : m_messages) {
        if (isRank(rankOf(message)))
            ++list.begin[at(rankOf(message)) + 1];
    }
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank)
        list.begin[rank + 1] += list.begin[rank];
    list.numbers.resize(list.begin.back());
    std::vector<std::uint32_t> place(list.begin.begin(), list.begin.end() - 1);
    for (std::uint32_t number = 0; number < m_messages.size(); ++number) {
        const std::int32_t rank = rankOf(m_messages[number]);
        if (isRank(rank))
            list.numbers[place[at(rank)]++] = number;
    }
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return timeOf(m_messages[a]) < timeOf(m_messages[b]); };
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
        const auto first = list.numbers.begin() + static_cast<std::ptrdiff_t>(list.begin[rank]);
        const auto last = list.numbers.begin() + static_cast<std::ptrdiff_t>(list.begin[rank + 1]);
        if (!std::is_sorted(first, last, before))
            std::stable_sort(first, last, before);
    }
    return list;
}

void MessageLog::sort(std::int32_t ranks, bool folded)
{
    m_folded = folded;
    m_toSwitches.clear();
    for (std::uint32_t number = 0; number < m_messages.size(); ++number) {
        if (m_messages[number].target < 0)
            m_toSwitches.push_back(number);
    }
    std::stable_sort(m_toSwitches.begin(), m_toSwitches.end(), [this](std::uint32_t a, std::uint32_t b) { return m_messages[a].donePs < m_messages[b].donePs; });
    const auto all = [](const MessageRecord&) { return 0; };
    const auto left = [](const MessageRecord& message) { return message.leftPs; };
    const auto done = [](const MessageRecord& message) { return message.donePs; };
    if (folded) {
        m_arrivals = sorted(1, all, done);
        m_departures = sorted(1, all, left);
        return;
    }
    m_arrivals = sorted(ranks, [](const MessageRecord& message) { return message.target; }, done);
    m_departures = sorted(ranks, [](const MessageRecord& message) { return message.source; }, left);
}

namespace {

template <typename Time>
std::size_t countUpTo(std::span<const std::uint32_t> numbers, std::int64_t ps, Time timeOf)
{
    const auto end = std::upper_bound(numbers.begin(), numbers.end(), ps, [&](std::int64_t time, std::uint32_t number) { return time < timeOf(number); });
    return static_cast<std::size_t>(end - numbers.begin());
}

} // namespace

std::optional<std::uint32_t> MessageLog::lastToSwitch(const MessageRecord& of, std::int64_t ps) const
{
    std::size_t count = countUpTo(m_toSwitches, ps, [this](std::uint32_t number) { return m_messages[number].donePs; });
    while (count-- > 0) {
        const MessageRecord& message = m_messages[m_toSwitches[count]];
        if (message.instance == of.instance && message.chunk == of.chunk && message.readyPs < of.readyPs)
            return m_toSwitches[count];
    }
    return std::nullopt;
}

std::span<const std::uint32_t> MessageLog::arrivedUpTo(std::int32_t rank, std::int64_t ps) const
{
    const std::span<const std::uint32_t> all = arrivals(rank);
    return all.first(countUpTo(all, ps, [this](std::uint32_t number) { return m_messages[number].donePs; }));
}

std::span<const std::uint32_t> MessageLog::leftUpTo(std::int32_t rank, std::int64_t ps) const
{
    const std::span<const std::uint32_t> all = departures(rank);
    return all.first(countUpTo(all, ps, [this](std::uint32_t number) { return m_messages[number].leftPs; }));
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
