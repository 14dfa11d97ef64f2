#pragma once

#include "core/design/design.h"
#include "core/design/schedulingconfig.h"
#include "core/sim/simulate.h"

#include <string>
#include <vector>

namespace fabricscope::test {

/// A fabric on which orders of dimensions are compared; bandwidths per NPU.
struct ThemisFabric {
    std::string name;
    PlatformSpec platform;
};

/// Conv-3D and Conv-4D of the presets, 2-D 16 x 64 at 300:100 GB/s and 3-D 16 x 8 x 8 at 800:200:100 GB/s, both of switches with the latency
/// of the presets.
std::vector<ThemisFabric> themisFabrics();

/// An all-reduce of 1 GiB by all NPUs in 64 chunks.
Design themisDesign(const PlatformSpec& platform, DimensionScheduler scheduler, InsideScheduler inside = InsideScheduler::Fifo);

/// Bytes that leave an NPU over the time and the bandwidth of all its dimensions together, 0..1.
double utilisation(const PlatformSpec& platform, const RunRecord& record);

/// Runs the design; fails the process on an error.
RunRecord runDesign(const Design& design, EngineChoice engine = EngineChoice::Auto);

} // namespace fabricscope::test
