// Any bytes as the name (first line) and the beginning of a file: its kind is told, and what the name says of a trace is consistent.
#include "core/platform/topologytext.h"
#include "core/programio/programtext.h"
#include "core/run/inputkind.h"
#include "core/trace/etfile.h"

#include <cstdint>
#include <cstdlib>

using namespace fabricscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::string_view name = all.substr(0, all.find('\n'));
    const std::string_view head = all.substr(std::min(name.size() + 1, all.size()));
    const InputKind kind = inputKindOf(name, head);
    if (inputKindText(kind).empty() || kind != inputKindOf(name, head))
        std::abort();
    if (const auto trace = traceNameOf(name)) {
        if (trace->rank < 0 || trace->prefix.empty() || !name.starts_with(trace->prefix + '.' + std::to_string(trace->rank) + '.'))
            std::abort();
    }
    static_cast<void>(isJsonText(head));
    static_cast<void>(looksLikeJson(head));
    return 0;
}
