#pragma once

#include "core/base/index.h"
#include "core/trace/ranktrace.h"

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// What can be wrong with the dependencies of a rank.
enum class DependencyFault : std::uint8_t {
    DuplicateId, ///< Two nodes have one id.
    DanglingData,
    DanglingCtrl,
    SelfCtrl,
    Cycle,       ///< Data dependencies (with CtrlDeps::Use: all) form a ring.
    Repeated,    ///< One node is listed more than once by another, in one list.
    CtrlCycle    ///< Control dependencies left out by CtrlDeps::Auto because they would close a ring.
};
constexpr std::size_t kDependencyFaults = 7;

/// The dependencies of one rank resolved to positions: nodes in ascending id.
struct ResolvedDependencies {
    struct Fault {
        std::uint32_t node = 0;   ///< Position.
        std::uint64_t other = 0;  ///< Id of the other node.
    };
    struct Count {
        std::int64_t count = 0;
        std::vector<Fault> first; ///< At most three.
    };

    std::vector<std::uint32_t> order;   ///< Node index in the trace of each position; empty: the same.
    std::vector<std::uint32_t> begin;   ///< size+1 entries into `depends`.
    std::vector<std::uint32_t> depends; ///< Positions; ascending and unique per node.
    bool ascending = true;              ///< Every dependency stands before its node, so positions are an order of execution.
    std::array<Count, kDependencyFaults> faults;
    std::vector<std::uint32_t> cycle;   ///< Positions of one ring, each waiting for the next, the last for the first.

    std::uint32_t node(std::uint32_t position) const { return order.empty() ? position : order[position]; }
    std::span<const std::uint32_t> of(std::uint32_t position) const { return {depends.data() + begin[position], begin[position + 1] - begin[position]}; }
    const Count& fault(DependencyFault kind) const { return faults[at(kind)]; }
};

/// Resolves what the nodes wait for. Faulty dependencies are left out and counted; a ring of data dependencies stays in and is named.
/// Told to stop: throws StopRequested (stop.h). O(nodes log nodes + dependencies), O(nodes + dependencies) when ids ascend.
ResolvedDependencies resolveDependencies(const RankTrace& trace, CtrlDeps mode, const std::stop_token& stop = {});

/// Positions in an order in which the nodes can run: of those that can, the lowest first. Without the nodes that hang on a ring.
/// Told to stop: throws StopRequested.
std::vector<std::uint32_t> executionOrder(const ResolvedDependencies& resolved, const std::stop_token& stop = {});

} // namespace fabricscope
