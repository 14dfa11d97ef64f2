#include "core/scenario/instances.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/hierarchy/grouplevels.h"
#include "core/hierarchy/unevenlevels.h"
#include "core/scenario/lowering.h"
#include "core/scenario/staticorder.h"
#include "core/scenario/unequalshares.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace fabricscope {

namespace {

/// A broadcast of a design's steps, from the first member. Those of traces may have any root, and take the time they took.
bool isOwnBroadcast(CollectiveOp op, const RankGraph& tasks)
{
    return op == CollectiveOp::Broadcast && !tasks.durationPs.empty();
}

/// The k-th collective of this operation and size in a group.
using MatchKey = std::tuple<CollectiveOp, std::int64_t, std::int32_t>;

class InstanceBuilder {
public:
    InstanceBuilder(Structure& structure, const CollectivePolicy& policy, const Params& params, Model model, ProgramLibrary& library, CollectiveChooser* chooser,
                    Diagnostics& diagnostics, const std::stop_token& stop)
        : m_structure(structure)
        , m_workload(*structure.workload)
        , m_policy(policy)
        , m_params(params)
        , m_model(model)
        , m_library(library)
        , m_chooser(chooser)
        , m_replayOnly(params.replayOnly)
        , m_diagnostics(diagnostics)
        , m_stop(stop)
    {
    }

    /// Throws StopRequested, as all below.
    Status build();

private:
    std::size_t graphIndex(std::int64_t rank) const
    {
        return m_workload.graphOfRank.empty() ? 0 : static_cast<std::size_t>(m_workload.graphOfRank[static_cast<std::size_t>(rank)]);
    }
    const RankGraph& graph(std::int64_t rank) const { return *m_workload.graphs[graphIndex(rank)]; }
    const std::vector<TaskIndex>& listOf(std::int64_t rank, std::size_t family) const { return m_orders[graphIndex(rank)].collectives[family]; }
    std::vector<MatchKey> keysOf(std::int64_t rank, std::size_t family) const;
    bool sameSequence(std::int64_t a, std::int64_t b, std::size_t family) const;
    Status matchMembers(std::size_t family, std::int64_t group);
    Status remap(std::int64_t rank, std::int64_t canonical, std::size_t family);
    Status addInstances(std::size_t family, std::int64_t group);
    void reserveInstances();
    bool groupsAreMoved(std::size_t family) const;
    void addMoved(std::size_t family, std::int64_t group);
    /// What has been worked out for the group being added.
    struct GroupPlans {
        std::map<std::string, std::int32_t> layouts;
        std::map<std::pair<CollectiveOp, std::int64_t>, std::tuple<ProgramPtr, std::int32_t, std::int32_t>> programs; ///< By operation and size, with their layouts and rules; empty where nodes decide.
    };
    Status addProgram(CollectiveInstance& instance, const RankGraph& tasks, TaskIndex task, GroupPlans& plans);
    Status planProgram(CollectiveInstance& instance, const RankGraph& tasks, TaskIndex task, std::map<std::string, std::int32_t>& layouts);
    Status addUnequal(CollectiveInstance& instance, const CollectiveSetting& setting, std::span<const std::int64_t> shares, std::map<std::string, std::int32_t>& layouts);
    void noteLevels(const GroupFamily& family, std::int64_t number, const PlannedCollective& planned);
    void noteUneven(const GroupFamily& family, std::int64_t number, const PlannedCollective& planned);
    std::int32_t layoutNumber(const std::string& kind, GroupLayout layout, std::map<std::string, std::int32_t>& layouts);
    Status decide(const CollectiveInstance& instance, CollectiveSetting& setting, DimensionScheduler scheduler);
    bool covers(const ProgramSource& source, std::int64_t bytes);
    ProgramPtr shared(ProgramPtr program);
    Error disagree(std::int64_t rankA, std::int64_t rankB, std::size_t family, std::size_t at) const;
    std::string describe(std::int64_t rank, std::size_t family, std::size_t at) const;

