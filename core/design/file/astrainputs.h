#pragma once

#include "core/design/design.h"

#include <cstdint>
#include <string>

namespace fabricscope {

/// The files of an ASTRA-sim run; empty: not given.
struct AstraInputs {
    std::string network;
    std::string system;
    std::string memory;
    std::string commGroups;
    std::string workload;     ///< Trace prefix.
    std::int64_t queues = 1;
    double injectionScale = 1;
    bool rendezvous = false;
};

/// Builds a design from ASTRA-sim inputs. Unknown keys of these foreign files are warnings.
Result<LoadedDesign> designFromAstra(const AstraInputs& inputs);

} // namespace fabricscope
