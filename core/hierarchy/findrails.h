#pragma once

#include "core/platform/hostrails.h"

#include <optional>
#include <stop_token>

namespace fabricscope {

/// Hosts and rails of a graph: as its generator declares them, else by steps 1 and 2 of the rule for groups (GroupLevels) on all NPUs together. Nothing where there are no hosts of
/// equal size, no rails, or all NPUs of other hosts are equally near, so that rails would be numbers only. O(nodes + links), by the rule O(links) for every set of NPUs of
/// a first host with the same switches. `stop` is looked at, and StopRequested thrown. \pre platform.isExplicit().
std::optional<Rails> findRails(const Platform& platform, std::stop_token stop = {});

} // namespace fabricscope
