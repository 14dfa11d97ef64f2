#include "core/sim/astra/collectivequeue.h"

#include <algorithm>
#include <new>

namespace fabricscope {

namespace {

std::string sizeText(std::int64_t bytes)
{
    return std::to_string(bytes) + " bytes";
}

/// Equal for the messages that would be exchanged.
bool alike(const AstraPlan& left, const AstraPlan& right)
{
    if (left.op != right.op || left.chunkBytes != right.chunkBytes || left.chunks != right.chunks || left.phases.size() != right.phases.size())
        return false;
    for (std::size_t k = 0; k < left.phases.size(); ++k) {
        if (left.phases[k].dimension != right.phases[k].dimension || left.phases[k].algorithm != right.phases[k].algorithm)
            return false;
    }
    return true;
}

} // namespace

AstraCollectives::AstraCollectives(const Setup& setup, AstraQueue& queue, AstraNetwork& network, AstraPost& post, AstraCollectiveOwner& owner)
    : m_system(setup.system), m_workload(setup.workload), m_customPrograms(setup.customPrograms), m_npus(setup.npus),
      m_symmetric(setup.symmetric), m_noHandling(setup.noHandling),
      m_splitAllReduce(setup.separateQueues), m_separateQueues(setup.separateQueues && setup.system.queuesPerDimension == 1),
      m_ownPlaces(setup.ownPlaces), m_bundledRings(setup.bundledRings), m_wholeShares(setup.wholeShares),
      m_endsWhenLeft(setup.endsWhenLeft), m_queue(queue), m_network(network), m_post(post), m_owner(owner)
{
    m_axes = network.dimensions().size();
    m_queues = static_cast<std::uint32_t>(m_system.queuesPerDimension);
    const std::int64_t running = (m_system.activeChunks + m_system.queuesPerDimension - 1) / m_system.queuesPerDimension;
    m_running = static_cast<std::int32_t>(std::min<std::int64_t>(running, INT32_MAX));
    const auto ranks = static_cast<std::size_t>(m_symmetric ? 1 : m_npus);
    const std::size_t queues = ranks * m_axes;
    m_rankQueues.resize(queues * m_queues * (m_separateQueues ? 2 : 1) * (m_ownPlaces ? m_workload.families.size() : 1));
    if (m_queues > 1)
        m_counters.resize(queues);
    m_ordinals.resize(ranks);
}

Result<AstraCollectives::Entered> AstraCollectives::enter(const AstraEntry& entry)
{
    const GroupFamily& family = m_workload.families[static_cast<std::size_t>(entry.family)];
    Group group;
    if (family.isWorld()) {
        group = {entry.rank, 0, m_npus, true};
    } else {
        const GroupFamily::Membership membership = family.membership(entry.rank);
        if (membership.size == 0)
            return invalidInput("the rank is no member of group '" + family.name() + '\'');
        group = {static_cast<std::int32_t>(membership.position), membership.group, static_cast<std::int32_t>(membership.size),
                 membership.size == m_npus};
        if (group.whole)
            group.position = entry.rank;
    }
    auto& ordinals = m_ordinals[static_cast<std::size_t>(entry.rank)];
    auto counter = std::find_if(ordinals.begin(), ordinals.end(), [&](const auto& item) { return item.first == entry.family; });
    if (counter == ordinals.end())
        counter = ordinals.insert(ordinals.end(), {entry.family, 0});

    // Nothing to do takes no number: the reference would stop here, so there is nothing to agree with.
    const std::string custom = customPrefix(entry, group);
    std::shared_ptr<const AstraPlan> plan;
    if (custom.empty()) {
        auto planned = planFor(entry, group);
        if (!planned)
            return planned.error();
        plan = planned.value();
        if (plan->phases.empty())
            return Entered::Done;
    }
    auto found = instanceFor(entry, group, counter->second);
    if (!found)
        return found.error();
    ++counter->second;
    const std::uint32_t number = found.value();
    Instance& instance = *m_instances[number];
    const auto position = static_cast<std::size_t>(group.position);
    instance.tasks[position] = entry.task;
    const bool fits = plan ? instance.plan && alike(*plan, *instance.plan) : static_cast<bool>(instance.custom);
    if (!fits) {
        instance.chunksLeft[position] = 0;
        instance.mismatches.emplace_back(group.position, std::string(collectiveKey(entry.op)) + " of " + sizeText(entry.bytes));
        return Entered::Running;
    }
    start(number, group.position);
    return Entered::Running;
}

std::string AstraCollectives::customPrefix(const AstraEntry& entry, const Group& group)
{
    std::string prefix;
    if (const auto node = m_system.perNodeCustom.find(entry.node); node != m_system.perNodeCustom.end()) {
        prefix = node->second;
    } else {
        switch (entry.op) {
        case CollectiveOp::AllReduce:
            prefix = m_system.custom[static_cast<std::size_t>(AstraCollective::AllReduce)];
            break;
        case CollectiveOp::AllGather:
            prefix = m_system.custom[static_cast<std::size_t>(AstraCollective::AllGather)];
            break;
        case CollectiveOp::ReduceScatter:
            prefix = m_system.custom[static_cast<std::size_t>(AstraCollective::ReduceScatter)];
            break;
        case CollectiveOp::AllToAll:
            prefix = m_system.custom[static_cast<std::size_t>(AstraCollective::AllToAll)];
            break;
        default:
            break;
        }
    }
    if (m_workload.families[static_cast<std::size_t>(entry.family)].isWorld() || (prefix.empty() && m_system.perNodeCustom.empty()))
        return prefix;
    // The reference plans a group once per collective type, so the first choice holds for all later ones.
    const auto [kept, fresh] = m_groupCustom.try_emplace({entry.family, group.number, static_cast<int>(entry.op)}, prefix);
    if (!fresh && kept->second != prefix)
        m_diagnostics.push_back(warning("group-plan-kept", "a group keeps the algorithm of its first collective of a type, as in the reference"));
    return kept->second;
}

Result<std::shared_ptr<const AstraPlan>> AstraCollectives::planFor(const AstraEntry& entry, const Group& group)
{
    const std::int64_t mask = group.whole && entry.involvedGiven ? std::int64_t{entry.involved} : -1;
    const std::tuple key{static_cast<int>(entry.op), entry.bytes, group.whole ? -1 : group.members, mask};
    if (const auto known = m_plans.find(key); known != m_plans.end())
        return known->second;
    AstraPlanRequest request;
    request.op = entry.op;
    request.bytes = entry.bytes;
    request.members = group.members;
    request.whole = group.whole;
    request.involvedGiven = mask >= 0;
    request.involved = entry.involved;
    request.noHandling = m_noHandling;
    request.splitAllReduce = m_splitAllReduce;
    request.bundledRings = m_bundledRings;
    request.wholeShares = m_wholeShares;
    auto plan = planAstra(request, m_system, m_network.dimensions(), m_npus);
    if (!plan)
        return plan;
    m_diagnostics.insert(m_diagnostics.end(), plan.value()->diagnostics.begin(), plan.value()->diagnostics.end());
    m_plans.emplace(key, plan.value());
    return plan;
}

Result<std::uint32_t> AstraCollectives::instanceFor(const AstraEntry& entry, const Group& group, std::int32_t ordinal)
{
    const std::tuple key{entry.family, group.number, ordinal};
    if (const auto live = m_live.find(key); live != m_live.end())
        return live->second;
    auto fresh = std::make_unique<Instance>();
    if (!m_freeInstances.empty())
        fresh = std::move(m_instances[m_freeInstances.back()]);
    Instance& instance = *fresh;
    const GroupFamily& family = m_workload.families[static_cast<std::size_t>(entry.family)];
    instance.family = entry.family;
    instance.group = group.number;
    instance.ordinal = ordinal;
    instance.members = m_symmetric ? 1 : group.members;
    instance.membersLeft = instance.members;
    instance.bytes = entry.bytes;
    instance.delivered = 0;
    instance.number = m_nextNumber++;
    instance.ranks = nullptr;
    instance.plan = nullptr;
    instance.custom = nullptr;
    instance.mismatches.clear();
    if (!group.whole) {
        if (!family.isStrided()) {
            instance.ranks = &family.lists()[static_cast<std::size_t>(group.number)];
        } else {
            instance.ownRanks.resize(static_cast<std::size_t>(group.members));
            for (std::int32_t position = 0; position < group.members; ++position)
                instance.ownRanks[static_cast<std::size_t>(position)] = family.member(group.number, position);
            instance.ranks = &instance.ownRanks;
        }
    }
    instance.tasks.assign(static_cast<std::size_t>(instance.members), -1);
    instance.chunksLeft.assign(static_cast<std::size_t>(instance.members), -1);
    instance.leftNs.assign(m_endsWhenLeft ? static_cast<std::size_t>(instance.members) : 0, 0);
    if (const std::string custom = customPrefix(entry, group); !custom.empty()) {
        if (auto status = prepareCustom(instance, custom); !status)
            return status.error();
    } else {
        instance.plan = planFor(entry, group).value();
        if (auto status = allocate(instance); !status)
            return status.error();
    }
    instance.alive = true;
    std::uint32_t number = 0;
    if (!m_freeInstances.empty()) {
        number = m_freeInstances.back();
        m_freeInstances.pop_back();
        m_instances[number] = std::move(fresh);
    } else {
        number = static_cast<std::uint32_t>(m_instances.size());
        m_instances.push_back(std::move(fresh));
    }
    m_live.emplace(key, number);
    return number;
}

/// Clears the state of all chunks and members; counts the memory first.
Status AstraCollectives::allocate(Instance& instance)
{
    const AstraPlan& plan = *instance.plan;
    const double records = static_cast<double>(plan.chunks) * instance.members;
    const double bytes = records * (sizeof(Record) + 4.0 * plan.boxes + plan.manyBoxes);
    if (m_memoryLimit > 0 && bytes > static_cast<double>(m_memoryLimit - m_memory))
        return Error{ErrorCode::MemoryLimit, std::to_string(plan.chunks) + " chunks on " + std::to_string(instance.members) + " ranks need "
                         + std::to_string(static_cast<std::int64_t>(bytes / 1048576) + 1) + " MiB", {}, "fewer chunks, or a higher memory limit"};
    if (records >= 2147483648.0)
        return Error{ErrorCode::Unsupported, std::to_string(plan.chunks) + " chunks on " + std::to_string(instance.members) + " ranks",
                     {}, "at most 2^31 chunks over all ranks"};
    try {
        const auto count = static_cast<std::size_t>(records);
        instance.records.assign(count, Record{});
        instance.boxes.assign(count * plan.boxes, 0);
        instance.manyBoxes.assign(count * plan.manyBoxes, 0);
        instance.queueBase.assign(m_queues > 1 ? static_cast<std::size_t>(instance.members) * plan.phases.size() : 0, 0);
        instance.secondTree.clear();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::MemoryLimit, std::to_string(plan.chunks) + " chunks on " + std::to_string(instance.members)
                         + " ranks do not fit into memory", {}, "fewer chunks"};
    }
    instance.accounted = static_cast<std::int64_t>(bytes);
    m_memory += instance.accounted;
    for (std::int32_t at = 0; at < static_cast<std::int32_t>(instance.records.size()); ++at)
        instance.records[static_cast<std::size_t>(at)].position = at % instance.members;
    if (plan.usesTree) {
        // The phases take the two trees in turn, chunk by chunk, counted on over the whole run: a chunk that passes a dimension twice takes both.
        instance.secondTree.resize(static_cast<std::size_t>(plan.chunks) * plan.phases.size());
        for (std::size_t at = 0; at < instance.secondTree.size(); ++at) {
            const AstraPhase& phase = plan.phases[at % plan.phases.size()];
            if (phase.algorithm == Algorithm::DoubleBinaryTree)
                instance.secondTree[at] = static_cast<std::uint8_t>(m_treeTurns[{static_cast<int>(plan.op), phase.queueDimension}]++ & 1U);
        }
    }
    return {};
}

