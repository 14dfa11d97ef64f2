#include "core/sim/events/outcome/halt.h"

#include "core/sim/common/runpace.h"

namespace fabricscope::events {

bool Halt::lookNow()
{
    constexpr std::int32_t kStepsBetweenLooks = 1024;
    m_untilLook = kStepsBetweenLooks;
    if (!m_stop.stop_requested())
        return false;
    if (!m_error)
        m_error = stoppedRun();
    return true;
}

} // namespace fabricscope::events
