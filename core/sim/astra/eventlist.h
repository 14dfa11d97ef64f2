#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace fabricscope {

/// What an event of the astra-* engine does.
enum class AstraEvent : std::uint8_t {
    Hop,          ///< a = message of the contention-aware network: reached the next device.
    LinkFree,     ///< a = link.
    Deliver,      ///< Native message arrived: a = instance, b = record, c = mailbox.
    Received,     ///< Receive of a message that was there already: a = instance, b = record.
    Packet,       ///< a = packet of the post office: arrived.
    Collected,    ///< a = receive of the post office: its packet was there already.
    Prepared,     ///< a = instance, b = record: a message is ready.
    Reduce,       ///< a = instance, b = record, c = number of the message: handled, now the reduction.
    TreeHandled,  ///< a = instance, b = record, c = 1 when a reduction follows.
    TreeReduced,  ///< a = instance, b = record.
    MemberLeft,   ///< a = instance, b = position: its last message has left (AstraVariant::endsWhenLeft).
    TaskEnd,      ///< a = task.
    MemoryEnd,    ///< a = task, b = memory server.
    CustomEnd     ///< a = instance, b = member, c = operation.
};

/// Event list (manual: astra 1): global times with a FIFO each; per (NPU, time) one global entry that drains
/// a FIFO of its own. A hierarchical wheel (5 x 4096 slots) of intrusive lists: O(1) per event, FIFO kept by cascading in order.
class AstraQueue {
public:
    /// Latest time that still fits SimTime, about 104 days in ns.
    static constexpr std::int64_t kHorizon = std::int64_t{1} << 53;

    struct Event {
        std::int64_t when = 0;
        std::uint32_t next = kNone; ///< In the FIFO of its time.
        std::uint32_t more = kNone; ///< Next event of the same (NPU, time).
        std::uint32_t npu : 24 = 0;
        AstraEvent kind : 8 = AstraEvent::Hop;
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        std::uint32_t c = 0;
    };
    static constexpr std::uint32_t kNone = UINT32_MAX;

    explicit AstraQueue(std::int32_t npus) : m_pending(static_cast<std::size_t>(npus)) {}

    /// Turns on the bookkeeping of a run in which one NPU stands for all (see `Symmetry`). Call before the first event.
    void track(std::vector<std::int32_t> sizes) { m_symmetry = std::make_unique<Symmetry>(Symmetry{std::move(sizes), {}, {}, 0, 0, false}); }
    bool tracking() const { return m_symmetry != nullptr; }
    /// Events scheduled from now on belong to the NPU this far away (its coordinates as a rank number); 0: the same NPU.
    void setStep(std::int32_t step)
    {
        if (m_symmetry)
            m_symmetry->step = step;
    }
    /// The order of the NPUs in the event being handled is 0, 1, 2, .. moved by this (coordinates as a rank number).
    std::int32_t shift() const { return m_symmetry ? m_symmetry->shift : 0; }
    /// Two events of one NPU come in an order that is not the same on every NPU: one cannot stand for all.
    bool ambiguous() const { return m_symmetry && m_symmetry->ambiguous; }

    std::int64_t now() const { return m_now; }
    std::int64_t events() const { return m_events; }
    bool beyondHorizon() const { return m_beyond; }
    std::size_t memory() const { return m_pool.capacity() * sizeof(Event); }

    /// A global event `delay` ns from now. \pre delay >= 0.
    void schedule(std::int64_t delay, AstraEvent kind, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0)
    {
        const std::uint32_t index = take(delay, kind, a, b, c);
        insert(index);
    }

    /// An event of one NPU; events of the same NPU and time run together, in the place of the first.
    void scheduleOn(std::int32_t npu, std::int64_t delay, AstraEvent kind, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0)
    {
        const std::uint32_t index = take(delay, kind, a, b, c);
        m_pool[index].npu = static_cast<std::uint32_t>(npu) & 0xFFFFFFU;
        auto& pending = m_pending[static_cast<std::size_t>(npu)];
        const std::int64_t when = m_pool[index].when;
        for (auto entry = pending.rbegin(); entry != pending.rend(); ++entry) {
            if (entry->when == when) {
                m_pool[entry->last].more = index;
                entry->last = index;
                return;
            }
        }
        pending.push_back({when, index});
        insert(index);
    }

