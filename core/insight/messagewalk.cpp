// Messages on a critical path: what they took, and what they came from.
#include "core/insight/pathwalk.h"

#include "core/base/index.h"
#include "core/program/nativerule.h"
#include "core/scenario/networkparams.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Candidates that are looked at to say who held a link longest; the answer is a name, no time hangs on it.
constexpr std::size_t kMostHolders = 64;

} // namespace

/// Buffers behind a message that its receiver reduces it with, in time; 0: it does not, or that takes nothing.
std::int64_t PathWalk::reductionOf(const MessageRecord& message) const
{
    const Params& params = *m_scenario.params;
    if (!params.reducerRate || message.instance < 0)
        return 0;
    const ProgramPtr& program = m_scenario.structure->instances[at(message.instance)].program;
    if (!program)
        return 0;
    if (!program->isTemplate())
        return m_scenario.costs->reduction(message.bytes, 1);
    const TemplateBody& body = program->asTemplate();
    const std::vector<PhaseTemplate>& phases = body.phasesOf(message.chunk);
    if (message.phase < 0 || at(message.phase) >= phases.size())
        return 0;
    const PhaseTemplate& phase = phases[at(message.phase)];
    const std::int32_t extent = body.axes[at(phase.axis)];
    if (phase.kind != PhaseKind::ReduceScatter && phase.kind != PhaseKind::AllReduce)
        return 0;
    const NativeRule& rule = nativeRule(phase.algorithm);
    if (!rule.reduces || !rule.reduces(phase, extent, message.step))
        return 0;
    const std::int32_t buffers = reduceBuffers(phase, extent);
    return buffers > 0 ? m_scenario.costs->reduction(message.bytes, buffers) : 0;
}

/// What links carry of a message, where the rule of its collective says so.
std::int64_t PathWalk::wireBytes(const MessageRecord& message) const
{
    const NetworkParams* const network = m_scenario.params->network.get();
    if (!network || message.instance < 0 || !isRank(message.source) || !isRank(message.target))
        return message.bytes;
    const RuleParams* const rule = network->ruleOf(m_scenario.structure->instances[at(message.instance)]);
    return rule && rule->protocol >= 0 ? network->protocols[at(rule->protocol)].wireBytes(message.bytes) : message.bytes;
}

/// The way by the platform, which is the way it took unless the design routes otherwise.
const PathWalk::Way& PathWalk::wayOf(const MessageRecord& message)
{
    const std::int64_t bytes = wireBytes(message);
    const std::tuple key{message.source, message.target, bytes};
    if (key == m_wayKey)
        return m_way;
    m_wayKey = key;
    m_way = {};
    const Structure& structure = *m_scenario.structure;
    const CostTable& costs = *m_scenario.costs;
    if (isRank(message.source) && isRank(message.target)) {
        const NodeId from = structure.placement.nodeOf(message.source);
        const NodeId to = structure.placement.nodeOf(message.target);
        const NetworkParams* const network = m_scenario.params->network.get();
        const bool found = network && network->ways && network->ways->route(from, to, m_way.links);
        if (!found)
            structure.platform.route(from, to, m_way.links);
    }
    for (const LinkId link : m_way.links) {
        const ResourceClass resource = structure.classOf(link);
        m_way.latency += costs.latency(resource);
        const std::int64_t taken = costs.occupancy(resource, bytes);
        if (link == m_way.links.front())
            m_way.own = taken;
        if (taken > m_way.slowest || m_way.slowLink < 0) {
            m_way.slowest = taken;
            m_way.slowLink = link;
        }
    }
    if (m_way.links.empty() || m_scenario.model == Model::Ideal)
        return m_way;
    if (costs.hasInjection() && costs.injection(bytes) > m_way.slowest) {
        m_way.slowest = costs.injection(bytes);
        m_way.limit = PathParameter::Injection;
        m_way.slowLink = m_way.links.front();
    }
    if (costs.hasEjection() && costs.ejection(bytes) > m_way.slowest) {
        m_way.slowest = costs.ejection(bytes);
        m_way.limit = PathParameter::Ejection;
        m_way.slowLink = m_way.links.back();
    }
    return m_way;
}

