#include "core/platform/presetreached.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

#define FABRICSCOPE_A100_REACHED "Rates are those that NCCL reaches: 210 GB/s and a start of 45 us, fitted to 114 all-reduces of 2 to 8 GPUs of several sites (example fabrics/a100), error 10 %; of a site they were not fitted to 10 to 29 %."
#define FABRICSCOPE_H100_REACHED "Rates are those that NCCL reaches: 427 GB/s and a start of 30 us, fitted to 59 all-reduces of 2 to 8 GPUs of several sites (example fabrics/h100), error 12 %; of a site they were not fitted to 12 to 43 %."

constexpr std::array<PresetReached, 4> kReached{{
    {"dgx-a100-8", 210.233101, 609.939, 1, 44.553521, 13.7, 161, FABRICSCOPE_A100_REACHED},
    {"hgx-h100-8", 426.676133, 206.733, 1, 30.028658, 24.6, 97, FABRICSCOPE_H100_REACHED},
    {"hgx-h200-8", 426.676133, 206.733, 1, 30.028658, 24.6, 89, FABRICSCOPE_H100_REACHED},
    {"clos-h100-256", 426.676133, 206.733, 0.95, 30.028658, 24.6, 97,
     FABRICSCOPE_H100_REACHED " Between nodes 46 to 49 GB/s of a 400 Gb/s adapter (NCCL maintainers, nccl-tests issues 267 and 290), here 47.5; the start of 30 us is that in one node."},
}};

} // namespace

const PresetReached* presetReached(std::string_view name)
{
    const auto found = std::find_if(kReached.begin(), kReached.end(), [name](const PresetReached& of) { return of.preset == name; });
    return found == kReached.end() ? nullptr : &*found;
}

void applyReached(const PresetReached& reached, PlatformSpec& spec)
{
    for (std::size_t i = 0; i < spec.dimensions.size(); ++i) {
        Dimension& dimension = spec.dimensions[i];
        if (i > 0) {
            dimension.bandwidth.value *= reached.networkShare;
            continue;
        }
        dimension.bandwidth = Quantity{reached.gigabytesPerSecond, "GB/s", Measure::Bandwidth};
        dimension.latency = Quantity{reached.latencyNs, "ns", Measure::Time};
    }
    spec.source += " " + std::string(reached.source);
}

} // namespace fabricscope
