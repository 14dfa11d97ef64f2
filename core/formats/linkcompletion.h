#pragma once

#include "core/base/quantity.h"

#include <map>
#include <optional>
#include <string>

namespace fabricscope {

/// Figures the user gives for links of a platform file that has none or others.
struct LinkCompletion {
    std::optional<Quantity> bandwidth;        ///< Of one link and direction; replaces what the file says.
    std::optional<Quantity> latency;
    std::optional<double> bytesPerTransfer;   ///< Turns GT/s into bytes per second: lanes x coding / 8, 1.97 for PCIe 5.0 x16.
    friend bool operator==(const LinkCompletion&, const LinkCompletion&) = default;
};

/// By the name of a kind of link: InfraGraph a link's name; NCCL "nvlink", "nvswitch", "xgmi", "c2c", "pcie", "cpu" or "net".
using LinkCompletions = std::map<std::string, LinkCompletion>;

} // namespace fabricscope
