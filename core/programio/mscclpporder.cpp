#include "core/programio/mscclpplowering.h"

#include <algorithm>

namespace fabricscope {

/// Rows that are over where the thread block stands now.
std::vector<std::uint32_t> MscclppLowering::endsOf(const Lane& lane) const
{
    std::vector<std::uint32_t> ends = lane.follow;
    if (lane.last != kNone)
        ends.push_back(lane.last);
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    return ends;
}

/// Have those packets come that operations of this rank write? `needs`: the rows that bring all of them.
bool MscclppLowering::packetsAreThere(const PlanOp& op, std::vector<std::uint32_t>& needs)
{
    const std::vector<std::uint32_t>& writers = m_packetWriters[static_cast<std::size_t>(m_rank)];
    bool there = look(static_cast<std::int64_t>(op.sources.size()) * op.sources[0].size);
    for (std::size_t i = op.verb == PlanVerb::Reduce ? 1 : 0; i < op.sources.size(); ++i) {
        for (std::int32_t chunk = op.sources[i].index; chunk < op.sources[i].index + op.sources[i].size; ++chunk) {
            const std::uint32_t writer = writers.empty() ? kNone : writers[static_cast<std::size_t>(chunk)];
            if (writer == kNone) {
                for (std::uint32_t block = 0; block < m_lanes.size(); ++block) {
                    const std::vector<PlanOp>& ops = gpu(m_rank).blocks[block].ops;
                    if (m_lanes[block].next < ops.size() && &ops[m_lanes[block].next] == &op)
                        refuse(ErrorCode::InvalidInput, m_rank, block, op, "nobody writes the packets this waits for, to chunk " + std::to_string(chunk) + " of the scratch memory");
                }
                return false;
            }
            there = there && writer != kLater;
            if (needs.empty() || needs.back() != writer)
                needs.push_back(writer);
        }
    }
    return there;
}

/// One thread block that releases and one that acquires: first come, first served.
bool MscclppLowering::mayAcquire(std::uint32_t lane, const PlanOp& op)
{
    for (const std::int32_t id : op.semaphores) {
        Semaphore& semaphore = m_semaphores[static_cast<std::size_t>(id)];
        const bool plain = semaphore.releasing.size() <= 1 && semaphore.acquiring.size() <= 1;
        if (!plain || semaphore.free + static_cast<std::int64_t>(semaphore.tokens.size()) < std::count(op.semaphores.begin(), op.semaphores.end(), id)) {
            for (const std::int32_t other : op.semaphores)
                m_semaphores[static_cast<std::size_t>(other)].waiting.insert(lane);
            return false;
        }
    }
    return true;
}

/// Takes what is free of the semaphores, then the oldest releases: what comes next follows what was before them. \pre there is enough.
void MscclppLowering::acquire(std::uint32_t number, const PlanOp& op)
{
    Lane& lane = m_lanes[number];
    for (const std::int32_t id : op.semaphores) {
        Semaphore& semaphore = m_semaphores[static_cast<std::size_t>(id)];
        semaphore.waiting.erase(number);
        if (semaphore.free > 0) {
            --semaphore.free;
            continue;
        }
        lane.follow.insert(lane.follow.end(), semaphore.tokens.front().begin(), semaphore.tokens.front().end());
        m_steps.push_back({Step::Kind::Acquire, number, semaphore.releases.front()});
        semaphore.tokens.pop_front();
        semaphore.releases.pop_front();
    }
}

/// Nothing else moves. Several thread blocks release a semaphore that one acquires: all of them have been waited for when it takes all there is.
/// Several acquire it: all the same where what was released all follows the same.
bool MscclppLowering::takeDoubtful()
{
    const auto has = [this](std::int32_t id) { return m_semaphores[static_cast<std::size_t>(id)].free + static_cast<std::int64_t>(m_semaphores[static_cast<std::size_t>(id)].tokens.size()); };
    for (std::uint32_t lane = 0; lane < m_lanes.size(); ++lane) {
        const std::vector<PlanOp>& ops = gpu(m_rank).blocks[lane].ops;
        Lane& at = m_lanes[lane];
        if (at.next >= ops.size() || ops[at.next].verb != PlanVerb::Acquire)
            continue;
        // What it acquires without doing anything between.
        std::uint32_t end = at.next;
        std::map<std::int32_t, std::int64_t> wanted;
        while (end < ops.size() && ops[end].verb == PlanVerb::Acquire) {
            for (const std::int32_t id : ops[end].semaphores)
                ++wanted[id];
            ++end;
        }
        const bool there = std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) { return has(entry.first) >= entry.second; });
        if (!there)
            continue;
        for (const auto& [id, count] : wanted) {
            Semaphore& semaphore = m_semaphores[static_cast<std::size_t>(id)];
            const bool plain = semaphore.releasing.size() <= 1 && semaphore.acquiring.size() <= 1;
            const bool takesAll = semaphore.acquiring.size() == 1 && has(id) == count;
            const bool same = semaphore.free == 0
                && std::all_of(semaphore.tokens.begin(), semaphore.tokens.end(), [&](const auto& token) { return token == semaphore.tokens.front(); });
            if (!plain && !takesAll && !same) {
                refuse(ErrorCode::Unsupported, m_rank, lane, ops[at.next],
                       "several thread blocks use semaphore " + std::to_string(id) + ", and it is not known which release is acquired here", "one thread block that releases and one that acquires");
                return false;
            }
        }
        for (; at.next < end; ++at.next)
            acquire(lane, ops[at.next]);
        m_ready.push_back(lane);
        return true;
    }
    return false;
}

