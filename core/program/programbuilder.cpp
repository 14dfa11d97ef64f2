#include "core/program/programbuilder.h"

#include "core/base/stop.h"
#include "core/base/stoppablesort.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace fabricscope {

namespace {

using Op = ProgramBuilder::Op;
using Row = ProgramBuilder::Row;

bool readsSource(OpKind kind)
{
    return kind != OpKind::Receive && kind != OpKind::Compute && kind != OpKind::Signal && kind != OpKind::Wait;
}

bool writesTarget(OpKind kind)
{
    return receives(kind) || kind == OpKind::Copy || kind == OpKind::Reduce || kind == OpKind::SwitchReduce || kind == OpKind::SwitchMulticast;
}

/// Who wrote a chunk of memory last, and who has read it since.
struct Cell {
    Op writer = ProgramBuilder::kNone;
    std::vector<Op> readers;
};

/// Memory of one rank while its operations are gone over in order.
class Memory {
public:
    Memory(const Program& header, std::int32_t rank, bool aliased)
        : m_header(header)
        , m_rank(rank)
        , m_aliased(aliased)
    {
    }

    Cell& at(BufferKind buffer, std::int32_t offset)
    {
        if (m_aliased && buffer == BufferKind::Input) {
            const std::int32_t output = outputOfInput(m_header.op, m_header.ranks, m_header.chunks, m_rank, offset, m_header.root);
            if (output >= 0)
                return cell(BufferKind::Output, output);
        }
        return cell(buffer, offset);
    }

private:
    Cell& cell(BufferKind buffer, std::int32_t offset)
    {
        auto& cells = m_cells[static_cast<std::size_t>(buffer)];
        if (static_cast<std::size_t>(offset) >= cells.size())
            cells.resize(static_cast<std::size_t>(offset) + 1);
        return cells[static_cast<std::size_t>(offset)];
    }

    const Program& m_header;
    std::int32_t m_rank;
    bool m_aliased;
    std::array<std::vector<Cell>, 3> m_cells;
};

bool isMemory(BufferKind buffer)
{
    return buffer == BufferKind::Input || buffer == BufferKind::Output || buffer == BufferKind::Scratch;
}

} // namespace

ProgramBuilder::ProgramBuilder(CollectiveOp op, std::int32_t ranks, std::int32_t chunks, std::int32_t root)
{
    assert(ranks >= 1 && chunks >= 1);
    m_header.op = op;
    m_header.ranks = ranks;
    m_header.chunks = chunks;
    m_header.root = root;
    for (std::int32_t rank = 0; rank < ranks; ++rank)
        m_extras.buffers.push_back(contractSizes(op, ranks, chunks, rank, root));
}

Op ProgramBuilder::add(const Row& row)
{
    assert(row.rank >= 0 && row.rank < m_header.ranks && row.count >= 0);
    checkStop(m_stop);
    const auto grow = [&](BufferKind buffer, std::int32_t rank, std::int32_t offset) {
        if (buffer == BufferKind::Scratch) {
            std::int32_t& size = m_extras.buffers[static_cast<std::size_t>(rank)].scratch;
            size = std::max(size, offset + row.count);
        }
    };
    grow(row.sourceBuffer, row.rank, row.sourceOffset);
    grow(row.targetBuffer, row.kind == OpKind::Put ? row.peer : row.rank, row.targetOffset);
    m_rows.push_back(row);
    return static_cast<Op>(m_rows.size() - 1);
}

ProgramBuilder::Transfer ProgramBuilder::transfer(const Place& from, const Place& to, std::int32_t count, const How& how)
{
    assert(from.rank != to.rank);
    Row row;
    row.rank = from.rank;
    row.kind = OpKind::Send;
    row.peer = to.rank;
    row.connection = how.connection;
    row.lane = how.sendLane;
    row.chunk = how.chunk >= 0 ? how.chunk : from.offset;
    row.count = count;
    row.sourceBuffer = from.buffer;
    row.sourceOffset = from.offset;
    row.step = how.step;
    row.slot = how.slot;
    row.sourceId = how.sourceId;
    row.tags = how.tags;
    row.startPs = how.startPs;
    row.route = how.route;
    Transfer out;
    out.send = add(row);

    row.rank = to.rank;
    row.kind = how.reduce ? OpKind::ReceiveReduce : OpKind::Receive;
    row.peer = from.rank;
    row.lane = how.receiveLane;
    row.sourceBuffer = how.reduce ? to.buffer : BufferKind::None;
    row.sourceOffset = how.reduce ? to.offset : 0;
    row.targetBuffer = to.buffer;
    row.targetOffset = to.offset;
    row.startPs = -1;
    row.route = -1;
    out.receive = add(row);
    return out;
}

