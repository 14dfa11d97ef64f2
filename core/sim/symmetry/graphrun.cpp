#include "core/sim/symmetry/graphrun.h"

#include "core/base/index.h"
#include "core/sim/common/eventsonly.h"
#include "core/sim/events/engine.h"
#include "core/sim/events/outcome/runresult.h"
#include "core/sim/symmetry/foldedboxes.h"
#include "core/sim/symmetry/runfolded.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace fabricscope {

namespace {

/// Is a member of the group simulated?
bool isFollowed(const GroupFamily& groups, std::int64_t group, const Folding& folding)
{
    for (std::int64_t position = 0; position < groups.groupSize(group); ++position) {
        const std::int64_t rank = groups.member(group, position);
        if (folding.rankFor[at(rank)] == rank)
            return true;
    }
    return false;
}

/// The collectives of groups that are followed: of millions hardly any are left where few ranks stand for all.
void keepFollowed(const Structure& all, const Folding& folding, Structure& kept)
{
    std::vector<std::int32_t> begins; // Of all groups, which follow one another.
    for (const std::vector<std::int32_t>& bases : all.instanceBase)
        begins.insert(begins.end(), bases.begin(), bases.end());
    begins.push_back(static_cast<std::int32_t>(all.instances.size()));
    std::size_t place = 0;
    kept.instanceBase.resize(all.instanceBase.size());
    for (std::size_t family = 0; family < all.instanceBase.size(); ++family) {
        for (std::size_t group = 0; group < all.instanceBase[family].size(); ++group, ++place) {
            kept.instanceBase[family].push_back(static_cast<std::int32_t>(kept.instances.size()));
            if (isFollowed(all.workload->families[family], static_cast<std::int64_t>(group), folding))
                kept.instances.insert(kept.instances.end(), all.instances.begin() + begins[place], all.instances.begin() + begins[place + 1]);
        }
    }
}

/// The scenario in which only the ranks that stand for others have tasks.
Scenario simulatedOnly(const Scenario& scenario, const Folding& folding)
{
    const Structure& given = *scenario.structure;
    const Workload& all = *given.workload;
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
    auto structure = std::make_shared<Structure>(Structure{given.platform, given.placement, std::move(workload), given.layouts, {}, given.streamCount, {}, given.ordinalsOfRank, given.classedLinks, given.figureClasses});
    keepFollowed(given, folding, *structure);
    Scenario simulated = scenario;
    simulated.structure = std::move(structure);
    return simulated;
}

/// After so many tries it is quicker to follow every message.
constexpr int kMostTries = 6;

/// Does a collective of one kind (program, group, size) occur often enough, and does nothing of the network count but who uses what?
bool boxesPay(const Scenario& scenario)
{
    constexpr std::size_t kFewest = 3; // Of each kind on average; the first one is followed message by message anyway.
    constexpr std::size_t kLookedAt = 4096; // Groups are alike.
    if (needsEvents(*scenario.params) || scenario.model == Model::Flow)
        return false;
    std::set<std::tuple<const Program*, std::int32_t, std::int64_t>> kinds;
    std::size_t count = 0;
    for (const CollectiveInstance& instance : scenario.structure->instances) {
        if (!instance.program || instance.replayPs >= 0)
            continue;
        if (++count > kLookedAt)
            break;
        kinds.emplace(instance.program.get(), instance.layout, instance.bytes);
    }
    return count >= kFewest * kinds.size() && count > 0;
}

/// Builds and runs it. Errors: as simulateFoldedGraph().
Status finishedRun(events::Engine& engine, const Folding& folding, const std::stop_token& stop)
{
    const Status status = runFolded(engine, "messages meet at one instant, and the ports they come by decide differently from place to place which is first", stop);
    if (!status && status.error().code == ErrorCode::InvalidInput && !folding.pairs.empty()) // Of several at one instant another one may be named first.
        return Error{ErrorCode::Unsupported, status.error().message, status.error().place, "the engine auto or events"};
    return status;
}

/// One try with collectives as wholes; absent: it counts for nothing. `apart` grows where another try is worth it, else it is empty.
std::optional<Result<RunRecord>> boxedRun(const Scenario& simulated, const Folding& folding, const RunOptions& options, std::set<std::int32_t>& apart, const std::stop_token& stop)
{
    RunOptions own = options;
    const events::FoldedBoxes* boxesOfPartial = nullptr;
    if (options.partial) {
        own.partial = [&](RunRecord record) {
            if (boxesOfPartial->hasMet())
                return;
            boxesOfPartial->addBusyTo(record);
            options.partial(std::move(record));
        };
    }
    events::Engine engine(simulated, own);
    engine.fold(folding);
    events::FoldedBoxes boxes(engine, apart, stop);
    boxesOfPartial = &boxes;
    engine.answerBy(boxes);
    if (const Status status = finishedRun(engine, folding, stop); !status) {
        if (boxes.hasGivenUp())
            apart.clear();
        const bool final = status.error().code == ErrorCode::Cancelled || status.error().code == ErrorCode::MemoryLimit;
        return final ? std::optional<Result<RunRecord>>(status.error()) : std::nullopt;
    }
    if (boxes.hasMet())
        return std::nullopt;
    boxes.finish();
    Result<RunRecord> record = engine.record(false, stop);
    if (record)
        record.value().engines = {{"symmetry", (engine.network.messages() + boxes.messages()) * folding.copies, 1.0}};
    return record;
}

} // namespace

Result<RunRecord> simulateFoldedGraph(const Scenario& scenario, const Folding& folding, const RunOptions& options, std::stop_token stop)
{
    assert(!options.messageDigest && !options.message && !options.ways);
    const Scenario simulated = simulatedOnly(scenario, folding);
    // Answers collectives as wholes, until nothing meets them any more.
    RunOptions own = options;
    double share = 0;
    if (options.progress) { // Another try begins anew, what was told does not.
        own.progress = [&](Progress now) {
            now.share = share = std::max(share, now.share);
            options.progress(now);
        };
    }
    std::set<std::int32_t> apart;
    for (int tries = 0; tries < kMostTries && boxesPay(scenario); ++tries) {
        const std::size_t before = apart.size();
        std::optional<Result<RunRecord>> record = boxedRun(simulated, folding, own, apart, stop);
        if (record)
            return *std::move(record);
        if (apart.size() <= before)
            break;
    }
    events::Engine engine(simulated, own);
    engine.fold(folding);
    if (const Status status = finishedRun(engine, folding, stop); !status)
        return status.error();
    return engine.record(false, stop);
}

} // namespace fabricscope
