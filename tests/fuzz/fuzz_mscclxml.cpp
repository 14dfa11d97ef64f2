#include "core/programio/mscclwriter.h"
#include "core/programio/mscclxml.h"

#include <cstdint>
#include <cstdlib>

using namespace fabricscope;

/// What is read and can be written is read again as the same program.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto file = parseMsccl({reinterpret_cast<const char*>(data), size}, "fuzzed");
    if (!file) {
        static_cast<void>(file.error().text());
        return 0;
    }
    for (const Diagnostic& diagnostic : file.value().findings)
        static_cast<void>(diagnostic.text());
    if (!file.value().program || file.value().program->ranks > 1000)
        return 0;
    const bool legal = file.value().valid();
    const auto text = writeMsccl(file.value().program);
    if (!text || !legal)
        return 0;
    const auto again = parseMsccl(text.value().text, "written");
    if (!again || !again.value().program)
        std::abort();
    return 0;
}
