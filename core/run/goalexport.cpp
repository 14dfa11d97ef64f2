#include "core/run/goalexport.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/generate/generate.h"
#include "core/program/onesided.h"
#include "core/programio/programtraces.h"
#include "core/scenario/computeparams.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::int32_t kMessageCpu = 1;
constexpr std::int32_t kHostCpu = 2;

std::int64_t numberOf(const EtNode& node, std::string_view name, std::int64_t absent)
{
    const auto found = std::ranges::find(node.attributes, name, &EtAttribute::name);
    return found == node.attributes.end() || found->integers.empty() ? absent : found->integers[0];
}

/// The operations of one program at every position, its peers being positions. All needs are of ends.
struct ProgramOps {
    std::vector<GoalRank> positions;
    std::uint32_t tags = 0; ///< One more than its largest.
};

/// Counts what the schedule does not keep.
struct GoalLosses {
    std::int64_t rounded = 0;
    std::int64_t sums = 0;
    std::int64_t remote = 0;

    std::int64_t nsOf(std::int64_t ps)
    {
        rounded += ps % 1000 != 0 ? 1 : 0;
        return std::max<std::int64_t>((ps + 500) / 1000, ps > 0 ? 1 : 0);
    }

    void say(Diagnostics& notes) const
    {
        if (rounded > 0)
            notes.push_back(note("goal-durations", "schedules have whole nanoseconds: " + std::to_string(rounded) + " durations are rounded"));
        if (sums > 0)
            notes.push_back(note("goal-sums", "sums of what was received take no time in a schedule: " + std::to_string(sums) + " of them"));
        if (remote > 0)
            notes.push_back(note("goal-memory", "accesses to remote memory take no time in a schedule: " + std::to_string(remote) + " of them"));
    }
};

class GoalMaker {
public:
    GoalMaker(const Scenario& scenario, const std::stop_token& stop) : m_scenario(scenario), m_structure(*scenario.structure), m_stop(stop) {}

    Result<GoalSchedule> make(Diagnostics& notes)
    {
        if (Status status = prepare(); !status)
            return std::move(status).error();
        m_schedule.ranks.resize(at(m_structure.workload->rankCount));
        for (std::int32_t rank = 0; rank < m_structure.workload->rankCount; ++rank) {
            checkStop(m_stop);
            addRank(rank);
        }
        m_losses.say(notes);
        return std::move(m_schedule);
    }

private:
    /// Programs written out once for each size, tags for every collective, and how much it will all be.
    Status prepare()
    {
        std::int64_t count = m_structure.workload->taskCount();
        std::int64_t tag = firstTag();
        for (const CollectiveInstance& instance : m_structure.instances) {
            checkStop(m_stop);
            const ProgramOps* ops = nullptr;
            if (instance.program && instance.replayPs < 0) {
                const Result<const ProgramOps*> made = opsOf(instance);
                if (!made)
                    return made.error();
                ops = made.value();
                for (const GoalRank& position : ops->positions)
                    count += static_cast<std::int64_t>(position.ops.size()) + 2;
            }
            m_instances.push_back({ops, static_cast<std::uint32_t>(tag)});
            tag += ops ? ops->tags : 0;
            if (count > kMostGoalWritten || tag >= UINT32_MAX)
                return Error{ErrorCode::Unsupported, "the schedule has more than " + std::to_string(kMostGoalWritten) + " operations", {}, "fewer messages, as by less chunks or ranks"};
        }
        return {};
    }

    std::int64_t firstTag() const
    {
        std::int64_t most = -1;
        for (const auto& graph : m_structure.workload->graphs) {
            for (std::size_t task = 0; task < graph->kind.size(); ++task) {
                if (graph->kind[task] == TaskKind::Send || graph->kind[task] == TaskKind::Receive)
                    most = std::max<std::int64_t>(most, graph->tag[task]);
            }
        }
        return most + 1;
    }

