#include "core/design/steps/steps.h"

#include "core/base/stop.h"

#include "core/design/steps/compilesteps.h"

namespace fabricscope {

namespace {

/// Runs the compiled steps for one class of ranks and writes its tasks.
class GraphWriter {
public:
    /// `rank` >= 0: peers become absolute for this one rank.
    GraphWriter(const CompiledSteps& program, const std::vector<bool>& runsSet, std::int64_t rank, bool relative,
                const std::stop_token& stop = {})
        : m_stop(stop)
        , m_program(program)
        , m_runsSet(runsSet)
        , m_rank(rank)
        , m_latest(program.labels, -1)
    {
        m_graph.peerIsRelative = relative;
        m_graph.dependBegin.push_back(0);
    }

    /// Throws StopRequested.
    RankGraph write()
    {
        run(m_program.steps);
        addTensors();
        return std::move(m_graph);
    }

private:
    void run(const std::vector<CompiledStep>& steps)
    {
        for (const CompiledStep& step : steps) {
            if (step.kind == Step::Kind::Repeat) {
                for (std::int32_t i = 0; i < step.times; ++i) {
                    checkStop(m_stop);
                    run(step.steps);
                }
            } else if (m_runsSet[static_cast<std::size_t>(step.rankSet)]) {
                add(step);
            }
        }
    }

    void add(const CompiledStep& step)
    {
        const TaskIndex task = m_graph.size();
        RankGraph& graph = m_graph;
        graph.kind.push_back(step.task);
        graph.flags.push_back(step.flags);
        graph.sourceId.push_back(static_cast<std::uint64_t>(task));
        graph.names += step.name;
        graph.nameEnd.push_back(static_cast<std::uint32_t>(graph.names.size()));
        graph.durationUs.push_back(std::max<std::int64_t>(step.durationPs, 0) / kPsPerUs);
        graph.durationPs.push_back(step.durationPs);
        graph.operations.push_back(step.operations);
        graph.bytes.push_back(step.bytes);
        graph.op.push_back(step.op);
        graph.family.push_back(step.family);
        const bool absolute = step.isRelative && m_rank >= 0;
        graph.peer.push_back(step.peer + static_cast<std::int32_t>(absolute ? m_rank : 0));
        graph.tag.push_back(step.tag);
        graph.involved.push_back(0);
        if (step.priority != 0 && graph.priority.empty())
            graph.priority.assign(static_cast<std::size_t>(task), 0); // Nothing is kept where no step has one.
        if (step.priority != 0 || !graph.priority.empty())
            graph.priority.push_back(step.priority);

        const std::size_t first = graph.depends.size();
        if (!step.afterGiven) {
            if (task > 0)
                graph.depends.push_back(task - 1);
        } else {
            for (const std::int32_t label : step.after) {
                if (m_latest[static_cast<std::size_t>(label)] >= 0)
                    graph.depends.push_back(m_latest[static_cast<std::size_t>(label)]);
            }
        }
        addUses(step, task);
        if (step.afterGiven || !step.uses.empty()) {
            const auto begin = graph.depends.begin() + static_cast<std::ptrdiff_t>(first);
            std::sort(begin, graph.depends.end());
            graph.depends.erase(std::unique(begin, graph.depends.end()), graph.depends.end());
        }
        graph.dependBegin.push_back(static_cast<std::uint32_t>(graph.depends.size()));
        if (step.outputBytes > 0 || step.scratchBytes > 0)
            m_memory.push_back({task, &step});
        if (step.label < 0)
            return;
        m_latest[static_cast<std::size_t>(step.label)] = task;
        if (m_program.usedLabel[static_cast<std::size_t>(step.label)])
            m_runs[step.label].push_back(task);
    }

    /// The runs whose output this run of the step uses become dependencies.
    void addUses(const CompiledStep& step, TaskIndex task)
    {
        for (const std::int32_t label : step.uses) {
            const std::vector<TaskIndex>& runs = m_runs[label];
            Unused& unused = m_unused[{&step, label}];
            unused.runs.insert(unused.runs.end(), runs.begin() + static_cast<std::ptrdiff_t>(unused.known), runs.end());
            unused.known = runs.size();
            if (runs.empty())
                continue;
            const TaskIndex used = unused.runs.empty() ? runs.back() : unused.runs.back();
            if (!unused.runs.empty())
                unused.runs.pop_back();
            m_graph.depends.push_back(used);
            m_uses.emplace_back(used, task);
        }
    }

