#include "core/sim/astra/eventlist.h"

#include "core/base/axes.h"

namespace fabricscope {

void AstraQueue::note(std::uint32_t index)
{
    Symmetry& symmetry = *m_symmetry;
    if (symmetry.origins.size() <= index)
        symmetry.origins.resize(index + std::size_t{1});
    symmetry.origins[index] = {m_now, symmetry.step, movedAlong(symmetry.shift, symmetry.step, symmetry.sizes)};
}

/// Takes over the order of the event about to be handled; false when it is not the same on every NPU.
bool AstraQueue::follow(std::uint32_t index)
{
    Symmetry& symmetry = *m_symmetry;
    if (symmetry.tick != m_now) {
        symmetry.tick = m_now;
        symmetry.thisTick.clear();
    }
    const Symmetry::Origin origin = symmetry.origins[index];
    for (const Symmetry::Origin& other : symmetry.thisTick) {
        if (other.scheduled == origin.scheduled && other.step != origin.step) {
            symmetry.ambiguous = true;
            return false;
        }
    }
    symmetry.thisTick.push_back(origin);
    symmetry.shift = origin.shift;
    return true;
}

void AstraQueue::forget(std::size_t npu, std::int64_t when)
{
    auto& pending = m_pending[npu];
    for (std::size_t i = 0; i < pending.size(); ++i) {
        if (pending[i].when == when) {
            pending[i] = pending.back();
            pending.pop_back();
            return;
        }
    }
    assert(false);
}

std::size_t AstraQueue::firstSlot(unsigned level) const
{
    const Bits& bits = m_bits[level];
    if (bits.summary == 0)
        return kSlots;
    const auto word = static_cast<std::size_t>(__builtin_ctzll(bits.summary));
    return word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits.words[word]));
}

/// Moves to the next time that has events. Slots behind the present one are always empty, so the first bit is the next time.
bool AstraQueue::advance()
{
    while (true) {
        const std::size_t near = firstSlot(0);
        if (near < kSlots) {
            m_now = (m_now & ~kMask) | static_cast<std::int64_t>(near);
            return true;
        }
        unsigned level = 1;
        std::size_t at = kSlots;
        for (; level < kLevels; ++level) {
            at = firstSlot(level);
            if (at < kSlots)
                break;
        }
        if (level == kLevels)
            return false;
        const unsigned shift = level * kBits;
        const std::int64_t below = (std::int64_t{1} << shift) - 1;
        m_now = (m_now & ~(below | (kMask << shift))) | (static_cast<std::int64_t>(at) << shift);
        Slot moved = m_levels[level][at];
        m_levels[level][at] = {};
        clearBit(level, at);
        while (moved.head != kNone) {
            const std::uint32_t index = moved.head;
            moved.head = m_pool[index].next;
            m_pool[index].next = kNone;
            insert(index);
        }
    }
}

} // namespace fabricscope
