#pragma once

#include "core/base/result.h"
#include "core/transform/parttasks.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope::transform {

/// What the kernels of a timed program do, as tasks.
class KernelTasks {
public:
    /// \param program, times, comm outlive this
    KernelTasks(const TensorProgram& program, const ProgramTimes& times, CommTimes& comm) : m_program(program), m_times(times), m_comm(comm) {}

    /// What runs together: a kernel, or the kernels of an overlap in the order of its chain.
    struct Step {
        const OverlapTimes* overlap = nullptr; ///< Null: a kernel alone.
        std::vector<const TimedKernel*> kernels;
    };
    /// In the order in which they run.
    std::vector<Step> steps() const;

    /// Communication of a kernel in its order, messages to the next group among it. Scalars between two barriers are one.
    std::vector<PartTask> communicationsOf(const TimedKernel& kernel) const;
    /// How long communication takes when nothing else uses the links.
    Result<SimTime> alone(const PartTask& task);
    /// Name of what a kernel computes.
    std::string computationOf(const TimedKernel& kernel) const;
    const Stage& stageAt(std::int32_t number) const { return m_program.stages[static_cast<std::size_t>(number)]; }

private:
    bool holds(const TimedKernel& kernel, const std::string& stage) const;
    const OverlapTimes* overlapOf(const TimedKernel& kernel) const;
    PartTask communication(const Stage& stage, bool inBuckets) const;

    const TensorProgram& m_program;
    const ProgramTimes& m_times;
    CommTimes& m_comm;
};

} // namespace fabricscope::transform
