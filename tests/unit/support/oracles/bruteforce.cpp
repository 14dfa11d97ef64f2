#include "tests/unit/support/oracles/bruteforce.h"

#include "tests/unit/support/oracles/oraclecollective.h"
#include "tests/unit/support/oracles/oraclegroup.h"
#include "tests/unit/support/oracles/oraclenetwork.h"
#include "tests/unit/support/oracles/oracletasks.h"
#include "tests/unit/support/oracles/oracletimer.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace fabricscope::test {

namespace {

using Time = std::int64_t;

class BruteForce {
public:
    explicit BruteForce(const Scenario& scenario)
        : m_structure(*scenario.structure)
        , m_params(*scenario.params)
        , m_workload(*m_structure.workload)
        , m_tasks(scenario)
        , m_network(scenario)
        , m_members(expandInstances(m_structure, m_network))
        , m_ranks(static_cast<std::size_t>(m_workload.rankCount))
    {
    }

    OracleResult run()
    {
        for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank) {
            const RankGraph& graph = m_workload.graph(rank);
            state(rank).times.resize(static_cast<std::size_t>(graph.size()));
            for (TaskIndex task = 0; task < graph.size(); ++task) {
                state(rank).missing.push_back(graph.dependencies(task).size());
                if (graph.dependencies(task).empty())
                    state(rank).ready.insert(task);
            }
        }
        while (true) {
            instant();
            std::optional<Time> next = m_network.nextTime(m_now);
            if (!m_timers.empty())
                next = next ? std::min(*next, m_timers.begin()->first) : m_timers.begin()->first;
            if (!next)
                return report();
            m_now = *next;
        }
    }

private:
    struct RankState {
        std::vector<OracleResult::Task> times;
        std::vector<std::size_t> missing; ///< Dependencies not finished.
        std::set<TaskIndex> ready;        ///< To be issued in this instant.
        std::set<TaskIndex> waiting[4];   ///< For the slots compute, host, memory, communication.
        int busy[4] = {0, 0, 0, 0};
        std::map<TaskIndex, Time> readySince;
    };

    RankState& state(std::int32_t rank) { return m_ranks[static_cast<std::size_t>(rank)]; }
    OracleMessage& message(int id) { return m_network.messages[static_cast<std::size_t>(id)]; }
    OracleMember& member(int id) { return m_members.all[static_cast<std::size_t>(id)]; }
    const CollectiveInstance& instanceOf(const OracleMember& each) const { return m_structure.instances[static_cast<std::size_t>(each.instance)]; }
    OracleGroup& groupOf(const OracleMember& each) { return m_groups[{instanceOf(each).family, instanceOf(each).group}]; }

    // ---- One instant -----------------------------------------------------------------------------------------------
    void instant()
    {
        for (const OracleNetwork::Notice& notice : m_network.begin(m_now))
            notice.kind == OracleNetwork::Notice::Kind::Left ? becomeLeft(notice.message) : arrive(notice.message);
        std::vector<Timer> due;
        for (; !m_timers.empty() && m_timers.begin()->first == m_now; m_timers.erase(m_timers.begin()))
            due.push_back(m_timers.begin()->second);
        for (const Timer& timer : due)
            handle(timer);
        // All that follows at this instant. Choices (running numbers, window places, slots, group order) are made when everything else has settled.
        while (propagate() || numberMessages() || enterWindows() || fillSlots() || enterGroups()) { }
        m_network.finish();
    }

    void handle(const Timer& timer)
    {
        switch (timer.kind) {
        case Timer::Kind::TaskEnd:
            finishTask(timer.id, timer.part);
            break;
        case Timer::Kind::MessageReady:
            becomeReady(timer.id);
            break;
        case Timer::Kind::ReplayEnd:
            finishMember(timer.id);
            break;
        case Timer::Kind::OpEnd:
            finishOp(timer.id, static_cast<std::size_t>(timer.part));
            m_dirty.insert(timer.id);
            break;
        case Timer::Kind::Look:
            m_dirty.insert(timer.id);
            break;
        }
    }

