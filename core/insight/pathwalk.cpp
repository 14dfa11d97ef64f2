#include "core/insight/pathwalk.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/scenario/computeparams.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fabricscope {

PathWalk::PathWalk(const Scenario& scenario, const RunRecord& record, const MessageLog& log, const std::stop_token& stop)
    : m_scenario(scenario)
    , m_record(record)
    , m_log(log)
    , m_stop(stop)
    , m_tasks(scenario, record)
{
    for (const LinkUse& use : record.links)
        m_busy.emplace(use.link, use.busyPs);
}

std::tuple<PathWalk::At, std::int32_t, std::int64_t> PathWalk::keyOf(const Cursor& cursor)
{
    const bool isTask = cursor.at == At::TaskEnd;
    return {cursor.at, isTask ? cursor.rank : -1, isTask ? std::int64_t{cursor.task} : std::int64_t{cursor.message}};
}

bool PathWalk::enter(const Cursor& cursor)
{
    return m_entered.insert(keyOf(cursor)).second;
}

/// The piece as somebody who waits for it sees it.
PathPiece PathWalk::waitedFor(const PathPiece& piece) const
{
    PathPiece waiting = piece;
    waiting.cause = PathCause::Waiting;
    if (waiting.holderTask < 0) {
        waiting.holderRank = piece.rank;
        waiting.holderTask = piece.task;
    }
    waiting.rank = m_waiter.rank;
    waiting.task = m_waiter.task;
    waiting.message = m_waiter.message;
    return waiting;
}

void PathWalk::take(std::int64_t begin, PathPiece piece)
{
    begin = std::max<std::int64_t>(begin, 0);
    if (begin >= m_at)
        return;
    if (m_waiter.fromPs < m_at) {
        PathPiece waiting = waitedFor(piece);
        waiting.beginPs = std::max(begin, m_waiter.fromPs);
        waiting.endPs = m_at;
        m_pieces.push_back(waiting);
        m_at = waiting.beginPs;
        if (m_at <= m_waiter.fromPs)
            m_waiter = {};
    }
    if (begin < m_at) {
        piece.beginPs = begin;
        piece.endPs = m_at;
        m_pieces.push_back(piece);
    }
    m_at = begin;
    m_entered.clear();
}

void PathWalk::takeUpTo(std::int64_t ps, std::int64_t least, const PathPiece& piece)
{
    if (ps > 0)
        take(std::max(m_at - ps, least), piece);
}

std::vector<PathPiece> PathWalk::walk(const PathEnd& end)
{
    m_at = end.ps;
    Cursor cursor{end.message ? At::Arrival : At::TaskEnd, rankOf(end.rank), end.task, end.message.value_or(0)};
    while (m_at > 0) {
        checkStop(m_stop);
        if (cursor.at != At::Start && !enter(cursor)) // Causes of one instant in a ring: on from the last that ended before.
            cursor = latestBefore(cursor.at == At::TaskEnd ? cursor.rank : ownerOf(m_log[cursor.message]), -1, PathCause::Turn);
        switch (cursor.at) {
        case At::Start: {
            PathPiece start;
            start.rank = cursor.rank;
            start.task = cursor.task;
            take(0, start);
            break;
        }
        case At::TaskEnd:
            cursor = taskEnd(cursor.rank, cursor.task);
            break;
        case At::Arrival:
        case At::Departure:
            cursor = messageDone(cursor.message, cursor.at == At::Departure);
            break;
        }
    }
    std::reverse(m_pieces.begin(), m_pieces.end());
    return std::move(m_pieces);
}

PathWalk::Cursor PathWalk::taskEnd(std::int32_t rank, TaskIndex task)
{
    const std::int64_t issue = std::min(m_tasks.issue(rank, task), m_at);
    if (issue >= m_at)
        return beforeTask(rank, task);
    switch (m_tasks.graph(rank).kind[at(task)]) {
    case TaskKind::Compute:
        return computed(rank, task, issue);
    case TaskKind::MemoryLoad:
    case TaskKind::MemoryStore:
        return accessed(rank, task, issue);
    case TaskKind::Send:
    case TaskKind::Receive:
    case TaskKind::Collective:
        return communicated(rank, task, issue);
    case TaskKind::Metadata:
    case TaskKind::Invalid:
        break;
    }
    PathPiece piece{.cause = PathCause::Turn, .rank = rank, .task = task};
    take(issue, piece);
    return beforeTask(rank, task);
}

