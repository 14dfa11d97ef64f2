#include "core/platform/fabric/figures.h"
#include "core/platform/fabric/parseline.h"

#include <cstdint>

using namespace fabricscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    auto spec = parseFabricLine(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!spec)
        return 0;
    const auto fabric = Fabric::create(std::move(spec).value());
    if (!fabric)
        return 0;
    static_cast<void>(fabric.value().name(static_cast<NodeId>(fabric.value().nodes() - 1)));
    static_cast<void>(fabricFigures(fabric.value(), {}, {20'000, 400'000, 200'000}));
    return 0;
}
