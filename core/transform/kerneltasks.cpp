#include "core/transform/kerneltasks.h"

#include "core/base/index.h"

#include <algorithm>
#include <utility>

namespace fabricscope::transform {

namespace {

CollectiveOp taskOp(Op op)
{
    switch (op) {
    case Op::ReduceScatter: return CollectiveOp::ReduceScatter;
    case Op::AllGather: return CollectiveOp::AllGather;
    case Op::Reduce:
    case Op::Broadcast: return CollectiveOp::Broadcast; // As CommTimes has them.
    default: return CollectiveOp::AllReduce;
    }
}

Op stageOp(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::ReduceScatter: return Op::ReduceScatter;
    case CollectiveOp::AllGather: return Op::AllGather;
    case CollectiveOp::Broadcast: return Op::Broadcast;
    default: return Op::AllReduce;
    }
}

} // namespace

std::vector<KernelTasks::Step> KernelTasks::steps() const
{
    std::vector<Step> list;
    for (const TimedKernel& kernel : m_times.kernels) {
        const OverlapTimes* const overlap = overlapOf(kernel);
        if (overlap && std::any_of(list.begin(), list.end(), [overlap](const Step& step) { return step.overlap == overlap; }))
            continue;
        Step step{overlap, {}};
        if (!overlap)
            step.kernels.push_back(&kernel);
        for (const std::string& stage : overlap ? overlap->stages : std::vector<std::string>()) {
            for (const TimedKernel& member : m_times.kernels) {
                if (holds(member, stage))
                    step.kernels.push_back(&member);
            }
        }
        list.push_back(std::move(step));
    }
    return list;
}

bool KernelTasks::holds(const TimedKernel& kernel, const std::string& stage) const
{
    return std::any_of(kernel.kernel.stages.begin(), kernel.kernel.stages.end(), [&](std::int32_t number) { return stageAt(number).name == stage; });
}

const OverlapTimes* KernelTasks::overlapOf(const TimedKernel& kernel) const
{
    for (const OverlapTimes& overlap : m_times.overlaps) {
        if (std::any_of(overlap.stages.begin(), overlap.stages.end(), [&](const std::string& stage) { return holds(kernel, stage); }))
            return &overlap;
    }
    return nullptr;
}

PartTask KernelTasks::communication(const Stage& stage, bool inBuckets) const
{
    PartTask task;
    task.name = stage.name;
    task.communicates = true;
    task.message = stage.op == Op::Send;
    task.op = taskOp(stage.op);
    const Value& operand = *m_program.find(stage.in[0].name);
    task.bytes = task.message ? bytesPerRank(stage.value, m_program.ranks) : elementsOf(operand.shape) * bytesOf(operand.type);
    task.inBuckets = inBuckets;
    return task;
}

std::vector<PartTask> KernelTasks::communicationsOf(const TimedKernel& kernel) const
{
    std::vector<PartTask> tasks;
    bool barrier = false;
    std::vector<std::int32_t> stages = kernel.kernel.stages;
    for (const std::int32_t number : stages)
        barrier = barrier || (stages.size() > 1 && stageAt(number).isScalarAllReduce());
    std::stable_partition(stages.begin(), stages.end(), [&](std::int32_t number) { return stageAt(number).op == Op::ReduceScatter; }); // A barrier is behind it.
    for (const std::int32_t number : stages) {
        const Stage& stage = stageAt(number);
        if (!isCommunication(stage.op))
            continue;
        const bool scalar = stage.isScalarAllReduce();
        const bool sums = (stage.op == Op::AllReduce && !scalar) || stage.op == Op::ReduceScatter;
        const bool joins = stage.op == Op::AllGather && stages.size() > 1 && !barrier;
        PartTask task = communication(stage, sums || joins);
        if (scalar && !tasks.empty() && m_program.stage(tasks.back().name)->isScalarAllReduce())
            tasks.back().bytes += task.bytes;
        else
            tasks.push_back(std::move(task));
    }
    // Both halves of an all-reduce in one kernel are that.
    if (!barrier && tasks.size() == 2 && tasks[0].op == CollectiveOp::ReduceScatter && tasks[1].op == CollectiveOp::AllGather && tasks[0].bytes == tasks[1].bytes) {
        tasks[0].op = CollectiveOp::AllReduce;
        tasks.pop_back();
    }
    return tasks;
}

Result<SimTime> KernelTasks::alone(const PartTask& task)
{
    if (task.message)
        return m_comm.send(task.bytes);
    auto taken = m_comm.collective(stageOp(task.op), task.bytes, m_program.stage(task.name)->isScalarAllReduce());
    return taken ? Result<SimTime>(taken.value().time) : Result<SimTime>(taken.error());
}

std::string KernelTasks::computationOf(const TimedKernel& kernel) const
{
    for (const std::int32_t number : kernel.kernel.stages) {
        if (!isCommunication(stageAt(number).op))
            return stageAt(number).name;
    }
    return kernel.kernel.name;
}

} // namespace fabricscope::transform