TaskIndex PathWalk::taskOfMessage(const MessageRecord& message)
{
    const std::int32_t rank = ownerOf(message);
    if (message.instance >= 0)
        return m_tasks.taskOf(rank, static_cast<std::int32_t>(message.instance));
    return m_tasks.lastPairTask(rank, TaskKind::Send, message.target, static_cast<std::uint32_t>(message.phase), message.readyPs, m_log.isFolded()).value_or(-1);
}

PathMessage PathWalk::nameOf(const MessageRecord& message) const
{
    if (message.instance < 0)
        return {.source = message.source, .target = message.target};
    return {message.source, message.target, message.chunk, message.phase, message.step};
}

PathPiece PathWalk::pieceOf(std::uint32_t number, PathCause cause, PathParameter parameter, LinkId link)
{
    const MessageRecord& message = m_log[number];
    PathPiece piece{.cause = cause, .parameter = parameter, .rank = ownerOf(message), .task = taskOfMessage(message), .peer = message.target, .link = link};
    piece.message = nameOf(message);
    if ((parameter == PathParameter::LinkRate || parameter == PathParameter::LinkLatency) && link >= 0)
        piece.resource = m_scenario.structure->classOf(link);
    return piece;
}

/// The message whose delivery or departure ends the task, at m_at.
std::optional<PathWalk::Cursor> PathWalk::findMessage(std::int32_t rank, TaskIndex task) const
{
    if (m_log.empty())
        return std::nullopt;
    const RankGraph& graph = m_tasks.graph(rank);
    const TaskKind kind = graph.kind[at(task)];
    const bool isCollective = kind == TaskKind::Collective;
    const std::int64_t instance = isCollective ? m_scenario.structure->instanceOf(rank, task) : -1;
    if (isCollective && instance < 0)
        return std::nullopt;
    const std::int32_t peer = isCollective ? -1 : graph.peerRank(task, rank);
    const auto fits = [&](const MessageRecord& message, std::int32_t other) {
        if (message.instance != instance)
            return false;
        return isCollective || (static_cast<std::uint32_t>(message.phase) == graph.tag[at(task)] && (m_log.isFolded() || other == peer));
    };
    if (kind != TaskKind::Send) {
        for (const std::uint32_t number : m_log.arrivedAt(rank, m_at)) {
            if (fits(m_log[number], m_log[number].source) && isOpen({At::Arrival, 0, -1, number}))
                return Cursor{At::Arrival, rank, -1, number};
        }
    }
    if (kind != TaskKind::Receive) {
        for (const std::uint32_t number : m_log.leftAt(rank, m_at)) {
            if (fits(m_log[number], m_log[number].target) && isOpen({At::Departure, 0, -1, number}))
                return Cursor{At::Departure, rank, -1, number};
        }
    }
    return std::nullopt;
}

/// From the delivery of a message, or from when it had left, to what it came from.
PathWalk::Cursor PathWalk::messageDone(std::uint32_t number, bool left)
{
    const MessageRecord& message = m_log[number];
    const Way way = wayOf(message);
    if (way.links.empty()) {
        take(message.readyPs, pieceOf(number, PathCause::Transfer, PathParameter::None, -1));
        return beforeMessage(number);
    }
    if (!left) {
        if (const std::optional<Cursor> member = lateMember(number, way))
            return *member;
        if (const std::optional<Cursor> other = acrossWay(number, way))
            return *other;
    }
    return queued(number, way, !left);
}

