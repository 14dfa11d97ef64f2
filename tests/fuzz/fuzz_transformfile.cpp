#include "core/transform/executeprogram.h"
#include "core/transform/rewrites.h"
#include "core/transform/tensorfile.h"
#include "core/transform/transformed.h"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace fabricscope;

/// A `transform:` file and the schedule in it, executed on small sizes. Nothing is timed: what a platform is read as has fuzzers of its own.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t kMost = 4096;
    const auto file = transform::readTransformText(std::string(reinterpret_cast<const char*>(data), std::min(size, kMost)), "fuzzed");
    if (!file) {
        static_cast<void>(file.error().text());
        return 0;
    }
    transform::StepHistory history(file.value().program);
    for (const transform::ScheduleStep& step : file.value().schedule) {
        if (const auto refused = history.apply(step)) {
            static_cast<void>(transform::refusalError({history.applied().size() + 1, step, *refused}).text());
            break;
        }
    }
    if (history.program().stages.size() < 12)
        static_cast<void>(transform::compareRuns(history.first(), history.program()));
    return 0;
}