double AstraCollectives::membersUnderWay() const
{
    double total = 0;
    for (const auto& instance : m_instances) {
        if (!instance || !instance->alive || !instance->plan)
            continue;
        const std::int64_t ofOne = std::max<std::int64_t>(instance->plan->messages / std::max(instance->plan->members, 1), 1);
        const double expected = static_cast<double>(ofOne) * instance->members;
        const double share = std::min(1.0, static_cast<double>(instance->delivered) / expected);
        total += std::max(0.0, share * instance->members - (instance->members - instance->membersLeft));
    }
    return total;
}

void AstraCollectives::retire(std::uint32_t number)
{
    Instance& instance = *m_instances[number];
    instance.alive = false;
    instance.custom = nullptr;
    m_memory -= instance.accounted;
    instance.accounted = 0;
    m_live.erase({instance.family, instance.group, instance.ordinal});
    m_freeInstances.push_back(number);
}

/// All chunks of a member are made at once and enter their first queue in order.
void AstraCollectives::start(std::uint32_t number, std::int32_t position)
{
    Instance& instance = *m_instances[number];
    if (instance.custom) {
        startCustom(number, position);
        return;
    }
    const AstraPlan& plan = *instance.plan;
    const std::int32_t rank = instance.rankOf(position);
    instance.chunksLeft[static_cast<std::size_t>(position)] = static_cast<std::int32_t>(plan.chunks);
    if (m_queues > 1) {
        for (std::size_t k = 0; k < plan.phases.size(); ++k) {
            const AstraPhase& phase = plan.phases[k];
            Counters& counters = m_counters[static_cast<std::size_t>(rank) * m_axes + static_cast<std::size_t>(phase.queueDimension)];
            std::uint32_t& counter = phase.queues == AstraPhase::Queues::All ? counters.all
                : phase.queues == AstraPhase::Queues::FirstHalf             ? counters.first
                                                                            : counters.second;
            instance.queueBase[static_cast<std::size_t>(position) * plan.phases.size() + k] = counter;
            counter += static_cast<std::uint32_t>(plan.chunks);
        }
    }
    for (std::int64_t chunk = 0; chunk < plan.chunks; ++chunk) {
        const auto at = static_cast<std::uint32_t>(chunk * instance.members + position);
        Record& record = instance.records[at];
        const std::size_t queue = queueIndex(instance, record, plan.phases.front(), rank);
        enqueue(queue, number, at);
        startNext(queue);
    }
}

