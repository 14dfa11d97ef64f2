#include "core/synthesis/planprogram.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

bool byStart(const PlannedTransfer& a, const PlannedTransfer& b)
{
    return a.startPs != b.startPs ? a.startPs < b.startPs : a.link < b.link;
}

struct Cell {
    BufferKind buffer = BufferKind::Input;
    std::int32_t offset = 0;
};

/// Lane, connection and route of every link.
class Wiring {
public:
    explicit Wiring(const SynthesisGraph& graph)
    {
        std::vector<std::int32_t> out(at(graph.ranks), 0);
        std::vector<std::int32_t> in(at(graph.ranks), 0);
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> parallel;
        for (const SynthesisGraph::Link& link : graph.links) {
            sendLane.push_back(out[at(link.from)]++);
            receiveLane.push_back(in[at(link.to)]++);
            connection.push_back(parallel[{link.from, link.to}]++);
        }
        for (std::size_t link = 0; link < graph.links.size(); ++link) {
            const SynthesisGraph::Link& row = graph.links[link];
            receiveLane[link] += out[at(row.to)];
            const bool usual = row.route.size() < 2 && parallel[{row.from, row.to}] == 1;
            route.push_back(usual || row.route.empty() ? -1 : static_cast<std::int32_t>(routes.size()));
            if (route.back() >= 0)
                routes.push_back(row.route);
        }
        for (std::int32_t rank = 0; rank < graph.ranks; ++rank)
            copyLane.push_back(out[at(rank)] + in[at(rank)]);
    }

    std::vector<std::int32_t> sendLane;
    std::vector<std::int32_t> receiveLane;
    std::vector<std::int32_t> connection;
    std::vector<std::int32_t> route; ///< Index into routes; -1: the platform's own way.
    std::vector<std::vector<std::int64_t>> routes;
    std::vector<std::int32_t> copyLane; ///< By rank.
};

class PlanWriter {
public:
    PlanWriter(const SynthesisGraph& graph, CollectiveOp op, std::int32_t chunks, std::int32_t root, const std::vector<TransferPhase>& phases,
               const std::stop_token& stop)
        : m_stop(stop)
        , m_graph(graph)
        , m_op(op)
        , m_chunks(chunks)
        , m_root(root)
        , m_phases(phases)
        , m_wiring(graph)
        , m_rooted(op == CollectiveOp::Broadcast || op == CollectiveOp::Reduce)
        , m_items(m_rooted ? chunks : std::int64_t{graph.ranks} * chunks)
    {
        const bool relays = op == CollectiveOp::AllToAll;
        if (relays)
            m_items *= graph.ranks;
        m_lastWrite.assign(at(relays ? m_items : m_items * graph.ranks), kNone);
        m_scratch.assign(relays || op == CollectiveOp::ReduceScatter || op == CollectiveOp::Reduce ? m_lastWrite.size() : 0, -1);
        m_lastSend.assign(op == CollectiveOp::AllReduce ? m_lastWrite.size() : 0, kNone);
        m_scratchUsed.assign(at(graph.ranks), 0);
        m_ownSends.resize(copies() && !relays ? at(graph.ranks) : 0);
    }

    /// Throws StopRequested.
    ExplicitBody run()
    {
        makeRoom();
        checkStop(m_stop);
        std::int64_t begin = 0;
        for (std::size_t phase = 0; phase < m_phases.size(); ++phase) {
            writePhase(m_phases[phase], static_cast<std::int16_t>(phase), begin);
            begin += m_phases[phase].plan.finishPs;
        }
        for (std::int32_t rank = 0; rank < m_graph.ranks; ++rank) {
            if (hasCopy(rank))
                writeCopy(rank);
        }
        writeDepends();
        m_body.routes = m_wiring.routes;
        for (std::int32_t rank = 0; rank < m_graph.ranks; ++rank) {
            m_body.buffers.push_back(contractSizes(m_op, m_graph.ranks, largeChunks(), rank, m_root));
            m_body.buffers.back().scratch = m_scratchUsed[at(rank)];
        }
        return std::move(m_body);
    }

    std::int32_t largeChunks() const { return m_rooted ? m_chunks : m_graph.ranks * m_chunks; }

private:
    /// Does what a rank gives stand in its output in the end?
    bool copies() const { return m_op == CollectiveOp::AllGather || m_op == CollectiveOp::Broadcast || m_op == CollectiveOp::AllToAll; }
    bool hasCopy(std::int32_t rank) const { return copies() && (m_op != CollectiveOp::Broadcast || rank == m_root); }