    Structure& m_structure;
    const Workload& m_workload;
    const CollectivePolicy& m_policy;
    const Params& m_params;
    Model m_model;
    ProgramLibrary& m_library;
    CollectiveChooser* m_chooser;
    bool m_replayOnly;
    Diagnostics& m_diagnostics;
    const std::stop_token& m_stop;
    std::vector<StaticOrder> m_orders;                            // by graph
    std::vector<Ordinals> m_defaults;                             // by graph
    std::map<std::int64_t, std::shared_ptr<std::vector<std::int32_t>>> m_remapped; // by rank
    std::map<Digest, ProgramPtr> m_programs;
    std::map<ProgramPtr, ProgramPtr> m_known; // given program: the one that stands for all that are equal
    UnequalPrograms m_unequal;
    std::set<std::pair<std::string, std::int64_t>> m_saidSize;
    std::set<std::string> m_saidLevels;
    bool m_saidReplay = false;
    bool m_wantsOrders = false;  // some collective is to go through the dimensions in an order of its own
    bool m_severalAxes = false;  // ... and goes through several
};

std::vector<MatchKey> InstanceBuilder::keysOf(std::int64_t rank, std::size_t family) const
{
    const RankGraph& tasks = graph(rank);
    std::map<std::pair<CollectiveOp, std::int64_t>, std::int32_t> seen;
    std::vector<MatchKey> keys;
    for (const TaskIndex task : listOf(rank, family)) {
        checkStop(m_stop);
        const auto i = static_cast<std::size_t>(task);
        keys.emplace_back(tasks.op[i], tasks.bytes[i], seen[{tasks.op[i], tasks.bytes[i]}]++);
    }
    return keys;
}

bool InstanceBuilder::sameSequence(std::int64_t a, std::int64_t b, std::size_t family) const
{
    const auto& listA = listOf(a, family);
    const auto& listB = listOf(b, family);
    if (listA.size() != listB.size())
        return false;
    const RankGraph& tasksA = graph(a);
    const RankGraph& tasksB = graph(b);
    for (std::size_t k = 0; k < listA.size(); ++k) {
        checkStop(m_stop);
        const auto i = static_cast<std::size_t>(listA[k]);
        const auto j = static_cast<std::size_t>(listB[k]);
        if (tasksA.op[i] != tasksB.op[j] || tasksA.bytes[i] != tasksB.bytes[j])
            return false;
    }
    return true;
}

std::string InstanceBuilder::describe(std::int64_t rank, std::size_t family, std::size_t at) const
{
    const auto& list = listOf(rank, family);
    if (at >= list.size())
        return "rank " + std::to_string(rank) + " has only " + std::to_string(list.size());
    const auto i = static_cast<std::size_t>(list[at]);
    const RankGraph& tasks = graph(rank);
    return "rank " + std::to_string(rank) + " runs " + std::string(collectiveKey(tasks.op[i])) + " of " + showBytes({tasks.bytes[i]}) + " (node "
        + std::to_string(tasks.sourceId[i]) + ')';
}

Error InstanceBuilder::disagree(std::int64_t rankA, std::int64_t rankB, std::size_t family, std::size_t at) const
{
    const std::string& name = m_workload.families[family].name();
    std::string group = m_workload.families[family].isWorld() ? "of all ranks" : "of group " + name;
    Place place;
    place.rank = rankB;
    return invalidInput("the members disagree on collective " + std::to_string(at + 1) + ' ' + group + ": " + describe(rankA, family, at) + ", "
                            + describe(rankB, family, at),
                        place, "the same collectives of the same size on every member");
}

Status InstanceBuilder::remap(std::int64_t rank, std::int64_t canonical, std::size_t family)
{
    const std::vector<MatchKey> wanted = keysOf(canonical, family);
    const std::vector<MatchKey> own = keysOf(rank, family);
    std::map<MatchKey, std::int32_t> place;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        checkStop(m_stop);
        place.emplace(wanted[k], static_cast<std::int32_t>(k));
    }
    auto& ordinals = m_remapped[rank];
    if (!ordinals)
        ordinals = std::make_shared<std::vector<std::int32_t>>(*m_defaults[graphIndex(rank)]);
    for (std::size_t k = 0; k < std::max(own.size(), wanted.size()); ++k) {
        checkStop(m_stop);
        const auto at = k < own.size() ? place.find(own[k]) : place.end();
        if (at == place.end()) {
            std::size_t first = 0; // the first place at which the two sequences differ is the one a person looks for
            while (first < own.size() && first < wanted.size() && own[first] == wanted[first])
                ++first;
            return disagree(canonical, rank, family, first);
        }
        (*ordinals)[static_cast<std::size_t>(listOf(rank, family)[k])] = at->second;
    }
    return {};
}