/// Queue of a record's present phase; round robin, separately per dimension and kind of use.
std::size_t AstraCollectives::queueIndex(const Instance& instance, const Record& record, const AstraPhase& phase, std::int32_t rank) const
{
    const std::size_t owner = m_ownPlaces ? static_cast<std::size_t>(rank) * m_workload.families.size() + static_cast<std::size_t>(instance.family) : static_cast<std::size_t>(rank);
    const std::size_t dimension = owner * m_axes + static_cast<std::size_t>(phase.queueDimension);
    if (m_separateQueues)
        return 2 * dimension + (phase.queues == AstraPhase::Queues::SecondHalf ? 1 : 0);
    const std::size_t first = dimension * m_queues;
    if (m_queues == 1)
        return first;
    const std::size_t phases = instance.plan->phases.size();
    const auto chunk = static_cast<std::uint32_t>((&record - instance.records.data()) / instance.members);
    const std::uint32_t turn =
        instance.queueBase[static_cast<std::size_t>(record.position) * phases + static_cast<std::size_t>(record.phase)] + chunk;
    const std::uint32_t half = m_queues / 2;
    switch (phase.queues) {
    case AstraPhase::Queues::All:
        return first + turn % m_queues;
    case AstraPhase::Queues::FirstHalf:
        return first + turn % half;
    case AstraPhase::Queues::SecondHalf:
        break;
    }
    return first + half + turn % (m_queues - half);
}

