#pragma once

#include "core/sharding/partition/partitionedprogram.h"

#include <stop_token>

namespace fabricscope {

/// What one device sends to and receives from others in one step; ids of devices, not positions. Rising peers.
struct DeviceMessages {
    struct Message {
        std::int32_t peer = 0;
        std::int64_t bytes = 0;
    };
    std::vector<Message> sends;
    std::vector<Message> receives;
};

/// Messages of a permute or a halo exchange by device (manual: sharding 8): whole arrays, each from the device the step takes it from; rows, each from those who hold them.
/// \pre Permute or HaloExchange. O(devices * (dims + messages)). Throws StopRequested.
std::vector<DeviceMessages> messagesOf(const PartitionedProgram& program, const ProgramStep& step, const std::stop_token& stop);

/// One shard of `bytes` from every device to the one before it along `axes`, the first to the last: a turn of a looped einsum.
std::vector<DeviceMessages> ringMessages(const Mesh& mesh, const AxisList& axes, std::int64_t bytes);

} // namespace fabricscope
