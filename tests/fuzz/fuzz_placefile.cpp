#include "core/planner/placefile.h"
#include "core/planner/unequalplacement.h"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace fabricscope;

/// A `place:` file; the ratios of phases alone, and programs of few ops.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t kMost = 4096;
    const auto document = YamlDocument::parse(std::string(reinterpret_cast<const char*>(data), std::min(size, kMost)), "fuzzed");
    if (!document)
        return 0;
    const auto file = readPlaceFile(document.value());
    if (!file) {
        static_cast<void>(file.error().text());
        return 0;
    }
    if (file.value().problem.graph.ops.size() > 4)
        return 0;
    static_cast<void>(place(file.value().problem, SearchMethod::Bound));
    return 0;
}