    bool propagate()
    {
        bool any = false;
        for (bool changed = true; changed; any |= changed) {
            changed = false;
            for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank) {
                for (auto& ready = state(rank).ready; !ready.empty(); changed = true) {
                    const TaskIndex lowest = *ready.begin();
                    ready.erase(ready.begin());
                    issue(rank, lowest);
                }
            }
            for (const int each : std::exchange(m_dirty, {}))
                changed |= advance(each);
        }
        return any;
    }

    // ---- Tasks -----------------------------------------------------------------------------------------------------
    void finishTask(std::int32_t rank, TaskIndex task)
    {
        const RankGraph& graph = m_workload.graph(rank);
        state(rank).times[static_cast<std::size_t>(task)].endPs = m_now;
        if (const int slot = m_tasks.slotOf(graph, task); slot >= 0)
            --state(rank).busy[slot];
        for (TaskIndex other = 0; other < graph.size(); ++other)
            for (const TaskIndex dependency : graph.dependencies(other))
                if (dependency == task && --state(rank).missing[static_cast<std::size_t>(other)] == 0)
                    state(rank).ready.insert(other);
    }

    /// What a free unit takes first is the smallest of these.
    std::tuple<Time, TaskIndex> turnOf(std::int32_t rank, TaskIndex task)
    {
        switch (m_tasks.scheduling().order) {
        case TaskOrder::Fifo:
            return {state(rank).readySince[task], task};
        case TaskOrder::Lifo:
            return {-state(rank).readySince[task], task};
        case TaskOrder::Explicit:
            return {-Time{m_tasks.priorityOf(rank, task)}, task};
        case TaskOrder::Standard:
            break;
        }
        return {0, task};
    }

    void issue(std::int32_t rank, TaskIndex task)
    {
        const RankGraph& graph = m_workload.graph(rank);
        const int slot = m_tasks.slotOf(graph, task);
        if (slot >= 0) {
            state(rank).waiting[slot].insert(task);
            state(rank).readySince[task] = m_now;
            return;
        }
        communicate(rank, task);
    }

    void communicate(std::int32_t rank, TaskIndex task)
    {
        state(rank).times[static_cast<std::size_t>(task)].issuePs = m_now;
        const TaskKind kind = m_workload.graph(rank).kind[static_cast<std::size_t>(task)];
        if (kind == TaskKind::Collective)
            issueCollective(rank, task);
        else if (kind == TaskKind::Send || kind == TaskKind::Receive)
            m_unnumbered.insert({rank, task});
        else
            finishTask(rank, task);
    }

    using Pair = std::tuple<std::int32_t, std::int32_t, std::uint32_t>; ///< Source, target, tag.

    /// Sends and receives get their running numbers in task order when it is known which are issued.
    bool numberMessages()
    {
        const auto issued = std::exchange(m_unnumbered, {});
        for (const auto& [rank, task] : issued)
            m_workload.graph(rank).kind[static_cast<std::size_t>(task)] == TaskKind::Send ? issueSend(rank, task) : issueReceive(rank, task);
        return !issued.empty();
    }

    void issueSend(std::int32_t rank, TaskIndex task)
    {
        const RankGraph& graph = m_workload.graph(rank);
        const auto t = static_cast<std::size_t>(task);
        const std::int32_t target = graph.peerRank(task, rank);
        auto& sent = m_sent[{rank, target, graph.tag[t]}];
        const auto number = static_cast<std::int32_t>(sent.size());
        if (graph.bytes[t] == 0) { // counts, but does not exist
            sent.push_back(-1);
            finishTask(rank, task);
            return;
        }
        const int id = static_cast<int>(m_network.messages.size());
        sent.push_back(id);
        OracleMessage made;
        made.record = {-1, rank, target, number, static_cast<std::int32_t>(graph.tag[t]), 0, 0, graph.bytes[t], 0, 0, 0};
        made.key = {m_tasks.scheduling().order == TaskOrder::Explicit ? -m_tasks.priorityOf(rank, task) : 0, m_structure.placement.jobOf(rank), 0, number, graph.tag[t], 0, 0};
        made.stream = -1 - (static_cast<std::int64_t>(rank) * m_workload.rankCount + target);
        made.issuer = std::int64_t{task} << 32;
        m_network.messages.push_back(std::move(made));
        m_taskOf[id] = task;
        release(id);
    }

    void issueReceive(std::int32_t rank, TaskIndex task)
    {
        const RankGraph& graph = m_workload.graph(rank);
        const Pair pair{graph.peerRank(task, rank), rank, graph.tag[static_cast<std::size_t>(task)]};
        m_received[pair].push_back(task);
        const std::size_t number = m_received[pair].size() - 1;
        if (graph.bytes[static_cast<std::size_t>(task)] == 0)
            finishTask(rank, task);
        else if (number < m_sent[pair].size() && message(m_sent[pair][number]).done)
            finishTask(rank, task);
    }

    void issueCollective(std::int32_t rank, TaskIndex task)
    {
        const int index = m_structure.instanceOf(rank, task);
        if (index < 0) {
            finishTask(rank, task);
            return;
        }
        const int id = m_members.of(index, rank);
        OracleMember& issued = member(id);
        issued.task = task;
        m_issued.insert(id);
        OracleGroup& group = groupOf(issued);
        if (group.known.insert(index).second)
            group.fresh.push_back(index);
        auto& issuers = group.issuers[index];
        issuers.insert(rank);
        const CollectiveInstance& instance = m_structure.instances[static_cast<std::size_t>(index)];
        if (static_cast<std::int64_t>(issuers.size()) == m_workload.families[static_cast<std::size_t>(instance.family)].groupSize(instance.group))
            group.complete.push_back(index);
    }

    /// Free units take the ready task whose turn it is.
    bool fillSlots()
    {
        bool any = false;
        for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank) {
            const int units[4] = {m_tasks.scheduling().computeUnits, 1, 1, m_tasks.scheduling().communicationUnits};
            for (int slot = 0; slot < 4; ++slot) {
                auto& waiting = state(rank).waiting[slot];
                if (state(rank).busy[slot] >= units[slot] || waiting.empty())
                    continue;
                const TaskIndex task = *std::min_element(waiting.begin(), waiting.end(), [&](TaskIndex a, TaskIndex b) { return turnOf(rank, a) < turnOf(rank, b); });
                waiting.erase(task);
                ++state(rank).busy[slot];
                any = true;
                if (slot == 3) {
                    communicate(rank, task);
                    continue;
                }
                state(rank).times[static_cast<std::size_t>(task)].issuePs = m_now;
                const Time duration = m_tasks.durationOf(rank, task);
                if (duration == 0) {
                    finishTask(rank, task);
                } else {
                    m_timers.insert({m_now + duration, {Timer::Kind::TaskEnd, rank, task}});
                }
            }
        }
        return any;
    }

    // ---- Collectives -----------------------------------------------------------------------------------------------
    /// OracleGroup lists grow by what was newly issued; then ranks enter what is their turn until no rank can enter another one.
    /// Only after that lists grow again, by what collectives that ended at once made ready.
    bool enterGroups()
    {
        for (auto& [name, group] : m_groups) {
            std::sort(group.fresh.begin(), group.fresh.end(), [&](int a, int b) {
                return m_structure.instances[static_cast<std::size_t>(a)].sequence < m_structure.instances[static_cast<std::size_t>(b)].sequence;
            });
            for (const int index : std::exchange(group.fresh, {}))
                group.order.push_back(index);
            group.overtake(m_structure.instances, m_tasks.scheduling().order);
        }
        bool any = false;
        for (bool again = true; std::exchange(again, false);) {
            for (const int id : std::set<int>(m_issued)) {
                if (!hasItsTurn(member(id)))
                    continue;
                enter(id);
                any = again = true;
            }
        }
        return any;
    }

    bool hasItsTurn(const OracleMember& each)
    {
        auto& group = groupOf(each);
        const std::size_t turn = group.entered[each.rank];
        const std::size_t underWay = turn - group.finished[each.rank];
        return underWay < static_cast<std::size_t>(m_tasks.scheduling().streams) && turn < group.order.size() && group.order[turn] == each.instance;
    }

    void enter(int id)
    {
        OracleMember& each = member(id);
        const CollectiveInstance& instance = instanceOf(each);
        each.entered = true;
        m_issued.erase(id);
        m_moved.insert(id);
        ++groupOf(each).entered[each.rank];
        if (instance.replayPs > 0)
            m_timers.insert({m_now + instance.replayPs, {Timer::Kind::ReplayEnd, id, 0}});
        else if (instance.replayPs == 0 || !instance.program)
            finishMember(id);
        else
            m_dirty.insert(id);
    }

    void finishMember(int id)
    {
        OracleMember& each = member(id);
        each.done = true;
        ++groupOf(each).finished[each.rank];
        finishTask(each.rank, each.task);
    }

    /// Whatever a member can do now. True when anything changed.
    bool advance(int id)
    {
        OracleMember& each = member(id);
        if (!each.entered || each.done)
            return false;
        bool changed = each.ops.empty() ? advanceCells(each) : advanceOps(id, each);
        if (changed)
            m_moved.insert(id);
        changed |= releaseSends(each);
        const auto left = [&](const OracleSend& send) { return message(send.message).left; };
        if (std::all_of(each.cells.begin(), each.cells.end(), [](const OracleCell& cell) { return cell.complete; })
            && std::all_of(each.sends.begin(), each.sends.end(), left)
            && std::all_of(each.ops.begin(), each.ops.end(), [](const OracleOp& op) { return op.finished; })) {
            finishMember(id);
            return true;
        }
        if (changed)
            m_dirty.insert(id);
        return changed;
    }

    bool advanceCells(OracleMember& each)
    {
        const std::int32_t window = instanceOf(each).program->window;
        bool changed = false;
        for (std::size_t c = 0; c < each.cells.size(); ++c) {
            OracleCell& cell = each.cells[c];
            if (!cell.wanted && (cell.phase == 0 || each.cells[c - 1].complete)) {
                cell.wanted = true;
                cell.wantedSince = m_now;
                cell.own = window == 0 || cell.empty;
                changed = true;
            }
            if (!cell.own || cell.complete)
                continue;
            for (const int received : cell.receives)
                changed |= mayReduce(received);
            cell.complete = std::all_of(cell.receives.begin(), cell.receives.end(), [&](int received) { return message(received).done; });
            changed |= cell.complete;
        }
        return changed;
    }

    /// The receiver's own part is there. True when that changed anything.
    bool mayReduce(int id)
    {
        if (!message(id).reduces || message(id).mayReduce)
            return false;
        m_network.allowReduction(id);
        if (message(id).arrived)
            finishMessage(id);
        return true;
    }

    bool releaseSends(OracleMember& each)
    {
        bool changed = false;
        for (OracleSend& send : each.sends) {
            if (send.released || (send.needsOwn && !each.cells[send.cell].own))
                continue;
            if (std::all_of(send.needsDone.begin(), send.needsDone.end(), [&](int other) { return message(other).done; })
                && std::all_of(send.needsLeft.begin(), send.needsLeft.end(), [&](int other) { return message(other).left; })) {
                send.released = true;
                message(send.message).issuer = std::int64_t{each.task} << 32;
                release(send.message);
                changed = true;
            }
        }
        return changed;
    }

    /// Ends an operation; who waits for the slot it gives back looks again when the news has travelled.
    void finishOp(int id, std::size_t index)
    {
        OracleOp& op = member(id).ops[index];
        op.finished = true;
        op.finishedAt = m_now;
        for (std::size_t other = 0; other < m_members.all.size(); ++other) {
            for (const OracleOp& send : m_members.all[other].ops)
                if (send.slotMember == id && send.slotOp == index && send.message >= 0)
                    m_timers.insert({m_now + send.slotReturn, {Timer::Kind::Look, static_cast<int>(other), 0}});
        }
    }

    bool slotIsFree(const OracleOp& op)
    {
        if (op.slotMember < 0 || op.message < 0)
            return true;
        const OracleOp& before = member(op.slotMember).ops[op.slotOp];
        return before.finished && before.finishedAt + op.slotReturn <= m_now;
    }

    bool advanceOps(int id, OracleMember& each)
    {
        bool changed = false;
        for (std::size_t i = 0; i < each.ops.size(); ++i) {
            OracleOp& op = each.ops[i];
            if (!op.started && std::all_of(op.depends.begin(), op.depends.end(), [&](std::size_t other) { return each.ops[other].finished; }) && slotIsFree(op)) {
                op.started = true;
                changed = true;
                if (op.kind == OpKind::Send && op.message >= 0) {
                    message(op.message).issuer = (std::int64_t{each.task} << 32) + static_cast<std::int64_t>(i);
                    release(op.message);
                } else if (op.kind == OpKind::ReceiveReduce && op.message >= 0) {
                    mayReduce(op.message);
                } else if (op.kind == OpKind::Compute && op.duration > 0) {
                    m_timers.insert({m_now + op.duration, {Timer::Kind::OpEnd, id, static_cast<std::int32_t>(i)}});
                }
            }
            if (!op.started || op.finished || (op.kind == OpKind::Compute && op.duration > 0))
                continue;
            if (op.message < 0 || (op.kind == OpKind::Send ? message(op.message).left : message(op.message).done)) {
                finishOp(id, i);
                changed = true;
            }
        }
        return changed;
    }

    /// Chunks enter phases whose window has places.
    bool enterWindows()
    {
        bool any = false;
        for (const int id : std::exchange(m_moved, {})) {
            OracleMember& each = member(id);
            if (each.done || each.cells.empty() || instanceOf(each).program->window == 0)
                continue;
            const Program& program = *instanceOf(each).program;
            using Place = std::pair<std::int32_t, bool>; // axis, direction
            std::map<Place, int> inside;
            std::map<Place, int> nextTurn; // The least turn of a chunk that has not entered.
            std::map<Place, std::set<std::tuple<Time, std::int32_t, OracleCell*>>> waiting;
            for (OracleCell& cell : each.cells) {
                const TemplateBody& body = program.asTemplate();
                const int order = body.orderOfChunk.empty() ? 0 : body.orderOfChunk[static_cast<std::size_t>(cell.chunk)];
                const PhaseTemplate& phase = (order == 0 ? body.phases : body.orders[static_cast<std::size_t>(order) - 1])[static_cast<std::size_t>(cell.phase)];
                const Place place{phase.axis, phase.kind == PhaseKind::AllGather};
                if (!cell.own && !cell.empty)
                    nextTurn[place] = std::min(nextTurn.try_emplace(place, cell.turn).first->second, cell.turn);
                if (cell.own && !cell.complete && !cell.empty)
                    ++inside[place];
                else if (cell.wanted && !cell.own)
                    waiting[place].insert({cell.wantedSince, cell.chunk, &cell});
            }
            for (const auto& [place, cells] : waiting) {
                for (const auto& [since, chunk, cell] : cells) {
                    if (inside[place] >= program.window)
                        break;
                    if (cell->turn >= 0 && cell->turn != nextTurn[place]) // Who comes after it may enter when all are looked at again.
                        continue;
                    ++inside[place];
                    cell->own = true;
                    m_dirty.insert(id);
                    m_moved.insert(id);
                    any = true;
                    if (cell->turn >= 0)
                        break;
                }
            }
        }
        return any;
    }

    // ---- Messages --------------------------------------------------------------------------------------------------
    /// Its conditions are met: ready after the endpoint overhead. A message to oneself is there at once.
    void release(int id)
    {
        const bool toItself = message(id).record.source == message(id).record.target;
        if (!toItself && m_params.endpointDelay.ps > 0)
            m_timers.insert({m_now + m_params.endpointDelay.ps, {Timer::Kind::MessageReady, id, 0}});
        else
            becomeReady(id);
    }

    void becomeReady(int id)
    {
        message(id).record.readyPs = m_now;
        if (message(id).record.source != message(id).record.target) {
            m_network.join(id);
            return;
        }
        becomeLeft(id);
        finishMessage(id);
    }

    void becomeLeft(int id)
    {
        message(id).left = true;
        message(id).record.leftPs = m_now;
        if (const auto ends = m_members.ends.find(id); ends != m_members.ends.end())
            m_dirty.insert(ends->second.first);
        else
            finishTask(message(id).record.source, m_taskOf.at(id));
    }

    void arrive(int id)
    {
        message(id).arrived = true;
        if (!message(id).reduces || message(id).mayReduce)
            finishMessage(id);
    }

    /// Delivered and reduced.
    void finishMessage(int id)
    {
        MessageRecord& record = message(id).record;
        message(id).done = true;
        record.donePs = m_now;
        m_done.push_back(id);
        if (const auto ends = m_members.ends.find(id); ends != m_members.ends.end()) {
            m_dirty.insert(ends->second.second);
            return;
        }
        const auto& receives = m_received[{record.source, record.target, static_cast<std::uint32_t>(record.phase)}];
        if (static_cast<std::size_t>(record.chunk) < receives.size())
            finishTask(record.target, receives[static_cast<std::size_t>(record.chunk)]);
    }

    OracleResult report()
    {
        OracleResult result;
        for (RankState& rank : m_ranks) {
            for (const OracleResult::Task& task : rank.times) {
                result.complete &= task.endPs >= 0;
                result.finishPs = std::max(result.finishPs, task.endPs);
            }
            result.tasks.push_back(std::move(rank.times));
        }
        for (const int id : m_done) {
            result.messages.push_back(message(id).record);
            result.digest.add(message(id).record.words());
        }
        return result;
    }

    const Structure& m_structure;
    const Params& m_params;
    const Workload& m_workload;
    OracleTasks m_tasks;
    OracleNetwork m_network;
    OracleMembers m_members;
    std::vector<RankState> m_ranks;
    std::map<std::pair<FamilyId, std::int64_t>, OracleGroup> m_groups;
    std::map<Pair, std::vector<int>> m_sent;           ///< Messages, in order of issue.
    std::map<Pair, std::vector<TaskIndex>> m_received; ///< Receive tasks, in order of issue.
    std::set<std::pair<std::int32_t, TaskIndex>> m_unnumbered; ///< Sends and receives just issued.
    std::map<int, TaskIndex> m_taskOf;                 ///< Point-to-point messages: the send task.
    std::set<int> m_dirty;                             ///< Members for which something may have become possible.
    std::set<int> m_issued;                            ///< Members that have not entered.
    std::set<int> m_moved;                             ///< Members of which a cell has changed since their windows were looked at.
    std::multimap<Time, Timer> m_timers;
    std::vector<int> m_done;
    Time m_now = 0;
};

} // namespace

OracleResult bruteForce(const Scenario& scenario)
{
    return BruteForce(scenario).run();
}

} // namespace fabricscope::test