    void makeRoom()
    {
        std::vector<std::uint32_t> count(at(m_graph.ranks) + 1, 0);
        for (const TransferPhase& phase : m_phases) {
            for (const PlannedTransfer& transfer : phase.plan.transfers) {
                ++count[at(m_graph.links[at(transfer.link)].from) + 1];
                ++count[at(m_graph.links[at(transfer.link)].to) + 1];
            }
        }
        for (std::int32_t rank = 0; rank < m_graph.ranks; ++rank)
            count[at(rank) + 1] += count[at(rank)] + (hasCopy(rank) ? 1 : 0);
        m_next.assign(count.begin(), count.end() - 1);
        const std::size_t size = count.back();
        m_body.rankBegin = std::move(count);
        m_body.kind.resize(size);
        m_body.peer.resize(size);
        m_body.connection.resize(size);
        m_body.lane.resize(size);
        m_body.chunk.resize(size);
        m_body.count.assign(size, 1);
        m_body.sourceBuffer.resize(size);
        m_body.targetBuffer.resize(size);
        m_body.sourceOffset.resize(size);
        m_body.targetOffset.resize(size);
        m_body.step.resize(size);
        m_body.startPs.assign(size, -1);
        if (!m_wiring.routes.empty())
            m_body.route.assign(size, -1);
        if (m_phases.size() > 1)
            m_body.tags.resize(size);
        m_needs.assign(size, kNone);
        if (m_op == CollectiveOp::AllReduce)
            m_alsoNeeds.assign(size, kNone);
    }

    /// Sends by their start and receives by their end, receives first: what a send needs is before it.
    void writePhase(const TransferPhase& phase, std::int16_t number, std::int64_t begin)
    {
        const auto& transfers = phase.plan.transfers;
        std::vector<std::uint32_t> byEnd(transfers.size());
        std::iota(byEnd.begin(), byEnd.end(), 0U);
        const auto endsBefore = [&](std::uint32_t a, std::uint32_t b) { return transfers[a].endPs < transfers[b].endPs; };
        if (!std::is_sorted(byEnd.begin(), byEnd.end(), endsBefore))
            std::stable_sort(byEnd.begin(), byEnd.end(), endsBefore);
        std::vector<std::int32_t> step(transfers.size());
        for (std::size_t i = 0; i < transfers.size(); ++i)
            step[i] = m_steps + (i == 0 ? 0 : step[i - 1] - m_steps + (transfers[i].startPs != transfers[i - 1].startPs ? 1 : 0));
        std::size_t ended = 0;
        for (std::size_t i = 0; i <= transfers.size(); ++i) {
            while (ended < byEnd.size() && (i == transfers.size() || transfers[byEnd[ended]].endPs <= transfers[i].startPs)) {
                writeReceive(phase, byEnd[ended], number, step[byEnd[ended]]);
                ++ended;
            }
            checkStop(m_stop);
            if (i < transfers.size())
                writeSend(phase, i, number, step[i], begin);
        }
        if (!step.empty())
            m_steps = step.back() + 1;
    }

    std::uint32_t newOp(std::int32_t rank, OpKind kind, const PlannedTransfer& transfer, std::int16_t phase, std::int32_t step)
    {
        const std::uint32_t op = m_next[at(rank)]++;
        m_body.kind[op] = kind;
        m_body.connection[op] = m_wiring.connection[at(transfer.link)];
        m_body.chunk[op] = largeChunk(transfer.item);
        m_body.step[op] = step;
        if (!m_body.tags.empty())
            m_body.tags[op].phase = phase;
        return op;
    }