    void addTensors()
    {
        if (m_memory.empty())
            return;
        RankGraph& graph = m_graph;
        std::sort(m_uses.begin(), m_uses.end());
        std::vector<std::vector<TaskIndex>> followers;
        std::vector<std::int32_t> place(graph.kind.size(), -1); // in followers, of those without steps that use them
        for (const auto& [task, step] : m_memory) {
            if (step->outputBytes > 0 && (step->label < 0 || !m_program.usedLabel[static_cast<std::size_t>(step->label)])) {
                place[static_cast<std::size_t>(task)] = static_cast<std::int32_t>(followers.size());
                followers.emplace_back();
            }
        }
        for (TaskIndex task = 0; task < graph.size() && !followers.empty(); ++task) {
            checkStop(m_stop);
            for (const TaskIndex producer : graph.dependencies(task)) {
                if (const std::int32_t at = place[static_cast<std::size_t>(producer)]; at >= 0)
                    followers[static_cast<std::size_t>(at)].push_back(task);
            }
        }
        const auto close = [&](TaskIndex task, std::int64_t bytes) {
            RankGraph::Tensor tensor;
            tensor.producer = task;
            tensor.bytes = bytes;
            tensor.usersEnd = static_cast<std::uint32_t>(graph.tensorUsers.size());
            tensor.nameEnd = static_cast<std::uint32_t>(graph.tensorNames.size());
            graph.tensors.push_back(tensor);
        };
        for (const auto& [task, step] : m_memory) {
            if (step->outputBytes > 0) {
                if (const std::int32_t at = place[static_cast<std::size_t>(task)]; at >= 0) {
                    const std::vector<TaskIndex>& users = followers[static_cast<std::size_t>(at)];
                    graph.tensorUsers.insert(graph.tensorUsers.end(), users.begin(), users.end());
                } else {
                    for (auto use = std::lower_bound(m_uses.begin(), m_uses.end(), std::pair(task, TaskIndex{0})); use != m_uses.end() && use->first == task; ++use)
                        graph.tensorUsers.push_back(use->second);
                }
                close(task, step->outputBytes);
            }
            if (step->scratchBytes > 0) {
                graph.tensorUsers.push_back(task);
                graph.tensorNames += std::string(graph.name(task)) + " (scratch)";
                close(task, step->scratchBytes);
            }
        }
    }

    /// Runs of a label that a step has not used yet.
    struct Unused {
        std::size_t known = 0;
        std::vector<TaskIndex> runs;
    };

