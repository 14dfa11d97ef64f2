#pragma once

#include "core/record/messagerecord.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace fabricscope {

/// The messages of one run, found by where and when they arrive or leave. Filled while the run goes on, sorted once, then only read.
/// Folded: rank 0 stands for all, which do the same at the same time; what it sends is what it receives.
/// Runs of millions of messages last less than keeping them would: messages that do the same at the same time, one after the other, are kept once.
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
    MessageRecord operator[](std::uint32_t number) const; ///< Without its slot.

    /// Messages to a rank by when they were delivered, and from it by when they had left.
    std::span<const std::uint32_t> arrivals(std::int32_t rank) const { return m_arrivals.of(m_folded ? 0 : rank); }
    std::span<const std::uint32_t> departures(std::int32_t rank) const;
    /// Those of them at that instant. O(log messages of the rank).
    std::span<const std::uint32_t> arrivedAt(std::int32_t rank, std::int64_t ps) const;
    std::span<const std::uint32_t> leftAt(std::int32_t rank, std::int64_t ps) const;
    /// The last message of a chunk of a collective that was at a switch by then; switches are no ranks. O(messages to switches of the run).
    std::optional<std::uint32_t> lastToSwitch(const MessageRecord& of, std::int64_t ps) const;
    /// Those before it, and at it.
    std::span<const std::uint32_t> arrivedUpTo(std::int32_t rank, std::int64_t ps) const;
    std::span<const std::uint32_t> leftUpTo(std::int32_t rank, std::int64_t ps) const;

private:
    /// What messages do, without their ends.
    struct Course {
        std::int64_t instance = -1;
        std::int64_t bytes = 0;
        std::int64_t readyPs = 0;
        std::int64_t leftPs = 0;
        std::int64_t donePs = 0;
        std::int32_t chunk = 0;
        std::int32_t phase = 0;
        std::int32_t step = 0;
        friend bool operator==(const Course&, const Course&) = default;
    };
    struct Kept {
        std::int32_t source = 0;
        std::int32_t target = 0;
        std::uint32_t course = 0; ///< In m_courses.
    };
    struct ByRank {
        std::vector<std::uint32_t> begin;
        std::vector<std::uint32_t> numbers;
        std::span<const std::uint32_t> of(std::int32_t rank) const;
    };

    const Course& course(std::uint32_t number) const { return m_courses[m_messages[number].course]; }
    ByRank placed(std::int32_t Kept::*end) const;
    ByRank ordered(std::int32_t Kept::*end, std::int64_t Course::*time) const;
    /// Lists of a rank in the order of time.
    void order(std::int64_t Course::*time, ByRank& list) const;
    std::size_t countUpTo(std::span<const std::uint32_t> numbers, std::int64_t ps, std::int64_t Course::*time) const;

    std::size_t m_most;
    bool m_over = false;
    bool m_folded = false;
    std::deque<Kept> m_messages;
    std::deque<Course> m_courses;
    std::int32_t m_ranks = 0;
    ByRank m_arrivals;
    mutable std::optional<ByRank> m_departures; ///< Made when first asked for, which many walks never do; so a log belongs to one thread.
    std::vector<std::uint32_t> m_toSwitches; ///< By when they were delivered.
};

} // namespace fabricscope
