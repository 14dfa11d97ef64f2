#include "core/verify/carriedbytes.h"

#include "core/base/stop.h"
#include "core/verify/memorylayout.h"
#include "core/verify/operationchecks.h"
#include "core/verify/schedule.h"

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

/// Number of a chunk of the large side.
using Carried = std::int32_t;
constexpr Carried kUnknown = -1;

bool hasShares(CollectiveOp op)
{
    return op == CollectiveOp::AllGather || op == CollectiveOp::Gather || op == CollectiveOp::ReduceScatter || op == CollectiveOp::Scatter;
}

/// Chunk of the large side that belongs at a place of a user's buffer, where input and output agree on it; kUnknown: scratch, or they do not.
Carried belongsAt(const Program& program, std::int32_t rank, BufferKind buffer, std::int32_t offset)
{
    if (program.op == CollectiveOp::AllToAll || program.op == CollectiveOp::Custom || (buffer != BufferKind::Input && buffer != BufferKind::Output))
        return kUnknown;
    const bool gathers = program.op == CollectiveOp::AllGather || program.op == CollectiveOp::Gather;
    const bool share = hasShares(program.op) && (buffer == BufferKind::Input) == gathers;
    return (share ? rank * (program.chunks / program.ranks) : 0) + offset;
}

/// Do all operations name, as the chunks that give their size, those that belong where they read and write? Then nothing else ever lies there.
bool isPositional(const Program& program, const Lanes& lanes, const Connections& connections, const std::stop_token& stop)
{
    const ExplicitBody& body = program.asExplicit();
    for (OpIndex op = 0; op < body.size(); ++op) {
        checkStop(stop);
        const OpKind kind = body.kind[op];
        if (kind == OpKind::Compute || kind == OpKind::Signal || kind == OpKind::Wait)
            continue;
        const std::int32_t rank = lanes.rankOf(op);
        const auto fits = [&](BufferKind buffer, std::int32_t offset, std::int32_t at) {
            return !isMemory(buffer) || belongsAt(program, at, buffer, offset) == body.chunk[op];
        };
        if (body.chunk[op] < 0 || body.bytesOf(op) >= 0 || kind >= OpKind::Put || !fits(body.sourceBuffer[op], body.sourceOffset[op], rank)
            || (kind != OpKind::Send && !fits(body.targetBuffer[op], body.targetOffset[op], rank)))
            return false;
        const auto alike = [&](OpIndex other) { return other == kNoOp || (body.chunk[other] == body.chunk[op] && body.count[other] == body.count[op]); };
        if (!alike(receives(kind) ? connections.senderOf(op) : kNoOp) || !alike(body.sourceBuffer[op] == BufferKind::Fused && op > 0 ? op - 1 : kNoOp))
            return false;
    }
    return true;
}

bool dependsOnWhatExists(const ExplicitBody& body)
{
    return std::all_of(body.depends.begin(), body.depends.end(), [&](std::uint32_t op) { return op < body.size(); });
}

/// Executes a program with the numbers of chunks.
class CarriedRun {
public:
    CarriedRun(const Program& program, const Lanes& lanes, const Connections& connections, const OperationBytes& sizes,
               const std::stop_token& stop)
        : m_program(program)
        , m_body(program.asExplicit())
        , m_lanes(lanes)
        , m_connections(connections)
        , m_sizes(sizes)
        , m_stop(stop)
        , m_layout(program, program.inPlace && !program.outOfPlace)
        , m_memory(m_layout.cells(), kUnknown)
        , m_mail(connections.messages())
        , m_bytes(m_body.size(), -1)
    {
        for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
            const std::int32_t inputs = MemoryLayout::sizesOf(program, rank).input;
            for (std::int32_t index = 0; index < inputs; ++index) {
                checkStop(stop);
                if (program.op == CollectiveOp::Custom || definedAtStart(program.op, program.ranks, program.chunks, rank, index, program.root))
                    m_memory[m_layout.at(rank, BufferKind::Input, index)] = inputAt(rank, index, inputs);
            }
        }
    }

    std::vector<std::int64_t> run(const std::vector<OpIndex>& groups)
    {
        for (const OpIndex group : groups) {
            m_made.clear();
            const OpIndex end = groupEnd(m_body, group);
            for (OpIndex op = group; op < end; ++op) {
                checkStop(m_stop);
                execute(op);
            }
        }
        return std::move(m_bytes);
    }