Status InstanceBuilder::matchMembers(std::size_t family, std::int64_t group)
{
    const GroupFamily& groups = m_workload.families[family];
    if (m_workload.graphOfRank.empty())
        return {};
    const std::int64_t canonical = groups.member(group, 0);
    for (std::int64_t position = 1; position < groups.groupSize(group); ++position) {
        checkStop(m_stop);
        const std::int64_t rank = groups.member(group, position);
        if (graphIndex(rank) == graphIndex(canonical) || sameSequence(rank, canonical, family))
            continue;
        if (Status status = remap(rank, canonical, family); !status)
            return status;
    }
    return {};
}

ProgramPtr InstanceBuilder::shared(ProgramPtr program)
{
    if (!program)
        return nullptr;
    ProgramPtr& known = m_known[program];
    if (!known)
        known = m_programs.try_emplace(program->digest(), program).first->second;
    return known;
}

Status InstanceBuilder::addProgram(CollectiveInstance& instance, const RankGraph& tasks, TaskIndex task, GroupPlans& plans)
{
    const auto i = static_cast<std::size_t>(task);
    const bool native = instance.op == CollectiveOp::AllReduce || instance.op == CollectiveOp::AllGather || instance.op == CollectiveOp::ReduceScatter
        || instance.op == CollectiveOp::AllToAll || isOwnBroadcast(instance.op, tasks);
    const bool alone = m_workload.rankCount == 1 && tasks.durationUs[i] > 0;
    if (m_replayOnly || !native || alone) {
        instance.replayPs = tasks.durationUs[i] * kPsPerUs;
        if (!m_saidReplay && !m_replayOnly) {
            m_saidReplay = true;
            m_diagnostics.push_back(warning("replayed-collective",
                                            alone ? "a workload of one rank: its collectives take the duration recorded in the trace"
                                                  : std::string(collectiveKey(instance.op))
                                                    + " has no native algorithm here: such collectives take the duration recorded in the trace and use no network"));
        }
        return {};
    }
    if (!sharesOf(tasks, task).empty()) // Parts of their own.
        return planProgram(instance, tasks, task, plans.layouts);
    const std::pair<CollectiveOp, std::int64_t> key(instance.op, instance.bytes);
    if (const auto known = plans.programs.find(key); known != plans.programs.end()) {
        std::tie(instance.program, instance.layout, instance.rule) = known->second;
        return {};
    }
    Status status = planProgram(instance, tasks, task, plans.layouts);
    if (status && !m_policy.asksForNodes())
        plans.programs.try_emplace(key, instance.program, instance.layout, instance.rule);
    return status;
}

Status InstanceBuilder::planProgram(CollectiveInstance& instance, const RankGraph& tasks, TaskIndex task, std::map<std::string, std::int32_t>& layouts)
{
    const auto i = static_cast<std::size_t>(task);
    const GroupFamily& groups = m_workload.families[static_cast<std::size_t>(instance.family)];
    auto choice = m_policy.choose(instance.op, groups.name(), instance.bytes, groups.groupSize(instance.group), tasks.sourceId[i], [&](const ProgramSource& source) { return covers(source, instance.bytes); });
    if (!choice)
        return std::move(choice).error();
    instance.rule = choice.value().rule;
    if (choice.value().custom) {
        if (choice.value().custom->ranks != groups.groupSize(instance.group)) {
            return invalidInput("the custom collective " + choice.value().custom->provenance + " is for " + std::to_string(choice.value().custom->ranks)
                                + " ranks, the group has " + std::to_string(groups.groupSize(instance.group)));
        }
        CollectiveSetting none;
        auto flat = planCollective(m_structure.platform, m_structure.placement, groups, instance.group, CollectiveOp::AllReduce, 0, none, true);
        if (!flat)
            return std::move(flat).error();
        instance.program = shared(choice.value().custom);
        instance.layout = layoutNumber("listed", std::move(flat.value().layout), layouts);
        return {};
    }
    const auto atTask = [&](Error error) {
        if (error.code != ErrorCode::Cancelled && error.place.file.empty()) {
            const CollectiveSetting& used = choice.value().setting;
            const Design& design = m_library.design();
            const bool named = !used.algorithms.empty() && !design.astra && !design.file.empty();
            if (used.program.choose || !used.program.program.empty() || named)
                error.place = design.place(choice.value().field);
            error.place.rank = groups.member(instance.group, 0);
            error.place.node = static_cast<std::int64_t>(tasks.sourceId[i]);
            error.place.hasNode = true;
        }
        return error;
    };
    CollectiveSetting& setting = choice.value().setting;
    if (const auto shares = sharesOf(tasks, task); !shares.empty()) {
        const Status status = addUnequal(instance, setting, shares, layouts);
        return status ? status : atTask(status.error());
    }
    if (setting.program.choose) {
        if (Status status = decide(instance, setting, choice.value().scheduler); !status)
            return atTask(std::move(status).error());
    }
    auto planned = planWithPrograms(m_structure.platform, m_structure.placement, groups, instance.group, instance.op, instance.bytes, setting,
                                    choice.value().flat, choice.value().scheduler, m_library);
    if (!planned)
        return atTask(std::move(planned).error());
    noteLevels(groups, instance.group, planned.value());
    instance.program = shared(planned.value().program);
    const bool isTemplate = instance.program && instance.program->isTemplate();
    m_wantsOrders = m_wantsOrders || choice.value().scheduler != DimensionScheduler::Baseline;
    m_severalAxes = m_severalAxes || (isTemplate && instance.program->asTemplate().axes.size() > 1 && instance.op != CollectiveOp::AllToAll);
    const bool onGrid = !choice.value().flat && planned.value().layout.extents.size() > 1;
    const bool uneven = planned.value().levels && planned.value().levels->uneven && !isTemplate;
    std::string kind = uneven ? "uneven" : !setting.program.program.empty() && !onGrid ? "listed" : choice.value().flat ? "flat" : "grid";
    if (instance.op == CollectiveOp::Broadcast)
        kind += " from the first";
    for (const std::int32_t extent : planned.value().layout.extents)
        kind += ' ' + std::to_string(extent);
    for (const std::string& level : planned.value().layout.levels)
        kind += ' ' + level;
    instance.layout = layoutNumber(kind, std::move(planned.value().layout), layouts);
    return {};
}

