#include "core/sim/symmetry/graphrun.h"

#include "core/base/index.h"
#include "core/sim/events/engine.h"
#include "core/sim/events/outcome/runresult.h"
#include "core/sim/symmetry/runfolded.h"

namespace fabricscope {

namespace {

/// The scenario in which only the ranks that stand for others have tasks.
Scenario simulatedOnly(const Scenario& scenario, const Folding& folding)
{
    const Workload& all = *scenario.structure->workload;
    auto workload = std::make_shared<Workload>();
    workload->rankCount = all.rankCount;
    workload->families = all.families;
    workload->source = all.source;
    workload->graphs = all.graphs;
    auto idle = std::make_shared<RankGraph>();
    idle->dependBegin = {0};
    workload->graphs.push_back(std::move(idle));
    const auto none = static_cast<std::int32_t>(workload->graphs.size()) - 1;
    for (std::int32_t rank = 0; rank < all.rankCount; ++rank) {
        const std::int32_t own = all.graphOfRank.empty() ? 0 : all.graphOfRank[at(rank)];
        workload->graphOfRank.push_back(folding.rankFor[at(rank)] == rank ? own : none);
    }
    auto structure = std::make_shared<Structure>(*scenario.structure);
    structure->workload = std::move(workload);
    Scenario simulated = scenario;
    simulated.structure = std::move(structure);
    return simulated;
}

} // namespace

Result<RunRecord> simulateFoldedGraph(const Scenario& scenario, const Folding& folding, const RunOptions& options, std::stop_token stop)
{
    assert(!options.messageDigest && !options.message && !options.ways);
    const Scenario simulated = simulatedOnly(scenario, folding);
    events::Engine engine(simulated, options);
    engine.fold(folding);
    const Status status = runFolded(engine, "messages meet at one instant, and the ports they come by decide differently from place to place which is first", stop);
    if (!status && status.error().code == ErrorCode::InvalidInput && !folding.pairs.empty()) // Of several at one instant another one may be named first.
        return Error{ErrorCode::Unsupported, status.error().message, status.error().place, "the engine auto or events"};
    if (!status)
        return status.error();
    return engine.record(false, stop);
}

} // namespace fabricscope
