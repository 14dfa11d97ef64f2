#include "core/run/rundesign.h"

#include "core/base/outofmemory.h"
#include "core/base/stop.h"
#include "core/planner/placeddesign.h"
#include "core/report/collectivebounds.h"
#include "core/report/placedfigures.h"
#include "core/report/planfigures.h"
#include "core/run/memorylimit.h"
#include "core/scenario/networkparams.h"
#include "core/sim/events/expectedmessages.h"

#include <algorithm>
#include <chrono>

namespace fabricscope {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Dimension of each entry of RunRecord::dimensions, for the colours of the timeline.
TimelineSource::Options timelineOptions(const Scenario& scenario, const std::stop_token& stop)
{
    TimelineSource::Options options;
    const std::size_t dimensions = scenario.structure->platform.dimensions().size();
    for (std::size_t d = 0; d < dimensions; ++d)
        options.dimensionOfUse.push_back(static_cast<std::int32_t>(d));
    options.stop = stop;
    return options;
}

/// Times that are kept for the figures of a plan are no reason to look for bounds.
RunRecord withoutTasks(RunRecord record)
{
    for (RankClass& row : record.classes)
        row.tasks = nullptr;
    return record;
}

/// One job: what it was asked for and what it has got so far.
class Job {
public:
    Job(std::shared_ptr<const Design> design, const Diagnostics& noticed, const RunDesignOptions& options)
        : m_design(std::move(design)), m_noticed(noticed), m_options(options)
    {
    }

    Result<RunResultPtr> run(std::stop_token stop)
    {
        if (m_options.progress)
            m_options.progress({});
        for (const Diagnostics& found : {m_noticed, validate(*m_design, stop)}) {
            for (const Diagnostic& diagnostic : found)
                if (diagnostic.severity == Severity::Error)
                    return toError(diagnostic);
        }
        if (Status status = prepare(stop); !status)
            return status.error();
        if (stop.stop_requested())
            return Error{ErrorCode::Cancelled, "the simulation was stopped", {}, {}};

        RunOptions options;
        options.engine = m_options.engine;
        options.seed = m_options.seed;
        options.taskTimes = m_options.taskTimes || hasBounds() || wantsTaskTimes(*m_design, *m_scenario->structure->workload);
        options.busyOverTime = m_options.taskTimes && m_options.timeline; // Shown beside the timeline only.
        options.memoryLimit = m_options.memoryLimit;
        options.record.lowerBound = [this, &stop](const RunRecord& made) {
            // A run that is told to stop gives its last part.
            const std::stop_token until = made.cutAt ? std::stop_token() : stop;
            m_bounds = m_options.taskTimes || hasBounds() ? collectiveBounds(*m_scenario, made, until) : collectiveBounds(*m_scenario, withoutTasks(made), until);
            return lowerBoundOf(*m_design, m_bounds);
        };
        m_simulating = Clock::now();
        if (m_options.progress)
            options.progress = [this](const Progress& progress) { tell(progress); };
        if (m_options.partial)
            options.partial = [this](RunRecord record) { m_options.partial(resultOf(std::move(record), {})); };
        Result<RunRecord> record = simulated(options, stop);
        if (!record)
            return std::move(record).error();
        if (stop.stop_requested())
            return Error{ErrorCode::Cancelled, "the simulation was stopped", {}, {}};
        return untilStopped([&]() -> Result<RunResultPtr> { return resultOf(std::move(record).value(), stop); });
    }

private:
    Status prepare(const std::stop_token& stop)
    {
        m_scenario = m_options.prepared.scenario;
        m_placement = m_options.prepared.placement;
        if (m_scenario)
            return {};
        Result<PreparedDesign> prepared = prepareToRun(*m_design, m_options.threads, stop);
        if (!prepared)
            return std::move(prepared).error();
        m_scenario = prepared.value().scenario;
        if (prepared.value().placement)
            m_placement = placedFigures(*prepared.value().placement);
        return {};
    }

