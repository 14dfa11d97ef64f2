// The step machines (manual: astra 6): what a chunk does in one phase on one rank.
#include "core/sim/astra/collectivequeue.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace fabricscope {

namespace {

std::uint32_t distanceBox(std::int32_t offset)
{
    return static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint32_t>(offset))) - 1;
}

constexpr std::uint32_t kLeftBox = 0;
constexpr std::uint32_t kRightBox = 1;
constexpr std::uint32_t kParentBox = 2;

std::int32_t wrapped(std::int32_t index, std::int32_t size)
{
    return index >= size ? index - size : index < 0 ? index + size : index;
}

} // namespace

void AstraCollectives::startPhase(std::uint32_t number, std::uint32_t at)
{
    const Instance& instance = *m_instances[number];
    Record& record = m_instances[number]->records[at];
    const AstraPhase& phase = instance.plan->phases[static_cast<std::size_t>(record.phase)];
    record.index = record.position / phase.stride % phase.size;
    record.prepared = 0;
    record.sent = 0;
    record.received = 0;
    record.tokens = 0;
    record.free = 0;
    record.charged = 0;
    record.flag = false;
    record.running = true;
    if (phase.algorithm == Algorithm::DoubleBinaryTree) {
        startTree(number, at);
        return;
    }
    for (std::int32_t k = 0; k < phase.window; ++k)
        prepare(number, record, at, instance, phase);
}

/// Handles one message to be sent: the cost alternates between free and charged slots.
void AstraCollectives::prepare(std::uint32_t number, Record& record, std::uint32_t at, const Instance& instance, const AstraPhase& phase)
{
    if (record.free == 0 && record.charged == 0) {
        record.free = phase.window;
        record.charged = phase.charged;
        record.flag = !record.flag;
    }
    bool reduces = false;
    if (record.free > 0) {
        --record.free;
    } else {
        --record.charged;
        reduces = phase.kind == PhaseKind::ReduceScatter || (phase.kind == PhaseKind::AllReduce && record.flag);
    }
    m_queue.scheduleOn(instance.rankOf(record.position), instance.plan->handlingNs, reduces ? AstraEvent::Reduce : AstraEvent::Prepared, number, at,
                       static_cast<std::uint32_t>(record.prepared));
    ++record.prepared;
}

void AstraCollectives::reduce(std::uint32_t number, std::uint32_t at, std::uint32_t message)
{
    const Instance& instance = *m_instances[number];
    const Record& record = instance.records[at];
    const AstraPhase& phase = instance.plan->phases[static_cast<std::size_t>(record.phase)];
    m_queue.scheduleOn(instance.rankOf(record.position), phase.reduce[phase.tableIndex(static_cast<std::int32_t>(message))], AstraEvent::Prepared, number,
                       at);
}

/// Event Prepared.
void AstraCollectives::prepared(std::uint32_t number, std::uint32_t at)
{
    Instance& instance = *m_instances[number];
    Record& record = instance.records[at];
    const AstraPhase& phase = instance.plan->phases[static_cast<std::size_t>(record.phase)];
    ++record.tokens;
    if (phase.algorithm == Algorithm::Direct && phase.kind == PhaseKind::AllReduce && phase.sends - record.sent <= phase.size - 1) {
        if (record.received >= phase.size - 1) {
            for (std::int32_t k = 0; k < phase.window && trySend(number, at, instance, record, phase); ++k) { }
        }
    } else {
        trySend(number, at, instance, record, phase);
    }
    if (record.sent == phase.sends && record.tokens == phase.window)
        endPhase(number, at);
}

bool AstraCollectives::trySend(std::uint32_t number, std::uint32_t at, Instance& instance, Record& record, const AstraPhase& phase)
{
    if (record.prepared <= record.sent || record.sent >= phase.sends || record.tokens <= 0)
        return false;
    const std::int32_t message = record.sent++;
    --record.tokens;
    const std::int32_t index = record.index;
    const std::int32_t size = phase.size;
    switch (phase.algorithm) {
    case Algorithm::Ring: {
        const std::int32_t step = record.backwards ? -1 : 1;
        const std::uint32_t box = phase.firstBox + (record.backwards ? 1U : 0U);
        transmit(number, at, instance, record, phase, wrapped(index + step, size), box, wrapped(index - step, size), box, phase.tableIndex(message));
        return true;
    }
    case Algorithm::Direct: {
        const std::int32_t ahead = message % (size - 1) + 1;
        const std::int32_t step = record.backwards ? -ahead : ahead;
        const std::int32_t from = wrapped(index - step, size);
        transmit(number, at, instance, record, phase, wrapped(index + step, size), kManyBox | (phase.firstBox + static_cast<std::uint32_t>(index)), from,
                 kManyBox | (phase.firstBox + static_cast<std::uint32_t>(from)), 0);
        return true;
    }
    default:
        break;
    }
    const auto table = static_cast<std::size_t>(message);
    const std::int32_t partner = astraPartner(index, phase.offset[table], size);
    const std::uint32_t box = phase.firstBox + distanceBox(phase.offset[table]);
    transmit(number, at, instance, record, phase, partner, box, partner, box, table);
    return true;
}

