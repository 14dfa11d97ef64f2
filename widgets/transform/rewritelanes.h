#pragma once

#include "core/base/units.h"
#include "core/record/activity.h"
#include "core/transform/programtimes.h"

#include <QString>

#include <vector>

namespace fabricscope {

/// Something that runs, as the timelines of a program draw it.
struct LaneBar {
    SimTime begin;
    SimTime end;
    QString stage;
    QString label; ///< "y 3/16" of a chunk.
    Activity activity = Activity::Compute;
};

struct LaneSpan {
    SimTime begin;
    SimTime end;
};

/// What one kind of part of the ranks does over time: the processors or the links of a group.
struct RewriteLane {
    QString name;
    std::vector<LaneBar> bars;     ///< By begin.
    std::vector<LaneSpan> exposed; ///< Of its communication: where nothing is computed beside it.
};

/// A program over time.
struct RewriteLanes {
    std::vector<RewriteLane> lanes;  ///< Computation of each group first, then its links.
    std::vector<LaneSpan> exposed;   ///< Communication beside which nothing is computed.
    std::vector<LaneSpan> waiting;   ///< The same where a lane of computation is there to wait.
    SimTime total;
};

/// Lanes of a timed program. Kernels of an overlap are drawn chunk by chunk where all their chunks are known. O(rows log rows).
RewriteLanes lanesOf(const transform::TensorProgram& program, const transform::ProgramTimes& times);

/// The colour of a part of a kernel.
Activity activityOfPart(transform::PartKind kind);
/// Of a kernel: that of its communication, or what it computes: reading and writing is Memory, a product Compute.
Activity activityOfKernel(const transform::TensorProgram& program, const transform::Kernel& kernel);

} // namespace fabricscope