/// Each link for itself: parameters are of links.
void PathWalk::takeLatency(std::uint32_t number, const Way& way)
{
    for (const LinkId link : way.links)
        takeUpTo(m_scenario.costs->latency(m_scenario.structure->classOf(link)), m_log[number].readyPs, pieceOf(number, PathCause::Latency, PathParameter::LinkLatency, link));
}

/// The receiver began the collective when the message was there already: what it had to do before is the cause, from the instant on when it began.
std::optional<PathWalk::Cursor> PathWalk::lateMember(std::uint32_t number, const Way& way)
{
    const MessageRecord& message = m_log[number];
    const std::int32_t target = rankOf(message.target);
    if (message.instance < 0 || !isRank(target))
        return std::nullopt;
    const TaskIndex task = m_tasks.taskOf(target, static_cast<std::int32_t>(message.instance));
    if (task < 0 || !m_tasks.hasTimes(target))
        return std::nullopt;
    const std::int64_t began = m_tasks.issue(target, task);
    const std::int64_t there = message.leftPs + way.latency + std::max<std::int64_t>(way.slowest - way.own, 0);
    if (began <= there || began > m_at || m_at - began > reductionOf(message))
        return std::nullopt;
    take(began, pieceOf(number, PathCause::Reduction, PathParameter::ReducerRate, -1));
    return beforeTask(target, task);
}

/// From the delivery back to where the message stood in the queue of its own link. A cursor: it waited at the last link for that.
std::optional<PathWalk::Cursor> PathWalk::acrossWay(std::uint32_t number, const Way& way)
{
    const MessageRecord& message = m_log[number];
    const std::int64_t took = m_at - message.readyPs;
    const std::int64_t slower = std::max<std::int64_t>(way.slowest - way.own, 0); // Than the own link.
    const std::int64_t behind = std::max<std::int64_t>(m_at - message.leftPs - way.latency - slower, 0);
    const std::int64_t reduction = reductionOf(message);
    if (reduction > way.slowest && took <= way.latency + reduction) { // The reducer had work from the first piece to the last.
        takeUpTo(reduction, message.readyPs, pieceOf(number, PathCause::Reduction, PathParameter::ReducerRate, -1));
        takeLatency(number, way);
        return std::nullopt;
    }
    const std::int64_t reduced = std::min(behind, std::max<std::int64_t>(reduction - way.slowest, 0));
    takeUpTo(std::min(reduced, took), message.readyPs, pieceOf(number, PathCause::Reduction, PathParameter::ReducerRate, -1));
    const std::int64_t waited = behind - reduced;
    const LinkId last = way.links.back();
    if (waited > 0 && way.links.size() > 1 && m_scenario.model == Model::Links) {
        if (const auto holder = heldBy(m_log.arrivedAt(rankOf(message.target), m_at - occupancy(last, wireBytes(message))), number, last, false)) {
            take(m_log[*holder].donePs, pieceOf(number, PathCause::Serialisation, PathParameter::LinkRate, last));
            waitFrom(number, *holder);
            return Cursor{At::Arrival, 0, -1, *holder};
        }
    }
    if (waited > 0) {
        const LinkId taken = busiestBehind(way);
        PathPiece piece = pieceOf(number, PathCause::Waiting, PathParameter::LinkRate, taken);
        const std::span<const std::uint32_t> others = m_log.arrivedUpTo(rankOf(message.target), m_at);
        if (const auto holder = heldBy(others.last(std::min(others.size(), kMostHolders)), number, taken, false))
            noteHolder(number, *holder, piece);
        takeUpTo(waited, message.readyPs, piece);
    }
    takeLatency(number, way);
    takeUpTo(slower, message.readyPs, pieceOf(number, PathCause::Serialisation, way.limit, way.slowLink));
    return std::nullopt;
}

