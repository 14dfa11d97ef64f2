#pragma once

#include "core/trace/dependencies.h"
#include "core/trace/findings.h"
#include "core/trace/traceset.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// One collective of a group on one of its members.
struct MemberCall {
    std::int64_t rank = 0;
    std::uint32_t position = 0; ///< Of its node, as in ResolvedDependencies.
    std::uint32_t event = 0;    ///< The same number on all members: the collective.
};

/// Part of the linter: members that are free to issue collectives of one group in different orders. A group runs its collectives one after another, in the order in
/// which they were first issued; where one member issues X only after Y and another is free to issue X first, the two may wait for each other for ever. Whether they
/// do depends on when each becomes ready, which only a run tells: warnings where the free member puts X first as long as both are ready (lowest id), notes else.
/// `calls`: of one group, rank by rank, in the order of executionOrder(). Dependencies inside a rank count; those that lead through other ranks do not.
/// `work`: what may still be spent, in words of bits; where it runs out the group is not looked at, which a note says. Throws StopRequested.
void lintCallOrders(std::span<const MemberCall> calls, const std::string& group, const TraceSet& traces, const std::vector<std::shared_ptr<const ResolvedDependencies>>& resolved,
                    const std::function<std::string(std::int64_t rank, std::uint32_t position)>& describe, std::uint64_t& work, const std::stop_token& stop, Findings& findings);

} // namespace fabricscope
