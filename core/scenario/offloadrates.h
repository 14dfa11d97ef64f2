#pragma once

#include "core/base/units.h"
#include "core/platform/offload.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace fabricscope {

/// Figures of a switch that reduces or copies (innetwork.h).
struct SwitchRates {
    std::int64_t reduction = 0; ///< R, bytes/s; 0: cannot reduce.
    std::int64_t multicast = 0; ///< M, bytes/s; 0: no limit of its own.
    std::int64_t buffer = 0;    ///< W, bytes; 0: no limit.
    std::int64_t latency = 1;   ///< Z, ps.
    bool shares = false;        ///< A sum that all members get loads links with 1/n more.
    std::int64_t payload = 1;   ///< Of every `wire` bytes on the links so many are payload.
    std::int64_t wire = 1;

    /// Bytes on each link of an operation of so many among n members. `both`: what is summed is copied to all.
    std::int64_t onLinks(std::int64_t bytes, std::int64_t members, bool both) const { return mulDivCeil(both && shares ? bytes + (bytes + members - 1) / members : bytes, wire, payload); }
};

/// The same of all switches that do.
struct OffloadRates {
    std::map<std::int32_t, SwitchRates> ofDimension;
    std::map<NodeId, SwitchRates> ofNode;

    const SwitchRates& of(const OffloadSwitch& which) const { return which.dimension >= 0 ? ofDimension.at(which.dimension) : ofNode.at(which.node); }
};

/// Null: no switch of the platform reduces or copies.
std::shared_ptr<const OffloadRates> offloadRates(const PlatformSpec& spec);

} // namespace fabricscope
