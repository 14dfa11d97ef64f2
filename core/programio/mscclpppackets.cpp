#include "core/base/index.h"
#include "core/programio/mscclpplowering.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostPacketCells = std::int64_t{1} << 26;

} // namespace

/// Number of a connection that only one thread block uses: to send packets to `peer`, or to read the memory of `peer`.
std::int32_t MscclppLowering::linkOf(std::int32_t rank, std::uint32_t block, std::int32_t peer, bool reads)
{
    const auto [found, fresh] = m_links.try_emplace({rank, block, peer, reads}, 0);
    if (fresh)
        found->second = m_firstFree + m_freeConnection[{std::min(rank, peer), std::max(rank, peer)}]++;
    return found->second;
}

/// Lane of `rank` on which it takes the packets of a thread block of `other`, or answers its reads.
std::int32_t MscclppLowering::extraLane(std::int32_t rank, std::int32_t other, std::uint32_t block, bool reads)
{
    const auto [found, fresh] = m_extraLanes.try_emplace({rank, other, block, reads}, 0);
    if (fresh)
        found->second = m_freeLane[at(rank)]++;
    return found->second;
}

/// Makes the list of who writes which packets of a rank, when it is first asked for. False: all of them together would be too large.
bool MscclppLowering::hasRoomForPackets(std::int32_t rank)
{
    std::vector<std::uint32_t>& writers = m_packetWriters[at(rank)];
    if (!writers.empty())
        return true;
    m_packetCells += gpu(rank).sizes.scratch;
    if (m_packetCells > kMostPacketCells)
        return false;
    writers.assign(static_cast<std::size_t>(gpu(rank).sizes.scratch), kNone);
    return true;
}

/// A flag tells of one write only. An operation of the rank itself may write again what its own thread block wrote: a store by a switch comes home too.
void MscclppLowering::markPackets(std::int32_t rank, const PlanPlace& place, std::uint32_t writer, std::int32_t from, std::uint32_t block, std::uint32_t op)
{
    if (!look(place.size))
        return;
    if (!hasRoomForPackets(rank))
        return refuse(ErrorCode::Unsupported, from, block, gpu(from).blocks[block].ops[op], "the ranks have more than " + std::to_string(kMostPacketCells) + " chunks of scratch memory for packets");
    for (std::int32_t i = 0; i < place.size && good(); ++i) {
        std::uint32_t& cell = m_packetWriters[at(rank)][at(place.index + i)];
        if (cell != kNone && !(cell == kLater && writer == kLater)) {
            refuse(ErrorCode::InvalidInput, from, block, gpu(from).blocks[block].ops[op],
                   "a second operation writes packets to chunk " + std::to_string(place.index + i) + " of the scratch memory of rank " + std::to_string(rank) + ", and a reader cannot tell them apart");
        }
        if (cell == kLater)
            ++m_writtenAgain[{rank, place.index + i}];
        cell = writer;
    }
}

/// The other side of packets for `target`: what brings them to its rank.
void MscclppLowering::announce(std::int32_t rank, std::uint32_t block, std::uint32_t op, const PlanPlace& target)
{
    std::vector<std::int32_t> members{target.rank};
    const bool bySwitch = target.where == PlanPlace::Where::Switch;
    if (bySwitch)
        members = m_plan.teams[at(target.team)];
    for (const std::int32_t member : members) {
        if (!good())
            return;
        if (member == rank) {
            markPackets(rank, target, kLater, rank, block, op);
            continue;
        }
        Row row;
        row.row.rank = member;
        row.row.kind = bySwitch ? OpKind::Wait : OpKind::Receive;
        row.row.peer = rank;
        row.row.connection = linkOf(rank, block, member, false);
        row.row.lane = extraLane(member, rank, block, false);
        row.row.count = bySwitch ? 0 : target.size;
        row.row.chunk = bySwitch ? 0 : target.index % m_plan.chunks;
        row.row.step = static_cast<std::int32_t>(op);
        if (!bySwitch) {
            row.row.targetBuffer = target.buffer;
            row.row.targetOffset = target.index;
        }
        markPackets(member, target, static_cast<std::uint32_t>(rows(member).size()), rank, block, op);
        rows(member).push_back(std::move(row));
    }
}

void MscclppLowering::announcePackets()
{
    for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
        const std::vector<MscclppBlock>& blocks = gpu(rank).blocks;
        for (std::uint32_t block = 0; block < blocks.size(); ++block) {
            for (std::uint32_t number = 0; number < blocks[block].ops.size() && good(); ++number) {
                const PlanOp& op = blocks[block].ops[number];
                if (op.keepsPackets)
                    announce(rank, block, number, op.targets[1]);
                const std::size_t own = op.verb == PlanVerb::Reduce ? (op.keepsPackets ? 2 : 1) : 0;
                for (std::size_t i = own; op.givesPackets && i < op.targets.size(); ++i)
                    announce(rank, block, number, op.targets[i]);
            }
        }
    }
}

} // namespace fabricscope