void MscclppLowering::openBarrier(std::int32_t barrier, std::vector<std::uint32_t> members)
{
    m_atBarrier.erase(barrier);
    std::vector<std::uint32_t> ends;
    for (const std::uint32_t member : members) {
        const std::vector<std::uint32_t> own = endsOf(m_lanes[member]);
        ends.insert(ends.end(), own.begin(), own.end());
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    m_dependencies += ends.size() * members.size();
    if (m_dependencies > m_mostDependencies) {
        const Lane& first = m_lanes[members.front()];
        return refuse(ErrorCode::Unsupported, m_rank, members.front(), gpu(m_rank).blocks[members.front()].ops[first.next],
                      "the barriers of the plan make more than " + std::to_string(m_mostDependencies) + " dependencies", "barriers of fewer thread blocks");
    }
    for (const std::uint32_t member : members) {
        Lane& lane = m_lanes[member];
        lane.follow.clear();
        std::copy_if(ends.begin(), ends.end(), std::back_inserter(lane.follow), [&](std::uint32_t end) { return end != lane.last; });
        lane.entered = false;
        ++lane.next;
        m_ready.push_back(member);
    }
    m_steps.push_back({Step::Kind::Barrier, members.front(), static_cast<std::uint32_t>(m_meetings.size())});
    m_meetings.push_back(std::move(members));
}

/// Does the next operation of a thread block; false: it waits.
bool MscclppLowering::step(std::uint32_t number)
{
    Lane& lane = m_lanes[number];
    const PlanOp& op = gpu(m_rank).blocks[number].ops[lane.next];
    if (op.verb == PlanVerb::Barrier) {
        if (lane.entered)
            return false;
        lane.entered = true;
        std::vector<std::uint32_t>& members = m_atBarrier[op.barrier];
        members.push_back(number);
        if (static_cast<std::int32_t>(members.size()) >= op.members)
            openBarrier(op.barrier, members);
        return false; // Those who met are ready again.
    }
    if (op.verb == PlanVerb::Release) {
        for (const std::int32_t id : op.semaphores) {
            Semaphore& semaphore = m_semaphores[static_cast<std::size_t>(id)];
            semaphore.tokens.push_back(endsOf(lane));
            semaphore.releases.push_back(m_releaseCount);
            m_steps.push_back({Step::Kind::Release, number, m_releaseCount++});
            look(static_cast<std::int64_t>(semaphore.waiting.size()));
            m_ready.insert(m_ready.end(), semaphore.waiting.begin(), semaphore.waiting.end());
            semaphore.waiting.clear();
        }
    } else if (op.verb == PlanVerb::Acquire) {
        if (!mayAcquire(number, op))
            return false;
        acquire(number, op);
    } else {
        if (op.takesPackets) {
            std::vector<std::uint32_t> needs;
            if (!packetsAreThere(op, needs)) {
                m_forPackets.insert(number);
                return false;
            }
            lane.follow.insert(lane.follow.end(), needs.begin(), needs.end());
        }
        doOp(number, op);
        if (op.givesPackets || op.keepsPackets) {
            m_ready.insert(m_ready.end(), m_forPackets.begin(), m_forPackets.end());
            m_forPackets.clear();
        }
    }
    ++lane.next;
    return good();
}

void MscclppLowering::sayStuck()
{
    for (std::uint32_t block = 0; block < m_lanes.size() && good(); ++block) {
        const std::vector<PlanOp>& ops = gpu(m_rank).blocks[block].ops;
        if (m_lanes[block].next >= ops.size())
            continue;
        const PlanOp& op = ops[m_lanes[block].next];
        const std::string what = op.verb == PlanVerb::Barrier ? "not all thread blocks come to this barrier: it is for " + std::to_string(op.members) + ", and "
                + std::to_string(m_atBarrier[op.barrier].size()) + (m_atBarrier[op.barrier].size() == 1 ? " stands" : " stand") + " there"
            : op.verb == PlanVerb::Acquire ? std::string("the thread block waits for ever for a semaphore that nobody releases any more")
                                           : std::string("the thread block waits for ever for packets that its own rank writes behind it");
        refuse(ErrorCode::InvalidInput, m_rank, block, op, what);
    }
}

void MscclppLowering::followRank(std::int32_t rank)
{
    m_rank = rank;
    const PlanGpu& own = gpu(rank);
    m_lanes.assign(own.blocks.size(), {});
    m_semaphores.assign(own.semaphores.size(), {});
    for (std::size_t i = 0; i < own.semaphores.size(); ++i)
        m_semaphores[i].free = own.semaphores[i];
    m_atBarrier.clear();
    m_forPackets.clear();
    m_ready.clear();
    m_steps.clear();
    m_meetings.clear();
    m_releaseCount = 0;
    for (std::uint32_t block = 0; block < own.blocks.size(); ++block) {
        for (const PlanOp& op : own.blocks[block].ops) {
            checkStop(m_stop);
            for (const std::int32_t id : op.semaphores)
                (op.verb == PlanVerb::Acquire ? m_semaphores[static_cast<std::size_t>(id)].acquiring : m_semaphores[static_cast<std::size_t>(id)].releasing).insert(block);
        }
        m_ready.push_back(block);
    }
    do {
        while (!m_ready.empty() && good()) {
            const std::uint32_t lane = m_ready.front();
            m_ready.pop_front();
            while (good() && m_lanes[lane].next < own.blocks[lane].ops.size() && step(lane)) {
            }
        }
    } while (good() && takeDoubtful());
    if (!good())
        return;
    sayStuck();
    if (good())
        findSignals(rank, m_steps);
}

} // namespace fabricscope
