#pragma once

#include "core/program/nativerule.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace fabricscope::generate {

/// Blocks [first, first + count) in the order of AxisMessages.
struct BlockRun {
    std::int32_t first = 0;
    std::int32_t count = 0;
};

/// A message along one axis, as its sender has it: phaserules.h, with the blocks it carries.
struct AxisMessage {
    std::int32_t from = 0; ///< Positions on the axis.
    std::int32_t to = 0;
    std::int32_t step = 0;
    std::int32_t slot = 0;
    bool reduces = false;
    std::int32_t awaits = -1; ///< Sender of a message that must have come too, though this has nothing of it (NativeRule::awaits); -1: there is none.
    bool awaited = false;     ///< It is such a message.
    std::uint32_t runBegin = 0; ///< Into AxisMessages::runs.
    std::uint32_t runEnd = 0;
};

/// Where block b of an axis stands: as the rule has it (NativeRule::place), so that its messages are runs of neighbours; null: at b.
std::vector<std::int32_t> blockOrder(std::int32_t extent, const NativeRule* rule);

/// The messages of a phase on one axis, ascending by step. Not for phases in switches.
struct AxisMessages {
    std::vector<AxisMessage> list;
    std::vector<BlockRun> runs;
    std::int32_t steps = 0; ///< Highest step + 1.
    std::vector<std::uint32_t> stepBegin; ///< steps + 1 entries into list.
};

/// \param order of blockOrder; a double binary tree has the blocks 0 and 1, broadcast and all-to-all none. Told to stop: throws StopRequested (stop.h).
/// O(messages + blocks they carry).
AxisMessages axisMessages(const PhaseTemplate& phase, std::int32_t extent, const std::vector<std::int32_t>& order, const std::stop_token& stop);

/// Messages of a phase on one line.
std::int64_t messageCount(const PhaseTemplate& phase, std::int32_t extent);

} // namespace fabricscope::generate
