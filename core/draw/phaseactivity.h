#pragma once

#include "core/program/program.h"
#include "core/record/activity.h"

namespace fabricscope {

/// The activity whose colour and name a phase of a collective has.
constexpr Activity activityOf(PhaseKind kind)
{
    switch (kind) {
    case PhaseKind::ReduceScatter: return Activity::ReduceScatter;
    case PhaseKind::AllGather: return Activity::AllGather;
    case PhaseKind::AllToAll: return Activity::AllToAll;
    case PhaseKind::Broadcast: return Activity::Broadcast;
    case PhaseKind::AllReduce: break;
    }
    return Activity::AllReduce;
}

} // namespace fabricscope