/// Members with parts of different size: nothing is compared for `algorithm: auto`, and a program that the design names is for equal parts.
Status InstanceBuilder::addUnequal(CollectiveInstance& instance, const CollectiveSetting& setting, std::span<const std::int64_t> shares, std::map<std::string, std::int32_t>& layouts)
{
    if (!setting.program.choose && !setting.program.program.empty())
        return Error{ErrorCode::Unsupported, "a program for equal parts cannot carry unequal ones", {}, "ring, direct or halving_doubling"};
    auto planned = m_unequal.plan(m_structure.platform, m_structure.placement, m_workload.families[at(instance.family)], instance.group, instance.op, instance.bytes, setting, shares,
                                m_library.levels(m_structure.platform), m_stop);
    if (!planned)
        return std::move(planned).error();
    instance.program = shared(planned.value().program);
    instance.layout = layoutNumber(instance.op == CollectiveOp::AllToAll ? "listed" : "unequal parts", std::move(planned.value().layout), layouts);
    return {};
}

/// Says once of each family which levels its groups have on a graph.
void InstanceBuilder::noteLevels(const GroupFamily& family, std::int64_t number, const PlannedCollective& planned)
{
    if (planned.levels && planned.levels->uneven && planned.program)
        return noteUneven(family, number, planned);
    if (!planned.levels || !planned.program || !planned.program->isTemplate() || (planned.levels->isFlat() && !planned.levels->noRails))
        return;
    const std::string group = "group " + (family.isWorld() ? "all" : family.name());
    const std::string text = group + ": " + planned.levels->text();
    if (!planned.levels->isFlat() && m_saidLevels.insert(text).second)
        m_diagnostics.push_back(note("levels", text));
    if (planned.levels->noRails && m_saidLevels.insert(group).second)
        m_diagnostics.push_back(warning("no-rails", group + ": no rails: NPUs of its hosts have no partners one to one at the nearest switches, they go by their index in the host"));
}