/// Of the links behind the first the one that was busy longest, of several the last; of one link itself.
LinkId PathWalk::busiestBehind(const Way& way) const
{
    LinkId taken = way.links.back();
    std::int64_t most = -1;
    for (std::size_t hop = way.links.size(); hop-- > 1;) {
        const auto busy = m_busy.find(way.links[hop]);
        if (busy != m_busy.end() && busy->second > most) {
            most = busy->second;
            taken = way.links[hop];
        }
    }
    return taken;
}

/// In the queue of the own link: its own bytes, and those of others before.
PathWalk::Cursor PathWalk::queued(std::uint32_t number, const Way& way, bool delivered)
{
    const MessageRecord& message = m_log[number];
    const bool isFlow = m_scenario.model == Model::Flow;
    const std::int64_t own = isFlow ? way.slowest : way.own;
    // Pieces cut through: where it did not wait here, the slowest link had work from the first to the last of them.
    const bool bySlowest = isFlow || way.slowest == way.own || (delivered && m_at - own <= message.readyPs);
    takeUpTo(own, message.readyPs, bySlowest ? pieceOf(number, PathCause::Serialisation, way.limit, way.slowLink) : pieceOf(number, PathCause::Serialisation, PathParameter::LinkRate, way.links.front()));
    if (m_at > message.readyPs) {
        const LinkId first = way.links.front();
        const std::int32_t source = rankOf(message.source);
        if (const auto holder = heldBy(m_log.leftAt(source, m_at), number, first, true)) {
            waitFrom(number, *holder);
            return Cursor{At::Departure, 0, -1, *holder};
        }
        PathPiece piece = pieceOf(number, PathCause::Waiting, way.limit, way.slowLink);
        const std::span<const std::uint32_t> others = m_log.leftUpTo(source, message.leftPs);
        if (const auto holder = heldBy(others.last(std::min(others.size(), kMostHolders)), number, first, true))
            noteHolder(number, *holder, piece);
        take(message.readyPs, piece);
    }
    return beforeMessage(number);
}

/// The one of these messages, other than `number`, that goes over the link as well and has not been looked at; the last of several.
std::optional<std::uint32_t> PathWalk::heldBy(std::span<const std::uint32_t> messages, std::uint32_t number, LinkId link, bool left)
{
    const Way own = m_way;
    const auto ownKey = m_wayKey;
    std::optional<std::uint32_t> found;
    for (std::size_t i = messages.size(); i-- > 0 && !found;) {
        const std::uint32_t other = messages[i];
        const MessageRecord& message = m_log[other];
        if (other == number || (left ? message.leftPs : message.donePs) <= m_log[number].readyPs || !isOpen({left ? At::Departure : At::Arrival, 0, -1, other}))
            continue;
        const std::vector<LinkId>& links = wayOf(message).links;
        if (m_log.isFolded() ? !links.empty() && m_scenario.structure->classOf(left ? links.front() : links.back()) == m_scenario.structure->classOf(link)
                             : std::find(links.begin(), links.end(), link) != links.end())
            found = other;
    }
    m_way = own;
    m_wayKey = ownKey;
    return found;
}

void PathWalk::waitFrom(std::uint32_t number, std::uint32_t holder)
{
    const MessageRecord& message = m_log[number];
    if ((message.instance >= 0 && m_log[holder].instance == message.instance) || message.readyPs >= m_waiter.fromPs)
        return;
    m_waiter = {message.readyPs, ownerOf(message), taskOfMessage(message), nameOf(message)};
}

/// Who had taken what a message waited for.
void PathWalk::noteHolder(std::uint32_t number, std::uint32_t holder, PathPiece& piece)
{
    const MessageRecord& other = m_log[holder];
    if (other.instance >= 0 && other.instance == m_log[number].instance)
        return; // Its own collective.
    piece.holderRank = ownerOf(other);
    piece.holderTask = taskOfMessage(other);
}

