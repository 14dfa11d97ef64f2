#include "core/report/runsummary.h"

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

} // namespace

RunSummary summarise(const Design& design, const Scenario& scenario, std::shared_ptr<const RunRecord> record, const Diagnostics& noticed)
{
    RunSummary summary;
    summary.name = design.name;
    summary.notes = design.notes;
    summary.workload = scenario.structure->workload ? scenario.structure->workload->source : std::string();
    summary.designHash = designHash(design).hex();
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
    addOnce(summary.diagnostics, noticed);
    addOnce(summary.diagnostics, scenario.diagnostics);
    addOnce(summary.diagnostics, record->diagnostics);
    summary.record = std::move(record);
    return summary;
}

} // namespace fabricscope