/// Says once of each family which blocks of its levels are smaller than others, and whether the collective goes by them.
void InstanceBuilder::noteUneven(const GroupFamily& family, std::int64_t number, const PlannedCollective& planned)
{
    constexpr std::size_t kMostNamed = 4;
    const UnevenLevels& levels = *planned.levels->uneven;
    const std::string group = "group " + (family.isWorld() ? "all" : family.name());
    if (!planned.whyFlat.empty()) {
        const std::string said = group + ": " + std::string(collectiveKey(planned.program->op)) + " goes along one level, not " + levels.text() + ": " + planned.whyFlat;
        if (m_saidLevels.insert(said).second)
            m_diagnostics.push_back(warning("uneven-levels", said));
        return;
    }
    const std::string text = group + ": " + levels.text();
    if (!m_saidLevels.insert(text).second)
        return;
    m_diagnostics.push_back(note("levels", text));
    std::string blocks;
    for (std::size_t i = 0; i < std::min(kMostNamed, levels.small.size()); ++i) {
        const UnevenLevels::Small& block = levels.small[i];
        blocks += (i > 0 ? ", " : " ") + block.level + " of rank " + std::to_string(family.member(number, block.first)) + ' ' + std::to_string(block.size) + " of "
            + std::to_string(block.full);
    }
    if (levels.small.size() > kMostNamed)
        blocks += " and " + std::to_string(levels.small.size() - kMostNamed) + " more";
    m_diagnostics.push_back(warning("uneven-levels", group + ": levels of different size:" + blocks + "; what NPUs that are missing would do is shared by those beside them"));
}

/// Number of the layout of this kind that the group has.
std::int32_t InstanceBuilder::layoutNumber(const std::string& kind, GroupLayout layout, std::map<std::string, std::int32_t>& layouts)
{
    const auto [at, isNew] = layouts.try_emplace(kind, static_cast<std::int32_t>(m_structure.layouts.size()));
    if (isNew)
        m_structure.layouts.push_back(std::move(layout));
    return at->second;
}

/// `algorithm: auto`: the setting becomes what the chooser decides.
Status InstanceBuilder::decide(const CollectiveInstance& instance, CollectiveSetting& setting, DimensionScheduler scheduler)
{
    if (!m_chooser || !traitsOf(m_model).ownCollectives) {
        setting.program = {false, {}, {}, setting.program.receiveSlots};
        return {};
    }
    auto decided = m_chooser->choose({m_model, m_structure, m_params, instance.family, instance.group, instance.op, instance.bytes, setting, scheduler, m_library, instance.rule});
    if (!decided)
        return std::move(decided).error();
    setting = std::move(decided).value();
    return {};
}

/// Is the program meant for the size? Said once of every size it is not for.
bool InstanceBuilder::covers(const ProgramSource& source, std::int64_t bytes)
{
    if (m_library.covers(source, bytes))
        return true;
    const std::string name = programSourceText(source);
    if (m_saidSize.emplace(name, bytes).second)
        m_diagnostics.push_back(note("program-size", "the program " + name + " is not meant for " + showBytes({bytes}) + ": the next rule that fits decides"));
    return false;
}

Status InstanceBuilder::addInstances(std::size_t family, std::int64_t group)
{
    const GroupFamily& groups = m_workload.families[family];
    const std::int64_t canonical = groups.member(group, 0);
    const RankGraph& tasks = graph(canonical);
    const std::int32_t stream = m_structure.streamCount++;
    GroupPlans plans;
    std::int32_t sequence = 0;
    for (const TaskIndex task : listOf(canonical, family)) {
        checkStop(m_stop);
        const auto i = static_cast<std::size_t>(task);
        CollectiveInstance instance;
        instance.family = static_cast<FamilyId>(family);
        instance.group = group;
        instance.sequence = sequence++;
        instance.op = tasks.op[i];
        instance.bytes = tasks.bytes[i];
        instance.stream = stream;
        if (!tasks.priority.empty())
            instance.priority = m_policy.byPriority() ? -tasks.priority[i] : tasks.priority[i];
        if (Status status = addProgram(instance, tasks, task, plans); !status)
            return status;
        m_structure.instances.push_back(std::move(instance));
    }
    return {};
}

/// Are all groups of the family the first one, moved? Known of strided families over whole dimensions, where all ranks have the same tasks.
bool InstanceBuilder::groupsAreMoved(std::size_t family) const
{
    const Platform& platform = m_structure.platform;
    const Placement& placement = m_structure.placement;
    if (!m_workload.graphOfRank.empty() || !m_workload.families[family].isStrided() || platform.isExplicit() || !placement.isIdentity()
        || placement.rankCount() != platform.npuCount()) {
        return false;
    }
    const auto isWhole = [&](const GroupLayout& layout) {
        for (std::size_t axis = 0; axis < layout.extents.size(); ++axis) {
            bool found = false;
            for (std::size_t d = 0; d < platform.dimensions().size() && layout.list.empty(); ++d)
                found = found || (platform.dimensions()[d].size == layout.extents[axis] && platform.stride(d) == layout.strides[axis]);
            if (!found)
                return false;
        }
        return true;
    };
    return std::all_of(m_structure.instances.begin() + m_structure.instanceBase[family].front(), m_structure.instances.end(),
                       [&](const CollectiveInstance& instance) {
                           checkStop(m_stop);
                           if (instance.program && !instance.program->isTemplate() && !instance.program->asExplicit().routes.empty())
                               return false; // They are links of the first group.
                           return instance.program ? isWhole(m_structure.layouts[static_cast<std::size_t>(instance.layout)]) : instance.replayPs >= 0;
                       });
}