    Result<const ProgramOps*> opsOf(const CollectiveInstance& instance)
    {
        const auto key = std::pair(instance.program.get(), instance.bytes);
        if (const auto known = m_programs.find(key); known != m_programs.end())
            return &known->second;
        const Result<ProgramPtr> expanded = expandTemplate(instance.program, m_stop);
        if (!expanded)
            return expanded.error();
        const Result<ProgramPtr> sided = toTwoSided(expanded.value(), BareSignals::Keep, m_stop);
        if (!sided)
            return sided.error();
        const Result<std::vector<ProgramTrace>> traces = programTraces(*sided.value(), instance.bytes, m_stop);
        if (!traces)
            return traces.error();
        ProgramOps ops;
        for (const ProgramTrace& trace : traces.value())
            ops.positions.push_back(positionOf(trace, ops.tags));
        return &m_programs.emplace(key, std::move(ops)).first->second;
    }

    GoalRank positionOf(const ProgramTrace& trace, std::uint32_t& tags)
    {
        GoalRank out;
        for (const EtNode& node : trace.nodes) {
            GoalOp op;
            op.cpu = kMessageCpu;
            const auto type = static_cast<EtNodeType>(node.type);
            if (type == EtNodeType::Send || type == EtNodeType::Receive) {
                op.kind = type == EtNodeType::Send ? GoalOp::Kind::Send : GoalOp::Kind::Receive;
                op.size = numberOf(node, "comm_size", 0);
                op.peer = static_cast<std::int32_t>(numberOf(node, type == EtNodeType::Send ? "comm_dst" : "comm_src", 0));
                op.tag = static_cast<std::uint32_t>(numberOf(node, "comm_tag", 0));
                tags = std::max(tags, op.tag + 1);
            } else {
                const std::int64_t ps = numberOf(node, "duration_ps", 0);
                op.size = m_losses.nsOf(ps);
                m_losses.sums += ps == 0 ? 1 : 0;
            }
            out.ops.push_back(op);
            for (const std::vector<std::uint64_t>* list : {&node.dataDeps, &node.ctrlDeps}) {
                for (const std::uint64_t before : *list)
                    out.needs.push_back({static_cast<std::uint32_t>(node.id), static_cast<std::uint32_t>(before), false});
            }
        }
        return out;
    }