private:
    Carried inputAt(std::int32_t rank, std::int32_t index, std::int32_t inputs) const
    {
        if (m_program.op == CollectiveOp::AllToAll)
            return index;
        if (m_program.op == CollectiveOp::Custom)
            return inputs == m_program.chunks ? index : kUnknown;
        return belongsAt(m_program, rank, BufferKind::Input, index);
    }

    std::vector<Carried> read(OpIndex op, std::int32_t rank) const
    {
        if (m_body.sourceBuffer[op] == BufferKind::Fused)
            return m_made;
        return chunksAt(rank, m_body.sourceBuffer[op], m_body.sourceOffset[op], m_body.count[op]);
    }

    std::vector<Carried> chunksAt(std::int32_t rank, BufferKind buffer, std::int32_t offset, std::int32_t count) const
    {
        std::vector<Carried> chunks(static_cast<std::size_t>(count), kUnknown);
        for (std::int32_t i = 0; isMemory(buffer) && i < count; ++i)
            chunks[static_cast<std::size_t>(i)] = m_memory[m_layout.at(rank, buffer, offset + i)];
        return chunks;
    }

    void write(OpIndex op, std::int32_t rank)
    {
        m_made.resize(static_cast<std::size_t>(m_body.count[op]), kUnknown);
        for (std::int32_t i = 0; isMemory(m_body.targetBuffer[op]) && i < m_body.count[op]; ++i)
            m_memory[m_layout.at(rank, m_body.targetBuffer[op], m_body.targetOffset[op] + i)] = m_made[static_cast<std::size_t>(i)];
    }

    /// A sum of equal chunks is such a chunk; nobody knows how large another is.
    static void add(std::vector<Carried>& sum, const std::vector<Carried>& other)
    {
        for (std::size_t i = 0; i < sum.size(); ++i) {
            if (i >= other.size() || sum[i] != other[i])
                sum[i] = kUnknown;
        }
    }

    void note(OpIndex op, const std::vector<Carried>& chunks)
    {
        std::int64_t sum = 0;
        for (const Carried chunk : chunks) {
            checkStop(m_stop);
            if (chunk < 0)
                return;
            sum += m_sizes.ofChunks(chunk, 1);
        }
        m_bytes[op] = sum;
    }

    void execute(OpIndex op)
    {
        const std::int32_t rank = m_lanes.rankOf(op);
        switch (m_body.kind[op]) {
        case OpKind::Compute:
        case OpKind::Signal:
        case OpKind::Wait:
            return;
        case OpKind::Send: {
            std::vector<Carried> chunks = read(op, rank);
            note(op, chunks);
            if (m_connections.isPaired(op))
                m_mail[m_connections.messageOf(op)] = std::move(chunks);
            return;
        }
        case OpKind::Receive:
        case OpKind::ReceiveReduce: {
            std::vector<Carried> came;
            if (m_connections.isPaired(op))
                came = std::exchange(m_mail[m_connections.messageOf(op)], {});
            came.resize(static_cast<std::size_t>(m_body.count[op]), kUnknown);
            note(op, came);
            if (m_body.kind[op] == OpKind::ReceiveReduce)
                add(came, read(op, rank));
            m_made = std::move(came);
            write(op, rank);
            return;
        }
        case OpKind::Reduce:
            m_made = chunksAt(rank, m_body.targetBuffer[op], m_body.targetOffset[op], m_body.count[op]);
            note(op, m_made);
            add(m_made, read(op, rank));
            write(op, rank);
            return;
        case OpKind::Copy:
        case OpKind::SwitchReduce:
            m_made = read(op, rank);
            note(op, m_made);
            write(op, rank);
            return;
        case OpKind::Put:
            m_made = read(op, rank);
            note(op, m_made);
            write(op, m_body.peer[op]);
            return;
        case OpKind::SwitchMulticast:
            m_made = read(op, rank);
            note(op, m_made);
            for (const std::int32_t member : m_body.teams[static_cast<std::size_t>(m_body.peer[op])])
                write(op, member);
            return;
        }
    }

    const Program& m_program;
    const ExplicitBody& m_body;
    const Lanes& m_lanes;
    const Connections& m_connections;
    const OperationBytes& m_sizes;
    const std::stop_token& m_stop;
    MemoryLayout m_layout;
    std::vector<Carried> m_memory;            ///< By cell.
    std::vector<std::vector<Carried>> m_mail; ///< By message, while it travels.
    std::vector<Carried> m_made;              ///< By the operation before in its fused group.
    std::vector<std::int64_t> m_bytes;        ///< By operation; -1: not known.
};

/// What the operations carry, where that can be followed; else empty. Throws StopRequested.
std::vector<std::int64_t> followed(const Program& program, const OperationBytes& stated, const std::stop_token& stop)
{
    const ExplicitBody& body = program.asExplicit();
    VerifyFindings findings(program, 1);
    if (!checkShape(program, findings, stop) || !dependsOnWhatExists(body) || MemoryLayout::cellsOf(program) > MemoryLayout::kMostCells)
        return {};
    const std::vector<bool> usable = checkOperations(program, findings, stop);
    if (usable.size() != body.size() || std::find(usable.begin(), usable.end(), false) != usable.end())
        return {};
    const Lanes lanes(body, stop);
    const Connections connections(body, lanes, stop);
    if (isPositional(program, lanes, connections, stop))
        return {};
    const Schedule schedule = makeSchedule(body, lanes, connections, {}, stop, {});
    if (!schedule.complete)
        return {};
    return CarriedRun(program, lanes, connections, stated, stop).run(schedule.order);
}

} // namespace

OperationBytes carriedBytes(const Program& program, std::int64_t bytes, const std::stop_token& stop)
{
    OperationBytes stated(program, bytes);
    if (!program.asExplicit().hasPlaces() || stated.chunksAreEqual())
        return stated;
    try {
        stated.setCarried(followed(program, stated, stop));
    } catch (const StopRequested&) { // As stated, then.
    }
    return stated;
}

} // namespace fabricscope
