#pragma once

#include "core/base/error.h"

#include <stop_token>

namespace fabricscope {

/// Leaves work that was told to stop; thrown by checkStop() and turned into the error Cancelled by untilStopped(). It never leaves a
/// public function that does not say so, nor a thread.
struct StopRequested {};

/// For loops: looks at the token, which costs about a nanosecond without a request. Throws StopRequested.
inline void checkStop(const std::stop_token& stop)
{
    if (stop.stop_requested())
        throw StopRequested{};
}

/// What a phase that was told to stop returns.
inline Error stoppedError()
{
    return Error{ErrorCode::Cancelled, "stopped", {}, {}};
}

/// What `work()` returns, a Result or a Status; Cancelled when it was left by checkStop().
template <typename Work>
auto untilStopped(Work&& work) -> decltype(work())
{
    try {
        return work();
    } catch (const StopRequested&) {
        return stoppedError();
    }
}

} // namespace fabricscope