    void writeSend(const TransferPhase& phase, std::size_t index, std::int16_t number, std::int32_t step, std::int64_t begin)
    {
        const PlannedTransfer& transfer = phase.plan.transfers[index];
        const SynthesisGraph::Link& link = m_graph.links[at(transfer.link)];
        const std::uint32_t op = newOp(link.from, OpKind::Send, transfer, number, step);
        const Cell cell = held(link.from, transfer.item);
        m_body.peer[op] = link.to;
        m_body.lane[op] = m_wiring.sendLane[at(transfer.link)];
        m_body.sourceBuffer[op] = cell.buffer;
        m_body.sourceOffset[op] = cell.offset;
        m_body.targetBuffer[op] = BufferKind::None;
        m_body.startPs[op] = begin + transfer.startPs;
        if (!m_body.route.empty())
            m_body.route[op] = m_wiring.route[at(transfer.link)];
        m_needs[op] = m_lastWrite[state(link.from, transfer.item)];
        if (phase.reduces && !m_lastSend.empty())
            m_lastSend[state(link.from, transfer.item)] = op;
        if (!m_ownSends.empty() && m_needs[op] == kNone)
            m_ownSends[at(link.from)].push_back(op);
    }

    void writeReceive(const TransferPhase& phase, std::size_t index, std::int16_t number, std::int32_t step)
    {
        const PlannedTransfer& transfer = phase.plan.transfers[index];
        const SynthesisGraph::Link& link = m_graph.links[at(transfer.link)];
        const std::uint32_t op = newOp(link.to, phase.reduces ? OpKind::ReceiveReduce : OpKind::Receive, transfer, number, step);
        const std::size_t cellState = state(link.to, transfer.item);
        const Cell before = held(link.to, transfer.item);
        m_body.peer[op] = link.from;
        m_body.lane[op] = m_wiring.receiveLane[at(transfer.link)];
        m_body.sourceBuffer[op] = phase.reduces ? before.buffer : BufferKind::None;
        m_body.sourceOffset[op] = phase.reduces ? before.offset : 0;
        if (phase.reduces)
            m_needs[op] = m_lastWrite[cellState];
        else if (!m_lastSend.empty())
            m_alsoNeeds[op] = m_lastSend[cellState]; // In place, the partial sum must have left.
        const Cell target = arrived(link.to, transfer.item);
        m_body.targetBuffer[op] = target.buffer;
        m_body.targetOffset[op] = target.offset;
        m_lastWrite[cellState] = op;
    }

    void writeCopy(std::int32_t rank)
    {
        const std::uint32_t op = m_next[at(rank)]++;
        const bool all = m_op == CollectiveOp::Broadcast;
        m_body.kind[op] = OpKind::Copy;
        m_body.peer[op] = -1;
        m_body.lane[op] = m_wiring.copyLane[at(rank)];
        m_body.count[op] = m_chunks;
        m_body.chunk[op] = all ? 0 : rank * m_chunks;
        m_body.sourceBuffer[op] = BufferKind::Input;
        m_body.sourceOffset[op] = m_op == CollectiveOp::AllToAll ? rank * m_chunks : 0;
        m_body.targetBuffer[op] = BufferKind::Output;
        m_body.targetOffset[op] = all ? 0 : rank * m_chunks;
        m_body.step[op] = m_steps;
    }

    void writeDepends()
    {
        const std::size_t size = m_body.kind.size();
        m_body.dependBegin.resize(size + 1, 0);
        m_body.depends.reserve(size / 2);
        std::int32_t rank = 0;
        for (std::uint32_t op = 0; op < size; ++op) {
            checkStop(m_stop);
            while (op >= m_body.rankBegin[at(rank) + 1])
                ++rank;
            std::uint32_t first = m_needs[op];
            std::uint32_t second = m_alsoNeeds.empty() ? kNone : m_alsoNeeds[op];
            if (first > second)
                std::swap(first, second);
            if (first != kNone)
                m_body.depends.push_back(first);
            if (second != kNone && second != first)
                m_body.depends.push_back(second);
            // A rank copies what it gives when nobody reads it any more: in place it is a copy onto itself.
            if (m_body.kind[op] == OpKind::Copy && !m_ownSends.empty())
                m_body.depends.insert(m_body.depends.end(), m_ownSends[at(rank)].begin(), m_ownSends[at(rank)].end());
            m_body.dependBegin[op + 1] = static_cast<std::uint32_t>(m_body.depends.size());
        }
    }

    std::size_t state(std::int32_t rank, std::int32_t item) const
    {
        return m_op == CollectiveOp::AllToAll ? at(item) : at(rank) * at(m_items) + at(item);
    }
    std::int32_t home(std::int32_t item) const { return m_rooted ? m_root : item / m_chunks; }
    std::int32_t source(std::int32_t item) const { return item / m_chunks / m_graph.ranks; } ///< All-to-all.
    std::int32_t target(std::int32_t item) const { return item / m_chunks % m_graph.ranks; }
    std::int32_t largeChunk(std::int32_t item) const
    {
        return m_op == CollectiveOp::AllToAll ? target(item) * m_chunks + item % m_chunks : item;
    }