Op ProgramBuilder::local(const Place& from, const Place& to, std::int32_t count, const How& how)
{
    assert(from.rank == to.rank);
    Row row;
    row.rank = from.rank;
    row.kind = how.reduce ? OpKind::Reduce : OpKind::Copy;
    row.lane = how.sendLane;
    row.chunk = how.chunk >= 0 ? how.chunk : from.offset;
    row.count = count;
    row.sourceBuffer = from.buffer;
    row.sourceOffset = from.offset;
    row.targetBuffer = to.buffer;
    row.targetOffset = to.offset;
    row.step = how.step;
    row.slot = how.slot;
    row.sourceId = how.sourceId;
    row.tags = how.tags;
    row.startPs = how.startPs;
    return add(row);
}

void ProgramBuilder::depend(Op later, Op earlier)
{
    checkStop(m_stop);
    assert(earlier < later && later < m_rows.size() && m_rows[later].rank == m_rows[earlier].rank);
    m_depends.emplace_back(later, earlier);
}

void ProgramBuilder::inferDependencies()
{
    std::vector<std::vector<Op>> byRank(static_cast<std::size_t>(m_header.ranks));
    for (Op op = 0; op < m_rows.size(); ++op) {
        checkStop(m_stop);
        byRank[static_cast<std::size_t>(m_rows[op].rank)].push_back(op);
    }

    for (std::int32_t rank = 0; rank < m_header.ranks; ++rank) {
        Memory memory(m_header, rank, m_header.inPlace);
        Op lastWait = kNone;
        std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Op>> puts; // By (peer, connection): not told of yet.
        std::vector<Op> needs;
        Op previous = kNone;
        for (const Op op : byRank[static_cast<std::size_t>(rank)]) {
            checkStop(m_stop);
            const Row& row = m_rows[op];
            needs.clear();
            if (lastWait != kNone)
                needs.push_back(lastWait);
            if (row.fused && previous != kNone)
                needs.push_back(previous);
            const bool reads = readsSource(row.kind) && isMemory(row.sourceBuffer);
            const bool writes = writesTarget(row.kind) && isMemory(row.targetBuffer);
            for (std::int32_t i = 0; i < row.count; ++i) {
                if (reads) {
                    const Op writer = memory.at(row.sourceBuffer, row.sourceOffset + i).writer;
                    if (writer != kNone)
                        needs.push_back(writer);
                }
                if (writes) {
                    const Cell& cell = memory.at(row.targetBuffer, row.targetOffset + i);
                    if (cell.writer != kNone)
                        needs.push_back(cell.writer);
                    needs.insert(needs.end(), cell.readers.begin(), cell.readers.end());
                }
            }
            for (std::int32_t i = 0; i < row.count; ++i) {
                if (reads)
                    memory.at(row.sourceBuffer, row.sourceOffset + i).readers.push_back(op);
            }
            for (std::int32_t i = 0; i < row.count; ++i) {
                if (writes) {
                    Cell& cell = memory.at(row.targetBuffer, row.targetOffset + i);
                    cell.writer = op;
                    cell.readers.clear();
                }
            }
            if (row.kind == OpKind::Put)
                puts[{row.peer, row.connection}].push_back(op);
            if (row.kind == OpKind::Signal) {
                auto& waiting = puts[{row.peer, row.connection}];
                needs.insert(needs.end(), waiting.begin(), waiting.end());
                waiting.clear();
            }
            if (row.kind == OpKind::Wait)
                lastWait = op;
            std::sort(needs.begin(), needs.end());
            needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
            for (const Op earlier : needs) {
                if (earlier != op && (row.lane < 0 || m_rows[earlier].lane != row.lane))
                    m_depends.emplace_back(op, earlier);
            }
            previous = op;
        }
    }
}

