#include "tests/unit/support/bruteforce.h"

#include "tests/unit/support/phasemessages.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace fabricscope::test {

namespace {

using Time = std::int64_t;

/// ceil(bytes * 10^12 * factor / (rate * divisor)).
Time occupancy(std::int64_t bytes, std::int64_t rate, std::int64_t factor = 1, std::int64_t divisor = 1)
{
    __extension__ using Wide = __int128;
    const Wide below = Wide{rate} * divisor;
    return static_cast<Time>((Wide{bytes} * factor * 1'000'000'000'000 + below - 1) / below);
}

/// (priority, job, sequence, chunk, phase, step, slot) of a message.
using MessageKey = std::array<std::int64_t, 7>;
/// MessageKey, piece, -hops, input port, order at the previous resource, issuing task.
using PieceKey = std::array<std::int64_t, 12>;

struct Message {
    MessageRecord record;
    MessageKey key{};
    std::int64_t stream = 0;
    std::int32_t task = -1;      ///< That issued it, on the source rank.
    std::vector<LinkId> route;
    bool reduces = false;
    std::int32_t k = 1;
    int sender = -1;             ///< Member; -1: point to point.
    int receiver = -1;
    int cell = -1;               ///< (chunk, phase) inside a member.
    bool needsOwn = false;
    std::vector<int> needsDone;
    std::vector<int> needsLeft;
    bool released = false;       ///< Its conditions were met.
    bool left = false;
    bool arrived = false;        ///< Last piece delivered; without a reducer a reduction may still wait.
    bool done = false;
    std::int64_t nextPiece = 0;  ///< To be sent.
    std::int64_t piecesLeft = 0; ///< Without a final tail yet.
    Time arriveAt = 0;
};

struct Piece {
    int message = 0;
    std::int64_t index = 0;
    std::int64_t from = 0; ///< Bytes [from, to) of the message.
    std::int64_t to = 0;
    std::size_t hops = 0;  ///< Links travelled.
    Time head = 0;
    Time tail = 0;
    std::int64_t served = 0; ///< Order at the resource before.
};

/// One chunk in one phase on one rank.
struct Cell {
    bool wanted = false; ///< Previous phase complete, waits for the window or is in.
    Time wantedSince = 0;
    bool own = false;
    bool complete = false;
    std::vector<int> receives;
    std::vector<int> waitingPieces; ///< Reductions that wait for `own`.
};

/// One rank in one collective instance.
struct Member {
    int instance = 0;
    std::int32_t rank = 0;
    std::int32_t task = -1; ///< -1: not issued.
    bool entered = false;
    bool done = false;
    std::vector<Cell> cells; ///< chunk * phases + phase.
    std::vector<int> sends;
};

struct OwnLink {
    std::map<std::int64_t, std::deque<int>> queues; ///< Messages by stream.
    std::deque<std::int64_t> round;                 ///< Streams.
    std::int64_t rejoins = 0;                       ///< Stream that goes behind all at the next pick.
    bool hasRejoin = false;
};

struct Group {
    std::vector<int> order;              ///< Instances in run order.
    std::set<int> listed;
    std::vector<int> fresh;              ///< Issued by somebody, not listed yet.
    std::map<std::int32_t, std::size_t> finished; ///< Per rank: so many of `order` are done.
};

enum class Kind { TaskEnd, MessageReady, Left, Arrived, Head, ReplayEnd };
struct Event {
    Kind kind;
    int id = 0;
    std::int32_t task = 0;
};

class BruteForce {
public:
    explicit BruteForce(const Scenario& scenario)
        : m_structure(*scenario.structure), m_params(*scenario.params), m_platform(m_structure.platform), m_workload(*m_structure.workload)
        , m_ideal(scenario.model == Model::Ideal)
    {
        const auto links = static_cast<std::size_t>(m_platform.linkCount());
        const auto nodes = static_cast<std::size_t>(m_platform.npuCount());
        m_linkBusy.assign(links, 0);
        m_reducerBusy.assign(nodes, 0);
        m_injectionBusy.assign(nodes, 0);
        m_ejectionBusy.assign(nodes, 0);
        m_ranks.resize(static_cast<std::size_t>(m_workload.rankCount));
        for (std::size_t i = 0; i < m_structure.instances.size(); ++i)
            if (m_structure.instances[i].program && m_structure.instances[i].replayPs < 0)
                expand(static_cast<int>(i));
    }

