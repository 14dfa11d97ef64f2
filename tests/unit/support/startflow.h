#pragma once

#include "core/sim/events/flownetwork.h"

#include <cstdint>
#include <vector>

namespace fabricscope::test {

/// A flow that takes each of these resources once.
inline std::int32_t startFlow(FlowNetwork& network, const std::vector<std::int32_t>& resources, std::int64_t bytes)
{
    std::vector<FlowNetwork::Crossing> crossings;
    for (const std::int32_t resource : resources)
        crossings.push_back({resource, 1});
    return network.start(crossings, bytes);
}

} // namespace fabricscope::test
