#include "core/design/steps/layersteps.h"

#include <cstdint>
#include <string_view>

using namespace fabricscope;

/// A table of layers, also as steps.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(isLayerTable(text));
    Diagnostics diagnostics;
    const auto table = readLayerTable(text, "fuzzed", diagnostics);
    if (table && table.value().rows.size() < 1000)
        static_cast<void>(stepsOfLayers(table.value(), table.value().ranks > 0 ? table.value().ranks : 8, "fuzzed", diagnostics));
    return 0;
}
