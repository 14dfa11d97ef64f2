#pragma once

#include "core/record/messagerecord.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fabricscope {

/// The messages of one run, found by where and when they arrive or leave. Filled while the run goes on, sorted once, then only read.
/// Folded: rank 0 stands for all, which do the same at the same time; what it sends is what it receives.
class MessageLog {
public:
    /// At most `most` messages; more of them, and the log is empty and stays so.
    explicit MessageLog(std::size_t most) : m_most(most) {}

    void add(const MessageRecord& message);
    void clear();
    /// After the last add(). O(messages), and sorting where they did not come in order.
    void sort(std::int32_t ranks, bool folded);

    bool isOver() const { return m_over; } ///< There were more than it takes.
    bool isFolded() const { return m_folded; }
    bool empty() const { return m_messages.empty(); }
    std::size_t size() const { return m_messages.size(); }
    const MessageRecord& operator[](std::uint32_t number) const { return m_messages[number]; }

    /// Messages to a rank by when they were delivered, and from it by when they had left.
    std::span<const std::uint32_t> arrivals(std::int32_t rank) const { return m_arrivals.of(m_folded ? 0 : rank); }
    std::span<const std::uint32_t> departures(std::int32_t rank) const { return m_departures.of(m_folded ? 0 : rank); }
    /// Those of them at that instant. O(log messages of the rank).
    std::span<const std::uint32_t> arrivedAt(std::int32_t rank, std::int64_t ps) const;
    std::span<const std::uint32_t> leftAt(std::int32_t rank, std::int64_t ps) const;
    /// The last message of a chunk of a collective that was at a switch by then; switches are no ranks. O(messages to switches of the run).
    std::optional<std::uint32_t> lastToSwitch(const MessageRecord& of, std::int64_t ps) const;
    /// Those before it, and at it.
    std::span<const std::uint32_t> arrivedUpTo(std::int32_t rank, std::int64_t ps) const;
    std::span<const std::uint32_t> leftUpTo(std::int32_t rank, std::int64_t ps) const;

private:
    struct ByRank {
        std::vector<std::uint32_t> begin;
        std::vector<std::uint32_t> numbers;
        std::span<const std::uint32_t> of(std::int32_t rank) const;
    };
    template <typename Rank, typename Time>
    ByRank sorted(std::int32_t ranks, Rank rankOf, Time timeOf) const;

    std::size_t m_most;
    bool m_over = false;
    bool m_folded = false;
    std::vector<MessageRecord> m_messages;
    ByRank m_arrivals;
    ByRank m_departures;
    std::vector<std::uint32_t> m_toSwitches; ///< By when they were delivered.
};

} // namespace fabricscope
