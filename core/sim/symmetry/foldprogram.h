#pragma once

#include "core/base/result.h"
#include "core/program/program.h"
#include "core/sim/common/explicitplan.h"

#include <map>
#include <memory>
#include <mutex>
#include <stop_token>

namespace fabricscope {

/// An explicit program of which every rank does the same, as rank 0 does it. Operations of all ranks are paired by place: the k-th send of one is the
/// k-th send of another, likewise receives, and the rest.
struct FoldedProgram {
    ProgramPtr program; ///< The operations of rank 0 alone; peers are positions of the original.
    /// Of them. What a send's copies send comes to rank 0 by the receive that is its partner; ExplicitPlan::moves tells where they send to.
    std::shared_ptr<const events::ExplicitPlan> operations;
    bool turned = true;       ///< All sends go the same way round: from r to r + m, modulo the number of ranks.
    bool absoluteSizes = true; ///< No send is as large as some chunks of the vector.
};

/// Folds a program whose ranks all do the same: sends of one place have the same size, key of ties and connection and reach every rank once, the
/// receives they meet are of one place, and operations of one place wait for those of the same places. That it is so is looked up for every operation
/// of every rank. Chunks count as equally large: whether they are, the caller knows.
/// Errors: Unsupported, naming what differs first; routes of their own, slots, switches and one-sided operations are not folded.
/// Throws StopRequested. O(operations and dependencies), with a sort of those of each operation. \pre an explicit body, whose one-sided operations have been rewritten
Result<FoldedProgram> foldProgram(const Program& program, const std::stop_token& stop = {});

/// Programs folded so far, for runs of the same programs, as those of a sweep of sizes. For several threads: who asks for one that is being folded waits.
/// Programs stay as long as this does.
class FoldedPrograms {
public:
    /// foldProgram(), once for each program. Throws StopRequested, and then knows nothing of it. The answer stays valid.
    const Result<FoldedProgram>& of(const ProgramPtr& program, const std::stop_token& stop);

private:
    std::mutex m_mutex;
    std::map<ProgramPtr, Result<FoldedProgram>> m_known;
};

} // namespace fabricscope
