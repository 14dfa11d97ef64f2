// Any bytes as a recovery file: read or refused, and what was read writes and reads back the same.
#include "core/run/sidefile.h"

#include <cstdint>
#include <cstdlib>

using namespace fabricscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto side = readSideFile({reinterpret_cast<const char*>(data), size}, "fuzz.side");
    if (!side)
        return 0;
    const std::string written = sideFileText(side.value());
    const auto again = readSideFile(written, "fuzz.side");
    if (!again || again.value().text != side.value().text || sideFileText(again.value()) != written)
        std::abort();
    return 0;
}