    /// Where a rank has an item now.
    Cell held(std::int32_t rank, std::int32_t item)
    {
        if (m_lastWrite[state(rank, item)] != kNone)
            return written(rank, item);
        switch (m_op) {
        case CollectiveOp::AllGather:
            return {BufferKind::Input, item % m_chunks};
        case CollectiveOp::AllToAll:
            return {BufferKind::Input, largeChunk(item)};
        default:
            return {BufferKind::Input, item};
        }
    }

    Cell written(std::int32_t rank, std::int32_t item) const
    {
        switch (m_op) {
        case CollectiveOp::AllToAll:
            if (rank == target(item))
                return {BufferKind::Output, source(item) * m_chunks + item % m_chunks};
            return {BufferKind::Scratch, m_scratch[at(item)]};
        case CollectiveOp::ReduceScatter:
            if (rank == home(item))
                return {BufferKind::Output, item % m_chunks};
            return {BufferKind::Scratch, m_scratch[state(rank, item)]};
        case CollectiveOp::Reduce:
            if (rank == m_root)
                return {BufferKind::Output, item};
            return {BufferKind::Scratch, m_scratch[state(rank, item)]};
        default:
            return {BufferKind::Output, item};
        }
    }

    /// Where what comes is stored; makes room for it.
    Cell arrived(std::int32_t rank, std::int32_t item)
    {
        const bool ends = m_op == CollectiveOp::AllToAll ? rank == target(item) : rank == home(item);
        if (!m_scratch.empty() && !ends) {
            std::int32_t& cell = m_scratch[state(rank, item)];
            if (m_op == CollectiveOp::AllToAll || cell < 0)
                cell = m_scratchUsed[at(rank)]++;
        }
        return written(rank, item);
    }

    const std::stop_token& m_stop;
    const SynthesisGraph& m_graph;
    CollectiveOp m_op;
    std::int32_t m_chunks;
    std::int32_t m_root;
    const std::vector<TransferPhase>& m_phases;
    Wiring m_wiring;
    bool m_rooted;
    std::int64_t m_items;
    ExplicitBody m_body;
    std::int32_t m_steps = 0;
    std::vector<std::uint32_t> m_next;       ///< By rank: its next operation.
    std::vector<std::uint32_t> m_needs;      ///< By operation.
    std::vector<std::uint32_t> m_alsoNeeds;
    std::vector<std::uint32_t> m_lastWrite;  ///< By state: the operation that wrote the item at the rank last (all-to-all: anywhere).
    std::vector<std::uint32_t> m_lastSend;   ///< All-reduce: the send of the partial sum.
    std::vector<std::int32_t> m_scratch;     ///< By state: its place in scratch.
    std::vector<std::int32_t> m_scratchUsed; ///< By rank.
    std::vector<std::vector<std::uint32_t>> m_ownSends;
};

} // namespace

TransferPlan mirrored(TransferPlan plan)
{
    for (PlannedTransfer& transfer : plan.transfers) {
        const std::int64_t start = plan.finishPs - transfer.endPs;
        transfer.endPs = plan.finishPs - transfer.startPs;
        transfer.startPs = start;
    }
    std::reverse(plan.transfers.begin(), plan.transfers.end());
    std::stable_sort(plan.transfers.begin(), plan.transfers.end(), byStart);
    return plan;
}

Result<ProgramPtr> planProgram(const SynthesisGraph& graph, CollectiveOp op, std::int32_t chunks, std::int32_t root, const std::vector<TransferPhase>& phases,
                               std::string name, std::string provenance, const std::stop_token& stop)
{
    PlanWriter writer(graph, op, chunks, root, phases, stop);
    auto program = std::make_shared<Program>();
    program->op = op;
    program->ranks = graph.ranks;
    program->chunks = writer.largeChunks();
    program->root = root;
    program->inPlace = op != CollectiveOp::AllToAll;
    program->name = std::move(name);
    program->provenance = std::move(provenance);
    return untilStopped([&]() -> Result<ProgramPtr> {
        program->body = writer.run();
        return ProgramPtr(std::move(program));
    });
}

} // namespace fabricscope
