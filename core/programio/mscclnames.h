#pragma once

#include "core/program/program.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fabricscope {

/// Step types of MSCCL XML (manual: formats 4.5).
enum class MscclStep : std::uint8_t { Send, Receive, ReceiveCopySend, ReceiveReduceCopy, ReceiveReduceCopySend, ReceiveReduceSend, Copy, Reduce, Nop };

/// "s", "r", "rcs", ...
std::string_view mscclStepName(MscclStep step);
std::optional<MscclStep> mscclStepOf(std::string_view name);

constexpr bool mscclSends(MscclStep step)
{
    return step == MscclStep::Send || step == MscclStep::ReceiveCopySend || step == MscclStep::ReceiveReduceCopySend || step == MscclStep::ReceiveReduceSend;
}
constexpr bool mscclReceives(MscclStep step)
{
    return step == MscclStep::Receive || step == MscclStep::ReceiveCopySend || step == MscclStep::ReceiveReduceCopy || step == MscclStep::ReceiveReduceCopySend
        || step == MscclStep::ReceiveReduceSend;
}
/// Is the source operand an address of the executing rank? Else it is information.
constexpr bool mscclReads(MscclStep step)
{
    return step != MscclStep::Receive && step != MscclStep::ReceiveCopySend && step != MscclStep::Nop;
}
constexpr bool mscclWrites(MscclStep step)
{
    return step != MscclStep::Send && step != MscclStep::ReceiveReduceSend && step != MscclStep::Nop;
}

/// The `coll` names (manual: formats 4.6); both spellings of reduce-scatter. Custom: "custom" and those our collectives have no name for
/// (alltoallv, send, recv). Nothing: an unknown name.
std::optional<CollectiveOp> mscclCollective(std::string_view name);
/// The spelling the runtime accepts where it accepts one. Barrier: empty.
std::string_view mscclCollectiveName(CollectiveOp op);

std::optional<WireProtocol> mscclProtocol(std::string_view name);
/// Any is written as Simple, the default of the generators.
std::string_view mscclProtocolName(WireProtocol protocol);

} // namespace fabricscope
