#include "core/sharding/partition/partition.h"
#include "core/sharding/stablehlo/readstablehlo.h"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace fabricscope;

/// A StableHLO program, partitioned where it is small.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t kMost = 8192;
    const std::string text(reinterpret_cast<const char*>(data), std::min(size, kMost));
    static_cast<void>(isStableHloText(text));
    const auto problem = readStableHloText(text, "fuzzed.mlir");
    if (!problem) {
        static_cast<void>(problem.error().text());
        return 0;
    }
    if (problem.value().graph.ops.size() < 100)
        static_cast<void>(partition(problem.value()));
    return 0;
}
