#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fabricscope {

/// Something that happens at an instant: 16 bytes, meaning given by the engine.
struct Event {
    std::int64_t time = 0;       ///< ps.
    std::int32_t object = 0;
    std::uint32_t detail : 24 = 0;
    std::uint32_t kind : 8 = 0;
};

// Queues share one interface: push() an event later than the last instant taken, and takeInstant(), which hands over all events
// of the earliest instant. Events of one instant come in no defined order: the engine orders what needs an order by the tie rule.
// copy() appends all events, in no defined order; restart() forgets them and goes on from an instant as if it had been the last taken.

/// Hierarchical wheel over all 63 bits of time, so there is no horizon and nothing overflows: an event lies on the level of the
/// highest digit in which its time differs from the last instant, in the slot of that digit. Taking an instant spreads
/// at most one slot per level; an event moves at most once per level.
template <int kDigitBits>
class WheelQueue {
public:
    bool empty() const { return m_size == 0; }
    std::size_t size() const { return m_size; }

    void push(const Event& event)
    {
        assert(event.time > m_now);
        put(event);
        ++m_size;
    }

    /// \pre !empty(). Appends to `batch`; returns the instant. Amortised O(levels crossed) per event.
    std::int64_t takeInstant(std::vector<Event>& batch)
    {
        const auto level = static_cast<std::size_t>(std::countr_zero(m_levels));
        const std::size_t slot = firstSlot(level);
        std::vector<Event>& events = m_slots[level * kSlots + slot];
        std::int64_t time = events.front().time;
        for (const Event& event : events)
            time = event.time < time ? event.time : time;
        assert(time > m_now);
        m_now = time;
        clearSlot(level, slot);

        std::size_t taken = 0;
        for (const Event& event : events) {
            if (event.time == time) {
                batch.push_back(event);
                ++taken;
            } else {
                put(event); // On a lower level: it agrees with the new instant in this digit.
            }
        }
        events.clear();
        m_size -= taken;
        return time;
    }

    void copy(std::vector<Event>& events) const
    {
        for (const std::vector<Event>& slot : m_slots)
            events.insert(events.end(), slot.begin(), slot.end());
    }
    void restart(std::int64_t now)
    {
        for (std::vector<Event>& slot : m_slots)
            slot.clear();
        m_used = {};
        m_levels = 0;
        m_size = 0;
        m_now = now;
    }

private:
    static constexpr std::size_t kSlots = std::size_t{1} << kDigitBits;
    static constexpr std::size_t kLevels = (63 + kDigitBits - 1) / kDigitBits;
    static constexpr std::size_t kWords = (kSlots + 63) / 64;

    void put(const Event& event)
    {
        const auto difference = static_cast<std::uint64_t>(event.time ^ m_now);
        const auto level = m_now < 0 ? kLevels - 1 : (static_cast<std::size_t>(std::bit_width(difference)) - 1) / kDigitBits;
        const std::size_t slot = static_cast<std::uint64_t>(event.time) >> (level * kDigitBits) & (kSlots - 1);
        m_slots[level * kSlots + slot].push_back(event);
        m_used[level * kWords + slot / 64] |= std::uint64_t{1} << slot % 64;
        m_levels |= std::uint64_t{1} << level;
    }

    std::size_t firstSlot(std::size_t level) const
    {
        std::size_t word = level * kWords;
        while (m_used[word] == 0)
            ++word;
        return (word - level * kWords) * 64 + static_cast<std::size_t>(std::countr_zero(m_used[word]));
    }

    void clearSlot(std::size_t level, std::size_t slot)
    {
        m_used[level * kWords + slot / 64] &= ~(std::uint64_t{1} << slot % 64);
        for (std::size_t word = 0; word < kWords; ++word) {
            if (m_used[level * kWords + word] != 0)
                return;
        }
        m_levels &= ~(std::uint64_t{1} << level);
    }

    std::vector<std::vector<Event>> m_slots = std::vector<std::vector<Event>>(kLevels * kSlots);
    std::array<std::uint64_t, kLevels * kWords> m_used{};
    std::uint64_t m_levels = 0;
    std::int64_t m_now = -1;
    std::size_t m_size = 0;
};

} // namespace fabricscope