    /// Messages of one rank that stands for all are few: who asks for them gets those, where there is such a rank.
    Result<RunRecord> simulated(RunOptions options, const std::stop_token& stop) const
    {
        options.message = m_options.message;
        if (!m_options.message || m_options.engine != EngineChoice::Auto)
            return simulate(*m_scenario, options, stop);
        options.engine = EngineChoice::Symmetry;
        Result<RunRecord> record = simulate(*m_scenario, options, stop);
        if (record || record.error().code != ErrorCode::Unsupported)
            return record;
        if (m_options.messagesAgain)
            m_options.messagesAgain();
        options.engine = EngineChoice::Auto;
        if (events::expectedPieces(*m_scenario, true, 1, stop) > m_options.mostMessages)
            options.message = {};
        return simulate(*m_scenario, options, stop);
    }

    /// Lower bounds of collectives need the times of their tasks: kept for them where those are few.
    bool hasBounds() const
    {
        constexpr std::int64_t kFewTasks = std::int64_t{1} << 20;
        const WorkloadPtr& workload = m_scenario->structure->workload;
        return traitsOf(m_design->model.model).keepsRates && workload && workload->taskCount() <= kFewTasks;
    }

    void tell(const Progress& progress) const
    {
        RunProgress told;
        told.stage = RunProgress::Stage::Simulating;
        told.share = std::clamp(progress.share, 0.0, 1.0);
        told.events = progress.events;
        told.simulated = progress.simulated;
        const double seconds = secondsSince(m_simulating);
        if (seconds > 0)
            told.eventsPerSecond = static_cast<double>(progress.events) / seconds;
        // A straight line through so little would say nothing.
        constexpr double kSmallestShare = 0.005;
        if (told.share > kSmallestShare)
            told.secondsLeft = seconds * (1 - told.share) / told.share;
        m_options.progress(told);
    }

    /// Of the record that m_bounds belongs to: the last one that was made. Throws StopRequested.
    RunResultPtr resultOf(RunRecord made, const std::stop_token& stop) const
    {
        auto result = std::make_shared<RunResult>();
        result->number = m_options.number;
        result->design = m_design;
        result->scenario = m_scenario;
        auto record = std::make_shared<RunRecord>(std::move(made));
        result->summary = summarise(*m_design, *m_scenario, record, m_noticed, stop, &m_bounds);
        if (m_placement && result->summary.record->complete)
            result->summary.plan = m_placement;
        if (drawsAtRandom(m_scenario.get()))
            result->summary.seed = m_options.seed;
        if (!m_options.taskTimes) {
            for (RankClass& row : record->classes)
                row.tasks = nullptr;
        }
        if (m_options.taskTimes && m_options.timeline)
            result->timeline = TimelineSource::create(record, m_scenario->structure->workload, timelineOptions(*m_scenario, stop));
        result->cost.threads = m_options.threads;
        result->cost.peakRssBytes = peakRssBytes();
        result->cost.host = hostName();
        result->cost.wallMicroseconds = static_cast<std::int64_t>(secondsSince(m_begin) * 1e6);
        return result;
    }

    std::shared_ptr<const Design> m_design;
    const Diagnostics& m_noticed;
    const RunDesignOptions& m_options;
    ScenarioPtr m_scenario;
    std::shared_ptr<const PlanFigures> m_placement;
    CollectiveBounds m_bounds;
    Clock::time_point m_begin = Clock::now();
    Clock::time_point m_simulating = m_begin;
};

} // namespace

PreparedRun preparedOf(const RunSummary& summary, ScenarioPtr scenario)
{
    return {std::move(scenario), summary.plan && summary.plan->placement ? summary.plan : nullptr};
}

Result<RunResultPtr> runDesign(std::shared_ptr<const Design> design, const Diagnostics& noticed, const RunDesignOptions& options, std::stop_token stop)
{
    return catchOutOfMemory([&] { return untilStopped([&] { return Job(std::move(design), noticed, options).run(stop); }); });
}

} // namespace fabricscope
