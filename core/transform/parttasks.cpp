#include "core/transform/parttasks.h"

#include "core/transform/kerneltasks.h"

#include <algorithm>
#include <utility>

namespace fabricscope::transform {

namespace {

PartTask computing(std::string name, SimTime time)
{
    PartTask task;
    task.name = std::move(name);
    task.time = time;
    return task;
}

class TaskList {
public:
    TaskList(const TensorProgram& program, const ProgramTimes& times, CommTimes& comm) : m_kernels(program, times, comm) {}

    Result<std::vector<PartTask>> run()
    {
        for (const KernelTasks::Step& step : m_kernels.steps()) {
            if (Status status = step.overlap ? addChain(step) : addKernel(*step.kernels.front()); !status)
                return status.error();
        }
        return std::move(m_tasks);
    }

private:
    using Tasks = std::vector<PartTask>;

    /// Puts what of `whole` is left beside communication where computation is: behind the sums, before what is gathered.
    Status addAround(Tasks tasks, SimTime whole, const std::string& name, bool first)
    {
        SimTime left = whole;
        for (const PartTask& task : tasks) {
            if (task.message)
                return Error{ErrorCode::Unsupported, "messages between groups are no part of a layer or of the optimizer", {}, {}};
            const auto taken = m_kernels.alone(task);
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

    Status addKernel(const TimedKernel& kernel) { return addAround(m_kernels.communicationsOf(kernel), kernel.time.alone(), m_kernels.computationOf(kernel), false); }

    Status addChain(const KernelTasks::Step& chain)
    {
        Tasks tasks;
        std::string name;
        bool first = false;
        for (const TimedKernel* const kernel : chain.kernels) {
            Tasks more = m_kernels.communicationsOf(*kernel);
            first = tasks.empty() && name.empty() ? more.empty() : first;
            name = name.empty() && more.empty() ? m_kernels.computationOf(*kernel) : name;
            tasks.insert(tasks.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        }
        return addAround(std::move(tasks), chain.overlap->end - chain.overlap->begin, name.empty() ? chain.overlap->stages.front() : name, first);
    }

    KernelTasks m_kernels;
    Tasks m_tasks;
};

} // namespace

Result<std::vector<PartTask>> partTasks(const TensorProgram& program, const ProgramTimes& times, CommTimes& comm)
{
    return TaskList(program, times, comm).run();
}

} // namespace fabricscope::transform
