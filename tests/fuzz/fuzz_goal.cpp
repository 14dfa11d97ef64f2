#include "core/workload/goalreader.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace fabricscope;

/// A schedule in GOAL: as tasks, and written, which must be read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(isGoalSchedule(text));
    Diagnostics diagnostics;
    const auto schedule = readGoalSchedule(text, "fuzzed", diagnostics);
    if (!schedule || schedule.value().ranks.size() > 1000)
        return 0;
    static_cast<void>(workloadOfGoal(schedule.value(), "fuzzed", diagnostics));
    if (!readGoalSchedule(goalText(schedule.value()), "written", diagnostics))
        std::abort();
    return 0;
}
