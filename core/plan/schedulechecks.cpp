#include "core/plan/layoutchecks.h"

#include <string>

namespace fabricscope {

namespace {

/// The multiples of `step` next to `wanted`, none below `least`.
std::string nearestMultiples(std::int64_t wanted, std::int64_t step, std::int64_t least)
{
    const std::int64_t below = wanted / step * step;
    const std::int64_t above = std::max(below + step, (least + step - 1) / step * step);
    return below >= least && below > 0 ? std::to_string(below) + " or " + std::to_string(above) : std::to_string(above);
}

} // namespace

Status checkSchedule(const PlanLayout& layout)
{
    const std::int64_t p = layout.pipelineSize;
    const std::int64_t m = layout.microBatches;
    const std::string name(keyOf(kPipelineSchedules, layout.pipeline.schedule));
    if (p == 1)
        return {};
    const auto few = [&](std::int64_t least, const std::string& expected) {
        return planError("pipeline.micro_batches", name + " needs at least " + std::to_string(least) + " micro-batches on " + std::to_string(p) + " stages and has " + std::to_string(m), expected + " micro-batches");
    };
    switch (layout.pipeline.schedule) {
    case PipelineSchedule::Interleaved:
        if (layout.chunks > 1 && m % p != 0)
            return planError("pipeline.micro_batches", name + " needs micro-batches in groups of " + std::to_string(p) + ", one per stage, and has " + std::to_string(m), nearestMultiples(m, p, p) + " micro-batches");
        return {};
    case PipelineSchedule::ZeroBubbleH2:
        return m < 2 * p - 1 ? Status(few(2 * p - 1, std::to_string(2 * p - 1))) : Status();
    case PipelineSchedule::DualPipe:
        if (p % 2 != 0)
            return planError("pipeline.axis", name + " needs an even number of stages and has " + std::to_string(p), std::to_string(p - 1) + " or " + std::to_string(p + 1) + " ranks along \"" + layout.pipeline.axis + "\"");
        if (m < 2 * p)
            return few(2 * p, std::to_string(2 * p));
        if (m % 2 != 0)
            return planError("pipeline.micro_batches", name + " needs an even number of micro-batches and has " + std::to_string(m), nearestMultiples(m, 2, 2 * p) + " micro-batches");
        return {};
    case PipelineSchedule::DualPipeV:
        return m < 2 * p ? Status(few(2 * p, std::to_string(2 * p))) : Status();
    case PipelineSchedule::GPipe:
    case PipelineSchedule::OneForwardOneBackward:
    case PipelineSchedule::ZeroBubbleH1:
    case PipelineSchedule::ZeroBubbleV:
        return {};
    }
    return {};
}

} // namespace fabricscope
