#include "core/platform/fabric/figures.h"
#include "core/platform/fabric/parseline.h"

#include <cstdint>

using namespace fabricscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto fabric = fabricOfLine(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!fabric)
        return 0;
    static_cast<void>(fabric.value().name(static_cast<NodeId>(fabric.value().nodes() - 1)));
    static_cast<void>(fabricFigures(fabric.value(), {}, {20'000, 400'000, 200'000}));
    return 0;
}
