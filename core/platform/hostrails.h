#pragma once

#include "core/base/index.h"
#include "core/platform/declarednodes.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// Which NPUs are a host, and on which rail each of them is: what the policy `rail_aware` goes by. Plain value.
struct Rails {
    std::int32_t count = 0;          ///< Rails, and NPUs of a host.
    std::vector<NodeId> npus;        ///< Host by host, rail by rail.
    std::vector<std::int32_t> place; ///< By NPU: in `npus`; host times rails plus rail.
    std::vector<std::int32_t> host;  ///< By node; -1: a switch outside of hosts.

    std::int32_t hostOf(NodeId npu) const { return place[at(npu)] / count; }
    std::int32_t railOf(NodeId npu) const { return place[at(npu)] % count; }
    NodeId npu(std::int32_t inHost, std::int32_t rail) const { return npus[static_cast<std::size_t>(inHost) * static_cast<std::size_t>(count) + static_cast<std::size_t>(rail)]; }
    bool isInside(NodeId node, std::int32_t ofHost) const { return host[at(node)] == ofHost; }

    /// As a generator declares them. O(nodes). \pre declared.hasRails()
    static Rails of(const DeclaredNodes& declared, std::int32_t npus);
};

} // namespace fabricscope
