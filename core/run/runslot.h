#pragma once

#include "core/run/rundesign.h"

#include <mutex>
#include <optional>
#include <utility>

namespace fabricscope {

/// What a running job shows of itself: a consistent pair of progress and newest partial result. Immutable.
struct RunSnapshot {
    std::int64_t number = 0;
    RunProgress progress;
    RunResultPtr partial; ///< Null: nothing to show yet.
};

/// One place for the newest snapshot (manual: engines 6): the core thread overwrites it, the window takes it at its own pace.
/// Dropping an older one loses nothing.
class RunSlot {
public:
    void publish(RunSnapshot snapshot)
    {
        const std::lock_guard lock(m_mutex);
        m_newest = std::move(snapshot);
    }
    /// The newest snapshot that has not been taken yet.
    std::optional<RunSnapshot> take()
    {
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_newest, std::nullopt);
    }

private:
    std::mutex m_mutex;
    std::optional<RunSnapshot> m_newest;
};

} // namespace fabricscope
