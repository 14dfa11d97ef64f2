#include "tests/unit/support/cases/schedulingcase.h"

#include <algorithm>
#include <random>

namespace fabricscope::test {

namespace {

/// Another order of the axes: cuts in the order `axes`, gathers backwards, what is at the top stays there.
std::vector<PhaseTemplate> reordered(const std::vector<PhaseTemplate>& phases, const std::vector<std::int32_t>& axes)
{
    std::vector<PhaseTemplate> out;
    const auto take = [&](PhaseKind kind, std::int32_t axis) {
        for (const PhaseTemplate& phase : phases)
            if (phase.kind == kind && phase.axis == axis)
                out.push_back(phase);
    };
    for (const std::int32_t axis : axes)
        take(PhaseKind::ReduceScatter, axis);
    for (const PhaseKind kind : {PhaseKind::AllReduce, PhaseKind::AllToAll})
        for (const std::int32_t axis : axes)
            take(kind, axis);
    for (std::size_t i = axes.size(); i-- > 0;)
        take(PhaseKind::AllGather, axes[i]);
    return out;
}

} // namespace

void mixChunks(CaseSpec& spec, std::uint64_t seed, bool weights)
{
    std::mt19937_64 dice(seed);
    for (CaseSpec::Family& family : spec.families) {
        for (CaseSpec::Call& call : family.calls) {
            for (auto& [size, body] : call.body) {
                const auto chunks = static_cast<std::size_t>(call.chunks);
                if (body.phases.empty())
                    continue;
                if (dice() % 3 != 0) {
                    std::vector<std::int32_t> axes;
                    for (std::int32_t axis = 0; axis < static_cast<std::int32_t>(body.axes.size()); ++axis)
                        axes.push_back(axis);
                    for (std::uint64_t more = dice() % 4; more > 0; --more) {
                        std::shuffle(axes.begin(), axes.end(), dice);
                        std::vector<PhaseTemplate> order = reordered(body.phases, axes);
                        if (order.size() == body.phases.size())
                            body.orders.push_back(std::move(order));
                    }
                    for (std::size_t chunk = 0; !body.orders.empty() && chunk < chunks; ++chunk)
                        body.orderOfChunk.push_back(static_cast<std::uint16_t>(dice() % (body.orders.size() + 1)));
                }
                if (weights && dice() % 2 == 0) {
                    for (std::size_t chunk = 0; chunk < chunks; ++chunk)
                        body.chunkWeights.push_back(static_cast<std::int64_t>(dice() % 5 == 0 ? 0 : dice() % 1000 + 1));
                    body.chunkWeights[dice() % chunks] = 7;
                }
            }
        }
    }
}

Scenario withScheduling(const Scenario& scenario, const TaskScheduling& scheduling, std::uint64_t seed)
{
    std::mt19937_64 dice(seed);
    Scenario out = scenario;
    auto params = std::make_shared<Params>(*scenario.params);
    params->scheduling = std::make_shared<const TaskScheduling>(scheduling);
    out.params = std::move(params);
    if (seed == 0)
        return out;
    auto structure = std::make_shared<Structure>(*scenario.structure);
    auto workload = std::make_shared<Workload>(*structure->workload);
    for (auto& graph : workload->graphs) {
        auto copy = std::make_shared<RankGraph>(*graph);
        copy->priority.resize(static_cast<std::size_t>(copy->size()));
        for (std::int32_t& priority : copy->priority)
            priority = static_cast<std::int32_t>(dice() % 3);
        graph = std::move(copy);
    }
    structure->workload = std::move(workload);
    for (CollectiveInstance& instance : structure->instances)
        instance.priority = -static_cast<std::int32_t>(dice() % 3);
    out.structure = std::move(structure);
    return out;
}

TaskScheduling randomScheduling(std::uint64_t seed)
{
    std::mt19937_64 dice(seed);
    TaskScheduling scheduling;
    scheduling.inside = dice() % 2 == 0 ? InsideScheduler::SmallestFirst : InsideScheduler::Fifo;
    constexpr TaskOrder kOrders[] = {TaskOrder::Standard, TaskOrder::Fifo, TaskOrder::Lifo, TaskOrder::Explicit};
    scheduling.order = kOrders[dice() % 4];
    scheduling.computeUnits = static_cast<std::int32_t>(dice() % 3) + 1;
    scheduling.communicationUnits = static_cast<std::int32_t>(dice() % 4);
    scheduling.streams = static_cast<std::int32_t>(dice() % 3) + 1;
    return scheduling;
}

} // namespace fabricscope::test
