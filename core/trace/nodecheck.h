#pragma once

#include "core/trace/commgroups.h"
#include "core/trace/groupresolver.h"
#include "core/trace/dependencies.h"
#include "core/trace/findings.h"
#include "core/trace/traceset.h"

namespace fabricscope {

/// Checks shared by the linter and by the conversion to a workload. Each adds to `findings`; errors are what a run refuses.

/// Everything that can be said about the nodes of one rank by themselves: types, sizes, collective types, peers, groups.
/// O(nodes + oddities).
void checkNodes(const TraceSet& traces, std::int64_t rank, std::int64_t rankCount, const GroupResolver& groups, Findings& findings, const std::stop_token& stop = {});

/// Turns the faults of `resolved` into findings. Faults of control dependencies are warnings unless `mode` is Use.
void checkDependencies(const TraceSet& traces, std::int64_t rank, const ResolvedDependencies& resolved, CtrlDeps mode, Findings& findings,
                       const std::stop_token& stop = {});

/// Says when a rank's file has an old schema.
void checkDialect(const TraceSet& traces, std::int64_t rank, Findings& findings);

/// True for a communication node that the host runs, which is not simulated as communication: its kernel is a node of its own.
bool isHostCommunication(const RankTrace& trace, std::uint32_t node);

/// The other rank of a SEND or RECV, -1 when the node does not say.
std::int64_t peerOf(const RankTrace& trace, std::uint32_t node);

} // namespace fabricscope