    /// Runs events in order until none is left or `handle(event)` returns false.
    /// Returns true when the list is empty. Events of an NPU list are handled one by one.
    template <typename Handle>
    bool run(Handle&& handle)
    {
        while (advance()) {
            Slot& slot = m_levels[0][static_cast<std::size_t>(m_now & kMask)];
            while (slot.head != kNone) {
                std::uint32_t index = slot.head;
                slot.head = m_pool[index].next;
                if (slot.head == kNone)
                    slot.tail = kNone;
                const Event first = m_pool[index];
                if (m_symmetry && !follow(index))
                    return false;
                if (!isLocal(first.kind)) {
                    release(index);
                    ++m_events;
                    if (!handle(first))
                        return false;
                    continue;
                }
                // Entries appended while draining belong to the same drain.
                while (index != kNone) {
                    const Event event = m_pool[index];
                    ++m_events;
                    const bool goOn = handle(event);
                    const std::uint32_t following = m_pool[index].more;
                    if (following == kNone)
                        forget(static_cast<std::size_t>(first.npu), first.when);
                    release(index);
                    index = following;
                    if (!goOn)
                        return false;
                }
            }
            clearBit(0, static_cast<std::size_t>(m_now & kMask));
        }
        return true;
    }

private:
    static constexpr unsigned kBits = 12;
    static constexpr std::size_t kSlots = std::size_t{1} << kBits;
    static constexpr std::int64_t kMask = static_cast<std::int64_t>(kSlots) - 1;
    static constexpr unsigned kLevels = 5;

    struct Slot {
        std::uint32_t head = kNone;
        std::uint32_t tail = kNone;
    };
    struct Pending {
        std::int64_t when;
        std::uint32_t last;
    };
    struct Bits {
        std::array<std::uint64_t, kSlots / 64> words{};
        std::uint64_t summary = 0;
    };

    /// When one NPU stands for all, an event stands for the same event on every NPU. On each NPU its place among the events of
    /// a tick follows from the tick in which it was scheduled; among those of one tick, from the order in which the NPU it comes
    /// from scheduled them. So the order is the same everywhere unless two events of a tick were scheduled in the same
    /// tick by NPUs at different distances. The order of the NPUs among each other moves with every message.
    struct Symmetry {
        struct Origin {
            std::int64_t scheduled = 0;
            std::int32_t step = 0;
            std::int32_t shift = 0;
        };
        std::vector<std::int32_t> sizes;
        std::vector<Origin> origins;  ///< By event.
        std::vector<Origin> thisTick; ///< Origins that differ, of the events handled in this tick.
        std::int32_t step = 0;
        std::int32_t shift = 0;
        bool ambiguous = false;
        std::int64_t tick = -1;
    };

    static bool isLocal(AstraEvent kind) { return kind >= AstraEvent::Prepared; }

    std::uint32_t take(std::int64_t delay, AstraEvent kind, std::uint32_t a, std::uint32_t b, std::uint32_t c)
    {
        assert(delay >= 0);
        std::uint32_t index = m_free;
        if (index != kNone) {
            m_free = m_pool[index].next;
        } else {
            index = static_cast<std::uint32_t>(m_pool.size());
            m_pool.emplace_back();
        }
        if (delay > kHorizon - m_now) {
            m_beyond = true;
            delay = kHorizon - m_now;
        }
        Event& event = m_pool[index];
        event.when = m_now + delay;
        event.next = kNone;
        event.more = kNone;
        event.kind = kind;
        event.a = a;
        event.b = b;
        event.c = c;
        if (m_symmetry)
            note(index);
        return index;
    }

    void release(std::uint32_t index)
    {
        m_pool[index].next = m_free;
        m_free = index;
    }

    void insert(std::uint32_t index)
    {
        const auto when = static_cast<std::uint64_t>(m_pool[index].when);
        const std::uint64_t difference = when ^ static_cast<std::uint64_t>(m_now);
        const unsigned level = difference < kSlots ? 0 : static_cast<unsigned>(63 - __builtin_clzll(difference)) / kBits;
        const std::size_t at = static_cast<std::size_t>(when >> (level * kBits)) & (kSlots - 1);
        Slot& slot = m_levels[level][at];
        if (slot.tail == kNone) {
            slot.head = index;
            m_bits[level].words[at / 64] |= std::uint64_t{1} << (at % 64);
            m_bits[level].summary |= std::uint64_t{1} << (at / 64);
        } else {
            m_pool[slot.tail].next = index;
        }
        slot.tail = index;
    }

    void clearBit(unsigned level, std::size_t at)
    {
        Bits& bits = m_bits[level];
        bits.words[at / 64] &= ~(std::uint64_t{1} << (at % 64));
        if (bits.words[at / 64] == 0)
            bits.summary &= ~(std::uint64_t{1} << (at / 64));
    }

    void note(std::uint32_t index);
    bool follow(std::uint32_t index);
    void forget(std::size_t npu, std::int64_t when);
    bool advance();
    std::size_t firstSlot(unsigned level) const;

    std::vector<Event> m_pool;
    std::uint32_t m_free = kNone;
    std::int64_t m_now = 0;
    std::int64_t m_events = 0;
    bool m_beyond = false;
    std::array<std::array<Slot, kSlots>, kLevels> m_levels{};
    std::array<Bits, kLevels> m_bits{};
    std::unique_ptr<Symmetry> m_symmetry;
    std::vector<std::vector<Pending>> m_pending; ///< Open lists of every NPU; few at a time.
};

} // namespace fabricscope
