#include "core/study/pointrun.h"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace fabricscope;

/// A `study:` file with the design in it: read and tried, then the choices, fields and constraints of some of its designs.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t kMost = 4096;
    const auto space = readStudyText(std::string(reinterpret_cast<const char*>(data), std::min(size, kMost)), "fuzzed", {});
    if (!space) {
        static_cast<void>(space.error().text());
        return 0;
    }
    const PointRunner runner(space.value(), "fuzzed");
    const std::int64_t count = space.value().designCount();
    for (const std::int64_t number : {std::int64_t{0}, count / 3, count - 1}) {
        const auto choices = space.value().choicesOf(number);
        static_cast<void>(space.value().fieldsOf(choices));
        PointFigures figures;
        static_cast<void>(runner.isFeasible(choices, figures));
        for (std::size_t i = 0; i < kPointFigures; ++i)
            figures[static_cast<PointFigure>(i)] = static_cast<double>(number) - 1;
        static_cast<void>(runner.isFeasible(choices, figures));
    }
    return 0;
}
