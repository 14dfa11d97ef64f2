// Lines PATH=VALUE as `--set` gives them, put over a design: read or refused, and what was read writes and reads back the same.
#include "core/design/design.h"

#include <cstdint>
#include <cstdlib>

using namespace fabricscope;

namespace {

const std::string kDesign = R"(fabricscope: 1
name: base
platform:
  dimensions:
    - {shape: fully_connected, size: 8, npu_bandwidth: 450 GB/s, latency: 700 ns}
    - {shape: switch, size: 4, bandwidth: 50 GB/s, latency: 2.5 us}
  npu: {peak: 989 TFLOP/s, memory_bandwidth: 3.35 TB/s, memory: 80 GiB}
workload:
  steps:
    - {name: forward, compute: 100 us}
    - {collective: all_reduce, size: 64 MiB, after: [forward]}
collectives:
  default: {algorithm: ring, chunks: 4}
model: {name: links}
)";

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::vector<FieldOverride> overrides;
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    while (!rest.empty() && overrides.size() < 8) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const std::size_t equals = line.find('=');
        if (equals != 0 && equals != std::string_view::npos)
            overrides.push_back({std::string(line.substr(0, equals)), std::string(line.substr(equals + 1))});
    }
    const LoadedDesign loaded = inspectDesignText(kDesign, "fuzz.yaml", overrides, false);
    for (const Diagnostic& entry : loaded.diagnostics) {
        if (entry.text().size() > 10'000)
            std::abort();
        if (entry.severity == Severity::Error)
            return 0;
    }
    static_cast<void>(validate(loaded.design));
    const std::string written = writeDesign(loaded.design);
    const LoadedDesign again = inspectDesignText(written, "fuzz.yaml", {}, false);
    if (!again.diagnostics.empty() || writeDesign(again.design) != written)
        std::abort();
    return 0;
}