    OracleResult run()
    {
        startTasks();
        while (true) {
            instant();
            Time next = std::numeric_limits<Time>::max();
            if (!m_events.empty())
                next = m_events.begin()->first;
            for (const auto& [link, own] : m_own)
                if (!own.round.empty() || own.hasRejoin)
                    next = std::min(next, std::max(m_now, m_linkBusy[static_cast<std::size_t>(link)]));
            if (next == std::numeric_limits<Time>::max())
                break;
            m_now = next;
        }
        return report();
    }

private:
    struct RankState {
        std::vector<OracleResult::Task> times;
        std::vector<std::int32_t> missing; ///< Dependencies not finished.
        std::set<std::int32_t> ready;      ///< To be issued in this instant.
        std::set<std::int32_t> waiting[3]; ///< For the slots compute, host, memory.
        bool busy[3] = {false, false, false};
    };

    // ---- Set-up ----------------------------------------------------------------------------------------------------

    int memberOf(int instance, std::int32_t rank)
    {
        const auto [at, isNew] = m_memberIndex.try_emplace({instance, rank}, static_cast<int>(m_members.size()));
        if (isNew) {
            Member member;
            member.instance = instance;
            member.rank = rank;
            m_members.push_back(std::move(member));
        }
        return at->second;
    }

    void expand(int index)
    {
        const CollectiveInstance& instance = m_structure.instances[static_cast<std::size_t>(index)];
        const Program& program = *instance.program;
        const TemplateBody& body = program.asTemplate();
        const GroupLayout& layout = m_structure.layouts[static_cast<std::size_t>(instance.layout)];
        const auto coordinatesOf = [&](std::int32_t position) {
            std::vector<std::int32_t> coordinates;
            for (const std::int32_t extent : body.axes) {
                coordinates.push_back(position % extent);
                position /= extent;
            }
            return coordinates;
        };
        const auto rankAt = [&](std::int32_t position) {
            if (!layout.list.empty())
                return layout.list[static_cast<std::size_t>(position)];
            std::int64_t rank = layout.base;
            for (std::size_t a = 0; a < layout.extents.size(); ++a) {
                rank += position % layout.extents[a] * layout.strides[a];
                position /= layout.extents[a];
            }
            return static_cast<std::int32_t>(rank);
        };
        const std::size_t phases = body.phases.size();
        for (std::int32_t position = 0; position < program.ranks; ++position)
            m_members[static_cast<std::size_t>(memberOf(index, rankAt(position)))].cells.resize(static_cast<std::size_t>(program.chunks) * phases);
        for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk) {
            const std::int64_t chunkBytes = evenShare(instance.bytes, program.chunks, chunk);
            for (std::size_t p = 0; p < phases; ++p) {
                const PhaseTemplate& phase = body.phases[p];
                const auto axis = static_cast<std::size_t>(phase.axis);
                std::int32_t stride = 1;
                for (std::size_t a = 0; a < axis; ++a)
                    stride *= body.axes[a];
                for (std::int32_t origin = 0; origin < program.ranks; ++origin) {
                    const auto coordinates = coordinatesOf(origin);
                    if (coordinates[axis] != 0)
                        continue;
                    const auto list = expandPhase(phase, body.axes[axis], expandHeld(body, p, chunkBytes, coordinates));
                    std::vector<int> ids(list.size(), -1);
                    for (std::size_t i = 0; i < list.size(); ++i)
                        if (list[i].bytes > 0)
                            ids[i] = static_cast<int>(m_messages.size()), m_messages.emplace_back();
                    for (std::size_t i = 0; i < list.size(); ++i)
                        if (ids[i] >= 0)
                            fill(ids[i], list[i], ids, index, rankAt(origin + list[i].from * stride), rankAt(origin + list[i].to * stride), chunk,
                                static_cast<std::int32_t>(p), static_cast<int>(static_cast<std::size_t>(chunk) * phases + p));
                }
            }
        }
    }

    void fill(int id, const PhaseMessage& from, const std::vector<int>& ids, int index, std::int32_t source, std::int32_t target, std::int32_t chunk,
        std::int32_t phase, int cell)
    {
        const CollectiveInstance& instance = m_structure.instances[static_cast<std::size_t>(index)];
        Message& message = m_messages[static_cast<std::size_t>(id)];
        message.record = {index, source, target, chunk, phase, from.step, from.slot, from.bytes, 0, 0, 0};
        message.key = {instance.priority, m_structure.placement.jobOf(source), instance.sequence, chunk, phase, from.step, from.slot};
        message.stream = instance.stream;
        message.reduces = from.reduces;
        message.k = from.k;
        message.sender = memberOf(index, source);
        message.receiver = memberOf(index, target);
        message.cell = cell;
        message.needsOwn = from.needsOwn;
        for (const std::size_t i : from.needsDone)
            if (ids[i] >= 0)
                message.needsDone.push_back(ids[i]);
        for (const std::size_t i : from.needsLeft)
            if (ids[i] >= 0)
                message.needsLeft.push_back(ids[i]);
        m_members[static_cast<std::size_t>(message.sender)].sends.push_back(id);
        m_members[static_cast<std::size_t>(message.receiver)].cells[static_cast<std::size_t>(cell)].receives.push_back(id);
    }

