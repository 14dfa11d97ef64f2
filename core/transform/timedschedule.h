#pragma once

#include "core/base/result.h"
#include "core/transform/commtimes.h"
#include "core/transform/programtimes.h"
#include "core/transform/transformed.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace fabricscope::transform {

/// A program on the way through a schedule.
struct TracedProgram {
    TensorProgram program;
    ProgramTimes times;
    std::int64_t memory = 0; ///< Of declared tensors, bytes per rank.
};

/// What a schedule makes of a program, step by step.
struct TracedSchedule {
    Schedule schedule;                   ///< The steps that are legal.
    std::vector<TracedProgram> programs; ///< As read, then after each step: one more than steps.
    std::optional<RefusedStep> refused;  ///< The first step that is not legal; it and those behind it are not taken.
    std::optional<bool> equal;           ///< Both ends were executed on small numbers; absent: they cannot be.
    std::string difference;              ///< Why not equal, or why they cannot be executed.
};

/// A step that could be the next one.
struct StepOffer {
    ScheduleStep step;
    std::optional<Refusal> refusal; ///< Absent: it is legal.
    SimTime time;                   ///< Of the program with it; legal ones only.
};

/// Times of one file, kept between questions: every different kernel is timed once. Not for two threads at once.
class ScheduleTimer {
public:
    explicit ScheduleTimer(TransformFile file);
    ScheduleTimer(const ScheduleTimer&) = delete;
    ScheduleTimer& operator=(const ScheduleTimer&) = delete;

    const TransformFile& file() const { return m_file; }

    /// Every step timed, and the ends executed and compared. Errors: those of timing, Cancelled.
    Result<TracedSchedule> trace(const Schedule& schedule, const std::stop_token& stop = {});

    /// Steps that are legal here, the fastest first, then what one might try but is refused: every step the program has a stage for, fusing and overlapping of neighbours,
    /// slicing of replicated tensors. None for programs of more than kMostSearchedStages stages. Errors: as above.
    Result<std::vector<StepOffer>> offers(const TensorProgram& program, const std::stop_token& stop = {});

private:
    Result<ProgramTimes> timesWith(const TensorProgram& program);

    TransformFile m_file;
    CommTimes m_comm;
    KernelTimer m_timer;
};

/// Bytes per rank of all declared tensors.
std::int64_t memoryPerRank(const TensorProgram& program);

} // namespace fabricscope::transform