    std::stop_token m_stop;
    const CompiledSteps& m_program;
    const std::vector<bool>& m_runsSet;
    std::int64_t m_rank;
    std::vector<TaskIndex> m_latest;
    std::map<std::int32_t, std::vector<TaskIndex>> m_runs; ///< By label that is used.
    std::map<std::pair<const CompiledStep*, std::int32_t>, Unused> m_unused;
    std::vector<std::pair<TaskIndex, TaskIndex>> m_uses; ///< Producer, user.
    std::vector<std::pair<TaskIndex, const CompiledStep*>> m_memory;
    RankGraph m_graph;
};

/// What one class needs to know about its steps.
struct ClassNeeds {
    std::int64_t tasks = 0;
    bool relative = false;
    bool absolute = false;
};

constexpr std::int64_t kTooMany = kMaxStepTasks + 1;

ClassNeeds needsOf(const std::vector<CompiledStep>& steps, const std::vector<bool>& runsSet)
{
    ClassNeeds needs;
    for (const CompiledStep& step : steps) {
        if (step.kind == Step::Kind::Repeat) {
            const ClassNeeds inner = needsOf(step.steps, runsSet);
            needs.tasks = std::min(kTooMany, needs.tasks + std::min(kTooMany, inner.tasks * step.times));
            needs.relative |= inner.relative;
            needs.absolute |= inner.absolute;
        } else if (runsSet[static_cast<std::size_t>(step.rankSet)]) {
            needs.tasks = std::min(kTooMany, needs.tasks + 1);
            const bool message = step.kind == Step::Kind::Send || step.kind == Step::Kind::Receive;
            needs.relative |= message && step.isRelative;
            needs.absolute |= message && !step.isRelative;
        }
    }
    return needs;
}

/// Ranks that run the same steps and which rank sets they belong to.
struct RankClass {
    std::vector<bool> runsSet;
    std::vector<RankSet::Interval> ranks;
    std::int64_t count = 0;
};

std::vector<RankClass> classesOf(const std::vector<RankSet>& sets, std::int64_t ranks)
{
    std::vector<std::int64_t> starts{0};
    for (const RankSet& set : sets) {
        for (const RankSet::Interval& interval : set.intervals()) {
            starts.push_back(interval.first);
            if (interval.last + 1 < ranks)
                starts.push_back(interval.last + 1);
        }
    }
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    std::map<std::vector<bool>, std::size_t> known;
    std::vector<RankClass> classes;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::int64_t end = i + 1 < starts.size() ? starts[i + 1] : ranks;
        std::vector<bool> signature;
        for (const RankSet& set : sets)
            signature.push_back(set.contains(starts[i]));
        const auto [entry, added] = known.emplace(signature, classes.size());
        if (added)
            classes.push_back({signature, {}, 0});
        RankClass& group = classes[entry->second];
        group.ranks.push_back({starts[i], end - 1});
        group.count += end - starts[i];
    }
    return classes;
}

/// The groups along dimensions where not rank r runs on node r of all.
std::vector<std::vector<std::int64_t>> groupsAlong(const std::vector<std::int32_t>& dimensions, const Platform& platform, const Placement& placement)
{
    // By the group's first NPU, were it there; inside by position, which tells missing members apart.
    std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> groups;
    for (std::int32_t rank = 0; rank < placement.rankCount(); ++rank) {
        const NodeId node = placement.nodeOf(rank);
        std::int64_t first = node;
        std::int64_t position = 0;
        std::int64_t weight = 1;
        for (const std::int32_t dimension : dimensions) {
            const auto d = static_cast<std::size_t>(dimension);
            const std::int64_t coordinate = platform.coordinate(node, d);
            first -= coordinate * platform.stride(d);
            position += coordinate * weight;
            weight *= platform.dimensions()[d].size;
        }
        groups[first][position] = rank;
    }
    std::vector<std::vector<std::int64_t>> lists;
    for (const auto& [first, members] : groups) {
        lists.emplace_back();
        for (const auto& [position, rank] : members)
            lists.back().push_back(rank);
    }
    return lists;
}

} // namespace

Result<GroupFamily> groupFamily(const GroupSpec& spec, const Platform& platform, const Placement& placement)
{
    const std::int32_t ranks = placement.rankCount();
    const auto placed = [&](Result<GroupFamily> family) -> Result<GroupFamily> {
        if (family)
            return family;
        Error error = std::move(family).error();
        error.place = spec.place;
        error.message = "group \"" + spec.name + "\": " + error.message;
        return error;
    };
    if (!spec.lists.empty())
        return placed(GroupFamily::listed(spec.name, spec.lists, ranks));
    if (spec.dimensions.empty())
        return placed(GroupFamily::strided(spec.name, spec.axes, ranks));

    if (platform.isExplicit())
        return placed(invalidInput("groups along dimensions need a platform of dimensions", {}, "axes or lists"));
    const bool listed = !placement.isIdentity() || placement.rankCount() != platform.npuCount();
    std::vector<GroupFamily::Axis> axes;
    std::vector<bool> used(platform.dimensions().size(), false);
    for (const std::int32_t dimension : spec.dimensions) {
        const auto d = static_cast<std::size_t>(dimension);
        if (dimension < 0 || d >= used.size())
            return placed(invalidInput("there is no dimension " + std::to_string(dimension), {}, "0 to " + std::to_string(used.size() - 1)));
        if (used[d])
            return placed(invalidInput("dimension " + std::to_string(dimension) + " is listed twice"));
        used[d] = true;
        axes.push_back({platform.dimensions()[d].size, platform.stride(d)});
    }
    if (listed)
        return placed(GroupFamily::listed(spec.name, groupsAlong(spec.dimensions, platform, placement), ranks));
    return placed(GroupFamily::strided(spec.name, std::move(axes), ranks));
}

