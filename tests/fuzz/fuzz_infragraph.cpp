#include "core/formats/infragraph/expandinstances.h"
#include "core/formats/infragraph/importer.h"

#include <cstdint>

using namespace fabricscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const InfraReading reading = inspectInfraGraph(std::string(reinterpret_cast<const char*>(data), size), "fuzzed");
    for (const Diagnostic& diagnostic : reading.diagnostics)
        static_cast<void>(diagnostic.text());
    if (!reading.sound)
        return 0;
    // What is sound can be written and read back, and is a platform or refused in words.
    if (!inspectInfraGraph(writeInfraGraph(reading.document), "written").sound)
        __builtin_trap();
    Diagnostics diagnostics;
    LinkCompletions completions;
    completions["pcie"].bytesPerTransfer = 2;
    static_cast<void>(platformFromInfraGraph(reading.document, completions, diagnostics));
    return 0;
}