    void addRank(std::int32_t rank)
    {
        const RankGraph& graph = m_structure.workload->graph(rank);
        m_rank = &m_schedule.ranks[at(rank)];
        m_ends.clear();
        m_begun.clear();
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            const std::int32_t number = graph.kind[at(task)] == TaskKind::Collective ? m_structure.instanceOf(rank, task) : -1;
            const std::uint32_t begin = number >= 0 ? addCollective(number, rank) : addTask(graph, task, rank);
            for (const TaskIndex before : graph.dependencies(task))
                m_rank->needs.push_back({begin, m_ends[at(before)], false});
        }
        addTurns();
    }

    std::uint32_t add(const GoalOp& op)
    {
        m_rank->ops.push_back(op);
        return static_cast<std::uint32_t>(m_rank->ops.size() - 1);
    }

    std::uint32_t addTask(const RankGraph& graph, TaskIndex task, std::int32_t rank)
    {
        GoalOp op;
        op.cpu = kMessageCpu;
        switch (graph.kind[at(task)]) {
        case TaskKind::Compute:
            op.cpu = graph.has(task, TaskFlag::kHost) ? kHostCpu : 0;
            op.size = m_losses.nsOf(computeWork(m_structure, *m_scenario.params, rank, task).duration());
            break;
        case TaskKind::Send:
        case TaskKind::Receive:
            op.kind = graph.kind[at(task)] == TaskKind::Send ? GoalOp::Kind::Send : GoalOp::Kind::Receive;
            op.size = graph.bytes[at(task)];
            op.peer = graph.peerRank(task, rank);
            op.tag = graph.tag[at(task)];
            break;
        case TaskKind::MemoryLoad:
        case TaskKind::MemoryStore:
            ++m_losses.remote;
            break;
        case TaskKind::Collective:
        case TaskKind::Metadata:
        case TaskKind::Invalid:
            break;
        }
        m_ends.push_back(add(op));
        return m_ends.back();
    }

    /// Returns its begin; its end becomes the end of the task.
    std::uint32_t addCollective(std::int32_t number, std::int32_t rank)
    {
        const CollectiveInstance& instance = m_structure.instances[at(number)];
        const Instance& made = m_instances[at(number)];
        GoalOp empty;
        empty.cpu = kMessageCpu;
        empty.size = instance.replayPs > 0 ? m_losses.nsOf(instance.replayPs) : 0;
        const std::uint32_t begin = add(empty);
        if (!made.ops) {
            m_ends.push_back(begin);
            m_begun.push_back({number, begin, begin});
            return begin;
        }
        const GroupLayout& layout = m_structure.layouts[at(instance.layout)];
        const GoalRank& position = made.ops->positions[at(layout.positionOf(rank))];
        const std::uint32_t first = begin + 1;
        for (GoalOp op : position.ops) {
            if (op.kind != GoalOp::Kind::Calc) {
                op.peer = layout.rankAt(op.peer);
                op.tag += made.firstTag;
            }
            add(op);
        }
        const std::uint32_t end = add(GoalOp{.cpu = kMessageCpu});
        std::vector<bool> waits(position.ops.size(), false);
        std::vector<bool> isWaitedFor(position.ops.size(), false);
        for (const GoalNeed& need : position.needs) {
            m_rank->needs.push_back({first + need.op, first + need.needed, false});
            waits[need.op] = true;
            isWaitedFor[need.needed] = true;
        }
        for (std::uint32_t op = 0; op < position.ops.size(); ++op) {
            if (!waits[op])
                m_rank->needs.push_back({first + op, begin, false});
            if (!isWaitedFor[op])
                m_rank->needs.push_back({end, first + op, false});
        }
        m_rank->needs.push_back({end, begin, false});
        m_ends.push_back(end);
        m_begun.push_back({number, begin, end});
        return begin;
    }

    /// Collectives of a group run one after the other.
    void addTurns()
    {
        const auto keyOf = [&](const Begun& one) {
            const CollectiveInstance& instance = m_structure.instances[at(one.number)];
            return std::tuple(instance.family, instance.group, instance.sequence);
        };
        std::ranges::sort(m_begun, {}, keyOf);
        for (std::size_t i = 1; i < m_begun.size(); ++i) {
            const auto before = keyOf(m_begun[i - 1]);
            const auto now = keyOf(m_begun[i]);
            if (std::get<0>(before) == std::get<0>(now) && std::get<1>(before) == std::get<1>(now))
                m_rank->needs.push_back({m_begun[i].begin, m_begun[i - 1].end, false});
        }
    }

    struct Instance {
        const ProgramOps* ops = nullptr; ///< Null: it sends nothing.
        std::uint32_t firstTag = 0;
    };
    struct Begun {
        std::int32_t number = 0;
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };
    const Scenario& m_scenario;
    const Structure& m_structure;
    const std::stop_token& m_stop;
    std::map<std::pair<const Program*, std::int64_t>, ProgramOps> m_programs;
    std::vector<Instance> m_instances;
    GoalLosses m_losses;
    GoalSchedule m_schedule;
    GoalRank* m_rank = nullptr;        ///< That is being made: ...
    std::vector<std::uint32_t> m_ends; ///< ... the operation with which each of its tasks ends,
    std::vector<Begun> m_begun;        ///< and its collectives.
};

} // namespace

Result<GoalSchedule> goalOf(const Scenario& scenario, Diagnostics& notes, const std::stop_token& stop)
{
    if (scenario.astra)
        return Error{ErrorCode::Unsupported, "models of ASTRA-sim have no messages of their own to write", {}, "model links, ideal or flow"};
    return untilStopped([&] { return GoalMaker(scenario, stop).make(notes); });
}

} // namespace fabricscope
