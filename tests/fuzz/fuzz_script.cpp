#include "core/language/script.h"

#include <cstdint>
#include <cstdlib>

using namespace fabricscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    ScriptRequest request;
    request.text = {reinterpret_cast<const char*>(data), size};
    request.limits = {100'000, std::int64_t{4} << 20, 5'000};
    const Result<Script> script = compileScript(request);
    if (!script) {
        static_cast<void>(script.error().text());
        return 0;
    }
    // The same text makes the same program.
    const Result<Script> again = compileScript(request);
    if (!again || again.value().program->digest() != script.value().program->digest())
        std::abort();
    return 0;
}
