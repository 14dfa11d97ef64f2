#pragma once

#include "core/platform/balancedways.h"
#include "core/platform/platform.h"
#include "core/program/program.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// What the steps of a collective take one after another, estimated: the fullest link of each at its rate and its longest way. Reductions, own overheads, limits
/// of NPUs and crossbars, other ways than the balanced ones and meetings of different steps are left out. Plain value.
struct StepCosts {
    struct Step {
        double latencyPs = 0;
        double psPerByte = 0; ///< Of the bytes of the whole collective.
        std::int64_t times = 1;
    };
    std::vector<Step> steps;
    double fullestPsPerByte = 0; ///< Of the link that has most to do in all steps together. Of costsOfRule() only.

    /// Of so many bytes in equal chunks that follow each other: the links are busy one step after another, but one chunk's latencies hide behind the bytes of others.
    double timePs(std::int64_t bytes, std::int32_t chunks) const;
    /// At large sizes: one chunk waits for the fullest link of each step, many keep the fullest of all busy. \pre of costsOfRule()
    double largePsPerByte(std::int32_t chunks) const;
};

/// Of an explicit program with tags whose pieces are alike: those of its piece 0. `nodes`: of its ranks. Throws StopRequested. O(links of all ways).
StepCosts costsOf(const Program& program, std::span<const NodeId> nodes, const Platform& platform, const BalancedWays& ways, const std::stop_token& stop);

/// Of a native algorithm that reduces, gathers or does both along one axis. O(messages x links of their ways). \pre the algorithm does the collective
StepCosts costsOfRule(Algorithm algorithm, CollectiveOp op, std::span<const NodeId> nodes, const Platform& platform, const BalancedWays& ways);

/// Of a ring over all nodes as listed: an all-reduce goes round it twice, other collectives once. O(links of all ways). \pre at least two nodes
StepCosts costsOfRing(CollectiveOp op, std::span<const NodeId> nodes, const Platform& platform, const BalancedWays& ways);

} // namespace fabricscope
