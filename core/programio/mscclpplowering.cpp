#include "core/programio/mscclpplowering.h"

#include "core/base/index.h"
#include "core/programio/programcheck.h"

#include <algorithm>

namespace fabricscope {

MscclppLowering::MscclppLowering(const MscclppPlan& plan, const std::stop_token& stop)
    : m_plan(plan)
    , m_stop(stop)
    , m_ranks(static_cast<std::int32_t>(plan.gpus.size()))
    , m_rows(plan.gpus.size())
    , m_served(plan.gpus.size())
    , m_packetWriters(plan.gpus.size())
    , m_freeLane(plan.gpus.size(), 0)
{
    for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
        checkStop(m_stop);
        for (const MscclppBlock& block : gpu(rank).blocks) {
            m_freeLane[at(rank)] = std::max(m_freeLane[at(rank)], block.id + 1);
            m_mostDependencies += 128 * block.ops.size();
            for (const PlanOp& op : block.ops) {
                for (const PlanChannel& channel : op.channels)
                    m_firstFree = std::max(m_firstFree, 2 * channel.number + 2);
            }
        }
    }
}

void MscclppLowering::refuse(ErrorCode code, std::int32_t rank, std::uint32_t block, const PlanOp& op, std::string what, std::string expected)
{
    if (m_error)
        return;
    Place place;
    place.file = m_plan.file;
    place.field = MscclppPlan::path(static_cast<std::size_t>(rank), block, op);
    m_error = Error{code, std::move(what), std::move(place), std::move(expected)};
}

bool MscclppLowering::look(std::int64_t count)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 28;
    m_looks += count;
    if (m_looks > kMost && !m_error) {
        Place place;
        place.file = m_plan.file;
        m_error = Error{ErrorCode::Unsupported, "the thread blocks of the plan wait for each other in too many ways to be followed", std::move(place), {}};
    }
    return good();
}

/// The chunk of the large side that gives the size.
std::int32_t MscclppLowering::chunkOf(const PlanPlace& place) const
{
    const CollectiveOp op = m_plan.header.op;
    const bool part = place.buffer == (op == CollectiveOp::AllGather ? BufferKind::Input : BufferKind::Output) && (op == CollectiveOp::AllGather || op == CollectiveOp::ReduceScatter);
    return (part ? place.rank * (m_plan.chunks / m_ranks) + place.index : place.index) % m_plan.chunks;
}

std::uint32_t MscclppLowering::push(std::uint32_t number, ProgramBuilder::Row row)
{
    Lane& lane = m_lanes[number];
    std::vector<Row>& all = rows(m_rank);
    row.rank = m_rank;
    row.lane = gpu(m_rank).blocks[number].id;
    row.step = static_cast<std::int32_t>(lane.next);
    Row out;
    out.row = row;
    out.after = std::move(lane.follow);
    std::sort(out.after.begin(), out.after.end());
    out.after.erase(std::unique(out.after.begin(), out.after.end()), out.after.end());
    std::erase_if(out.after, [&](std::uint32_t earlier) { return all[earlier].row.lane == row.lane; });
    out.block = number;
    out.op = lane.next;
    lane.follow.clear();
    lane.last = static_cast<std::uint32_t>(all.size());
    all.push_back(std::move(out));
    m_steps.push_back({Step::Kind::Row, number, lane.last});
    return lane.last;
}

/// A row from one place to another. `sized`: the place whose chunk gives the size.
ProgramBuilder::Row MscclppLowering::moved(OpKind kind, std::int32_t peer, const PlanPlace& sized, const PlanPlace& source, const PlanPlace& target) const
{
    ProgramBuilder::Row row;
    row.kind = kind;
    row.peer = peer;
    row.count = target.size;
    row.chunk = chunkOf(sized);
    row.sourceBuffer = source.buffer;
    row.sourceOffset = source.index;
    row.targetBuffer = target.buffer;
    row.targetOffset = target.index;
    return row;
}

void MscclppLowering::addLocal(std::uint32_t lane, OpKind kind, const PlanPlace& source, const PlanPlace& target)
{
    push(lane, moved(kind, -1, target, source, target));
}

void MscclppLowering::addMessage(std::uint32_t lane, OpKind kind, const PlanChannel& channel)
{
    std::vector<std::int32_t> peers{channel.peer};
    std::int32_t team = -1;
    if (channel.kind == PlanChannelKind::Switch) { // All arrive, and each waits for all.
        team = channel.peer;
        peers = m_plan.teams[at(team)];
        std::erase(peers, m_rank);
    }
    for (const std::int32_t peer : peers) {
        ProgramBuilder::Row row;
        row.kind = kind;
        row.peer = peer;
        row.count = 0;
        const std::uint32_t made = push(lane, row);
        rows(m_rank)[made].tells = kind == OpKind::Signal;
        rows(m_rank)[made].port = channel.kind == PlanChannelKind::Port ? channel.number : -1;
        if (kind == OpKind::Signal)
            m_streams[{m_rank, peer, channel.kind, team, channel.number}].signals.push_back(made);
        else
            m_streams[{peer, m_rank, channel.kind, team, channel.number}].waits.push_back(made);
    }
}

