#include "core/sim/symmetry/treerun.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/program/phaserules.h"
#include "core/record/recordbuilder.h"
#include "core/scenario/usedversion.h"
#include "core/sim/common/dimensionuses.h"
#include "core/sim/common/eventsonly.h"
#include "core/sim/common/runpace.h"
#include "core/sim/events/tasks.h"
#include "core/sim/symmetry/alike.h"
#include "core/sim/symmetry/treeclasses.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace fabricscope {

namespace {

/// Does every rank run one collective of all and nothing else, as a tree?
Status checkProgram(const Scenario& scenario)
{
    const Structure& structure = *scenario.structure;
    const RankGraph& graph = structure.workload->graph(0);
    if (structure.instances.size() != 1 || graph.size() != 1 || graph.kind[0] != TaskKind::Collective)
        return noSymmetry("ranks of a double binary tree are followed by classes only where it is all there is");
    const CollectiveInstance& instance = structure.instances.front();
    if (!instance.program || instance.replayPs >= 0 || !instance.program->isTemplate())
        return noSymmetry("a collective is no template");
    const TemplateBody& body = instance.program->asTemplate();
    const bool tree = body.phases.size() == 1 && body.phases.front().algorithm == Algorithm::DoubleBinaryTree && body.orders.empty() && body.chunkWeights.empty();
    if (!tree || instance.program->window > 0 || instance.bytes == 0)
        return noSymmetry("ranks of a double binary tree are followed by classes only where it is the one phase of all chunks, without a window", events::placeOfTask(0, graph, 0));
    return {};
}

/// Are the members the NPUs of one switch, in their order?
Status checkFabric(const Scenario& scenario, const std::stop_token& stop)
{
    const Structure& structure = *scenario.structure;
    const std::span<const Dimension> dimensions = structure.platform.dimensions();
    if (dimensions.size() != 1 || dimensions.front().shape != Shape::Switch)
        return noSymmetry("the members of a double binary tree have different parts, and are followed by classes only below one switch");
    if (scenario.costs->hasInjection() || scenario.costs->hasEjection())
        return noSymmetry("the members of a double binary tree have different parts, and NPUs have budgets");
    const GroupLayout& layout = structure.layouts[at(structure.instances.front().layout)];
    if (layout.size() != structure.workload->rankCount || layout.size() < 2)
        return noSymmetry("only some ranks are in the collective");
    for (std::int32_t position = 0; position < layout.size(); ++position) {
        checkStop(stop);
        if (layout.rankAt(position) != position)
            return noSymmetry("the members of a double binary tree are not in the order of their NPUs");
    }
    return {};
}

/// Sums of busy time must fit in 63 bits; without queues only chunks of one size stay in order.
Status checkSizes(const Scenario& scenario, const std::vector<std::int64_t>& sizes)
{
    __extension__ using Wide = __int128;
    const Structure& structure = *scenario.structure;
    Wide busy = 0;
    for (const std::int64_t bytes : sizes)
        busy += Wide{8} * structure.workload->rankCount * scenario.costs->occupancy(structure.classOf(0), bytes);
    if (busy > INT64_MAX / 2)
        return noSymmetry("their links are busy for longer than is counted");
    if (scenario.model == Model::Ideal && sizes.front() != sizes.back())
        return noSymmetry("chunks of different sizes overtake each other where no link is ever busy");
    return {};
}

/// The links of each class, the busiest classes first, as far as a record holds them.
std::vector<LinkUse> busiestLinks(const TreeOutcomes& outcomes, const std::vector<std::vector<std::int32_t>>& members, const Platform& platform)
{
    std::vector<LinkId> way;
    platform.route(0, 1, way);
    const LinkId ports = portsPerNpu(platform.dimensions().front());
    const LinkId up = way[0];
    const LinkId down = way[1] - ports;
    struct Alike {
        LinkUse use;
        std::size_t number;
        bool isDown;
    };
    std::vector<Alike> alike;
    for (std::size_t number = 0; number < outcomes.classes.size(); ++number) {
        alike.push_back({outcomes.classes[number].up, number, false});
        alike.push_back({outcomes.classes[number].down, number, true});
    }
    std::stable_sort(alike.begin(), alike.end(), [](const Alike& a, const Alike& b) { return a.use.busyPs > b.use.busyPs; });
    std::vector<LinkUse> links;
    for (std::size_t i = 0; i < alike.size(); ++i) {
        // Of links that are as busy the record takes those with the lowest numbers.
        if (links.size() > RunRecord::kMaxLinks && alike[i].use.busyPs < alike[i - 1].use.busyPs)
            break;
        LinkUse use = alike[i].use;
        for (const std::int32_t rank : members[alike[i].number]) {
            use.link = (alike[i].isDown ? down : up) + rank * ports;
            if (use.messages > 0)
                links.push_back(use);
        }
    }
    return links;
}

void addUse(const TreeOutcomes& outcomes, const std::vector<std::vector<std::int32_t>>& members, const Scenario& scenario, RecordBuilder& builder)
{
    const Platform& platform = scenario.structure->platform;
    builder.setDimensions(dimensionUses(platform));
    DimensionUse& use = builder.dimension(0);
    use.busy = outcomes.busy;
    for (std::size_t number = 0; number < outcomes.classes.size(); ++number) {
        const auto links = static_cast<std::int64_t>(members[number].size());
        for (const LinkUse& link : {outcomes.classes[number].up, outcomes.classes[number].down}) {
            use.messages += link.messages * links;
            use.bytes += link.bytes * links;
            use.busyPs += link.busyPs * links;
            use.peakLinkPs = std::max(use.peakLinkPs, link.busyPs);
        }
    }
    builder.setLinks(busiestLinks(outcomes, members, platform), use.links <= static_cast<std::int64_t>(RunRecord::kMaxLinks));
}

/// Ranks that end together form a class of the record, those that go on another. Returns the ranks that have finished in the order in which they did.
std::vector<std::int32_t> addRanks(const TreeClasses& classes, const TreeOutcomes& outcomes, const Scenario& scenario, const RunOptions& options, RecordBuilder& builder)
{
    using End = std::pair<std::int64_t, bool>; // When, and does it go on?
    std::vector<End> ends;
    const auto endOfClass = [](const TreeOutcome& outcome) { return End(outcome.finishPs, !outcome.finished); };
    for (const TreeOutcome& outcome : outcomes.classes)
        ends.push_back(endOfClass(outcome));
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    std::vector<std::size_t> endOf;
    for (const TreeOutcome& outcome : outcomes.classes)
        endOf.push_back(at(std::lower_bound(ends.begin(), ends.end(), endOfClass(outcome)) - ends.begin()));

    const std::int32_t ranks = scenario.structure->workload->rankCount;
    std::vector<std::size_t> classAt(ends.size(), SIZE_MAX);
    std::vector<std::size_t> place(ends.size() + 1, 0); // Of the next rank that ends then.
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        const std::size_t end = endOf[at(classes.classOf(rank))];
        ++place[end + 1];
        if (classAt[end] == SIZE_MAX) {
            const auto [time, goesOn] = ends[end];
            RankTimes times;
            times.finished = !goesOn;
            times.finish = times.comm = times.exposedComm = SimTime{time};
            classAt[end] = builder.addClass(scenario.structure->placement.jobOf(rank), times,
                                            options.taskTimes ? std::make_shared<const TaskTimes>(TaskTimes{{0}, {goesOn ? -1 : time}}) : nullptr);
        }
        builder.addRank(classAt[end], rank);
    }
    std::partial_sum(place.begin(), place.end(), place.begin());
    std::vector<std::int32_t> order(at(ranks));
    for (std::int32_t rank = 0; rank < ranks; ++rank)
        order[place[endOf[at(classes.classOf(rank))]]++] = rank;
    if (ends.back().second) // Those that go on are the last.
        order.resize(ends.size() > 1 ? place[ends.size() - 2] : 0);
    return order;
}

