#pragma once

#include "core/verify/connections.h"
#include "core/verify/verifyfindings.h"

#include <vector>

namespace fabricscope {

/// Checks that the columns fit together, so that everything else may index them: lengths, ranges of rankBegin and dependBegin, ranks and
/// chunks (V1, V2), fused groups. False: nothing more can be said. Like all checks here it throws StopRequested.
bool checkShape(const Program& program, VerifyFindings& findings, const std::stop_token& stop = {});

/// V4, V8, V10, V18 and the ends of switch operations. Returns by operation whether its places may be touched; a program without places:
/// empty. O(operations + dependencies).
std::vector<bool> checkOperations(const Program& program, VerifyFindings& findings, const std::stop_token& stop = {});

/// V6 and V7. O(messages).
void checkConnections(const Program& program, const Connections& connections, VerifyFindings& findings, const std::stop_token& stop = {});

/// V20: what the executor of MSCCL would refuse. Information.
void checkExecutorLimits(const Program& program, const Lanes& lanes, const Connections& connections, VerifyFindings& findings, const std::stop_token& stop = {});

/// Does the operation read, or write, chunks of its own rank at its source, or target, column?
constexpr bool readsOwnSource(OpKind kind)
{
    return kind == OpKind::Send || kind == OpKind::ReceiveReduce || kind == OpKind::Copy || kind == OpKind::Reduce || kind == OpKind::Put
        || kind == OpKind::SwitchReduce || kind == OpKind::SwitchMulticast;
}
constexpr bool writesOwnTarget(OpKind kind)
{
    return receives(kind) || kind == OpKind::Copy || kind == OpKind::Reduce || kind == OpKind::SwitchReduce;
}
constexpr bool isMemory(BufferKind buffer)
{
    return buffer == BufferKind::Input || buffer == BufferKind::Output || buffer == BufferKind::Scratch;
}

} // namespace fabricscope