/// What made the message ready: endpoint overhead, then what its rank had to have.
PathWalk::Cursor PathWalk::beforeMessage(std::uint32_t number)
{
    const MessageRecord& message = m_log[number];
    const std::int32_t rank = rankOf(message.source);
    if (!isRank(rank))
        return fromSwitch(number);
    const TaskIndex task = taskOfMessage(message);
    const std::int64_t delay = m_scenario.params->endpointDelay.ps;
    for (const std::int64_t overhead : {delay, std::int64_t{0}}) {
        if (overhead > m_at)
            continue;
        const std::int64_t cause = m_at - overhead;
        const std::int64_t before = m_at;
        if (std::optional<Cursor> found = readyBecause(number, message, task, cause)) {
            PathPiece piece = pieceOf(number, PathCause::Endpoint, PathParameter::EndpointDelay, -1);
            m_at = before;
            take(cause, piece);
            return found->at == At::Start ? beforeTask(found->rank, found->task) : *found;
        }
        if (delay == 0)
            break;
    }
    return latestCause(message, task);
}

/// A switch sends what it has summed or copied: from the last it got for that.
PathWalk::Cursor PathWalk::fromSwitch(std::uint32_t number)
{
    const MessageRecord& message = m_log[number];
    const std::optional<std::uint32_t> got = m_log.lastToSwitch(message, m_at);
    if (!got)
        return latestBefore(ownerOf(message), taskOfMessage(message), PathCause::Turn);
    take(m_log[*got].donePs, pieceOf(number, PathCause::Transfer, PathParameter::None, -1));
    return {At::Arrival, 0, -1, *got};
}

/// What happened at `ps` that the message can have come from; At::Start: the issue of that task.
std::optional<PathWalk::Cursor> PathWalk::readyBecause(std::uint32_t number, const MessageRecord& message, TaskIndex task, std::int64_t ps)
{
    const std::int32_t rank = rankOf(message.source);
    // Before arrivals: what had come for a late member counts as delivered when that begins.
    if (task >= 0 && m_tasks.issue(rank, task) == ps)
        return Cursor{At::Start, rank, task, 0};
    if (message.instance >= 0) {
        if (std::optional<Cursor> arrival = arrivalOf(message, ps))
            return arrival;
    }
    if (std::optional<Cursor> partner = partnerReady(message, task, ps))
        return partner;
    // A place in a window, a slot of a connection, the turn of the group.
    for (const std::uint32_t other : m_log.leftAt(rank, ps)) {
        if (m_log[other].instance == message.instance && (message.instance >= 0 || m_log[other].target == message.target) && isOpen({At::Departure, 0, -1, other}) && other != number)
            return Cursor{At::Departure, 0, -1, other};
    }
    for (const TaskIndex other : m_tasks.endedAt(rank, ps)) {
        if (m_tasks.graph(rank).kind[at(other)] == TaskKind::Collective && other != task)
            return Cursor{At::TaskEnd, rank, other, 0};
    }
    return std::nullopt;
}

/// A message of the same collective that the sender got then: one of the same chunk before others.
std::optional<PathWalk::Cursor> PathWalk::arrivalOf(const MessageRecord& message, std::int64_t ps) const
{
    std::optional<Cursor> found;
    for (const std::uint32_t other : m_log.arrivedAt(rankOf(message.source), ps)) {
        const MessageRecord& candidate = m_log[other];
        if (candidate.instance != message.instance || candidate.readyPs >= message.readyPs || !isOpen({At::Arrival, 0, -1, other}))
            continue;
        if (candidate.chunk == message.chunk)
            return Cursor{At::Arrival, 0, -1, other};
        if (!found)
            found = Cursor{At::Arrival, 0, -1, other};
    }
    return found;
}