/// Posts a send and the matching receive at the same instant.
void AstraCollectives::transmit(std::uint32_t number, std::uint32_t at, Instance& instance, Record& record, const AstraPhase& phase,
                                std::int32_t toIndex, std::uint32_t toBox, std::int32_t fromIndex, std::uint32_t fromBox, std::size_t table)
{
    sendTo(number, at, instance, record, phase, toIndex, toBox, table);
    expectFrom(number, at, instance, record, phase, fromIndex, fromBox, table);
}

void AstraCollectives::sendTo(std::uint32_t number, std::uint32_t at, Instance& instance, const Record& record, const AstraPhase& phase,
                              std::int32_t toIndex, std::uint32_t toBox, std::size_t table)
{
    const std::int32_t distance = (toIndex - record.index) * phase.stride;
    // Where one rank stands for all, what it sends is what it receives from the other side.
    const auto target = m_symmetric ? at : static_cast<std::uint32_t>(static_cast<std::int32_t>(at) + distance);
    const std::int64_t bytes = phase.bytes[table];
    if (m_endsWhenLeft) {
        // Where one rank stands for all, the others are where they would be.
        const std::int32_t neighbour = m_symmetric ? record.position + distance : instance.rankOf(record.position + distance);
        std::int64_t& left = instance.leftNs[static_cast<std::size_t>(record.position)];
        left = std::max(left, m_queue.now() + m_network.leavesAfter(instance.rankOf(record.position), neighbour, bytes));
    }
    if (m_post.rendezvous()) {
        const std::uint64_t tag = (std::uint64_t{1} << 62) | (std::uint64_t{instance.number} << 31) | (at - static_cast<std::uint32_t>(record.position));
        m_post.send({tag, instance.rankOf(record.position), instance.rankOf(record.position + distance), bytes}, {});
        return;
    }
    if (phase.dimension >= 0 && !m_network.aware()) {
        const auto dimension = static_cast<std::size_t>(phase.dimension);
        if (m_symmetric)
            m_queue.setStep(wrapped(toIndex - record.index, phase.size) * phase.stride);
        m_network.sendAlong(dimension, m_network.dimensions()[dimension].hops(record.index, toIndex), bytes, phase.wire[table], AstraEvent::Deliver,
                            number, target, toBox);
        m_queue.setStep(0);
        return;
    }
    m_network.send(instance.rankOf(record.position), instance.rankOf(record.position + distance), bytes, AstraEvent::Deliver, number, target, toBox);
}

void AstraCollectives::expectFrom(std::uint32_t number, std::uint32_t at, Instance& instance, const Record& record, const AstraPhase& phase,
                                  std::int32_t fromIndex, std::uint32_t fromBox, std::size_t table)
{
    if (m_post.rendezvous()) {
        const std::int32_t from = record.position + (fromIndex - record.index) * phase.stride;
        const std::uint64_t tag = (std::uint64_t{1} << 62) | (std::uint64_t{instance.number} << 31) | (at - static_cast<std::uint32_t>(record.position));
        m_post.receive({tag, instance.rankOf(from), instance.rankOf(record.position), phase.bytes[table]},
                       {AstraCallback::Target::Collective, number, at});
        return;
    }
    bool there = false;
    if ((fromBox & kManyBox) != 0)
        there = instance.manyBoxes[std::size_t{at} * instance.plan->manyBoxes + (fromBox & ~kManyBox)]-- > 0;
    else
        there = instance.boxes[std::size_t{at} * instance.plan->boxes + fromBox]-- > 0;
    if (there)
        m_queue.schedule(0, AstraEvent::Received, number, at);
}

