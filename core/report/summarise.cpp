#include "core/report/runsummary.h"

#include "core/report/collectivebounds.h"

#include <algorithm>

namespace fabricscope {

namespace {

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
        JobFigures& job = jobs[static_cast<std::size_t>(row.job)];
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
    summary.record = std::move(record);
    return summary;
}

} // namespace fabricscope