ProgramPtr ProgramBuilder::finish(std::string name, std::string provenance)
{
    const std::size_t count = m_rows.size();
    ExplicitBody body = std::move(m_extras);
    body.rankBegin.assign(static_cast<std::size_t>(m_header.ranks) + 1, 0);
    for (const Row& row : m_rows)
        ++body.rankBegin[static_cast<std::size_t>(row.rank) + 1];
    for (std::size_t rank = 1; rank < body.rankBegin.size(); ++rank)
        body.rankBegin[rank] += body.rankBegin[rank - 1];

    std::vector<std::uint32_t> place(count); // Where an operation goes.
    std::vector<Op> order(count);
    std::vector<std::uint32_t> next(body.rankBegin.begin(), body.rankBegin.end() - 1);
    for (Op op = 0; op < count; ++op) {
        checkStop(m_stop);
        place[op] = next[static_cast<std::size_t>(m_rows[op].rank)]++;
        order[place[op]] = op;
    }

    // A block at a time: every column gathering from all rows would wait for memory twenty times.
    constexpr std::size_t kBlock = 512;
    std::vector<Row> block;
    block.reserve(std::min(kBlock, count));
    for (std::size_t begin = 0; begin < count; begin += block.size()) {
        checkStop(m_stop);
        block.clear();
        for (std::size_t i = begin; i < std::min(begin + kBlock, count); ++i)
            block.push_back(m_rows[order[i]]);
        const auto fill = [&](auto& column, auto value) {
            if (begin == 0)
                column.reserve(count);
            std::transform(block.begin(), block.end(), std::back_inserter(column), value);
        };
        // A column stays empty until a row has another value than the usual one.
        const auto fillUnless = [&](const auto& usual, auto& column, auto value) {
            if (column.empty() && std::all_of(block.begin(), block.end(), [&](const Row& row) { return value(row) == usual; }))
                return;
            column.reserve(count);
            column.resize(begin, usual);
            std::transform(block.begin(), block.end(), std::back_inserter(column), value);
        };
        fill(body.kind, [](const Row& row) { return row.kind; });
        fill(body.peer, [](const Row& row) { return row.peer; });
        fill(body.connection, [](const Row& row) { return row.connection; });
        fill(body.lane, [](const Row& row) { return row.lane; });
        fill(body.chunk, [](const Row& row) { return row.chunk; });
        fill(body.count, [](const Row& row) { return row.count; });
        fillUnless(std::int64_t{-1}, body.bytes, [](const Row& row) { return row.bytes; });
        fillUnless(std::int64_t{0}, body.duration, [](const Row& row) { return row.duration; });
        fill(body.sourceBuffer, [](const Row& row) { return row.sourceBuffer; });
        fill(body.targetBuffer, [](const Row& row) { return row.targetBuffer; });
        fill(body.sourceOffset, [](const Row& row) { return row.sourceOffset; });
        fill(body.targetOffset, [](const Row& row) { return row.targetOffset; });
        fill(body.step, [](const Row& row) { return row.step; });
        fillUnless(0, body.slot, [](const Row& row) { return row.slot; });
        fillUnless(std::uint64_t{0}, body.sourceId, [](const Row& row) { return row.sourceId; });
        fillUnless(std::uint8_t{0}, body.fused, [](const Row& row) { return static_cast<std::uint8_t>(row.fused ? 1 : 0); });
        fillUnless(OpTags{}, body.tags, [](const Row& row) { return row.tags; });
        fillUnless(std::int64_t{-1}, body.startPs, [](const Row& row) { return row.startPs; });
        fillUnless(-1, body.route, [](const Row& row) { return row.route; });
    }

    for (auto& [later, earlier] : m_depends) {
        checkStop(m_stop);
        later = place[later];
        earlier = place[earlier];
    }
    sortUntilStopped(m_depends, std::less<>(), m_stop);
    m_depends.erase(std::unique(m_depends.begin(), m_depends.end()), m_depends.end());
    body.dependBegin.assign(count + 1, 0);
    body.depends.reserve(m_depends.size());
    for (const auto& [later, earlier] : m_depends) {
        checkStop(m_stop);
        ++body.dependBegin[later + 1];
        body.depends.push_back(earlier);
    }
    for (std::size_t op = 0; op < count; ++op)
        body.dependBegin[op + 1] += body.dependBegin[op];
    m_rows = {};
    m_depends = {};

    auto program = std::make_shared<Program>(std::move(m_header));
    program->name = std::move(name);
    program->provenance = std::move(provenance);
    program->body = std::move(body);
    return program;
}

} // namespace fabricscope
