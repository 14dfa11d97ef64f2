#pragma once

#include "core/base/result.h"
#include "core/sim/common/runoptions.h"

#include <chrono>

namespace fabricscope {

/// Decides when a running engine tells how far it is and hands out what there is so far. Progress at most every 100 ms. Partial records
/// first after 0.3 s, then about every 0.5 s, but never before 20 times the cost of the last one: at most 5 % of the run.
class RunPace {
public:
    explicit RunPace(const RunOptions& options)
        : m_options(options), m_nextProgress(Clock::now() + kProgress), m_nextPartial(Clock::now() + kFirstPartial)
    {
    }

    /// Tells the progress when it is time; the share told never goes back. `progressNow()` gives a Progress.
    template <typename ProgressNow>
    void progress(ProgressNow&& progressNow)
    {
        if (!m_options.progress)
            return;
        const Clock::time_point now = Clock::now();
        if (now < m_nextProgress)
            return;
        m_nextProgress = now + kProgress;
        Progress told = progressNow();
        m_share = told.share = told.share > m_share ? (told.share < 1 ? told.share : 1.0) : m_share;
        m_options.progress(told);
    }

    /// Hands out a partial record when it is time. `recordNow()` gives a Result<RunRecord>; an error means there is none.
    template <typename RecordNow>
    void partial(RecordNow&& recordNow)
    {
        if (m_options.partial && Clock::now() >= m_nextPartial)
            handOut(recordNow);
    }

    /// The last part before a cancelled run returns. Left out when making the one before took so long that the answer would be late.
    template <typename RecordNow>
    void lastPartial(RecordNow&& recordNow)
    {
        if (m_options.partial && m_cost < kLongestLast)
            handOut(recordNow);
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kProgress{100};
    static constexpr std::chrono::milliseconds kFirstPartial{300};
    static constexpr std::chrono::milliseconds kBetweenPartials{500};
    static constexpr std::chrono::milliseconds kLongestLast{80};
    static constexpr int kCostShare = 20;

    template <typename RecordNow>
    void handOut(RecordNow&& recordNow)
    {
        const Clock::time_point begin = Clock::now();
        if (Result<RunRecord> record = recordNow())
            m_options.partial(std::move(record).value());
        const Clock::time_point end = Clock::now();
        m_cost = end - begin;
        m_nextPartial = std::max(begin + Clock::duration(kBetweenPartials), end + kCostShare * m_cost);
    }

    const RunOptions& m_options;
    Clock::time_point m_nextProgress;
    Clock::time_point m_nextPartial;
    Clock::duration m_cost{};
    double m_share = 0;
};

/// The error of a run that was told to stop.
inline Error stoppedRun()
{
    return Error{ErrorCode::Cancelled, "the simulation was stopped", {}, {}};
}

/// What a partial record says of a dimension: busy time entered for later than `cut` is left out, of the bucket around it in proportion.
void cutBusy(DimensionUse& use, SimTime cut);

} // namespace fabricscope
