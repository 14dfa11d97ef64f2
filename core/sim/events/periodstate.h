#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace fabricscope::events {

/// An interval in which a link was busy, as handed to its dimension.
struct LoggedBusy {
    std::size_t dimension = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// The state of an engine at the end of an instant, taken apart by how it may differ one period later.
struct PeriodState {
    std::int64_t now = 0;
    std::vector<std::int64_t> equal;  ///< The same.
    std::vector<std::int64_t> times;  ///< Later by the period; or the same, if it is past.
    std::vector<std::int64_t> begins; ///< Later by the period, or the same: begins of busy intervals.
    std::vector<std::int64_t> fixed;  ///< The same: what happens later and has no part in it.
    std::vector<std::int64_t> steps;  ///< More by the same number.
    std::vector<std::int64_t> received; ///< More by that number, or the same.
    std::vector<std::int64_t> mostReceived; ///< Where `received` may go: members of the ring.
    std::vector<std::int64_t> counts; ///< More by whatever it is.

    // Where each of them is kept, to move it.
    std::vector<std::int64_t*> timePlaces;
    std::vector<std::int64_t*> beginPlaces;
    std::vector<std::int32_t*> stepPlaces;
    std::vector<std::uint32_t*> receivedPlaces;
    std::vector<std::int64_t*> countPlaces;
};

/// Looks for a period: which ring it watches, and the state it compares with.
struct PeriodWatch {
    std::int32_t run = -1;
    std::int32_t chunk = 0;
    std::int32_t phase = 0;
    std::int32_t seen = 0;     ///< Steps since it began to watch this ring.
    bool due = false;          ///< The watched message has come in this instant.
    bool known = false;        ///< `before` holds a state.
    PeriodState before;

    /// Each of the first steps, then a few after each power of two: enough for every state that settles, cheap for those that do not.
    bool looks() const
    {
        constexpr std::int32_t kAfterPower = 8;
        return seen <= 2 * kAfterPower || seen - powerBelow() <= kAfterPower;
    }
    bool keeps() const { return seen == powerBelow(); }

private:
    std::int32_t powerBelow() const { return static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(seen))); }
};

/// Periods that may be passed over from `state`, one period after `before`; 0: it is none, or nothing is left to pass over.
inline std::int64_t periodsAhead(const PeriodState& before, const PeriodState& state, std::int64_t& steps)
{
    const auto sameSize = [](const auto& a, const auto& b) { return a.size() == b.size(); };
    if (before.equal != state.equal || before.fixed != state.fixed || !sameSize(before.times, state.times) || !sameSize(before.begins, state.begins)
        || !sameSize(before.steps, state.steps) || !sameSize(before.received, state.received) || !sameSize(before.counts, state.counts) || state.steps.empty()) {
        return 0;
    }
    const std::int64_t period = state.now - before.now;
    for (std::size_t i = 0; i < state.times.size(); ++i) {
        const std::int64_t moved = state.times[i] - before.times[i];
        if (moved != period && (moved != 0 || state.times[i] > before.now))
            return 0;
    }
    for (std::size_t i = 0; i < state.begins.size(); ++i) {
        const std::int64_t moved = state.begins[i] - before.begins[i];
        if (moved != period && moved != 0)
            return 0;
    }
    steps = state.steps.front() - before.steps.front();
    if (steps < 1)
        return 0;
    std::int64_t ahead = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < state.steps.size(); ++i) {
        if (state.steps[i] - before.steps[i] != steps)
            return 0;
    }
    bool moves = false;
    for (std::size_t i = 0; i < state.received.size(); ++i) {
        const std::int64_t moved = state.received[i] - before.received[i];
        if (moved != 0 && moved != steps)
            return 0;
        if (moved == 0)
            continue;
        moves = true;
        constexpr std::int64_t kLastSteps = 4; // They are followed one by one: the phase ends with them.
        ahead = std::min(ahead, (state.mostReceived[i] - kLastSteps - state.received[i]) / steps);
    }
    for (const std::int64_t end : state.fixed)
        ahead = std::min(ahead, (end - 1 - state.now) / period);
    return moves ? std::max<std::int64_t>(ahead, 0) : 0;
}

} // namespace fabricscope::events