void MscclppLowering::addPut(std::uint32_t lane, const PlanPlace& source, const PlanPlace& target, const PlanChannel* channel, bool packets)
{
    ProgramBuilder::Row row;
    row.kind = packets ? OpKind::Send : OpKind::Put;
    row.peer = target.rank;
    row.count = target.size;
    row.chunk = packets ? target.index % m_plan.chunks : chunkOf(source);
    row.sourceBuffer = source.buffer;
    row.sourceOffset = source.index;
    if (packets) {
        row.connection = linkOf(m_rank, lane, target.rank, false);
        push(lane, row);
        return;
    }
    row.targetBuffer = target.buffer;
    row.targetOffset = target.index;
    const bool port = channel && channel->kind == PlanChannelKind::Port;
    row.connection = channel ? 2 * channel->number + (port ? 1 : 0) : 0;
    push(lane, row);
    rows(m_rank).back().seeks = true;
    rows(m_rank).back().port = port ? channel->number : -1;
}

/// Asks the owners of `sources` for them.
void MscclppLowering::addRead(std::uint32_t lane, const std::vector<PlanPlace>& sources)
{
    for (const PlanPlace& source : sources) {
        if (source.where != PlanPlace::Where::Remote)
            continue;
        const std::int32_t link = linkOf(m_rank, lane, source.rank, true);
        ProgramBuilder::Row row;
        row.kind = OpKind::Signal;
        row.peer = source.rank;
        row.connection = link;
        row.count = 0;
        push(lane, row);
        Row served;
        served.row.rank = source.rank;
        served.row.kind = OpKind::Wait;
        served.row.peer = m_rank;
        served.row.connection = link;
        served.row.lane = extraLane(source.rank, m_rank, lane, true);
        served.row.count = 0;
        served.row.step = static_cast<std::int32_t>(m_lanes[lane].next);
        m_served[at(source.rank)].push_back(served);
        served.row.kind = OpKind::Send;
        served.row.count = source.size;
        served.row.chunk = chunkOf(source);
        served.row.sourceBuffer = source.buffer;
        served.row.sourceOffset = source.index;
        m_served[at(source.rank)].push_back(served);
    }
}

/// Takes what was asked for: into `target`, or with `with` their sum.
void MscclppLowering::addReceive(std::uint32_t lane, const PlanPlace& source, const PlanPlace* with, const PlanPlace& target)
{
    ProgramBuilder::Row row;
    row.kind = with ? OpKind::ReceiveReduce : OpKind::Receive;
    row.peer = source.rank;
    row.connection = linkOf(m_rank, lane, source.rank, true);
    row.count = target.size;
    row.chunk = chunkOf(source);
    if (with) {
        row.sourceBuffer = with->buffer;
        row.sourceOffset = with->index;
    }
    row.targetBuffer = target.buffer;
    row.targetOffset = target.index;
    push(lane, row);
}

/// target := sum of the sources; then on to the other targets.
void MscclppLowering::addReduce(std::uint32_t lane, const PlanOp& op)
{
    const PlanPlace& target = op.targets[0];
    addRead(lane, op.sources);
    // What is at the target already goes into the sum where it is; else the first source does, on the way.
    auto first = std::find(op.sources.begin(), op.sources.end(), target);
    if (first == op.sources.end())
        first = op.sources.begin();
    const PlanPlace* sum = &*first;
    for (auto source = op.sources.begin(); source != op.sources.end(); ++source) {
        if (source == first)
            continue;
        if (source->where == PlanPlace::Where::Remote) {
            addReceive(lane, *source, sum, target);
        } else {
            if (*sum != target)
                addLocal(lane, OpKind::Copy, *sum, target);
            addLocal(lane, OpKind::Reduce, *source, target);
        }
        sum = &target;
    }
    if (*sum != target)
        addLocal(lane, OpKind::Copy, *sum, target);
    if (op.keepsPackets)
        addLocal(lane, OpKind::Copy, target, op.targets[1]);
    for (std::size_t i = op.keepsPackets ? 2 : 1; i < op.targets.size(); ++i)
        addPut(lane, target, op.targets[i], nullptr, op.givesPackets);
}

void MscclppLowering::addSwitch(std::uint32_t lane, OpKind kind, const PlanPlace& source, const PlanPlace& target)
{
    push(lane, moved(kind, kind == OpKind::SwitchReduce ? source.team : target.team, source, source, target));
}

/// Packets that a switch stores: the members know of them at once.
void MscclppLowering::addTold(std::uint32_t lane, const PlanPlace& target)
{
    const std::uint32_t store = m_lanes[lane].last;
    for (const std::int32_t member : m_plan.teams[at(target.team)]) {
        if (member == m_rank)
            continue;
        ProgramBuilder::Row row;
        row.kind = OpKind::Signal;
        row.peer = member;
        row.connection = linkOf(m_rank, lane, member, false);
        row.count = 0;
        const std::uint32_t signal = push(lane, row);
        rows(m_rank)[store].told.push_back(signal);
    }
}

