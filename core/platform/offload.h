#pragma once

#include "core/platform/platform.h"

#include <span>

namespace fabricscope {

/// A switch that reduces or copies (SwitchOffload): of a Switch dimension, or a node of a graph.
struct OffloadSwitch {
    std::int32_t dimension = -1; ///< -1: a node of an explicit graph.
    NodeId node = 0;             ///< The switch; of a dimension the first NPU of its line.
    friend auto operator<=>(const OffloadSwitch&, const OffloadSwitch&) = default;
};

/// The switch that joins these NPUs directly. Of a graph: the first listed with offload that has a link from and to each of them.
/// Errors: Unsupported, saying why there is none. O(members), of a graph O(members + links). \pre at least two members.
Result<OffloadSwitch> offloadSwitchOf(const Platform& platform, std::span<const NodeId> members);

const SwitchOffload& offloadOf(const Platform& platform, const OffloadSwitch& which);

/// The link of an NPU to the switch, and the one back. Of several in a graph the first listed. \pre the switch joins the NPU. Of a graph O(links).
LinkId linkToSwitch(const Platform& platform, const OffloadSwitch& which, NodeId npu);
LinkId linkFromSwitch(const Platform& platform, const OffloadSwitch& which, NodeId npu);

/// Has any switch of the platform offload?
bool hasOffload(const PlatformSpec& spec);

} // namespace fabricscope
