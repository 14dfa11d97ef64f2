#pragma once

#include "core/design/file/reader.h"

namespace fabricscope {

/// `platform.remote_memory`: figures of its own, or {file: memory.json} of ASTRA-sim. Hierarchical pools (kind: hierarchical):
///
///     remote_memory:
///       kind: hierarchical
///       npus_per_node: 16                                             # NPUs behind the in-node switches of one node
///       in_node: {count: 1, bandwidth: 512 GB/s, latency: 100 ns}     # switches per node; port of each to one NPU, each way
///       out_node: {count: 16, bandwidth: 100 GB/s, latency: 200 ns}   # switches of the machine; port of each to one node, each way
///       groups: {count: 256, bandwidth: 100 GB/s, latency: 500 ns}    # memory groups; each one's rate, loads and stores together
///       spread: striped                                               # every access from all groups; home: from group (NPU mod groups)
///       piece: 256 KiB                                                # accesses are cut into pieces; default: as messages
///
/// `count` defaults to 1, `latency` to 0. What an access costs: core/sim/common/remotememory.h. A step `load: SIZE` with `gather: GROUP` reads every
/// member's shard once and delivers it to all members of the group.
void readRemoteMemory(DesignReading& reading, const YamlNode& node);
/// Empty where there is none.
YamlNode remoteMemoryTree(const RemoteMemory& memory);
/// First problem of a hierarchical pool; the place names the field only.
Status checkMemoryPool(const RemoteMemory& memory);

} // namespace fabricscope
