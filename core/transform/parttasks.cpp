#include "core/transform/parttasks.h"

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

PartTask computing(std::string name, SimTime time)
{
    PartTask task;
    task.name = std::move(name);
    task.time = time;
    return task;
}

class TaskList {
public:
    TaskList(const TensorProgram& program, const ProgramTimes& times, CommTimes& comm) : m_program(program), m_times(times), m_comm(comm) {}

    Result<std::vector<PartTask>> run()
    {
        std::vector<bool> done(m_times.overlaps.size(), false);
        for (const TimedKernel& kernel : m_times.kernels) {
            const std::size_t chain = chainOf(kernel);
            if (chain < done.size() && done[chain])
                continue;
            if (chain < done.size())
                done[chain] = true;
            if (Status status = chain < done.size() ? addChain(m_times.overlaps[chain]) : addKernel(kernel); !status)
                return status.error();
        }
        return std::move(m_tasks);
    }

private:
    using Tasks = std::vector<PartTask>;

    const Stage& stageAt(std::int32_t number) const { return m_program.stages[at(number)]; }

    bool holds(const TimedKernel& kernel, const std::string& stage) const
    {
        return std::any_of(kernel.kernel.stages.begin(), kernel.kernel.stages.end(), [&](std::int32_t number) { return stageAt(number).name == stage; });
    }

    /// Beyond the last: in none.
    std::size_t chainOf(const TimedKernel& kernel) const
    {
        for (std::size_t i = 0; i < m_times.overlaps.size(); ++i) {
            for (const std::string& stage : m_times.overlaps[i].stages) {
                if (holds(kernel, stage))
                    return i;
            }
        }
        return m_times.overlaps.size();
    }

    std::int64_t bytesOfOperand(const Stage& stage) const
    {
        const Value& value = *m_program.find(stage.in[0].name);
        return elementsOf(value.shape) * bytesOf(value.type);
    }

    PartTask communication(const Stage& stage, bool inBuckets) const
    {
        PartTask task;
        task.name = stage.name;
        task.communicates = true;
        task.op = taskOp(stage.op);
        task.bytes = bytesOfOperand(stage);
        task.inBuckets = inBuckets;
        return task;
    }

    /// Communication of a kernel in its order. Scalars between two barriers are one.
    Tasks communicationsOf(const TimedKernel& kernel) const
    {
        Tasks tasks;
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

    Result<SimTime> alone(const PartTask& task)
    {
        const Op op = task.op == CollectiveOp::ReduceScatter ? Op::ReduceScatter : task.op == CollectiveOp::AllGather ? Op::AllGather : task.op == CollectiveOp::Broadcast ? Op::Broadcast : Op::AllReduce;
        auto taken = m_comm.collective(op, task.bytes, m_program.stage(task.name)->isScalarAllReduce());
        return taken ? Result<SimTime>(taken.value().time) : Result<SimTime>(taken.error());
    }

    Status refuseSends(const TimedKernel& kernel) const
    {
        for (const std::int32_t number : kernel.kernel.stages) {
            if (stageAt(number).op == Op::Send)
                return Error{ErrorCode::Unsupported, "messages between groups are not simulated in a step", {}, {}};
        }
        return {};
    }

    /// Puts what of `whole` is left beside communication where computation is: behind the sums, before what is gathered.
    Status addAround(Tasks tasks, SimTime whole, const std::string& name, bool first)
    {
        SimTime left = whole;
        for (const PartTask& task : tasks) {
            const auto taken = alone(task);
            if (!taken)
                return taken.error();
            left = left - taken.value();
        }
        const auto gather = std::find_if(tasks.begin(), tasks.end(), [](const PartTask& task) { return task.op == CollectiveOp::AllGather; });
        if (left.ps > 0)
            tasks.insert(first ? tasks.begin() : gather != tasks.end() && !gather->inBuckets ? gather : tasks.end(), computing(name, left));
        m_tasks.insert(m_tasks.end(), std::make_move_iterator(tasks.begin()), std::make_move_iterator(tasks.end()));
        return {};
    }

    std::string computationOf(const TimedKernel& kernel) const
    {
        for (const std::int32_t number : kernel.kernel.stages) {
            if (!isCommunication(stageAt(number).op))
                return stageAt(number).name;
        }
        return kernel.kernel.name;
    }

    Status addKernel(const TimedKernel& kernel)
    {
        if (Status status = refuseSends(kernel); !status)
            return status;
        return addAround(communicationsOf(kernel), kernel.time.alone(), computationOf(kernel), false);
    }

    Status addChain(const OverlapTimes& chain)
    {
        Tasks tasks;
        std::string name;
        bool first = false;
        for (const std::string& stage : chain.stages) {
            for (const TimedKernel& kernel : m_times.kernels) {
                if (!holds(kernel, stage))
                    continue;
                if (Status status = refuseSends(kernel); !status)
                    return status;
                Tasks more = communicationsOf(kernel);
                first = tasks.empty() && name.empty() ? more.empty() : first;
                name = name.empty() && more.empty() ? computationOf(kernel) : name;
                tasks.insert(tasks.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
            }
        }
        return addAround(std::move(tasks), chain.end - chain.begin, name.empty() ? chain.stages.front() : name, first);
    }

    const TensorProgram& m_program;
    const ProgramTimes& m_times;
    CommTimes& m_comm;
    Tasks m_tasks;
};

} // namespace

Result<std::vector<PartTask>> partTasks(const TensorProgram& program, const ProgramTimes& times, CommTimes& comm)
{
    return TaskList(program, times, comm).run();
}

} // namespace fabricscope::transform