    // ---- Tasks -----------------------------------------------------------------------------------------------------

    RankState& state(std::int32_t rank) { return m_ranks[static_cast<std::size_t>(rank)]; }

    void startTasks()
    {
        for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank) {
            const RankGraph& graph = m_workload.graph(rank);
            state(rank).times.resize(static_cast<std::size_t>(graph.size()));
            for (TaskIndex task = 0; task < graph.size(); ++task) {
                state(rank).missing.push_back(static_cast<std::int32_t>(graph.dependencies(task).size()));
                if (graph.dependencies(task).empty())
                    state(rank).ready.insert(task);
            }
        }
    }

    void finishTask(std::int32_t rank, TaskIndex task)
    {
        const RankGraph& graph = m_workload.graph(rank);
        state(rank).times[static_cast<std::size_t>(task)].endPs = m_now;
        for (TaskIndex other = 0; other < graph.size(); ++other)
            for (const TaskIndex dependency : graph.dependencies(other))
                if (dependency == task && --state(rank).missing[static_cast<std::size_t>(other)] == 0)
                    state(rank).ready.insert(other);
    }

    /// Slot of a task: 0 compute, 1 host, 2 remote memory; -1: none.
    static int slotOf(const RankGraph& graph, TaskIndex task)
    {
        switch (graph.kind[static_cast<std::size_t>(task)]) {
        case TaskKind::Compute:
            return graph.has(task, TaskFlag::kHost) ? 1 : 0;
        case TaskKind::MemoryLoad:
        case TaskKind::MemoryStore:
            return 2;
        default:
            return -1;
        }
    }

    Time durationOf(std::int32_t rank, TaskIndex task) const
    {
        const RankGraph& graph = m_workload.graph(rank);
        const auto t = static_cast<std::size_t>(task);
        const int slot = slotOf(graph, task);
        if (slot == 2 && !m_params.replayOnly)
            return m_params.remoteMemory.latencyNs * 1000 + occupancy(graph.bytes[t], m_params.remoteMemory.bytesPerNs * 1'000'000'000);
        Time duration = graph.durationUs[t] * 1'000'000;
        if (!graph.durationPs.empty() && graph.durationPs[t] >= 0)
            duration = graph.durationPs[t];
        else if (!m_params.replayOnly && m_params.roofline && slot == 0) {
            const bool operations = graph.has(task, TaskFlag::kHasOperations) && m_params.peak;
            const bool bytes = graph.has(task, TaskFlag::kHasBytes) && m_params.memoryRate;
            if (operations || bytes)
                duration = std::max(operations ? occupancy(graph.operations[t], m_params.peak->flopsPerSecond) : 0,
                    bytes ? occupancy(graph.bytes[t], m_params.memoryRate->bytesPerSecond) : 0);
        }
        const double speed = m_platform.speed(m_structure.placement.nodeOf(rank));
        if (slot == 0 && speed != 1.0)
            duration = static_cast<Time>(std::ceil(static_cast<double>(duration) / speed));
        return duration;
    }

    void issue(std::int32_t rank, TaskIndex task)
    {
        const RankGraph& graph = m_workload.graph(rank);
        const auto t = static_cast<std::size_t>(task);
        const int slot = slotOf(graph, task);
        if (slot >= 0) {
            state(rank).waiting[slot].insert(task);
            return;
        }
        state(rank).times[t].issuePs = m_now;
        switch (graph.kind[t]) {
        case TaskKind::Send:
            issueSend(rank, task);
            break;
        case TaskKind::Receive:
            issueReceive(rank, task);
            break;
        case TaskKind::Collective:
            issueCollective(rank, task);
            break;
        default:
            finishTask(rank, task);
        }
    }

    using Pair = std::tuple<std::int32_t, std::int32_t, std::uint32_t>; ///< Source, target, tag.

    void issueSend(std::int32_t rank, TaskIndex task)
    {
        const RankGraph& graph = m_workload.graph(rank);
        const auto t = static_cast<std::size_t>(task);
        if (graph.bytes[t] == 0) {
            finishTask(rank, task);
            return;
        }
        const std::int32_t target = graph.peerRank(task, rank);
        auto& sent = m_sent[{rank, target, graph.tag[t]}];
        const auto number = static_cast<std::int32_t>(sent.size());
        const int id = static_cast<int>(m_messages.size());
        sent.push_back(id);
        Message message;
        message.record = {-1, rank, target, number, static_cast<std::int32_t>(graph.tag[t]), 0, 0, graph.bytes[t], 0, 0, 0};
        message.key = {0, m_structure.placement.jobOf(rank), 0, number, graph.tag[t], 0, 0};
        message.stream = -1 - (static_cast<std::int64_t>(rank) * m_workload.rankCount + target);
        message.task = task;
        m_messages.push_back(std::move(message));
        release(id);
    }

    void issueReceive(std::int32_t rank, TaskIndex task)
    {
        const RankGraph& graph = m_workload.graph(rank);
        const auto t = static_cast<std::size_t>(task);
        if (graph.bytes[t] == 0) {
            finishTask(rank, task);
            return;
        }
        const Pair pair{graph.peerRank(task, rank), rank, graph.tag[t]};
        m_received[pair].push_back(task);
        const std::size_t number = m_received[pair].size() - 1;
        if (number < m_sent[pair].size() && m_messages[static_cast<std::size_t>(m_sent[pair][number])].done)
            finishTask(rank, task);
    }

    void issueCollective(std::int32_t rank, TaskIndex task)
    {
        const int index = m_structure.instanceOf(rank, task);
        if (index < 0) {
            finishTask(rank, task);
            return;
        }
        m_members[static_cast<std::size_t>(memberOf(index, rank))].task = task;
        const CollectiveInstance& instance = m_structure.instances[static_cast<std::size_t>(index)];
        Group& group = m_groups[{instance.family, instance.group}];
        if (!group.listed.count(index) && std::find(group.fresh.begin(), group.fresh.end(), index) == group.fresh.end())
            group.fresh.push_back(index);
    }

    // ---- One instant, part 1: deliveries and what they make ready ---------------------------------------------------

    void instant()
    {
        m_joining.clear();
        m_arriving.clear();
        m_reducing.clear();
        std::vector<Event> due;
        while (!m_events.empty() && m_events.begin()->first == m_now) {
            due.push_back(m_events.begin()->second);
            m_events.erase(m_events.begin());
        }
        for (const Event& event : due)
            handle(event);
        settle();
        if (m_ideal)
            startIdeal();
        else
            joinQueues();
        serveHeads();
        if (!m_ideal)
            pickAll();
    }

    void handle(const Event& event)
    {
        switch (event.kind) {
        case Kind::TaskEnd:
            state(event.id).busy[slotOf(m_workload.graph(event.id), event.task)] = false;
            finishTask(event.id, event.task);
            break;
        case Kind::MessageReady:
            becomeReady(event.id);
            break;
        case Kind::Left:
            becomeLeft(event.id);
            break;
        case Kind::Arrived:
            arrive(event.id);
            break;
        case Kind::Head:
            m_arriving.push_back(event.id);
            break;
        case Kind::ReplayEnd:
            finishMember(event.id);
            break;
        }
    }

    /// Everything that follows at this instant, until nothing changes.
    void settle()
    {
        while (propagate() || enterWindows() || fillSlots() || enterGroups()) { }
    }

    bool propagate()
    {
        bool any = false;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank) {
                const std::set<std::int32_t> ready = std::exchange(state(rank).ready, {});
                for (const TaskIndex task : ready)
                    issue(rank, task);
                changed |= !ready.empty();
            }
            const std::set<int> dirty = std::exchange(m_dirty, {});
            for (const int member : dirty)
                changed |= advance(member);
            any |= changed;
        }
        return any;
    }

    /// Phases, sends and end of one member. True when anything changed.
    bool advance(int id)
    {
        Member& member = m_members[static_cast<std::size_t>(id)];
        if (!member.entered || member.done || member.cells.empty())
            return false;
        const CollectiveInstance& instance = m_structure.instances[static_cast<std::size_t>(member.instance)];
        const Program& program = *instance.program;
        const std::size_t phases = program.asTemplate().phases.size();
        bool changed = false;
        bool allDone = true;
        for (std::size_t c = 0; c < member.cells.size(); ++c) {
            Cell& cell = member.cells[c];
            const bool empty = evenShare(instance.bytes, program.chunks, static_cast<std::int64_t>(c / phases)) == 0;
            if (!cell.wanted && (c % phases == 0 || member.cells[c - 1].complete)) {
                cell.wanted = true;
                cell.wantedSince = m_now;
                cell.own = program.window == 0 || empty;
                changed = true;
            }
            if (cell.own && !cell.complete) {
                bool complete = true;
                for (const int received : cell.receives) {
                    Message& message = m_messages[static_cast<std::size_t>(received)];
                    if (message.arrived && !message.done) {
                        finishMessage(received);
                        changed = true;
                    }
                    complete &= message.done;
                }
                for (const int piece : std::exchange(cell.waitingPieces, {}))
                    m_reducing.push_back(piece);
                changed |= complete;
                cell.complete = complete;
            }
            allDone &= cell.complete;
        }
        for (const int send : member.sends) {
            Message& message = m_messages[static_cast<std::size_t>(send)];
            allDone &= message.left;
            if (message.released || (message.needsOwn && !member.cells[static_cast<std::size_t>(message.cell)].own))
                continue;
            const auto isDone = [&](int other) { return m_messages[static_cast<std::size_t>(other)].done; };
            const auto hasLeft = [&](int other) { return m_messages[static_cast<std::size_t>(other)].left; };
            if (std::all_of(message.needsDone.begin(), message.needsDone.end(), isDone)
                && std::all_of(message.needsLeft.begin(), message.needsLeft.end(), hasLeft)) {
                message.task = member.task;
                release(send);
                changed = true;
            }
        }
        if (allDone) {
            finishMember(id);
            return true;
        }
        if (changed)
            m_dirty.insert(id);
        return changed;
    }

    /// One chunk enters one phase, where a window limits them. True when one did.
    bool enterWindows()
    {
        bool any = false;
        for (std::size_t id = 0; id < m_members.size(); ++id) {
            Member& member = m_members[id];
            if (!member.entered || member.done || member.cells.empty())
                continue;
            const Program& program = *m_structure.instances[static_cast<std::size_t>(member.instance)].program;
            if (program.window == 0)
                continue;
            const auto& phases = program.asTemplate().phases;
            std::map<std::pair<std::int32_t, bool>, int> inside;
            std::map<std::pair<std::int32_t, bool>, std::vector<std::pair<Time, std::size_t>>> waiting;
            for (std::size_t c = 0; c < member.cells.size(); ++c) {
                const PhaseTemplate& phase = phases[c % phases.size()];
                const std::pair<std::int32_t, bool> place{phase.axis, phase.kind == PhaseKind::AllGather};
                const bool empty = evenShare(m_structure.instances[static_cast<std::size_t>(member.instance)].bytes, program.chunks,
                                       static_cast<std::int64_t>(c / phases.size())) == 0;
                if (empty)
                    continue;
                if (member.cells[c].own && !member.cells[c].complete)
                    ++inside[place];
                else if (member.cells[c].wanted && !member.cells[c].own)
                    waiting[place].push_back({member.cells[c].wantedSince, c});
            }
            for (auto& [place, cells] : waiting) {
                std::sort(cells.begin(), cells.end());
                for (std::size_t i = 0; i < cells.size() && inside[place] < program.window; ++i) {
                    member.cells[cells[i].second].own = true;
                    ++inside[place];
                    m_dirty.insert(static_cast<int>(id));
                    any = true;
                }
            }
        }
        return any;
    }

    bool fillSlots()
    {
        bool any = false;
        for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank) {
            for (int slot = 0; slot < 3; ++slot) {
                auto& waiting = state(rank).waiting[slot];
                if (state(rank).busy[slot] || waiting.empty())
                    continue;
                const TaskIndex task = *waiting.begin();
                waiting.erase(waiting.begin());
                state(rank).times[static_cast<std::size_t>(task)].issuePs = m_now;
                const Time duration = durationOf(rank, task);
                if (duration == 0) {
                    finishTask(rank, task);
                } else {
                    state(rank).busy[slot] = true;
                    m_events.insert({m_now + duration, {Kind::TaskEnd, rank, task}});
                }
                any = true;
            }
        }
        return any;
    }

    /// Group lists grow by what was newly issued; ranks enter what is their turn.
    bool enterGroups()
    {
        bool any = false;
        for (auto& [name, group] : m_groups) {
            std::sort(group.fresh.begin(), group.fresh.end(), [&](int a, int b) {
                return m_structure.instances[static_cast<std::size_t>(a)].sequence < m_structure.instances[static_cast<std::size_t>(b)].sequence;
            });
            for (const int index : std::exchange(group.fresh, {})) {
                group.order.push_back(index);
                group.listed.insert(index);
            }
        }
        for (std::size_t id = 0; id < m_members.size(); ++id) {
            Member& member = m_members[id];
            if (member.task < 0 || member.entered)
                continue;
            const CollectiveInstance& instance = m_structure.instances[static_cast<std::size_t>(member.instance)];
            Group& group = m_groups[{instance.family, instance.group}];
            if (group.order.at(group.finished[member.rank]) != member.instance)
                continue;
            member.entered = true;
            any = true;
            if (instance.replayPs > 0)
                m_events.insert({m_now + instance.replayPs, {Kind::ReplayEnd, static_cast<int>(id), 0}});
            else if (instance.replayPs == 0 || !instance.program)
                finishMember(static_cast<int>(id));
            else
                m_dirty.insert(static_cast<int>(id));
        }
        return any;
    }

    void finishMember(int id)
    {
        Member& member = m_members[static_cast<std::size_t>(id)];
        const CollectiveInstance& instance = m_structure.instances[static_cast<std::size_t>(member.instance)];
        member.done = true;
        ++m_groups[{instance.family, instance.group}].finished[member.rank];
        finishTask(member.rank, member.task);
    }

    // ---- Messages --------------------------------------------------------------------------------------------------

    /// Its conditions are met: ready after the endpoint overhead.
    void release(int id)
    {
        Message& message = m_messages[static_cast<std::size_t>(id)];
        message.released = true;
        if (m_params.endpointDelay.ps > 0)
            m_events.insert({m_now + m_params.endpointDelay.ps, {Kind::MessageReady, id, 0}});
        else
            becomeReady(id);
    }

    void becomeReady(int id)
    {
        Message& message = m_messages[static_cast<std::size_t>(id)];
        message.record.readyPs = m_now;
        if (message.record.source == message.record.target) {
            becomeLeft(id);
            finishMessage(id);
            return;
        }
        m_platform.route(m_structure.placement.nodeOf(message.record.source), m_structure.placement.nodeOf(message.record.target), message.route);
        const std::int64_t size = m_ideal ? message.record.bytes : m_params.pieceBytes;
        message.piecesLeft = (message.record.bytes + size - 1) / size;
        m_joining.push_back(id);
    }

    void becomeLeft(int id)
    {
        Message& message = m_messages[static_cast<std::size_t>(id)];
        message.left = true;
        message.record.leftPs = m_now;
        if (message.sender >= 0)
            m_dirty.insert(message.sender);
        else
            finishTask(message.record.source, message.task);
    }

    void arrive(int id)
    {
        Message& message = m_messages[static_cast<std::size_t>(id)];
        message.arrived = true;
        const bool waits = message.reduces && !m_params.reducerRate
            && !m_members[static_cast<std::size_t>(message.receiver)].cells[static_cast<std::size_t>(message.cell)].own;
        if (!waits)
            finishMessage(id);
    }

    void finishMessage(int id)
    {
        Message& message = m_messages[static_cast<std::size_t>(id)];
        message.done = true;
        message.record.donePs = m_now;
        m_result.messages.push_back(message.record);
        if (message.receiver >= 0) {
            m_dirty.insert(message.receiver);
            return;
        }
        const Pair pair{message.record.source, message.record.target, static_cast<std::uint32_t>(message.record.phase)};
        const auto& receives = m_received[pair];
        if (static_cast<std::size_t>(message.record.chunk) < receives.size())
            finishTask(message.record.target, receives[static_cast<std::size_t>(message.record.chunk)]);
    }

    // ---- Network ---------------------------------------------------------------------------------------------------

    std::int64_t rateOf(LinkId link) const
    {
        const auto& listed = m_structure.classedLinks;
        const auto at = std::find(listed.begin(), listed.end(), link);
        const auto number = at == listed.end() ? static_cast<std::size_t>(m_platform.linkInfo(link).dimension)
                                               : m_platform.dimensions().size() + static_cast<std::size_t>(at - listed.begin());
        return m_params.linkRate[number].bytesPerSecond;
    }

    Time latencyOf(LinkId link) const
    {
        const auto& listed = m_structure.classedLinks;
        const auto at = std::find(listed.begin(), listed.end(), link);
        const auto number = at == listed.end() ? static_cast<std::size_t>(m_platform.linkInfo(link).dimension)
                                               : m_platform.dimensions().size() + static_cast<std::size_t>(at - listed.begin());
        return m_params.linkLatency[number].ps;
    }

    /// What a piece occupies a resource for: as much as it adds to the bytes of its message so far.
    static Time share(const Piece& piece, std::int64_t rate, std::int64_t factor = 1, std::int64_t divisor = 1)
    {
        return occupancy(piece.to, rate, factor, divisor) - occupancy(piece.from, rate, factor, divisor);
    }

    /// Work of `duration` offered at `head` to a resource; its end.
    Time commit(Time& busy, Time head, Time duration) const
    {
        if (m_ideal)
            return head + duration;
        busy = std::max(busy, head) + duration;
        return busy;
    }

    PieceKey keyOf(const Message& message, const Piece& piece, std::int64_t port) const
    {
        PieceKey key{};
        std::copy(message.key.begin(), message.key.end(), key.begin());
        key[7] = piece.index;
        key[8] = -static_cast<std::int64_t>(piece.hops);
        key[9] = port;
        key[10] = piece.served;
        key[11] = message.task;
        return key;
    }

    void startIdeal()
    {
        for (const int id : m_joining) {
            const Message& message = m_messages[static_cast<std::size_t>(id)];
            Piece piece;
            piece.message = id;
            piece.to = message.record.bytes;
            start(piece, m_now);
        }
    }

    /// Messages that became ready now join the queue of their stream, in tie order.
    void joinQueues()
    {
        std::sort(m_joining.begin(), m_joining.end(), [&](int a, int b) {
            const Message& left = m_messages[static_cast<std::size_t>(a)];
            const Message& right = m_messages[static_cast<std::size_t>(b)];
            return std::tie(left.key, left.task) < std::tie(right.key, right.task);
        });
        for (const int id : m_joining) {
            const Message& message = m_messages[static_cast<std::size_t>(id)];
            OwnLink& own = m_own[message.route.front()];
            auto& queue = own.queues[message.stream];
            if (queue.empty())
                own.round.push_back(message.stream);
            queue.push_back(id);
        }
    }

    void serveHeads()
    {
        std::vector<std::pair<PieceKey, int>> heads;
        for (const int id : m_arriving) {
            const Piece& piece = m_pieces[static_cast<std::size_t>(id)];
            heads.push_back({keyOf(m_messages[static_cast<std::size_t>(piece.message)], piece, portOf(piece)), id});
        }
        std::sort(heads.begin(), heads.end());
        std::vector<int> atEnd = m_reducing;
        for (const auto& [key, id] : heads) {
            Piece& piece = m_pieces[static_cast<std::size_t>(id)];
            Message& message = m_messages[static_cast<std::size_t>(piece.message)];
            if (piece.hops < message.route.size()) {
                const LinkId link = message.route[piece.hops];
                const Time end = commit(m_linkBusy[static_cast<std::size_t>(link)], piece.head, share(piece, rateOf(link)));
                cross(id, link, std::max(end, piece.tail));
                continue;
            }
            const auto node = static_cast<std::size_t>(m_structure.placement.nodeOf(message.record.target));
            if (m_params.ejection && !m_ideal)
                piece.tail = std::max(piece.tail, commit(m_ejectionBusy[node], piece.head, share(piece, m_params.ejection->bytesPerSecond)));
            if (!message.reduces || !m_params.reducerRate) {
                land(piece);
                continue;
            }
            Cell& cell = m_members[static_cast<std::size_t>(message.receiver)].cells[static_cast<std::size_t>(message.cell)];
            if (cell.own)
                atEnd.push_back(id);
            else
                cell.waitingPieces.push_back(id);
        }
        reduceAll(atEnd);
    }

    void reduceAll(const std::vector<int>& pieces)
    {
        std::vector<std::pair<PieceKey, int>> heads;
        for (const int id : pieces) {
            const Piece& piece = m_pieces[static_cast<std::size_t>(id)];
            heads.push_back({keyOf(m_messages[static_cast<std::size_t>(piece.message)], piece, portOf(piece)), id});
        }
        std::sort(heads.begin(), heads.end());
        for (const auto& [key, id] : heads) {
            Piece& piece = m_pieces[static_cast<std::size_t>(id)];
            const Message& message = m_messages[static_cast<std::size_t>(piece.message)];
            const auto node = static_cast<std::size_t>(m_structure.placement.nodeOf(message.record.target));
            const Time work = share(piece, m_params.reducerRate->bytesPerSecond, message.k + 2, message.k);
            piece.tail = std::max(piece.tail, commit(m_reducerBusy[node], m_now, work));
            land(piece);
        }
    }

    std::int32_t portOf(const Piece& piece) const
    {
        const auto& route = m_messages[static_cast<std::size_t>(piece.message)].route;
        return m_platform.inputPort(route[piece.hops - 1], piece.hops < route.size() ? route[piece.hops] : -1);
    }

    /// The piece goes over a link that its last byte enters no later than `end`.
    void cross(int id, LinkId link, Time end)
    {
        Piece& piece = m_pieces[static_cast<std::size_t>(id)];
        piece.tail = end + latencyOf(link);
        piece.head += latencyOf(link);
        piece.served = m_served++;
        ++piece.hops;
        m_events.insert({piece.head, {Kind::Head, id, 0}});
    }

    void land(const Piece& piece)
    {
        Message& message = m_messages[static_cast<std::size_t>(piece.message)];
        message.arriveAt = std::max(message.arriveAt, piece.tail);
        if (--message.piecesLeft == 0)
            m_events.insert({message.arriveAt, {Kind::Arrived, piece.message, 0}});
    }

    /// A piece starts on its own link now. Returns its number.
    int start(Piece piece, Time now)
    {
        Message& message = m_messages[static_cast<std::size_t>(piece.message)];
        const LinkId link = message.route.front();
        const Time end = commit(m_linkBusy[static_cast<std::size_t>(link)], now, share(piece, rateOf(link)));
        piece.head = now;
        const int id = static_cast<int>(m_pieces.size());
        m_pieces.push_back(piece);
        cross(id, link, end);
        if (piece.to == message.record.bytes)
            m_events.insert({end, {Kind::Left, piece.message, 0}});
        return id;
    }

    /// Every own link that is free takes one piece.
    void pickAll()
    {
        std::vector<std::pair<PieceKey, int>> picked;
        for (auto& [link, own] : m_own) {
            if (m_linkBusy[static_cast<std::size_t>(link)] > m_now || (own.round.empty() && !own.hasRejoin))
                continue;
            if (own.hasRejoin)
                own.round.push_back(own.rejoins);
            const std::int64_t stream = own.round.front();
            own.round.pop_front();
            auto& queue = own.queues[stream];
            Message& message = m_messages[static_cast<std::size_t>(queue.front())];
            Piece piece;
            piece.message = queue.front();
            piece.index = message.nextPiece++;
            piece.from = piece.index * m_params.pieceBytes;
            piece.to = std::min(piece.from + m_params.pieceBytes, message.record.bytes);
            if (piece.to == message.record.bytes)
                queue.pop_front();
            own.hasRejoin = !queue.empty();
            own.rejoins = stream;
            const PieceKey key = keyOf(message, piece, Platform::kOwnInjection);
            picked.push_back({key, start(piece, m_now)});
        }
        if (!m_params.injection)
            return;
        std::map<std::int32_t, std::vector<std::pair<PieceKey, int>>> byRank;
        for (const auto& each : picked)
            byRank[m_messages[static_cast<std::size_t>(m_pieces[static_cast<std::size_t>(each.second)].message)].record.source].push_back(each);
        for (auto& [rank, pieces] : byRank) {
            std::sort(pieces.begin(), pieces.end());
            for (const auto& [key, id] : pieces) {
                Piece& piece = m_pieces[static_cast<std::size_t>(id)];
                const Time end = commit(m_injectionBusy[static_cast<std::size_t>(m_structure.placement.nodeOf(rank))], m_now,
                    share(piece, m_params.injection->bytesPerSecond));
                const LinkId link = m_messages[static_cast<std::size_t>(piece.message)].route.front();
                piece.tail = std::max(piece.tail, end + latencyOf(link));
            }
        }
    }

    OracleResult report()
    {
        for (RankState& rank : m_ranks) {
            for (const OracleResult::Task& task : rank.times) {
                m_result.complete &= task.endPs >= 0;
                m_result.finishPs = std::max(m_result.finishPs, task.endPs);
            }
            m_result.tasks.push_back(std::move(rank.times));
        }
        for (const MessageRecord& record : m_result.messages)
            m_result.digest.add(record.words());
        return std::move(m_result);
    }

    const Structure& m_structure;
    const Params& m_params;
    const Platform& m_platform;
    const Workload& m_workload;
    const bool m_ideal;
    Time m_now = 0;
    std::int64_t m_served = 1;
    std::multimap<Time, Event> m_events;
    std::vector<Message> m_messages;
    std::vector<Piece> m_pieces;
    std::vector<Member> m_members;
    std::map<std::pair<int, std::int32_t>, int> m_memberIndex;
    std::map<std::pair<FamilyId, std::int64_t>, Group> m_groups;
    std::map<Pair, std::vector<int>> m_sent;
    std::map<Pair, std::vector<TaskIndex>> m_received;
    std::vector<RankState> m_ranks;
    std::set<int> m_dirty;
    std::map<LinkId, OwnLink> m_own;
    std::vector<Time> m_linkBusy, m_reducerBusy, m_injectionBusy, m_ejectionBusy;
    std::vector<int> m_joining;  ///< Messages that became ready in this instant.
    std::vector<int> m_arriving; ///< Pieces whose head reaches the next resource in this instant.
    std::vector<int> m_reducing; ///< Pieces whose wait for the own part ended in this instant.
    OracleResult m_result;
};

} // namespace

OracleResult bruteForce(const Scenario& scenario)
{
    return BruteForce(scenario).run();
}

} // namespace fabricscope::test
