// How the collectives of a physical scenario are made to run as the reference runs them, as far as programs can say it.
#include "core/base/index.h"
#include "core/insight/variant.h"
#include "core/scenario/lowering.h"
#include "core/sim/astra/phaseplan.h"

#include <map>
#include <tuple>

namespace fabricscope {

namespace {

/// A copy of a program that is changed once for all instances that share it.
ProgramPtr changed(std::map<std::pair<const Program*, std::int64_t>, ProgramPtr>& known, const ProgramPtr& program, std::int64_t key,
                   const std::function<void(Program&)>& change)
{
    ProgramPtr& entry = known[{program.get(), key}];
    if (!entry) {
        auto copy = std::make_shared<Program>(*program);
        change(*copy);
        entry = std::move(copy);
    }
    return entry;
}

bool isSimulated(const CollectiveInstance& instance)
{
    return instance.program && instance.replayPs < 0;
}

bool runsHere(const CollectiveInstance& instance)
{
    return isSimulated(instance) && instance.program->isTemplate();
}

/// Who takes part, as the reference sees it: all NPUs (perhaps along some dimensions only), or a small group.
bool isWhole(const CollectiveInstance& instance, const Scenario& scenario, const Scenario& astra)
{
    const auto family = static_cast<std::size_t>(instance.family);
    const std::vector<GroupFamily>& families = scenario.structure->workload->families;
    // Families beyond those of the workload were made for involved dimensions.
    return family >= astra.structure->workload->families.size() || families[family].groupSize(instance.group) == scenario.structure->platform.npuCount();
}

std::vector<AstraDimension> dimensionsOf(const Platform& platform)
{
    AstraQueue queue(1);
    return AstraNetwork(queue, platform, false).dimensions();
}

} // namespace

bool useAstraAlgorithms(Scenario& scenario, const Scenario& astra)
{
    auto structure = std::make_shared<Structure>(*scenario.structure);
    std::map<Digest, ProgramPtr> shared;
    bool different = false;
    for (CollectiveInstance& instance : structure->instances) {
        const auto kind = configuredCollective(instance.op);
        if (!isSimulated(instance) || !kind)
            continue;
        const GroupFamily& family = structure->workload->families[at(instance.family)];
        const std::vector<AstraAlgorithm>& list = astra.astra->implementations[at(*kind)];
        if (list.empty())
            return false;
        CollectiveSetting setting;
        // Chunks of other programs are pieces of their own way.
        setting.chunks = instance.program->isTemplate() ? instance.program->chunks : static_cast<std::int32_t>(astra.astra->splits);
        setting.window = instance.program->window;
        const bool whole = isWhole(instance, scenario, astra);
        bool flat = !whole;
        if (!whole && list.size() > 1) {
            setting.algorithms = {{false, Algorithm::Ring, 0}};
        } else {
            for (const AstraAlgorithm& entry : list) {
                setting.algorithms.push_back({false, entry.algorithm, entry.window > 0 ? entry.window : 0});
                flat = flat || entry.one;
                if (entry.one)
                    break;
            }
            if (flat)
                setting.algorithms = {setting.algorithms.back()};
        }
        auto planned = planCollective(structure->platform, structure->placement, family, instance.group, instance.op, instance.bytes, setting, flat);
        if (!planned || !planned.value().program)
            return false;
        const Digest digest = planned.value().program->digest();
        if (digest == instance.program->digest())
            continue;
        different = true;
        instance.program = shared.try_emplace(digest, planned.value().program).first->second;
        instance.layout = static_cast<std::int32_t>(structure->layouts.size());
        structure->layouts.push_back(std::move(planned.value().layout));
    }
    if (different)
        scenario.structure = std::move(structure);
    return true;
}

bool cutAsAstra(Scenario& scenario, const Scenario& astra)
{
    auto structure = std::make_shared<Structure>(*scenario.structure);
    const std::vector<AstraDimension> dimensions = dimensionsOf(structure->platform);
    std::map<std::pair<const Program*, std::int64_t>, ProgramPtr> known;
    std::map<std::tuple<CollectiveOp, std::int64_t, std::int32_t>, std::shared_ptr<const AstraPlan>> plans;
    bool different = false;
    for (CollectiveInstance& instance : structure->instances) {
        if (!runsHere(instance))
            continue;
        const std::int32_t members = instance.program->ranks;
        const auto [entry, added] = plans.try_emplace({instance.op, instance.bytes, members}, nullptr);
        if (added) {
            AstraPlanRequest request;
            request.op = instance.op;
            request.bytes = instance.bytes;
            request.members = members;
            // Only its chunks are asked for; they do not depend on the phases.
            request.whole = members == structure->platform.npuCount();
            auto plan = planAstra(request, *astra.astra, dimensions, structure->platform.npuCount());
            if (!plan)
                return false;
            entry->second = plan.value();
        }
        const AstraPlan& plan = *entry->second;
        if (plan.chunks <= 0 || plan.chunks > INT32_MAX)
            return false;
        // Remainders of a chunk vanish: no member has more than a whole share of it.
        const std::int64_t share = instance.op == CollectiveOp::AllGather ? plan.chunkBytes : plan.chunkBytes / members;
        const std::int64_t bytes = share * members * plan.chunks;
        if (bytes == instance.bytes && plan.chunks == instance.program->chunks)
            continue;
        different = true;
        instance.bytes = bytes;
        if (plan.chunks != instance.program->chunks)
            instance.program = changed(known, instance.program, plan.chunks, [&](Program& program) {
                program.chunks = static_cast<std::int32_t>(plan.chunks);
                auto& body = std::get<TemplateBody>(program.body);
                body.orders.clear(); // Of other chunks.
                body.orderOfChunk.clear();
                body.chunkWeights.clear();
            });
    }
    if (different)
        scenario.structure = std::move(structure);
    return true;
}

bool limitActiveChunks(Scenario& scenario, const Scenario& astra)
{
    const std::int64_t queues = astra.astra->queuesPerDimension;
    const std::int64_t perQueue = (astra.astra->activeChunks + queues - 1) / queues;
    auto structure = std::make_shared<Structure>(*scenario.structure);
    std::map<std::pair<const Program*, std::int64_t>, ProgramPtr> known;
    bool different = false;
    for (CollectiveInstance& instance : structure->instances) {
        if (!runsHere(instance))
            continue;
        // Several queues are divided between the ways of an all-reduce, up and down.
        const bool divided = queues > 1 && instance.op == CollectiveOp::AllReduce;
        const std::int64_t active = perQueue * (divided ? queues / 2 : queues);
        const auto window = static_cast<std::int32_t>(active >= instance.program->chunks ? 0 : active);
        if (window == instance.program->window)
            continue;
        different = true;
        instance.program = changed(known, instance.program, window, [&](Program& program) { program.window = window; });
    }
    if (different)
        scenario.structure = std::move(structure);
    return true;
}

} // namespace fabricscope