void AstraCollectives::deliver(std::uint32_t number, std::uint32_t at, std::uint32_t box)
{
    Instance& instance = *m_instances[number];
    bool awaited = false;
    if ((box & kManyBox) != 0)
        awaited = instance.manyBoxes[std::size_t{at} * instance.plan->manyBoxes + (box & ~kManyBox)]++ < 0;
    else
        awaited = instance.boxes[std::size_t{at} * instance.plan->boxes + box]++ < 0;
    if (awaited)
        received(number, at);
}

void AstraCollectives::received(std::uint32_t number, std::uint32_t at)
{
    ++m_instances[number]->delivered;
    const Instance& instance = *m_instances[number];
    Record& record = m_instances[number]->records[at];
    const AstraPhase& phase = instance.plan->phases[static_cast<std::size_t>(record.phase)];
    ++record.received;
    if (phase.algorithm != Algorithm::DoubleBinaryTree) {
        prepare(number, record, at, instance, phase);
        return;
    }
    // Everything but the last message of a leaf is charged a reduction, also what is only forwarded.
    const bool leaf = treeNode(instance, at, record).children() == 0;
    m_queue.scheduleOn(instance.rankOf(record.position), instance.plan->handlingNs, AstraEvent::TreeHandled, number, at, leaf ? 0 : 1);
}

AstraTreeNode AstraCollectives::treeNode(const Instance& instance, std::uint32_t at, const Record& record) const
{
    const AstraPhase& phase = instance.plan->phases[static_cast<std::size_t>(record.phase)];
    const std::size_t chunk = at / static_cast<std::uint32_t>(instance.members);
    const bool second = instance.secondTree[chunk * instance.plan->phases.size() + static_cast<std::size_t>(record.phase)] != 0;
    return astraTreeNode(record.index, phase.size, second);
}

void AstraCollectives::startTree(std::uint32_t number, std::uint32_t at)
{
    Instance& instance = *m_instances[number];
    Record& record = instance.records[at];
    const AstraPhase& phase = instance.plan->phases[static_cast<std::size_t>(record.phase)];
    const AstraTreeNode node = treeNode(instance, at, record);
    if (node.children() == 0) {
        m_queue.scheduleOn(instance.rankOf(record.position), instance.plan->handlingNs, AstraEvent::TreeHandled, number, at, 0);
        return;
    }
    expectFrom(number, at, instance, record, phase, node.left, phase.firstBox + kLeftBox, 0);
    if (node.right != AstraTreeNode::kNobody)
        expectFrom(number, at, instance, record, phase, node.right, phase.firstBox + kRightBox, 0);
}

void AstraCollectives::treeHandled(std::uint32_t number, std::uint32_t at, bool reduces)
{
    if (!reduces) {
        treeReduced(number, at);
        return;
    }
    const Instance& instance = *m_instances[number];
    const Record& record = instance.records[at];
    const AstraPhase& phase = instance.plan->phases[static_cast<std::size_t>(record.phase)];
    m_queue.scheduleOn(instance.rankOf(record.position), phase.reduce.front(), AstraEvent::TreeReduced, number, at);
}

/// One more step of a tree node is handled; `tokens` counts them.
void AstraCollectives::treeReduced(std::uint32_t number, std::uint32_t at)
{
    Instance& instance = *m_instances[number];
    Record& record = instance.records[at];
    const AstraPhase& phase = instance.plan->phases[static_cast<std::size_t>(record.phase)];
    const AstraTreeNode node = treeNode(instance, at, record);
    const std::int32_t children = node.children();
    const bool root = node.parent == AstraTreeNode::kNobody;
    const std::int32_t step = ++record.tokens;
    const std::int32_t upStep = children == 0 ? 1 : children;
    if (step < upStep)
        return;
    if (!root && step == upStep) {
        const AstraTreeNode above = astraTreeNode(node.parent, phase.size, instance.secondTree[(at / static_cast<std::uint32_t>(instance.members))
            * instance.plan->phases.size() + static_cast<std::size_t>(record.phase)] != 0);
        const std::uint32_t box = phase.firstBox + (above.left == record.index ? kLeftBox : kRightBox);
        transmit(number, at, instance, record, phase, node.parent, box, node.parent, phase.firstBox + kParentBox, 0);
        return;
    }
    if (children > 0)
        sendTo(number, at, instance, record, phase, node.left, phase.firstBox + kParentBox, 0);
    if (node.right != AstraTreeNode::kNobody)
        sendTo(number, at, instance, record, phase, node.right, phase.firstBox + kParentBox, 0);
    endPhase(number, at);
}

} // namespace fabricscope
