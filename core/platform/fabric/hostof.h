#pragma once

#include "core/platform/fabric/family.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fabricscope {

/// A machine of several NPUs that stands at the places of a fabric: a blueprint, however many there are of it.
struct FabricHost {
    struct Cable {
        PortRef lower; ///< Nodes 0..npus-1 are its NPUs, then its switches.
        PortRef upper;
        Quantity bandwidth{0, "B/s", Measure::Bandwidth};
        Quantity latency{0, "ns", Measure::Time};
    };
    std::string name;           ///< "hgx-h100-8".
    std::int32_t npus = 1;
    std::int32_t switches = 0;
    bool forwards = false;      ///< Its NPUs pass on data of others inside the host: direct shapes, unless none of them does.
    std::vector<Cable> cables;
    NpuSpec npu;
    std::map<std::int32_t, SwitchOffload> offloads{}; ///< What its switches reduce and copy, by number among them,
    std::map<std::int32_t, Quantity> crossbars{};     ///< and what those with a crossbar limit pass on per second.
    std::vector<NpuAxis> axes{}; ///< Coordinates inside of it: its dimensions, or what its generator declares; empty: the index alone.
};

struct HostLimits {
    std::int64_t npus = 4096;
    std::int64_t cables = 65536;
};

/// The machine of a platform: dimensions or an explicit graph written out. Refuses memories and links that differ by direction, and what is larger.
Result<FabricHost> hostOf(const PlatformSpec& spec, const HostLimits& limits = {});

} // namespace fabricscope
