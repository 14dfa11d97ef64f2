#include "core/formats/astra/networkfile.h"

#include <cstdint>

using namespace fabricscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Diagnostics diagnostics;
    const auto result = readAstraNetwork(std::string(reinterpret_cast<const char*>(data), size), "fuzzed", diagnostics);
    if (!result)
        static_cast<void>(result.error().text());
    for (const Diagnostic& diagnostic : diagnostics)
        static_cast<void>(diagnostic.text());
    return 0;
}
