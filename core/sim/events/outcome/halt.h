#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>

namespace fabricscope::events {

/// Why a run has to stop before its end: an error, or somebody who asks for it. Whoever does much inside one instant looks here.
class Halt {
public:
    void watch(std::stop_token stop) { m_stop = std::move(stop); }
    const std::stop_token& token() const { return m_stop; }
    bool isDue() const { return m_error.has_value(); }
    /// \pre isDue()
    const Error& error() const { return *m_error; }
    void fail(Error error) { m_error = std::move(error); }

    /// One step inside an instant, which may be long where many ranks do the same: true when the run has to stop.
    bool look() { return --m_untilLook <= 0 && lookNow(); }
    /// One step of somebody who cannot stop here.
    void countStep() { --m_untilLook; }
    bool lookNow();

private:
    std::optional<Error> m_error;
    std::stop_token m_stop;
    std::int32_t m_untilLook = 0; ///< Steps until the next look at the stop token.
};

} // namespace fabricscope::events
