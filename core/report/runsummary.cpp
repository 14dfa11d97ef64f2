#include "core/report/runsummary.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/report/collectivebounds.h"
#include "core/report/planfigures.h"
#include "core/report/resultrows.h"

#include <algorithm>
#include <tuple>

namespace fabricscope {

namespace {

/// A finding without its severity and rule: "net.yml:3: ...".
std::string plainText(const Diagnostic& entry)
{
    return toError(entry).text();
}

void addOnce(Diagnostics& all, const Diagnostics& more)
{
    for (const Diagnostic& entry : more) {
        const bool known = std::any_of(all.begin(), all.end(), [&](const Diagnostic& other) {
            return other.severity == entry.severity && other.rule == entry.rule && other.text() == entry.text();
        });
        if (!known)
            all.push_back(entry);
    }
}

DimensionFigures figuresOf(const Dimension& dimension)
{
    return {showBandwidth(dimension.linkBandwidth()), showBandwidth(dimension.npuBandwidth()), showTime(dimension.linkLatency())};
}

std::vector<JobFigures> jobsOf(const Placement& placement, const RunRecord& record)
{
    std::vector<JobFigures> jobs;
    const auto& placed = placement.jobs();
    if (placed.size() < 2 && (placed.empty() || placed[0].name.empty()))
        return jobs;
    for (std::size_t j = 0; j < placed.size(); ++j)
        jobs.push_back({placed[j].name.empty() ? "job " + std::to_string(j) : placed[j].name, placed[j].ranks, {}, true});
    for (const RankClass& row : record.classes) {
        JobFigures& job = jobs[at(row.job)];
        job.finish = std::max(job.finish, row.times.finish);
        job.finished = job.finished && row.times.finished;
    }
    return jobs;
}

} // namespace

RunSummary summarise(const Design& design, const Scenario& scenario, std::shared_ptr<const RunRecord> record, const Diagnostics& noticed, const std::stop_token& stop,
                     const CollectiveBounds* bounds)
{
    RunSummary summary;
    summary.name = design.name;
    summary.notes = design.notes;
    summary.workload = scenario.structure->workload ? scenario.structure->workload->source : std::string();
    summary.designHash = designHash(design, stop).hex();
    summary.designFile = design.file;
    const Platform& platform = scenario.structure->platform;
    for (const Dimension& dimension : platform.dimensions())
        summary.dimensions.push_back(figuresOf(dimension));
    if (platform.isExplicit())
        summary.dimensions.push_back({"as listed", "", "as listed"});
    if (scenario.params)
        summary.parameters = scenario.params->list;
    if (design.workload) {
        if (const auto* single = std::get_if<SingleCollective>(design.workload.get()))
            summary.collective = CollectiveSize{std::string(collectiveKey(single->op)), toBytes(single->size).value, record->rankCount};
    }
    summary.choices = scenario.choices;
    CollectiveBounds found = bounds ? *bounds : collectiveBounds(scenario, *record, stop);
    summary.collectiveBounds = std::move(found.rows);
    summary.boundsNote = std::move(found.note);
    summary.jobs = jobsOf(scenario.structure->placement, *record);
    addOnce(summary.diagnostics, noticed);
    addOnce(summary.diagnostics, scenario.diagnostics);
    addOnce(summary.diagnostics, record->diagnostics);
    summary.accuracy = accuracyFigures(scenario);
    for (const std::string& what : summary.accuracy->outside)
        summary.diagnostics.push_back(warning("outside-measured", what + ": how far off its time is is not known"));
    if (auto figures = planFigures(design, scenario, *record, stop)) {
        addOnce(summary.diagnostics, figures->findings);
        summary.plan = std::make_shared<const PlanFigures>(std::move(*figures));
    }
    summary.record = std::move(record);
    return summary;
}

std::vector<std::string> warningsOf(const RunSummary& summary)
{
    std::vector<std::string> out;
    for (const Diagnostic& entry : summary.diagnostics) {
        if (entry.severity == Severity::Warning)
            out.push_back(plainText(entry));
    }
    return out;
}

std::vector<std::string> assumptionsOf(const RunSummary& summary)
{
    std::vector<std::string> out;
    for (const Parameter& parameter : summary.parameters) {
        if (parameter.assumed)
            out.push_back(parameter.name + " = " + parameter.value + (parameter.source.empty() ? "" : " (" + parameter.source + ")"));
    }
    for (const Diagnostic& entry : summary.diagnostics) {
        if (entry.severity == Severity::Note)
            out.push_back(plainText(entry));
    }
    return out;
}

std::vector<RankClass> resultRows(const RunRecord& record)
{
    return resultRows(record, {});
}

std::vector<RankClass> resultRows(const RunRecord& record, const std::stop_token& stop)
{
    const auto key = [](const RankClass& row) {
        const RankTimes& t = row.times;
        return std::tuple(row.job, t.finished, t.finish, t.exposedComm, t.compute, t.comm, t.host, t.memory);
    };
    std::vector<const RankClass*> sorted;
    for (const RankClass& row : record.classes) {
        if (!row.ranks.empty())
            sorted.push_back(&row);
    }
    sortUntilStopped(sorted, [&](const RankClass* a, const RankClass* b) { return key(*a) < key(*b); }, stop);
    std::vector<RankClass> rows;
    for (std::size_t i = 0; i < sorted.size();) {
        checkStop(stop);
        std::vector<RankSet::Interval> intervals;
        std::size_t end = i;
        for (; end < sorted.size() && key(*sorted[end]) == key(*sorted[i]); ++end)
            intervals.insert(intervals.end(), sorted[end]->ranks.intervals().begin(), sorted[end]->ranks.intervals().end());
        std::sort(intervals.begin(), intervals.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        RankClass row;
        row.job = sorted[i]->job;
        row.times = sorted[i]->times;
        if (end - i == 1) { // A million ranks are no reason to count them.
            row.ranks = sorted[i]->ranks;
            intervals.clear();
        }
        for (const RankSet::Interval& interval : intervals) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                row.ranks.add(rank);
        }
        rows.push_back(std::move(row));
        i = end;
    }
    std::sort(rows.begin(), rows.end(), [](const RankClass& a, const RankClass& b) { return a.ranks.intervals().front().first < b.ranks.intervals().front().first; });
    return rows;
}

std::string ranksText(const RankSet& ranks)
{
    return (ranks.count() == 1 ? "rank " : "ranks ") + ranks.text();
}

} // namespace fabricscope
