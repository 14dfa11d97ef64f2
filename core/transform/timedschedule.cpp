#include "core/transform/timedschedule.h"

#include "core/base/stop.h"
#include "core/transform/executeprogram.h"
#include "core/transform/stagegraph.h"
#include "core/transform/stepsearch.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace fabricscope::transform {

namespace {

/// Steps that people try because the stages are there, legal or not.
std::vector<ScheduleStep> obviousSteps(const TensorProgram& program)
{
    std::vector<ScheduleStep> steps;
    const StageGraph graph(program);
    const auto isOneKernel = [&](const Stage& stage, std::int32_t other) -> bool { return kernelFlags(program, stage.name)[static_cast<std::size_t>(other)]; };
    for (std::size_t i = 0; i < program.stages.size(); ++i) {
        const Stage& stage = program.stages[i];
        const auto number = static_cast<std::int32_t>(i);
        if (stage.op == Op::AllReduce && !stage.isScalarAllReduce())
            steps.push_back({StepKind::Split, {stage.name}, {}});
        ScheduleStep reorder{StepKind::Reorder, {stage.name}, {}};
        for (const std::int32_t reader : graph.readers(number)) {
            const std::string& name = program.stages[static_cast<std::size_t>(reader)].name;
            reorder.names.push_back(name);
            if (isOneKernel(stage, reader))
                continue;
            steps.push_back({StepKind::Fuse, {stage.name, name}, {}});
            steps.push_back({StepKind::Overlap, {stage.name, name}, {}});
        }
        if ((stage.op == Op::AllGather || stage.op == Op::Send) && reorder.names.size() > 1)
            steps.push_back(std::move(reorder));
        if (stage.op == Op::AllGather)
            steps.push_back({StepKind::Dead, {stage.name}, {}});
    }
    for (const Tensor& tensor : program.tensors) {
        if (tensor.value.layout.isReplicated())
            steps.push_back({StepKind::AsSlice, {tensor.name}, {}});
    }
    return steps;
}

} // namespace

std::int64_t memoryPerRank(const TensorProgram& program)
{
    std::int64_t bytes = 0;
    for (const Tensor& tensor : program.tensors)
        bytes += bytesPerRank(tensor.value, program.ranks);
    return bytes;
}

ScheduleTimer::ScheduleTimer(TransformFile file) : m_file(std::move(file)), m_comm(m_file.timing, m_file.program.ranks, m_file.program.groups, {}), m_timer(m_file.timing, m_comm) {}

Result<ProgramTimes> ScheduleTimer::timesWith(const TensorProgram& program)
{
    return timesOf(program, m_timer, m_file.timing);
}

Result<TracedSchedule> ScheduleTimer::trace(const Schedule& schedule, const std::stop_token& stop)
{
    m_comm.setStop(stop);
    return untilStopped([&]() -> Result<TracedSchedule> {
        TracedSchedule traced;
        StepHistory history(m_file.program);
        for (std::size_t i = 0; i <= schedule.size() && !traced.refused; ++i) {
            checkStop(stop);
            auto times = timesWith(history.program());
            if (!times)
                return times.error();
            traced.programs.push_back({history.program(), std::move(times).value(), memoryPerRank(history.program())});
            if (i == schedule.size())
                break;
            if (auto refusal = history.apply(schedule[i]))
                traced.refused = RefusedStep{i + 1, schedule[i], *std::move(refusal)};
        }
        traced.schedule = history.applied();
        auto compared = compareRuns(history.first(), history.program(), stop);
        if (compared) {
            traced.equal = compared.value().equal;
            traced.difference = std::move(compared.value().difference);
        } else if (compared.error().code == ErrorCode::Cancelled) {
            return compared.error();
        } else {
            traced.difference = compared.error().message;
        }
        return traced;
    });
}

Result<std::vector<StepOffer>> ScheduleTimer::offers(const TensorProgram& program, const std::stop_token& stop)
{
    m_comm.setStop(stop);
    return untilStopped([&]() -> Result<std::vector<StepOffer>> {
        std::vector<StepOffer> offers;
        if (program.stages.size() > kMostSearchedStages)
            return offers;
        std::vector<std::string> tensors;
        for (const Tensor& tensor : program.tensors)
            tensors.push_back(tensor.name);
        std::vector<ScheduleStep> steps = pointwiseFusions(program);
        for (const auto& more : {candidateSteps(program, tensors), obviousSteps(program)})
            steps.insert(steps.end(), more.begin(), more.end());
        std::set<std::string> known;
        for (ScheduleStep& step : steps) {
            checkStop(stop);
            if (!known.insert(step.text()).second)
                continue;
            Rewritten made = applyStep(program, step);
            StepOffer offer{std::move(step), std::nullopt, {}};
            if (const auto* const found = std::get_if<TensorProgram>(&made)) {
                auto times = timesWith(*found);
                if (!times)
                    return times.error();
                offer.time = times.value().total;
            } else {
                offer.refusal = std::get<Refusal>(std::move(made));
                if (offer.refusal->condition == Condition::Free)
                    continue; // Of what is overlapped already nobody expects it.
            }
            offers.push_back(std::move(offer));
        }
        std::stable_sort(offers.begin(), offers.end(), [](const StepOffer& a, const StepOffer& b) { return std::pair{a.refusal.has_value(), a.time} < std::pair{b.refusal.has_value(), b.time}; });
        return offers;
    });
}

} // namespace fabricscope::transform