void MscclppLowering::doOp(std::uint32_t lane, const PlanOp& op)
{
    const auto sourceOf = [&](std::size_t i) -> const PlanPlace& { return op.sources[op.sources.size() == 1 ? 0 : i]; };
    switch (op.verb) {
    case PlanVerb::Put:
        for (std::size_t i = 0; i < op.targets.size(); ++i)
            addPut(lane, sourceOf(i), op.targets[i], op.channels.empty() ? nullptr : &op.channels[i], op.givesPackets);
        for (std::size_t i = 0; op.signals && i < op.channels.size(); ++i)
            addMessage(lane, OpKind::Signal, op.channels[i]);
        break;
    case PlanVerb::Get:
        addRead(lane, op.sources);
        for (std::size_t i = 0; i < op.targets.size(); ++i)
            addReceive(lane, op.sources[i], nullptr, op.targets[i]);
        break;
    case PlanVerb::Copy:
        for (std::size_t i = 0; i < op.targets.size(); ++i)
            addLocal(lane, OpKind::Copy, op.sources[i], op.targets[i]);
        break;
    case PlanVerb::Reduce:
        addReduce(lane, op);
        break;
    case PlanVerb::SwitchReduce:
        for (std::size_t i = 0; i < op.targets.size(); ++i)
            addSwitch(lane, OpKind::SwitchReduce, op.sources[i], op.targets[i]);
        break;
    case PlanVerb::SwitchStore:
        for (std::size_t i = 0; i < op.targets.size(); ++i) {
            addSwitch(lane, OpKind::SwitchMulticast, op.sources[i], op.targets[i]);
            if (op.givesPackets)
                addTold(lane, op.targets[i]);
        }
        break;
    case PlanVerb::SwitchBoth: // The sum comes to the one that asks, which stores it through the switch.
        for (std::size_t i = 0; i < op.targets.size(); ++i) {
            addSwitch(lane, OpKind::SwitchReduce, op.sources[i], op.targets[i]);
            addSwitch(lane, OpKind::SwitchMulticast, op.targets[i], op.targets[i]);
        }
        break;
    case PlanVerb::Signal:
    case PlanVerb::Wait:
        for (const PlanChannel& channel : op.channels)
            addMessage(lane, op.verb == PlanVerb::Signal ? OpKind::Signal : OpKind::Wait, channel);
        break;
    case PlanVerb::Barrier:
    case PlanVerb::Acquire:
    case PlanVerb::Release:
        break;
    }
    // Packets of this rank for itself are there behind its last row.
    std::vector<std::uint32_t>& writers = m_packetWriters[at(m_rank)];
    const auto mark = [&](const PlanPlace& place) {
        look(place.size);
        for (std::int32_t chunk = place.index; chunk < place.index + place.size; ++chunk) {
            const auto again = m_writtenAgain.find({m_rank, chunk});
            if (again == m_writtenAgain.end() || again->second-- == 0)
                writers[at(chunk)] = m_lanes[lane].last;
        }
    };
    if (op.keepsPackets)
        mark(op.targets[1]);
    if (op.givesPackets && op.verb == PlanVerb::Copy)
        std::for_each(op.targets.begin(), op.targets.end(), mark);
    if (op.givesPackets && op.verb == PlanVerb::SwitchStore)
        std::for_each(op.targets.begin(), op.targets.end(), mark);
}

Result<ProgramPtr> MscclppLowering::run()
{
    announcePackets();
    for (std::int32_t rank = 0; rank < m_ranks && good(); ++rank)
        followRank(rank);
    if (good())
        joinStreams();
    if (!good())
        return *m_error;

    ProgramBuilder builder(m_plan.header.op, m_ranks, m_plan.chunks);
    builder.heed(m_stop);
    Program& header = builder.header();
    header.protocol = m_plan.header.protocol;
    header.inPlace = m_plan.header.inPlace;
    header.outOfPlace = m_plan.header.outOfPlace;
    header.minBytes = m_plan.header.minBytes;
    header.maxBytes = m_plan.header.maxBytes;
    header.conditions = m_plan.header.conditions;
    builder.extras().teams = m_plan.teams;
    for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
        builder.extras().buffers[at(rank)] = gpu(rank).sizes;
        const auto begin = static_cast<ProgramBuilder::Op>(builder.size());
        for (const Row& row : rows(rank)) {
            const ProgramBuilder::Op made = builder.add(row.row);
            for (const std::uint32_t earlier : row.after)
                builder.depend(made, begin + earlier);
        }
        for (const Row& row : m_served[at(rank)])
            builder.add(row.row);
    }
    ProgramPtr program = builder.finish(m_plan.header.name, m_plan.file);
    if (Status status = checkExplicitBody(*program, m_stop); !status)
        return std::move(status).error();
    return program;
}

} // namespace fabricscope