void AstraCollectives::enqueue(std::size_t queue, std::uint32_t instance, std::uint32_t at)
{
    RankQueue& waiting = m_rankQueues[queue];
    if (waiting.tailInstance == kNone) {
        waiting.headInstance = instance;
        waiting.headRecord = at;
    } else {
        Record& last = m_instances[waiting.tailInstance]->records[waiting.tailRecord];
        last.nextInstance = instance;
        last.nextRecord = at;
    }
    waiting.tailInstance = instance;
    waiting.tailRecord = at;
}

void AstraCollectives::startNext(std::size_t queue)
{
    RankQueue& waiting = m_rankQueues[queue];
    while (waiting.running < m_running && waiting.headInstance != kNone) {
        const std::uint32_t number = waiting.headInstance;
        const std::uint32_t at = waiting.headRecord;
        Record& record = m_instances[number]->records[at];
        waiting.headInstance = record.nextInstance;
        waiting.headRecord = record.nextRecord;
        if (waiting.headInstance == kNone)
            waiting.tailInstance = kNone;
        record.nextInstance = kNone;
        ++waiting.running;
        const AstraPhase& phase = m_instances[number]->plan->phases[static_cast<std::size_t>(record.phase)];
        record.backwards = phase.queues == AstraPhase::Queues::SecondHalf
            || (phase.queues == AstraPhase::Queues::All && m_queues > 1 && queue % m_queues >= m_queues / 2);
        startPhase(number, at);
    }
}

