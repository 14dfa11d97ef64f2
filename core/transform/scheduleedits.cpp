#include "core/transform/scheduleedits.h"

#include <algorithm>

namespace fabricscope::transform {

namespace {

/// The schedule if all of it is legal.
EditedSchedule checkedSchedule(const TensorProgram& program, Schedule schedule)
{
    StepHistory history(program);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        if (auto refusal = history.apply(schedule[i]))
            return RefusedStep{i + 1, schedule[i], *std::move(refusal)};
    }
    return schedule;
}

} // namespace

EditedSchedule withStep(const TensorProgram& program, const Schedule& schedule, const ScheduleStep& step)
{
    Schedule longer = schedule;
    longer.push_back(step);
    return checkedSchedule(program, std::move(longer));
}

Schedule withoutStep(const TensorProgram& program, const Schedule& schedule, std::size_t step)
{
    StepHistory history(program);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        if (i != step)
            history.apply(schedule[i]); // What is refused now depended on the step.
    }
    return history.applied();
}

EditedSchedule withMovedStep(const TensorProgram& program, const Schedule& schedule, std::size_t from, std::size_t to)
{
    Schedule moved = schedule;
    const auto begin = moved.begin();
    const auto source = static_cast<std::ptrdiff_t>(from);
    const auto target = static_cast<std::ptrdiff_t>(to);
    if (from < to)
        std::rotate(begin + source, begin + source + 1, begin + target + 1);
    else
        std::rotate(begin + target, begin + source, begin + source + 1);
    return checkedSchedule(program, std::move(moved));
}

std::string scheduleText(const Schedule& schedule)
{
    std::string text;
    for (const ScheduleStep& step : schedule)
        text += step.text() + '\n';
    return text;
}

} // namespace fabricscope::transform
