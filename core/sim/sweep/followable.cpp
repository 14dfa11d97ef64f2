#include "core/sim/sweep/followable.h"

namespace fabricscope::sweep {

Error noSweep(std::string why)
{
    return Error{ErrorCode::Unsupported, "the order of messages is not that of lines: " + std::move(why), {}, "the engine auto or events for this run"};
}

Status checkSweepable(const Scenario& scenario, const CollectiveInstance& instance)
{
    if (scenario.model != Model::Links && scenario.model != Model::Ideal)
        return noSweep("the model is " + std::string(modelName(scenario.model)));
    if (!instance.program || instance.replayPs >= 0)
        return noSweep("nothing is sent");
    if (!instance.program->isTemplate())
        return noSweep("the collective runs operation by operation (" + instance.program->provenance + ')');
    if (scenario.structure->platform.hasRemovals())
        return noSweep("links or NPUs are removed");
    if (instance.program->window > 0)
        return noSweep("a window limits the chunks in a phase");
    const TemplateBody& body = instance.program->asTemplate();
    if ((!body.orders.empty() && body.axes.size() > 1) || !body.chunkWeights.empty())
        return noSweep("chunks take different ways");
    if (scenario.costs->hasInjection() || scenario.costs->hasEjection())
        return noSweep("NPUs have injection or ejection budgets");
    return {};
}

Status checkMemory(std::int64_t bytes, std::int64_t limit)
{
    if (limit > 0 && bytes > limit)
        return Error{ErrorCode::MemoryLimit, "the simulation needs more memory than the limit of " + showBytes({limit}), {}, "a higher memory limit"};
    return {};
}

bool reducesInTime(const Scenario& scenario, const TemplateBody& body)
{
    bool reduces = false;
    for (const PhaseTemplate& phase : body.phases)
        reduces = reduces || phase.kind == PhaseKind::ReduceScatter || phase.kind == PhaseKind::AllReduce;
    bool reducer = scenario.params->reducerRate.has_value();
    for (const NpuOverride& entry : scenario.structure->platform.spec().npuOverrides)
        reducer = reducer || entry.memoryBandwidth.has_value();
    return reduces && reducer;
}

} // namespace fabricscope::sweep