/// Rendezvous: the receive was posted then. A collective: a member came then.
std::optional<PathWalk::Cursor> PathWalk::partnerReady(const MessageRecord& message, TaskIndex task, std::int64_t ps)
{
    const std::int32_t target = rankOf(message.target);
    if (message.instance >= 0 || task < 0 || m_log.isFolded() || !isRank(target))
        return std::nullopt;
    const std::optional<TaskIndex> receive = m_tasks.lastPairTask(target, TaskKind::Receive, message.source, static_cast<std::uint32_t>(message.phase), ps, false);
    if (!receive || m_tasks.issue(target, *receive) != ps)
        return std::nullopt;
    return Cursor{At::Start, target, *receive, 0};
}

/// Nothing happened when it became ready that it is known to wait for: on from the latest before that its rank knows of it.
PathWalk::Cursor PathWalk::latestCause(const MessageRecord& message, TaskIndex task)
{
    const std::int32_t rank = rankOf(message.source);
    const NetworkParams* const network = m_scenario.params->network.get();
    PathPiece piece{.cause = network && !network->protocols.empty() ? PathCause::Protocol : PathCause::Turn, .rank = rank, .task = task, .peer = message.target};
    piece.message = nameOf(message);
    std::int64_t latest = -1;
    Cursor cause{At::Start, rank, task, 0};
    const Beginning beginning = beginningOf(message.instance, rank, task);
    if (task >= 0 && beginning.issue < m_at) {
        latest = std::min(m_at, beginning.end());
        cause = {At::TaskEnd, rank, task, 0};
    }
    const std::span<const std::uint32_t> before = m_log.arrivedUpTo(rank, m_at - 1);
    for (std::size_t i = before.size(); i-- > 0 && before.size() - i <= kMostHolders;) {
        const MessageRecord& candidate = m_log[before[i]];
        if (candidate.donePs <= latest)
            break;
        if (candidate.instance == message.instance && message.instance >= 0) {
            latest = candidate.donePs;
            cause = {At::Arrival, 0, -1, before[i]};
            break;
        }
    }
    // What its group did before; anything else that ended on the rank only where nothing of its own is known.
    std::optional<TaskIndex> ended;
    if (message.instance >= 0 && task >= 0)
        ended = m_tasks.collectiveBetween(rank, task, latest, m_at);
    if (!ended && latest < 0)
        ended = m_tasks.lastEndedBefore(rank, m_at);
    if (ended) {
        latest = m_tasks.end(rank, *ended);
        cause = {At::TaskEnd, rank, *ended, 0};
    }
    if (latest < 0)
        return {At::Start, cause.rank, task, 0};
    take(latest, piece);
    if (cause.at != At::TaskEnd || cause.task != task)
        return cause;
    takeBeginning(beginning, piece);
    return beforeTask(rank, task);
}

/// When a collective was issued on a rank, and what it began later by. A message between two tasks has no instance and begins at once.
PathWalk::Beginning PathWalk::beginningOf(std::int64_t instance, std::int32_t rank, TaskIndex task) const
{
    Beginning beginning;
    if (task < 0)
        return beginning;
    beginning.issue = m_tasks.issue(rank, task);
    const NetworkParams* const network = m_scenario.params->network.get();
    if (!network || instance < 0)
        return beginning;
    const CollectiveInstance& collective = m_scenario.structure->instances[at(instance)];
    beginning.launch = network->launchOf(collective).ps;
    beginning.ramp = network->rampOf(collective).ps;
    if (const RuleParams* const rule = network->ruleOf(collective)) {
        beginning.rule = collective.rule;
        beginning.ownLaunch = rule->launch != network->launch;
    }
    return beginning;
}

void PathWalk::takeBeginning(const Beginning& beginning, PathPiece piece)
{
    piece.cause = PathCause::Ramp;
    piece.parameter = PathParameter::Ramp;
    piece.resource = beginning.rule;
    take(std::max(beginning.issue, beginning.end() - beginning.ramp), piece);
    piece.cause = PathCause::Launch;
    piece.parameter = PathParameter::Launch;
    piece.resource = beginning.ownLaunch ? beginning.rule : -1;
    take(beginning.issue, piece);
}

} // namespace fabricscope
