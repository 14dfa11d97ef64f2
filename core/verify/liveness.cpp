#include "core/verify/liveness.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/verify/operationchecks.h"

#include <algorithm>
#include <functional>

namespace fabricscope {

namespace {

class Liveness {
public:
    Liveness(const ValueContext& context, const MemoryLayout& layout)
        : m_context(context)
        , m_body(context.body())
        , m_layout(layout)
        , m_live(layout.cells(), 0)
        , m_liveMessage(context.connections.messages(), false)
    {
        const Program& program = context.program;
        if (program.op == CollectiveOp::Custom) {
            for (const ChunkValue& chunk : context.conditions->after) {
                checkStop(context.stop);
                m_live[layout.at(chunk.rank, chunk.buffer, chunk.index)] = 1;
            }
            return;
        }
        for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
            const std::int32_t outputs = MemoryLayout::sizesOf(program, rank).output;
            for (std::int32_t index = 0; index < outputs; ++index) {
                checkStop(context.stop);
                if (requiredAt(program.op, program.ranks, program.chunks, rank, index, program.root).kind != Required::Kind::Anything)
                    m_live[layout.at(rank, BufferKind::Output, index)] = 1;
            }
        }
    }

    /// Operations whose result is not used, latest first.
    std::vector<OpIndex> run()
    {
        const std::vector<OpIndex>& order = m_context.schedule.order;
        for (auto group = order.rbegin(); group != order.rend(); ++group) {
            m_handedOn = false;
            for (OpIndex op = groupEnd(m_body, *group); op-- > *group;) {
                checkStop(m_context.stop);
                undo(op);
            }
        }
        return std::move(m_unused);
    }

private:
    /// Is a chunk of the target column of `rank` used later? Before the operation it is not, unless the operation adds to it.
    bool takeTarget(OpIndex op, std::int32_t rank, bool keep)
    {
        if (!isMemory(m_body.targetBuffer[op]))
            return false;
        bool used = false;
        for (std::int32_t i = 0; i < m_body.count[op]; ++i) {
            checkStop(m_context.stop);
            std::uint8_t& live = m_live[m_layout.at(rank, m_body.targetBuffer[op], m_body.targetOffset[op] + i)];
            used = used || live != 0;
            live = keep ? live : 0;
        }
        return used;
    }

    void useSource(OpIndex op, std::int32_t rank)
    {
        if (!isMemory(m_body.sourceBuffer[op]))
            return;
        for (std::int32_t i = 0; i < m_body.count[op]; ++i) {
            checkStop(m_context.stop);
            m_live[m_layout.at(rank, m_body.sourceBuffer[op], m_body.sourceOffset[op] + i)] = 1;
        }
    }

    void undo(OpIndex op)
    {
        const OpKind kind = m_body.kind[op];
        if (kind == OpKind::Compute || kind == OpKind::Signal || kind == OpKind::Wait || !m_context.usable[op])
            return;
        const std::int32_t rank = m_context.lanes.rankOf(op);
        if (kind == OpKind::Send) {
            if (!m_context.connections.isPaired(op) || !m_liveMessage[m_context.connections.messageOf(op)])
                return;
            if (m_body.sourceBuffer[op] == BufferKind::Fused)
                m_handedOn = true;
            else
                useSource(op, rank);
            return;
        }
        bool used = m_handedOn;
        m_handedOn = false;
        if (kind == OpKind::SwitchMulticast) {
            for (const std::int32_t member : m_body.teams[at(m_body.peer[op])])
                used = takeTarget(op, member, false) || used;
        } else {
            used = takeTarget(op, kind == OpKind::Put ? m_body.peer[op] : rank, kind == OpKind::Reduce) || used;
        }
        if (!used) {
            if (m_body.count[op] > 0)
                m_unused.push_back(op);
            return;
        }
        if (receives(kind) && m_context.connections.isPaired(op))
            m_liveMessage[m_context.connections.messageOf(op)] = true;
        if (kind == OpKind::SwitchReduce) {
            for (const std::int32_t member : m_body.teams[at(m_body.peer[op])])
                useSource(op, member);
        } else if (m_body.sourceBuffer[op] == BufferKind::Fused) { // Of a sum in the switch.
            m_handedOn = true;
        } else if (kind != OpKind::Receive) {
            useSource(op, rank);
        }
    }

    const ValueContext& m_context;
    const ExplicitBody& m_body;
    const MemoryLayout& m_layout;
    std::vector<std::uint8_t> m_live;   ///< By cell.
    std::vector<bool> m_liveMessage;    ///< By message.
    bool m_handedOn = false;            ///< A fused send behind the operation at hand is used.
    std::vector<OpIndex> m_unused;
};

} // namespace

std::vector<OpIndex> findUnused(const ValueContext& context, const MemoryLayout& layout, VerifyFindings& findings)
{
    std::vector<OpIndex> unused = Liveness(context, layout).run();
    sortUntilStopped(unused, std::less<>(), context.stop);
    std::vector<OpIndex> transfers;
    for (const OpIndex op : unused) {
        checkStop(context.stop);
        const OpKind kind = context.body().kind[op];
        const bool transfer = receives(kind) || kind == OpKind::Put || kind == OpKind::SwitchMulticast;
        if (transfer)
            transfers.push_back(op);
        if (findings.wants("V19", Severity::Note))
            findings.add("V19", Severity::Note, "Nobody uses the result of " + operationText(context.body(), op), {op}, -1, context.body().targetBuffer[op],
                         isMemory(context.body().targetBuffer[op]) ? context.body().targetOffset[op] : -1);
    }
    return transfers;
}

} // namespace fabricscope