PathWalk::Cursor PathWalk::computed(std::int32_t rank, TaskIndex task, std::int64_t issue)
{
    const RankGraph& graph = m_tasks.graph(rank);
    PathPiece piece{.cause = graph.has(task, TaskFlag::kHost) ? PathCause::Host : PathCause::Compute, .parameter = PathParameter::ComputeTime, .rank = rank, .task = task};
    if (!traitsOf(m_scenario.model).wholeNanoseconds) {
        const ComputeWork work = computeWork(*m_scenario.structure, *m_scenario.params, rank, task);
        const bool given = !graph.durationPs.empty() && graph.durationPs[at(task)] >= 0;
        const bool counted = graph.has(task, TaskFlag::kHasOperations) || graph.has(task, TaskFlag::kHasBytes);
        if (m_scenario.params->roofline && !given && counted && work.operationsPs != work.bytesPs)
            piece.parameter = work.operationsPs > work.bytesPs ? PathParameter::Peak : PathParameter::MemoryRate;
        if (const std::int64_t alone = work.duration(); alone < m_at - issue) {
            PathPiece slowed = piece;
            slowed.cause = PathCause::Slowed;
            if (m_scenario.params->compute && m_scenario.params->compute->needsEvents())
                slowed.parameter = PathParameter::None; // How long collectives go on beside it decides too.
            takeUpTo(m_at - issue - alone, issue, slowed);
        }
    }
    take(issue, piece);
    return beforeTask(rank, task);
}

/// A remote access takes its own time last; before that the memory was taken by others.
PathWalk::Cursor PathWalk::accessed(std::int32_t rank, TaskIndex task, std::int64_t issue)
{
    const RemoteMemory& memory = m_scenario.params->remoteMemory;
    PathPiece piece{.cause = PathCause::RemoteMemory, .parameter = PathParameter::RemoteMemory, .rank = rank, .task = task};
    if (!m_scenario.params->replayOnly && (memory.kind == RemoteMemory::Kind::PerNode || memory.kind == RemoteMemory::Kind::Pool) && !traitsOf(m_scenario.model).wholeNanoseconds) {
        const std::int64_t bytes = m_tasks.graph(rank).bytes[at(task)];
        const std::int64_t alone = memory.latencyNs * kPsPerNs + (memory.bytesPerNs > 0 ? mulDivCeil(bytes, kPsPerNs, memory.bytesPerNs) : 0);
        takeUpTo(alone, issue, piece);
        piece.cause = PathCause::Waiting;
    }
    if (m_scenario.params->replayOnly)
        piece.parameter = PathParameter::ComputeTime;
    take(issue, piece);
    return beforeTask(rank, task);
}

PathWalk::Cursor PathWalk::communicated(std::int32_t rank, TaskIndex task, std::int64_t issue)
{
    if (const std::optional<Cursor> message = findMessage(rank, task))
        return *message;
    if (std::optional<Cursor> sent = pairAlone(rank, task, issue))
        return *sent;
    return asAWhole(rank, task, issue);
}

/// A message whose times nobody told: what it takes alone, and before that it waited; from its send on, or its task.
std::optional<PathWalk::Cursor> PathWalk::pairAlone(std::int32_t rank, TaskIndex task, std::int64_t issue)
{
    const RankGraph& graph = m_tasks.graph(rank);
    const TaskKind kind = graph.kind[at(task)];
    if (kind != TaskKind::Send && kind != TaskKind::Receive)
        return std::nullopt;
    Cursor from{At::TaskEnd, rank, task, 0};
    std::int64_t begin = issue;
    std::int32_t source = rank;
    std::int32_t target = graph.peerRank(task, rank);
    if (kind == TaskKind::Receive) {
        std::swap(source, target);
        const std::optional<TaskIndex> send = m_tasks.partnerOf(rank, task, source);
        if (send && m_tasks.issue(source, *send) < m_at) {
            from = {At::TaskEnd, source, *send, 0};
            begin = m_tasks.issue(source, *send);
        }
    }
    PathPiece piece{.cause = PathCause::Transfer, .rank = source, .task = from.rank == source ? from.task : -1, .peer = target};
    if (!traitsOf(m_scenario.model).ownCollectives) {
        take(begin, piece);
        return beforeTask(from.rank, from.task);
    }
    MessageRecord message;
    message.source = source;
    message.target = target;
    message.bytes = graph.bytes[at(task)];
    const Way way = wayOf(message);
    const Structure& structure = *m_scenario.structure;
    const auto takeLink = [&](PathCause cause, PathParameter parameter, LinkId link, std::int64_t ps) {
        piece.cause = cause;
        piece.parameter = parameter;
        piece.link = link;
        piece.resource = link >= 0 ? structure.classOf(link) : -1;
        takeUpTo(ps, begin, piece);
    };
    for (const LinkId link : way.links) {
        if (kind == TaskKind::Receive)
            takeLink(PathCause::Latency, PathParameter::LinkLatency, link, m_scenario.costs->latency(structure.classOf(link)));
    }
    takeLink(PathCause::Serialisation, way.limit, way.slowLink, kind == TaskKind::Receive ? way.slowest : way.own);
    const std::int64_t delay = std::min(m_scenario.params->endpointDelay.ps, m_at - begin);
    takeLink(PathCause::Waiting, PathParameter::None, way.slowLink, m_at - begin - delay);
    takeLink(PathCause::Endpoint, PathParameter::EndpointDelay, -1, delay);
    return beforeTask(from.rank, from.task);
}