Result<WorkloadPtr> workloadFromSteps(const StepsWorkload& steps, const Platform& platform, const Placement& placement, const std::stop_token& stop)
{
    auto workload = std::make_shared<Workload>();
    workload->rankCount = placement.rankCount();
    const std::int64_t ranks = workload->rankCount;
    workload->families.push_back(GroupFamily::world(ranks));
    for (const GroupSpec& spec : steps.groups) {
        auto family = groupFamily(spec, platform, placement);
        if (!family)
            return std::move(family).error();
        workload->families.push_back(std::move(family).value());
    }
    auto compiled = compileSteps(steps, &workload->families, ranks, stop);
    if (!compiled)
        return std::move(compiled).error();
    const CompiledSteps& program = compiled.value();

    std::int64_t total = 0;
    const std::vector<RankClass> classes = classesOf(program.rankSets, ranks);
    std::vector<bool> split;
    for (const RankClass& group : classes) {
        const ClassNeeds needs = needsOf(program.steps, group.runsSet);
        // One graph cannot hold both kinds of peers: then each rank gets its own with absolute ones.
        split.push_back(needs.relative && needs.absolute);
        total = std::min(kTooMany, total + std::min(kTooMany, needs.tasks * (split.back() ? group.count : 1)));
    }
    if (total > kMaxStepTasks) {
        Place place = steps.steps.front().place;
        return invalidInput("the steps expand to more than " + std::to_string(kMaxStepTasks) + " tasks", place, "fewer repetitions");
    }

    const bool alike = classes.size() == 1 && !split[0];
    if (!alike)
        workload->graphOfRank.resize(static_cast<std::size_t>(ranks));
    const auto addGraph = [&](const RankClass& group, std::int64_t rank) {
        const bool mixed = rank >= 0;
        const bool relative = !mixed && needsOf(program.steps, group.runsSet).relative;
        workload->graphs.push_back(std::make_shared<const RankGraph>(GraphWriter(program, group.runsSet, rank, relative, stop).write()));
        return static_cast<std::int32_t>(workload->graphs.size() - 1);
    };
    return untilStopped([&]() -> Result<WorkloadPtr> {
        for (std::size_t c = 0; c < classes.size(); ++c) {
            std::int32_t graph = split[c] ? -1 : addGraph(classes[c], -1);
            if (alike)
                break;
            for (const RankSet::Interval& interval : classes[c].ranks) {
                for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                    workload->graphOfRank[static_cast<std::size_t>(rank)] = split[c] ? addGraph(classes[c], rank) : graph;
            }
        }
        workload->source = "steps (" + std::to_string(ranks) + " ranks)";
        return WorkloadPtr(workload);
    });
}

Result<WorkloadPtr> workloadFromCollective(const SingleCollective& single, std::int32_t ranks)
{
    StepsWorkload steps;
    Step step;
    step.kind = Step::Kind::Collective;
    step.op = single.op;
    step.bytes = single.size;
    steps.steps.push_back(std::move(step));
    std::vector<GroupFamily> families{GroupFamily::world(ranks)};
    auto compiled = compileSteps(steps, &families, ranks, {});
    if (!compiled)
        return std::move(compiled).error();
    auto workload = std::make_shared<Workload>();
    workload->rankCount = ranks;
    workload->families = std::move(families);
    workload->graphs.push_back(std::make_shared<const RankGraph>(GraphWriter(compiled.value(), {true}, -1, false).write()));
    workload->source = std::string(collectiveKey(single.op)) + " of " + single.size.text();
    return WorkloadPtr(workload);
}

} // namespace fabricscope
