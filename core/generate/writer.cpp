#include "core/generate/writer.h"

#include "core/generate/families.h"

#include <algorithm>
#include <utility>

namespace fabricscope::generate {

namespace {

bool ownsBlocks(CollectiveOp op)
{
    return op == CollectiveOp::AllGather || op == CollectiveOp::ReduceScatter || op == CollectiveOp::AllToAll || op == CollectiveOp::Gather
        || op == CollectiveOp::Scatter;
}

OpTags tagsOf(const Writer::Where& where)
{
    const auto narrow = [](std::int32_t value) { return static_cast<std::int16_t>(std::min(value, std::int32_t{INT16_MAX})); };
    return {narrow(where.phase), narrow(where.dimension), narrow(where.tree), narrow(where.piece)};
}

constexpr std::int32_t kLocal = 2; // A way besides sending (0) and receiving (1).

} // namespace

Writer::Writer(CollectiveOp op, std::int32_t ranks, std::int32_t pieces, std::int32_t blocks, std::int32_t root)
    : m_builder(op, ranks, pieces * blocks, root)
    , m_ranks(ranks)
    , m_pieces(pieces)
    , m_blocks(blocks)
    , m_owned(ownsBlocks(op))
    , m_laneCount(static_cast<std::size_t>(ranks), 0)
    , m_lanes(static_cast<std::size_t>(ranks))
{
}

std::int32_t Writer::chunk(std::int32_t piece, std::int32_t block) const
{
    if (!m_owned)
        return piece * m_blocks + block;
    const std::int32_t each = m_blocks / m_ranks;
    return (block / each) * each * m_pieces + piece * each + block % each;
}

Writer::Spot Writer::share(BufferKind buffer, std::int32_t piece, std::int32_t index) const
{
    return {buffer, piece * (m_blocks / m_ranks) + index};
}

std::int32_t Writer::lane(std::int32_t rank, std::int32_t peer, std::int32_t connection, std::int32_t way)
{
    if (!lanes)
        return -1;
    const auto at = static_cast<std::size_t>(rank);
    const std::uint64_t key = (static_cast<std::uint64_t>(connection) << 34) | (static_cast<std::uint64_t>(peer) << 2) | static_cast<std::uint64_t>(way);
    const auto [found, isNew] = m_lanes[at].try_emplace(key, m_laneCount[at]);
    if (isNew)
        ++m_laneCount[at];
    return found->second;
}

void Writer::send(std::int32_t from, Spot source, std::int32_t to, Spot target, std::int32_t count, std::int32_t size, const Where& where)
{
    ProgramBuilder::How how;
    how.chunk = size;
    how.connection = where.connection;
    how.sendLane = lane(from, to, where.connection, 0);
    how.receiveLane = lane(to, from, where.connection, 1);
    how.step = where.step;
    how.slot = where.slot;
    how.tags = tagsOf(where);
    m_builder.transfer({from, source.buffer, source.offset}, {to, target.buffer, target.offset}, count, how);
}

void Writer::sendAndReduce(std::int32_t from, Spot source, std::int32_t to, Spot own, Spot target, std::int32_t count, std::int32_t size, const Where& where)
{
    ProgramBuilder::Row row;
    row.rank = from;
    row.kind = OpKind::Send;
    row.peer = to;
    row.connection = where.connection;
    row.lane = lane(from, to, where.connection, 0);
    row.chunk = size;
    row.count = count;
    row.sourceBuffer = source.buffer;
    row.sourceOffset = source.offset;
    row.step = where.step;
    row.slot = where.slot;
    row.tags = tagsOf(where);
    m_builder.add(row);
    row.rank = to;
    row.kind = OpKind::ReceiveReduce;
    row.peer = from;
    row.lane = lane(to, from, where.connection, 1);
    row.sourceBuffer = own.buffer;
    row.sourceOffset = own.offset;
    row.targetBuffer = target.buffer;
    row.targetOffset = target.offset;
    m_builder.add(row);
}

void Writer::copy(std::int32_t rank, Spot source, Spot target, std::int32_t count, std::int32_t size, const Where& where)
{
    ProgramBuilder::How how;
    how.chunk = size;
    how.sendLane = lane(rank, 0, 0, kLocal);
    how.step = where.step;
    how.slot = where.slot;
    how.tags = tagsOf(where);
    m_builder.local({rank, source.buffer, source.offset}, {rank, target.buffer, target.offset}, count, how);
}

template <typename Emit>
void Writer::forRuns(const std::vector<Part>& parts, Emit emit)
{
    for (std::size_t first = 0; first < parts.size();) {
        std::size_t end = first + 1;
        const auto follows = [&](const Spot& a, const Spot& b) { return a.buffer == b.buffer && a.offset + 1 == b.offset; };
        while (end < parts.size() && follows(parts[end - 1].source, parts[end].source) && follows(parts[end - 1].target, parts[end].target))
            ++end;
        emit(parts[first], static_cast<std::int32_t>(end - first));
        first = end;
    }
}

void Writer::send(std::int32_t from, std::int32_t to, const std::vector<Part>& parts, bool reduce, const Where& where)
{
    forRuns(parts, [&](const Part& part, std::int32_t count) {
        if (reduce)
            sendAndReduce(from, part.source, to, part.target, part.target, count, part.size, where);
        else
            send(from, part.source, to, part.target, count, part.size, where);
    });
}

void Writer::copy(std::int32_t rank, const std::vector<Part>& parts, const Where& where)
{
    forRuns(parts, [&](const Part& part, std::int32_t count) { copy(rank, part.source, part.target, count, part.size, where); });
}

ProgramPtr Writer::finish(std::string name, std::string provenance, bool inPlace, bool outOfPlace)
{
    m_builder.header().inPlace = inPlace;
    m_builder.header().outOfPlace = outOfPlace;
    m_builder.inferDependencies();
    return m_builder.finish(std::move(name), std::move(provenance));
}

ProgramPtr Writer::finish(const GenerateRequest& request, bool inPlace, bool outOfPlace)
{
    return finish(nameOf(request), provenanceOf(request), inPlace, outOfPlace);
}

} // namespace fabricscope::generate