/// `cut`: the run goes on. Throws StopRequested.
RunRecord recordOf(TreeClasses& classes, const Scenario& scenario, const RunOptions& options, bool cut, const std::stop_token& stop)
{
    const std::int32_t ranks = scenario.structure->workload->rankCount;
    RecordBuilder builder(scenario.model, usedVersion(scenario), ranks, scenario.diagnostics, options.record);
    const TreeOutcomes outcomes = classes.outcomes();
    builder.setFinishOrder(addRanks(classes, outcomes, scenario, options, builder));
    std::vector<std::vector<std::int32_t>> members(classes.count());
    CommutativeDigest digest;
    const auto source = static_cast<std::int64_t>(scenario.structure->workload->graph(0).sourceId[0]);
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        checkStop(stop);
        const auto own = at(classes.classOf(rank));
        members[own].push_back(rank);
        const std::int64_t words[] = {rank, source, 0, outcomes.classes[own].finishPs};
        digest.add(words);
    }
    addUse(outcomes, members, scenario, builder);
    builder.setEngine("symmetry", cut ? classes.received() : classes.messages(), classes.events());
    if (!cut)
        return std::move(builder).finished(digest.value(), {}, {});
    if (scenario.model == Model::Ideal && options.busyOverTime)
        cutBusy(builder.dimension(0), SimTime{classes.now()});
    return std::move(builder).cut(SimTime{classes.now()});
}

/// Follows the classes, tells how far they are, and hands out what there is.
Result<RunRecord> followedClasses(TreeClasses& classes, const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    RunPace pace(options);
    const auto part = [&](const std::stop_token& token) {
        return untilStopped([&]() -> Result<RunRecord> { return recordOf(classes, scenario, options, true, token); });
    };
    try {
        const bool fits = classes.run(options.memoryLimit, stop, [&] {
            pace.progress([&] { return Progress{classes.share(), classes.events(), SimTime{classes.now()}}; });
            pace.partial([&] { return part(stop); });
        });
        if (!fits)
            return Error{ErrorCode::MemoryLimit, "the simulation needs more memory than the limit of " + showBytes({options.memoryLimit}), {}, "a higher memory limit"};
    } catch (const StopRequested&) {
        pace.lastPartial([&] { return part({}); });
        return stoppedRun();
    }
    return recordOf(classes, scenario, options, false, stop);
}

Result<RunRecord> followed(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    if (options.message || needsEvents(*scenario.params) || (scenario.model != Model::Links && scenario.model != Model::Ideal))
        return noSymmetry("messages, settings or the model of the run need every rank of a double binary tree");
    if (Status status = npusAlike(scenario, stop); !status)
        return std::move(status).error();
    if (Status status = ranksAlike(scenario, stop); !status)
        return std::move(status).error();
    if (Status status = checkProgram(scenario); !status)
        return std::move(status).error();
    if (Status status = checkFabric(scenario, stop); !status)
        return std::move(status).error();
    const Structure& structure = *scenario.structure;
    const CollectiveInstance& instance = structure.instances.front();
    const std::vector<std::int64_t> sizes = chunkSizes(*instance.program, instance.bytes);
    if (Status status = checkSizes(scenario, sizes); !status)
        return std::move(status).error();

    TreeClasses classes(scenario, structure.workload->rankCount, structure.classOf(0), sizes, options.busyOverTime);
    return followedClasses(classes, scenario, options, stop);
}

} // namespace

Result<RunRecord> simulateTree(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    return untilStopped([&] { return followed(scenario, options, stop); });
}

} // namespace fabricscope
