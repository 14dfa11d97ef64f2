#include "core/choose/lonegroup.h"

#include "core/base/index.h"
#include "core/program/innetwork.h"
#include "core/scenario/networkparams.h"
#include "core/scenario/offloadrates.h"

namespace fabricscope {

namespace {

WorkloadPtr oneCollective(CollectiveOp op, std::int64_t bytes, std::int32_t ranks)
{
    auto graph = std::make_shared<RankGraph>();
    graph->kind = {TaskKind::Collective};
    graph->flags = {0};
    graph->sourceId = {0};
    graph->nameEnd = {0};
    graph->durationUs = {0};
    graph->durationPs = {0}; // As in a design's own steps: broadcasts are simulated.
    graph->operations = {0};
    graph->bytes = {bytes};
    graph->op = {op};
    graph->family = {0};
    graph->peer = {-1};
    graph->tag = {0};
    graph->involved = {0};
    graph->dependBegin = {0, 0};
    auto workload = std::make_shared<Workload>();
    workload->rankCount = ranks;
    workload->families.push_back(GroupFamily::world(ranks));
    workload->graphs.push_back(std::move(graph));
    return workload;
}

} // namespace

Result<LoneGroup> aloneOnPlatform(const ChooseQuestion& question)
{
    const Structure& whole = question.structure;
    const GroupFamily& family = whole.workload->families[at(question.family)];
    Placement::Job job;
    for (std::int64_t position = 0; position < family.groupSize(question.group); ++position)
        job.nodes.push_back(whole.placement.nodeOf(static_cast<std::int32_t>(family.member(question.group, position))));
    job.ranks = static_cast<std::int32_t>(job.nodes.size());
    LoneGroup alone;
    alone.structure = std::make_shared<Structure>();
    Structure& structure = *alone.structure;
    structure.platform = whole.platform;
    structure.classedLinks = whole.classedLinks;
    structure.figureClasses = whole.figureClasses;
    bool identity = job.ranks == whole.platform.npuCount();
    for (std::int32_t rank = 0; identity && rank < job.ranks; ++rank)
        identity = job.nodes[at(rank)] == rank;
    const std::int32_t ranks = job.ranks;
    if (identity) {
        structure.placement = Placement::identity(ranks);
    } else {
        auto placement = Placement::create({std::move(job)}, whole.platform);
        if (!placement)
            return std::move(placement).error();
        structure.placement = std::move(placement).value();
    }
    structure.workload = oneCollective(question.op, question.bytes, ranks);
    structure.instanceBase = {{0}};
    structure.ordinalsOfRank = {std::make_shared<const std::vector<std::int32_t>>(1, 0)};
    structure.streamCount = 1;
    // Nothing of the rest of the workload: only what messages cost.
    auto params = std::make_shared<Params>(question.params);
    params->compute = nullptr;
    params->replayOnly = false;
    params->remoteMemory = {};
    alone.costs = std::make_shared<const CostTable>(*params);
    alone.params = std::move(params);
    return alone;
}

Scenario scenarioOf(const ChooseQuestion& question, const LoneGroup& alone, const PlannedCollective& planned, std::int64_t bytes)
{
    auto structure = std::make_shared<Structure>(*alone.structure);
    CollectiveInstance instance;
    instance.op = question.op;
    instance.bytes = bytes;
    instance.rule = question.rule;
    instance.program = planned.program;
    structure->layouts.push_back(planned.layout);
    Scenario scenario;
    scenario.model = question.model;
    scenario.costs = alone.costs;
    if (alone.params->offload && !usesSwitches(*instance.program)) { // As lowering does: every engine may run it then.
        auto params = std::make_shared<Params>(*alone.params);
        params->offload.reset();
        scenario.params = std::move(params);
    } else {
        scenario.params = alone.params;
    }
    structure->instances.push_back(std::move(instance));
    scenario.structure = std::move(structure);
    return scenario;
}

Scenario withBytes(const Scenario& scenario, std::int64_t bytes)
{
    Scenario other = scenario;
    auto structure = std::make_shared<Structure>(*scenario.structure);
    structure->instances.front().bytes = bytes;
    other.structure = std::move(structure);
    return other;
}

} // namespace fabricscope
