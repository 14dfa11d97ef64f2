#include "core/transform/stepsearch.h"

#include "core/base/stop.h"

#include <algorithm>
#include <map>

namespace fabricscope::transform {

namespace {

/// One search. Programs are kept until what follows from them was looked at.
class BreadthFirst {
public:
    BreadthFirst(const TransformFile& file, const std::stop_token& stop, const SearchLimits& limits, const SearchWatch& watch)
        : m_file(file)
        , m_stop(stop)
        , m_keep(limits.keepWhenStopped)
        , m_watch(watch)
        , m_most(std::clamp<std::size_t>(limits.stageSteps / std::max<std::size_t>(file.program.stages.size(), 1), 20, std::max<std::size_t>(limits.programs, 20)))
        , m_comm(file.timing, file.program.ranks, file.program.groups, stop)
        , m_timer(file.timing, m_comm)
    {
    }

    Result<StepSearch> run()
    {
        const Status searched = untilStopped([&] { return search(); });
        if (!searched) {
            if (searched.error().code != ErrorCode::Cancelled || !m_keep || m_search.programs.empty())
                return searched.error();
            m_search.complete = false;
        }
        return std::move(m_search);
    }

private:
    Status search()
    {
        if (Status status = add(-1, {}, m_file.program); !status)
            return status.error();
        std::size_t next = 0;
        for (const ScheduleStep& step : pointwiseFusions(m_file.program)) {
            next = m_search.programs.size() - 1;
            const Rewritten made = applyStep(m_waiting.at(next), step);
            if (const auto* const program = std::get_if<TensorProgram>(&made)) {
                if (Status status = add(static_cast<std::int64_t>(next), step, *program); !status)
                    return status.error();
            }
        }
        for (next = m_search.programs.size() - 1; next < m_search.programs.size(); ++next) {
            if (Status status = expand(next); !status)
                return status.error();
        }
        return {};
    }

    Status expand(std::size_t number)
    {
        const TensorProgram program = std::move(m_waiting.at(number));
        m_waiting.erase(number);
        for (const ScheduleStep& step : candidateSteps(program, m_file.maySlice)) {
            checkStop(m_stop);
            if (m_search.programs.size() >= m_most) {
                m_search.complete = false;
                return {};
            }
            const Rewritten made = applyStep(program, step);
            if (const auto* const found = std::get_if<TensorProgram>(&made)) {
                if (Status status = add(static_cast<std::int64_t>(number), step, *found); !status)
                    return status;
            }
        }
        return {};
    }

    Status add(std::int64_t parent, const ScheduleStep& step, const TensorProgram& program)
    {
        checkStop(m_stop);
        if (!m_seen.emplace(canonicalText(program), m_search.programs.size()).second)
            return {};
        auto times = timesOf(program, m_timer, m_file.timing);
        if (!times)
            return times.error();
        SearchedProgram found{parent, step, times.value().total, 0};
        for (const Tensor& tensor : program.tensors)
            found.memory += bytesPerRank(tensor.value, program.ranks);
        const std::size_t number = m_search.programs.size();
        m_search.programs.push_back(std::move(found));
        m_waiting.emplace(number, program);
        const auto rank = [&](std::size_t i) { return std::pair{m_search.programs[i].time, m_search.programs[i].memory}; };
        if (rank(number) < rank(m_search.best))
            m_search.best = number;
        if (m_watch)
            m_watch(m_search);
        return {};
    }

    const TransformFile& m_file;
    const std::stop_token& m_stop;
    bool m_keep;
    const SearchWatch& m_watch;
    std::size_t m_most;
    CommTimes m_comm;
    KernelTimer m_timer;
    StepSearch m_search;
    std::map<std::size_t, TensorProgram> m_waiting;
    std::map<std::string, std::size_t> m_seen;
};

} // namespace

Schedule StepSearch::scheduleOf(std::size_t program) const
{
    Schedule schedule;
    for (auto number = static_cast<std::int64_t>(program); programs[static_cast<std::size_t>(number)].parent >= 0; number = programs[static_cast<std::size_t>(number)].parent)
        schedule.push_back(programs[static_cast<std::size_t>(number)].step);
    std::reverse(schedule.begin(), schedule.end());
    return schedule;
}

Result<StepSearch> searchSchedules(const TransformFile& file, const std::stop_token& stop, const SearchLimits& limits, const SearchWatch& watch)
{
    if (file.program.stages.size() > kMostSearchedStages)
        return invalidInput("the program has " + std::to_string(file.program.stages.size()) + " stages, too many for a search", {}, "at most " + std::to_string(kMostSearchedStages));
    return BreadthFirst(file, stop, limits, watch).run();
}

} // namespace fabricscope::transform