void AstraCollectives::endPhase(std::uint32_t number, std::uint32_t at)
{
    Instance& instance = *m_instances[number];
    Record& record = instance.records[at];
    const AstraPlan& plan = *instance.plan;
    const std::int32_t rank = instance.rankOf(record.position);
    const std::size_t old = queueIndex(instance, record, plan.phases[static_cast<std::size_t>(record.phase)], rank);
    record.running = false;
    ++record.phase;
    if (static_cast<std::size_t>(record.phase) == plan.phases.size()) {
        // The chunk keeps its place until the rank has been told: chunks of a collective issued now start in the other queues first.
        if (--instance.chunksLeft[static_cast<std::size_t>(record.position)] == 0)
            memberDone(number, record.position);
        --m_rankQueues[old].running;
        startNext(old);
        return;
    }
    --m_rankQueues[old].running;
    const std::size_t next = queueIndex(instance, record, plan.phases[static_cast<std::size_t>(record.phase)], rank);
    enqueue(next, number, at);
    startNext(old);
    if (next != old)
        startNext(next);
}

void AstraCollectives::memberDone(std::uint32_t number, std::int32_t position)
{
    Instance& instance = *m_instances[number];
    const std::int32_t rank = instance.rankOf(position);
    const TaskIndex task = instance.tasks[static_cast<std::size_t>(position)];
    if (m_endsWhenLeft && instance.leftNs[static_cast<std::size_t>(position)] > m_queue.now()) {
        m_queue.scheduleOn(rank, instance.leftNs[static_cast<std::size_t>(position)] - m_queue.now(), AstraEvent::MemberLeft, number, static_cast<std::uint32_t>(position));
        return;
    }
    if (--instance.membersLeft == 0)
        retire(number);
    m_owner.collectiveEnded(rank, task);
}

} // namespace fabricscope
