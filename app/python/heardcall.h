#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <mutex>
#include <stop_token>
#include <string>

namespace fabricscope::python {

/// How far work is: written by its threads, read by the one that waits.
class CallProgress {
public:
    struct State {
        std::string phase;
        double share = 0;        ///< 0..1.
        double secondsLeft = -1; ///< Negative: not known.
    };

    void publish(State state)
    {
        const std::lock_guard lock(m_mutex);
        m_state = std::move(state);
        m_fresh = true;
    }
    /// Whether there is something newer than the last time; it is put into `state`.
    bool take(State& state)
    {
        const std::lock_guard lock(m_mutex);
        if (!m_fresh)
            return false;
        state = m_state;
        m_fresh = false;
        return true;
    }

private:
    std::mutex m_mutex;
    State m_state;
    bool m_fresh = false;
};

/// Does `work` on a thread of its own. The caller's waits without the lock of Python, so that other threads of Python run, and every few milliseconds hears
/// signals and tells `told` (phase, share, seconds left or None) what `progress` has; what a handler or `told` raises stops the work and is raised when it has
/// ended. Throws what `work` throws. Wants the lock of Python; `work` runs without.
void callHeard(const std::function<void(const std::stop_token&)>& work, const pybind11::object& told, CallProgress& progress);

} // namespace fabricscope::python
