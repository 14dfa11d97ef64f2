// Any bytes as a design file: read without opening files, validated, written and read back as the same text.

#include "core/design/design.h"

#include <cstdlib>

using namespace fabricscope;

namespace {

/// Trees of this size make routes of explicit graphs and groups slow without finding more.
bool isSmall(const Design& design)
{
    if (!design.platform || design.platform->links.size() > 1000)
        return false;
    std::int64_t npus = 1;
    for (const Dimension& dimension : design.platform->dimensions)
        npus = std::min<std::int64_t>(npus * dimension.size, 1 << 21);
    return npus <= 4096;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    const LoadedDesign loaded = inspectDesignText(text, "fuzz.yaml", {}, false);
    for (const Diagnostic& entry : loaded.diagnostics) {
        if (entry.severity == Severity::Error)
            return 0;
    }
    bool sound = true;
    for (const Diagnostic& entry : validate(loaded.design))
        sound = sound && entry.severity != Severity::Error;

    const std::string written = writeDesign(loaded.design);
    const LoadedDesign again = inspectDesignText(written, "fuzz.yaml", {}, false);
    if (again.diagnostics.empty() && writeDesign(again.design) != written)
        std::abort();
    if (sound && isSmall(loaded.design) && !std::holds_alternative<TraceWorkload>(*loaded.design.workload)) {
        const auto platform = Platform::create(*loaded.design.platform);
        if (!platform)
            std::abort(); // validate said it is sound
        (void)loadWorkload(loaded.design, platform.value());
    }
    return 0;
}
