#include "core/transform/stepsearch.h"

#include "core/base/stop.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

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
        return tuneSettings();
    }

    /// The fastest programs once more with every setting of the collectives.
    Status tuneSettings()
    {
        if (m_file.tune.empty())
            return {};
        constexpr std::size_t kTuned = 16;
        std::vector<std::size_t> fastest(m_search.programs.size());
        std::iota(fastest.begin(), fastest.end(), std::size_t{0});
        std::stable_sort(fastest.begin(), fastest.end(), [&](std::size_t a, std::size_t b) { return m_search.programs[a].time < m_search.programs[b].time; });
        fastest.resize(std::min(fastest.size(), kTuned));
        std::vector<TensorProgram> programs;
        for (const std::size_t number : fastest)
            programs.push_back(madeBy(m_search.scheduleOf(number)));
        const std::vector<std::string> asWritten{std::string()};
        for (const std::string& algorithm : m_file.tune.algorithms.empty() ? asWritten : m_file.tune.algorithms) {
            for (const std::string& protocol : m_file.tune.protocols.empty() ? asWritten : m_file.tune.protocols) {
                if (Status status = tryChannels(algorithm, protocol, fastest, programs); !status)
                    return status;
            }
        }
        for (std::size_t i = 0; i < m_search.settings.size(); ++i) {
            if (m_search.settings[i].time < m_search.settings[m_search.bestSetting].time)
                m_search.bestSetting = i;
        }
        m_search.best = m_search.settings[m_search.bestSetting].program;
        return {};
    }

    /// Channels change what is computed beside communication, not how long that takes.
    Status tryChannels(const std::string& algorithm, const std::string& protocol, const std::vector<std::size_t>& numbers, const std::vector<TensorProgram>& programs)
    {
        TimingSetup setup = withSettings(m_file.timing, algorithm, protocol, {});
        CommTimes comm(setup, m_file.program.ranks, m_file.program.groups, m_stop);
        KernelTimer timer(setup, comm);
        std::vector<std::optional<std::int32_t>> channels(m_file.tune.channels.begin(), m_file.tune.channels.end());
        if (channels.empty())
            channels.push_back(m_file.timing.channels);
        for (const std::optional<std::int32_t> count : channels) {
            setup.channels = count;
            TunedSetting row{algorithm, protocol, m_file.tune.channels.empty() ? std::nullopt : count, 0, {}};
            for (std::size_t i = 0; i < programs.size(); ++i) {
                checkStop(m_stop);
                const auto times = timesOf(programs[i], timer, setup);
                if (!times)
                    return times.error();
                if (i == 0 || times.value().total < row.time) {
                    row.program = numbers[i];
                    row.time = times.value().total;
                }
            }
            m_search.settings.push_back(std::move(row));
        }
        return {};
    }

    TensorProgram madeBy(const Schedule& schedule) const
    {
        StepHistory history(m_file.program);
        for (const ScheduleStep& step : schedule)
            history.apply(step); // Legal: the search took it.
        return history.program();
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

TimingSetup StepSearch::bestTiming(const TransformFile& file) const
{
    if (settings.empty())
        return file.timing;
    const TunedSetting& chosen = settings[bestSetting];
    return withSettings(file.timing, chosen.algorithm, chosen.protocol, chosen.channels);
}

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
