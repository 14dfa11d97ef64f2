#include "core/verify/races.h"

#include "core/base/stop.h"
#include "core/verify/operationchecks.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Who has touched the cells. An access is known by its operation; whether it was from afar follows from that and the cell.
class RaceCheck {
public:
    RaceCheck(const ValueContext& context, const MemoryLayout& layout, HappensBefore& order, VerifyFindings& findings)
        : m_context(context)
        , m_body(context.body())
        , m_layout(layout)
        , m_order(order)
        , m_findings(findings)
        , m_writer(layout.cells(), kNoOp)
        , m_reader(layout.cells(), kNoOp)
    {
    }

    void run(const ProgressShare& progress)
    {
        std::uint32_t count = 0;
        for (const OpIndex group : m_context.schedule.order) {
            const OpIndex end = groupEnd(m_body, group);
            for (OpIndex op = group; op < end; ++op) {
                checkStop(m_context.stop);
                if (m_context.usable[op])
                    access(op);
            }
            if ((++count & 0xffffu) == 0)
                progress.tell(count, m_context.schedule.order.size());
        }
    }

    bool isTouched(CellIndex cell) const { return m_writer[cell] != kNoOp || m_reader[cell] != kNoOp; }

private:
    /// Set in m_reader where the rest indexes m_more.
    static constexpr std::uint32_t kMany = 0x80000000u;

    struct Reader {
        OpIndex op = kNoOp;
        std::uint32_t next = UINT32_MAX; ///< In m_more.
    };

    void access(OpIndex op)
    {
        const OpKind kind = m_body.kind[op];
        const std::int32_t rank = m_context.lanes.rankOf(op);
        const BufferKind source = m_body.sourceBuffer[op];
        const BufferKind target = m_body.targetBuffer[op];
        const std::int32_t from = m_body.sourceOffset[op];
        const std::int32_t to = m_body.targetOffset[op];
        const std::int32_t count = m_body.count[op];
        const auto each = [this, count](auto&& visit) {
            for (std::int32_t i = 0; i < count; ++i) {
                checkStop(m_context.stop);
                visit(i);
            }
        };
        if (kind == OpKind::SwitchReduce) {
            for (const std::int32_t member : m_body.teams[static_cast<std::size_t>(m_body.peer[op])])
                each([&](std::int32_t i) { read(op, m_layout.at(member, source, from + i)); });
        } else if (readsOwnSource(kind) && isMemory(source)) {
            each([&](std::int32_t i) { read(op, m_layout.at(rank, source, from + i)); });
        }
        if (kind == OpKind::SwitchMulticast) {
            for (const std::int32_t member : m_body.teams[static_cast<std::size_t>(m_body.peer[op])])
                each([&](std::int32_t i) { write(op, m_layout.at(member, target, to + i)); });
        } else if (kind == OpKind::Put) {
            each([&](std::int32_t i) { write(op, m_layout.at(m_body.peer[op], target, to + i)); });
        } else if (writesOwnTarget(kind) && isMemory(target)) {
            each([&](std::int32_t i) { write(op, m_layout.at(rank, target, to + i)); });
        }
    }

    void read(OpIndex op, CellIndex cell)
    {
        const OpIndex writer = m_writer[cell];
        if (writer != kNoOp)
            compare(writer, true, op, false, cell);
        std::uint32_t& reader = m_reader[cell];
        if (reader == kNoOp) {
            reader = op;
            return;
        }
        // A read before in the same lane is followed by this one, so it need not be kept.
        const OpIndex last = (reader & kMany) != 0 ? m_more[reader & ~kMany].op : reader;
        const std::uint32_t lane = m_context.lanes.laneOf(op);
        if (lane == m_context.lanes.laneOf(last) && m_context.lanes.isOrdered(lane)) {
            ((reader & kMany) != 0 ? m_more[reader & ~kMany].op : reader) = op;
            return;
        }
        if ((reader & kMany) == 0) {
            m_more.push_back({reader, UINT32_MAX});
            reader = static_cast<std::uint32_t>(m_more.size() - 1) | kMany;
        }
        m_more.push_back({op, reader & ~kMany});
        reader = static_cast<std::uint32_t>(m_more.size() - 1) | kMany;
    }

