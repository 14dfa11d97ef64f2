// Any text as one of the JSON forms of a trace.
#include "core/trace/etfile.h"
#include "core/trace/lint.h"

#include <cstdint>
#include <memory>

using namespace fabricscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    auto read = readTraceJson({reinterpret_cast<const char*>(data), size}, {});
    if (!read)
        return 0;
    const auto trace = std::make_shared<const RankTrace>(std::move(read).value());
    return lintTraces(TraceSet::fromRanks({trace}, "fuzz"), {}).size() > 1000 ? 1 : 0;
}