/// The instances of the first group of the family once more, for another group.
void InstanceBuilder::addMoved(std::size_t family, std::int64_t group)
{
    const auto first = static_cast<std::size_t>(m_structure.instanceBase[family][0]);
    const auto count = static_cast<std::size_t>(m_structure.instanceBase[family][1]) - first;
    const std::int32_t stream = m_structure.streamCount++;
    const std::int64_t base = m_workload.families[family].member(group, 0);
    std::int32_t original = -1;
    for (std::size_t k = 0; k < count; ++k) {
        checkStop(m_stop);
        CollectiveInstance instance = m_structure.instances[first + k];
        instance.group = group;
        instance.stream = stream;
        if (instance.program) {
            if (instance.layout != original) {
                original = instance.layout;
                GroupLayout layout = m_structure.layouts[static_cast<std::size_t>(original)];
                layout.base = base;
                m_structure.layouts.push_back(std::move(layout));
            }
            instance.layout = static_cast<std::int32_t>(m_structure.layouts.size() - 1);
        }
        m_structure.instances.push_back(std::move(instance));
    }
}

/// Room for all of them at once: of millions, growing would take twice the memory.
void InstanceBuilder::reserveInstances()
{
    std::size_t count = 0;
    for (std::size_t family = 0; family < m_workload.families.size(); ++family) {
        checkStop(m_stop);
        const GroupFamily& groups = m_workload.families[family];
        for (std::int64_t group = 0; group < groups.groupCount(); ++group)
            count += listOf(groups.member(group, 0), family).size();
    }
    m_structure.instances.reserve(count);
}

Status InstanceBuilder::build()
{
    const std::size_t families = m_workload.families.size();
    for (const auto& tasks : m_workload.graphs) {
        m_orders.push_back(staticOrder(*tasks, families, m_stop));
        m_defaults.push_back(std::make_shared<const std::vector<std::int32_t>>(m_orders.back().ordinal));
    }
    m_structure.instanceBase.resize(families);
    reserveInstances();
    for (std::size_t family = 0; family < families; ++family) {
        bool used = false;
        for (const StaticOrder& order : m_orders)
            used = used || !order.collectives[family].empty();
        if (!used)
            continue;
        const std::int64_t groups = m_workload.families[family].groupCount();
        bool moved = false;
        for (std::int64_t group = 0; group < groups; ++group) {
            checkStop(m_stop);
            m_structure.instanceBase[family].push_back(static_cast<std::int32_t>(m_structure.instances.size()));
            if (group == 1)
                moved = groupsAreMoved(family);
            if (moved) {
                addMoved(family, group);
                continue;
            }
            if (Status status = matchMembers(family, group); !status)
                return status;
            if (Status status = addInstances(family, group); !status)
                return status;
        }
    }
    if (m_wantsOrders && !m_severalAxes)
        m_diagnostics.push_back(note("scheduling-unused", "scheduling.dimensions has no effect: no collective has several dimensions to choose from"));
    if (m_workload.graphOfRank.empty()) {
        m_structure.ordinalsOfRank = {m_defaults[0]};
        return {};
    }
    for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank) {
        checkStop(m_stop);
        const auto own = m_remapped.find(rank);
        m_structure.ordinalsOfRank.push_back(own != m_remapped.end() ? Ordinals(own->second) : m_defaults[graphIndex(rank)]);
    }
    return {};
}

} // namespace

Status buildInstances(Structure& structure, const CollectivePolicy& policy, const Params& params, Model model, ProgramLibrary& library, CollectiveChooser* chooser,
                      Diagnostics& diagnostics, const std::stop_token& stop)
{
    return untilStopped([&] { return InstanceBuilder(structure, policy, params, model, library, chooser, diagnostics, stop).build(); });
}

} // namespace fabricscope