    void write(OpIndex op, CellIndex cell)
    {
        const OpIndex writer = m_writer[cell];
        if (writer != kNoOp)
            compare(writer, true, op, true, cell);
        std::uint32_t& reader = m_reader[cell];
        if (reader != kNoOp && (reader & kMany) == 0) {
            compare(reader, false, op, true, cell);
        } else if (reader != kNoOp) {
            for (std::uint32_t at = reader & ~kMany; at != UINT32_MAX; at = m_more[at].next) {
                checkStop(m_context.stop);
                compare(m_more[at].op, false, op, true, cell);
            }
        }
        m_writer[cell] = op;
        reader = kNoOp;
    }

    /// Has the first access (scheduled before) surely happened when the second begins?
    void compare(OpIndex first, bool firstWrites, OpIndex second, bool secondWrites, CellIndex cell)
    {
        const OpIndex a = groupOf(m_body, first);
        const OpIndex b = groupOf(m_body, second);
        const bool remote = firstWrites && (m_body.kind[first] == OpKind::Put || m_body.kind[first] == OpKind::SwitchMulticast);
        if (a == b && (!remote || first == second))
            return;
        HappensBefore::Answer answer = HappensBefore::Answer::No;
        if (first == m_lastFirst && b == m_lastSecond && !remote) {
            answer = m_lastAnswer;
        } else if (remote) {
            const std::int32_t target = m_layout.placeOf(cell).rank;
            // What a multicast stores at home is there when it is over.
            answer = target == m_context.lanes.rankOf(first) ? m_order.before(first, second) : m_order.writtenBefore(first, target, second);
        } else {
            answer = m_order.before(first, second);
            m_lastFirst = first;
            m_lastSecond = b;
            m_lastAnswer = answer;
        }
        if (answer != HappensBefore::Answer::Yes)
            report(first, firstWrites, second, secondWrites, cell, answer);
    }

    void report(OpIndex first, bool firstWrites, OpIndex second, bool secondWrites, CellIndex cell, HappensBefore::Answer answer)
    {
        if (!m_findings.wants("V15", Severity::Error))
            return;
        const MemoryLayout::Place place = m_layout.placeOf(cell);
        std::string text = (firstWrites ? secondWrites ? "Two writes" : "A write and a read" : "A read and a write");
        text += " of " + rangeText(place.buffer, place.offset) + " of rank " + std::to_string(place.rank);
        text += answer == HappensBefore::Answer::No ? " are in no order: " : " could not be shown to be ordered within the limit of the search: ";
        text += operationText(m_body, first) + "; " + operationText(m_body, second);
        m_findings.add("V15", Severity::Error, std::move(text), {first, second}, m_context.lanes.rankOf(first), place.buffer, place.offset);
    }

    const ValueContext& m_context;
    const ExplicitBody& m_body;
    const MemoryLayout& m_layout;
    HappensBefore& m_order;
    VerifyFindings& m_findings;
    std::vector<OpIndex> m_writer;         ///< By cell: the last write.
    std::vector<std::uint32_t> m_reader;   ///< By cell: the read since, or kMany and where the list of them begins in m_more.
    std::vector<Reader> m_more;
    OpIndex m_lastFirst = kNoOp;           ///< Operations of several chunks ask the same again and again.
    OpIndex m_lastSecond = kNoOp;
    HappensBefore::Answer m_lastAnswer = HappensBefore::Answer::No;
};

} // namespace

void checkRaces(const ValueContext& context, const MemoryLayout& layout, HappensBefore& order, bool hints, VerifyFindings& findings, const ProgressShare& progress)
{
    RaceCheck check(context, layout, order, findings);
    check.run(progress);
    for (std::int32_t rank = 0; hints && rank < context.program.ranks; ++rank) {
        const std::int32_t scratch = MemoryLayout::sizesOf(context.program, rank).scratch;
        std::int32_t unused = 0;
        std::int32_t first = -1;
        for (std::int32_t index = 0; index < scratch; ++index) {
            checkStop(context.stop);
            if (check.isTouched(layout.at(rank, BufferKind::Scratch, index)))
                continue;
            ++unused;
            first = first < 0 ? index : first;
        }
        if (unused > 0 && findings.wants("V19", Severity::Note))
            findings.add("V19", Severity::Note, "Rank " + std::to_string(rank) + " never uses " + std::to_string(unused) + " of its " + std::to_string(scratch)
                             + " scratch chunks, the first is " + std::to_string(first), {}, rank, BufferKind::Scratch, first);
    }
}

} // namespace fabricscope
