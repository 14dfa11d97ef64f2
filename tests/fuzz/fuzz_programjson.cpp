#include "core/program/onesided.h"
#include "core/programio/mscclpp.h"
#include "core/programio/programjson.h"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace fabricscope;

/// Our own programs come back as they were; plans of MSCCL++ become programs that can be written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto own = parseProgramJson(text, "fuzzed");
    if (own) {
        const auto again = parseProgramJson(writeProgramJson(*own.value()), "written");
        if (!again || again.value()->digest() != own.value()->digest())
            std::abort();
    }
    const auto plan = parseMscclppPlan(text, "fuzzed");
    if (plan) {
        const auto again = parseProgramJson(writeProgramJson(*plan.value()), "written");
        if (!again || again.value()->digest() != plan.value()->digest())
            std::abort();
        static_cast<void>(toTwoSided(plan.value()));
    }
    return 0;
}
