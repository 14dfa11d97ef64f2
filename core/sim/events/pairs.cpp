// Sends and receives of tasks, and which belong together: part of Tasks (tasks.h).
#include "core/base/index.h"
#include "core/sim/events/engine.h"

#include <algorithm>

namespace fabricscope::events {

/// \pre the task is a send or a receive
Status Tasks::addToChannel(std::int32_t rank, TaskIndex task, ChannelsByEnds& known)
{
    const RankGraph& graph = m_given.workload.graph(rank);
    const auto i = static_cast<std::size_t>(task);
    const std::int32_t peer = graph.peerRank(task, rank);
    if (peer < 0 || peer >= m_given.workload.rankCount)
        return invalidInput("rank " + std::to_string(peer) + " does not exist", placeOfTask(rank, graph, task), "a rank from 0 to " + std::to_string(m_given.workload.rankCount - 1));
    const bool sends = graph.kind[i] == TaskKind::Send;
    std::int32_t source = sends ? rank : peer;
    std::int32_t target = sends ? peer : rank;
    if (m_folding)
        std::tie(source, target) = m_folding->pairFor(source, target);
    const auto [entry, added] = known.emplace(std::make_tuple(source, target, graph.tag[i]), static_cast<std::int32_t>(m_channels.size()));
    if (added) {
        Channel channel;
        channel.source = source;
        channel.target = target;
        channel.receiver = m_folding ? m_folding->rankFor[at(target)] : target;
        channel.tag = graph.tag[i];
        m_channels.push_back(std::move(channel));
    }
    m_channelOfTask.resize(m_ranks.size());
    m_channelOfTask[at(rank)].emplace_back(task, entry->second);
    return {};
}

/// One stream per pair of ranks, whatever the tag.
void Tasks::numberStreams(const ChannelsByEnds& known)
{
    std::int32_t stream = m_given.structure.streamCount - 1;
    std::pair<std::int32_t, std::int32_t> previous{-1, -1};
    for (const auto& [key, number] : known) {
        const std::pair<std::int32_t, std::int32_t> ends{std::get<0>(key), std::get<1>(key)};
        if (ends != previous)
            ++stream;
        previous = ends;
        m_channels[at(number)].stream = stream;
    }
}

std::int32_t Tasks::channelOf(std::int32_t rank, TaskIndex task) const
{
    const auto& list = m_channelOfTask[at(rank)];
    return std::lower_bound(list.begin(), list.end(), std::make_pair(task, std::int32_t{0}))->second;
}

/// Numbers the sends and receives issued in this instant, in the order of their tasks.
void Tasks::settlePairs()
{
    std::vector<RankTask> issued;
    issued.swap(m_newPairs);
    std::sort(issued.begin(), issued.end(),
              [](const RankTask& a, const RankTask& b) { return a.rank != b.rank ? a.rank < b.rank : a.task < b.task; });
    for (const RankTask& next : issued) {
        if (m_halt.isDue())
            return;
        if (m_given.workload.graph(next.rank).kind[at(next.task)] == TaskKind::Send)
            sendTask(next.rank, next.task);
        else
            receiveTask(next.rank, next.task);
    }
}

void Tasks::sendTask(std::int32_t rank, TaskIndex task)
{
    const std::int32_t number = channelOf(rank, task);
    Channel& channel = m_channels[at(number)];
    const std::int32_t k = channel.sends++;
    if (channel.pairs.size() <= static_cast<std::size_t>(k))
        channel.pairs.resize(static_cast<std::size_t>(k) + 1);
    Pair& pair = channel.pairs[at(k)];
    pair.send = task;
    pair.sendIssue = m_agenda.now();
    pair.sendBytes = m_given.workload.graph(rank).bytes[at(task)];
    if (!agree(number, k))
        return;
    if (pair.sendBytes == 0) { // Messages of no bytes do not exist.
        end(rank, task);
    } else if (channel.source == channel.target) {
        Message message;
        message.bytes = pair.sendBytes;
        message.of = OfPair{number};
        message.source = message.target = rank;
        message.chunk = k;
        message.phase = channel.tag;
        m_engine.network.deliverHere(message);
        end(rank, task);
    } else if (!m_given.params.rendezvous || pair.receive != kNone) {
        sendPair(number, k);
    }
}

void Tasks::receiveTask(std::int32_t rank, TaskIndex task)
{
    const std::int32_t number = channelOf(rank, task);
    Channel& channel = m_channels[at(number)];
    const std::int32_t k = channel.receives++;
    if (channel.pairs.size() <= static_cast<std::size_t>(k))
        channel.pairs.resize(static_cast<std::size_t>(k) + 1);
    Pair& pair = channel.pairs[at(k)];
    pair.receive = task;
    pair.receiveIssue = m_agenda.now();
    pair.receiveBytes = m_given.workload.graph(rank).bytes[at(task)];
    if (!agree(number, k))
        return;
    if (pair.delivered || pair.receiveBytes == 0)
        end(rank, task);
    else if (m_given.params.rendezvous && pair.send != kNone && channel.source != channel.target)
        sendPair(number, k);
}

/// Do both sides of pair k name the same size, as far as they are there?
bool Tasks::agree(std::int32_t number, std::int32_t k)
{
    const Channel& channel = m_channels[at(number)];
    const Pair& pair = channel.pairs[at(k)];
    if (pair.send == kNone || pair.receive == kNone || pair.sendBytes == pair.receiveBytes)
        return true;
    const auto id = [this](std::int32_t rank, TaskIndex task) { return m_given.workload.graph(rank).sourceId[at(task)]; };
    m_halt.fail(invalidInput("rank " + std::to_string(channel.receiver) + " receives " + std::to_string(pair.receiveBytes) + " bytes where rank " + std::to_string(channel.source)
                               + " (node " + std::to_string(id(channel.source, pair.send)) + ") sends " + std::to_string(pair.sendBytes) + " (tag " + std::to_string(channel.tag) + ')',
                           placeOfTask(channel.receiver, m_given.workload.graph(channel.receiver), pair.receive), "the same size on both sides"));
    return false;
}

/// Sends message k of a channel; with rendezvous the word that the receive is posted has to travel back first.
void Tasks::sendPair(std::int32_t number, std::int32_t k)
{
    Channel& channel = m_channels[at(number)];
    const Pair& pair = channel.pairs[at(k)];
    const NodeId source = m_given.structure.placement.nodeOf(channel.source);
    const NodeId target = m_given.structure.placement.nodeOf(channel.target);
    if (channel.route == kNone)
        channel.route = m_engine.network.wayBetween(source, target);
    std::int64_t ready = m_agenda.now();
    if (m_given.params.rendezvous)
        ready = std::max(pair.sendIssue, pair.receiveIssue + m_engine.routes[m_engine.network.wayBetween(target, source)].latency);
    Message message;
    message.bytes = pair.sendBytes;
    message.of = OfPair{number};
    message.source = channel.source;
    message.target = channel.target;
    message.chunk = k;
    message.phase = channel.tag;
    message.stream = channel.stream;
    message.route = channel.route;
    message.tellLeft = true;
    m_engine.network.send(message, ready + m_given.endpointDelay);
}

void Tasks::leftSource(std::int32_t channel, std::int32_t number)
{
    end(m_channels[at(channel)].source, pairOf(channel, number).send);
}

void Tasks::delivered(std::int32_t number, std::int32_t k)
{
    const Channel& channel = m_channels[at(number)];
    Pair& pair = m_channels[at(number)].pairs[at(k)];
    pair.delivered = true;
    if (pair.receive != kNone)
        end(channel.receiver, pair.receive);
}

std::int32_t Tasks::priority(std::int32_t channel, std::int32_t number) const
{
    const std::vector<std::int32_t>& ofTasks = m_given.workload.graph(m_channels[at(channel)].source).priority;
    return ofTasks.empty() ? 0 : -ofTasks[at(pairOf(channel, number).send)];
}

} // namespace fabricscope::events