/// No message of it is known: from the last that had to come for it to the end it counts as one piece.
PathWalk::Cursor PathWalk::asAWhole(std::int32_t rank, TaskIndex task, std::int64_t issue)
{
    PathPiece piece{.cause = PathCause::Transfer, .rank = rank, .task = task};
    const RankGraph& graph = m_tasks.graph(rank);
    Cursor last{At::TaskEnd, rank, task, 0};
    std::int64_t began = issue;
    if (graph.kind[at(task)] == TaskKind::Collective) {
        for (const auto& [member, theirs] : m_tasks.membersOf(rank, task)) {
            checkStop(m_stop);
            const std::int64_t time = m_tasks.issue(member, theirs);
            if (time > began && time < m_at) {
                began = time;
                last = {At::TaskEnd, member, theirs, 0};
            }
        }
        const std::int32_t instance = m_scenario.structure->instanceOf(rank, task);
        if (instance >= 0 && m_scenario.structure->instances[at(instance)].replayPs >= 0)
            piece.parameter = PathParameter::ComputeTime;
        if (const std::optional<TaskIndex> before = m_tasks.collectiveBetween(rank, task, began, m_at)) { // Its group did that first.
            take(m_tasks.end(rank, *before), piece);
            return {At::TaskEnd, rank, *before, 0};
        }
        const Beginning beginning = beginningOf(instance, last.rank, last.task);
        take(std::min(m_at, beginning.end()), piece);
        piece.rank = last.rank;
        piece.task = last.task;
        piece.parameter = PathParameter::None;
        takeBeginning(beginning, piece);
        return beforeTask(last.rank, last.task);
    }
    take(began, piece);
    return beforeTask(last.rank, last.task);
}

/// What the task was issued by, at m_at.
PathWalk::Cursor PathWalk::beforeTask(std::int32_t rank, TaskIndex task)
{
    if (m_at <= 0)
        return {};
    const RankGraph& graph = m_tasks.graph(rank);
    for (const TaskIndex producer : graph.dependencies(task)) {
        if (m_tasks.end(rank, producer) == m_at)
            return {At::TaskEnd, rank, producer, 0};
    }
    if (const std::optional<TaskIndex> holder = unitHolder(rank, task))
        return {At::TaskEnd, rank, *holder, 0};
    return latestBefore(rank, task, PathCause::Turn);
}

/// A task of the rank that ended now and made room for another: one of its kind before any.
std::optional<TaskIndex> PathWalk::unitHolder(std::int32_t rank, TaskIndex task)
{
    const RankGraph& graph = m_tasks.graph(rank);
    std::optional<TaskIndex> any;
    for (const TaskIndex candidate : m_tasks.endedAt(rank, m_at)) {
        if (candidate == task || !isOpen({At::TaskEnd, rank, candidate, 0}))
            continue;
        if (graph.kind[at(candidate)] == graph.kind[at(task)])
            return candidate;
        if (!any)
            any = candidate;
    }
    return any;
}

/// The task of the rank that ended last before now; from there to now it is `cause`.
PathWalk::Cursor PathWalk::latestBefore(std::int32_t rank, TaskIndex task, PathCause cause)
{
    const std::optional<TaskIndex> last = m_tasks.lastEndedBefore(rank, m_at);
    if (!last)
        return {At::Start, rank, task, 0};
    PathPiece piece{.cause = cause, .rank = rank, .task = task};
    take(m_tasks.end(rank, *last), piece);
    return {At::TaskEnd, rank, *last, 0};
}

} // namespace fabricscope
