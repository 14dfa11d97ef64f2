#pragma once

#include "core/base/index.h"
#include "core/sim/sweep/ringsteps.h"
#include "core/sim/sweep/sweep.h"

#include <memory>

namespace fabricscope::sweep {

/// Runs the tracks of one collective against each other, window by window.
///
/// A track may be served up to the earliest first message it does not know. That comes from the completion of the phase before, in
/// another track, and no position of a line completes a phase before a message that ends there has gone the rest of its way, a
/// least time per hop. In a three-phase all-reduce the bound of the outer dimension is thus the whole time of the inner one.
/// Planes (Track::planes) have horizons of their own: what one is late for does not hold up the others.
class SweepEngine : RingTarget {
public:
    SweepEngine(SweepPlan& plan, const Scenario& scenario, const SweepOptions& options);

    /// \pre entries.size() == plan.size. False: an order did not hold. Errors: Cancelled, MemoryLimit.
    Result<bool> run(std::span<const std::int64_t> entries, const std::stop_token& stop);
    /// Errors: Cancelled.
    Result<CollectiveOutcome> outcome(const std::stop_token& stop);

private:
    class Observer;
    void completed(const Track& track, std::int64_t line, std::int32_t place, std::int32_t flow, std::int64_t time) override;
    void findBounds(std::int32_t plane);
    void findCommonBounds();
    std::int64_t boundOf(const Track& track, std::int32_t plane, std::int32_t chunk, std::size_t phase, std::int64_t first) const;
    std::int64_t horizonOf(std::size_t track, std::int32_t plane) const;
    Result<bool> move(std::size_t track, std::int32_t plane, const std::stop_token& stop);
    Result<bool> movePlane(std::int32_t plane, const std::stop_token& stop);
    Status advance(Track& track, std::int32_t plane, std::int64_t horizon, const std::stop_token& stop);
    void begin(Track& first) const;
    bool isCommon(std::size_t phase) const { return m_plan.tracks[at(m_plan.trackOfPhase[phase])].axis == 0; }
    const Track& trackOf(std::int32_t chunk, std::size_t phase) const { return m_plan.tracks[at(m_plan.trackOf(chunk, phase))]; }
    std::size_t cell(std::int32_t chunk, std::size_t phase) const { return static_cast<std::size_t>(chunk) * m_plan.body->phases.size() + phase; }
    Status checkMemory() const;

    SweepPlan& m_plan;
    const Scenario& m_scenario;
    const SweepOptions& m_options;
    std::shared_ptr<Observer> m_observer;
    RingEngine m_rings;
    std::vector<std::int64_t> m_entries;
    std::vector<std::int64_t> m_exits;
    /// [plane][chunk * phases + phase]: nobody in the plane completes it earlier, besides those known. Phases along axis 0 are in m_common.
    std::vector<std::vector<std::int64_t>> m_completion;
    std::vector<std::int64_t> m_common;
    std::int64_t m_left = 0;                ///< Completions of the last phase that are missing.
    bool m_late = false;                    ///< A first message came for an instant that had been served.
};

} // namespace fabricscope::sweep
