#include "core/verify/valuerun.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/verify/contributions.h"
#include "core/verify/operationchecks.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::size_t kSmallMessages = 256; // Larger ones are not used again.
constexpr std::int64_t kMostExplained = 16; // Each takes a pass over the program.

} // namespace

ValueRun::ValueRun(const ValueContext& context, const MemoryLayout& layout, VerifyFindings& findings)
    : m_context(context)
    , m_body(context.body())
    , m_layout(layout)
    , m_findings(findings)
    , m_memory(layout.cells())
{
    m_mail.begin.resize(context.connections.messages());
    m_mail.size.resize(context.connections.messages());
    m_mail.free.resize(kSmallMessages);
    forEachInitial(context, [&](std::int32_t rank, BufferKind buffer, std::int32_t index, const std::vector<Contribution>& value) {
        ChunkMark mark;
        for (const Contribution& contribution : value)
            mark = mark.isDefined() ? unite(mark, ChunkMark::of(contribution)) : ChunkMark::of(contribution);
        m_memory[m_layout.at(rank, buffer, index)] = mark;
    });
}

void ValueRun::run(const ProgressShare& progress)
{
    std::uint32_t count = 0;
    for (const OpIndex group : m_context.schedule.order) {
        const OpIndex end = groupEnd(m_body, group);
        m_made.clear();
        for (OpIndex op = group; op < end; ++op) {
            checkStop(m_context.stop);
            execute(op);
        }
        if ((++count & 0xffffu) == 0)
            progress.tell(count, m_context.schedule.order.size());
    }
}

void ValueRun::undefinedRead(OpIndex op, std::int32_t rank, std::int32_t offset, std::string_view what)
{
    if (!m_findings.wants("V14", Severity::Error))
        return;
    const BufferKind buffer = what == "target" ? m_body.targetBuffer[op] : m_body.sourceBuffer[op];
    std::string place = rangeText(buffer, offset);
    if (rank != m_context.lanes.rankOf(op))
        place += " of rank " + std::to_string(rank);
    m_findings.add("V14", Severity::Error, operationText(m_body, op) + " uses " + place + ", which is undefined then", {op}, m_context.lanes.rankOf(op), buffer, offset);
}

/// The chunks at the source column of `rank`, into m_source. A copy may take undefined chunks along; others may not.
void ValueRun::read(OpIndex op, std::int32_t rank)
{
    const std::int32_t from = m_body.sourceOffset[op];
    const auto count = static_cast<std::size_t>(m_body.count[op]);
    m_source.resize(count);
    if (count == 0)
        return;
    const ChunkMark* const cells = m_memory.data();
    for (std::size_t i = 0; i < count; ++i) {
        checkStop(m_context.stop);
        const ChunkMark& mark = cells[m_layout.at(rank, m_body.sourceBuffer[op], from + static_cast<std::int32_t>(i))];
        if (!mark.isDefined() && m_body.kind[op] != OpKind::Copy) {
            undefinedRead(op, rank, from + static_cast<std::int32_t>(i), "source");
            m_source[i] = ChunkMark::spoilt();
        } else {
            m_source[i] = mark;
        }
    }
}

/// m_made to the target column of `rank`; missing ones are spoilt.
void ValueRun::write(OpIndex op, std::int32_t rank)
{
    const BufferKind buffer = m_body.targetBuffer[op];
    if (!isMemory(buffer))
        return;
    if (buffer == BufferKind::Input && m_inputWriter == kNoOp)
        m_inputWriter = op;
    const std::int32_t to = m_body.targetOffset[op];
    for (std::int32_t i = 0; i < m_body.count[op]; ++i) {
        checkStop(m_context.stop);
        m_memory[m_layout.at(rank, buffer, to + i)] = static_cast<std::size_t>(i) < m_made.size() ? m_made[at(i)] : ChunkMark::spoilt();
    }
}

/// m_source goes out as the message of a send.
void ValueRun::post(OpIndex op)
{
    if (!m_context.connections.isPaired(op))
        return;
    const std::uint32_t message = m_context.connections.messageOf(op);
    const std::size_t size = m_source.size();
    std::uint32_t begin = static_cast<std::uint32_t>(m_mail.values.size());
    if (size < kSmallMessages && !m_mail.free[size].empty()) {
        begin = m_mail.free[size].back();
        m_mail.free[size].pop_back();
    } else {
        m_mail.values.resize(m_mail.values.size() + size);
    }
    std::copy(m_source.begin(), m_source.end(), m_mail.values.begin() + begin);
    m_mail.begin[message] = begin;
    m_mail.size[message] = static_cast<std::uint32_t>(size);
}

/// The message of a receive, into m_made.
void ValueRun::take(OpIndex op)
{
    m_made.clear();
    if (!m_context.connections.isPaired(op))
        return;
    const std::uint32_t message = m_context.connections.messageOf(op);
    const auto begin = m_mail.values.begin() + m_mail.begin[message];
    const std::uint32_t size = m_mail.size[message];
    m_made.assign(begin, begin + size);
    if (size < kSmallMessages)
        m_mail.free[size].push_back(m_mail.begin[message]);
}

void ValueRun::execute(OpIndex op)
{
    const OpKind kind = m_body.kind[op];
    const bool usable = m_context.usable[op];
    const std::int32_t rank = m_context.lanes.rankOf(op);
    const auto count = static_cast<std::size_t>(usable ? m_body.count[op] : 0);
    switch (kind) {
    case OpKind::Send:
        if (m_body.sourceBuffer[op] == BufferKind::Fused)
            m_source = m_made;
        else if (usable)
            read(op, rank);
        else
            m_source.clear();
        post(op);
        return;
    case OpKind::Receive:
    case OpKind::ReceiveReduce:
        take(op);
        if (!usable)
            return;
        if (kind == OpKind::ReceiveReduce) {
            read(op, rank);
            m_made.resize(count, ChunkMark::spoilt());
            for (std::size_t i = 0; i < count; ++i)
                m_made[i] = unite(m_made[i], m_source[i]);
        } else if (isMemory(m_body.targetBuffer[op]) && count > 0 && m_made.size() == count) {
            bool same = true;
            for (std::size_t i = 0; i < count && same; ++i)
                same = !m_made[i].isSpoilt() && m_memory[m_layout.at(rank, m_body.targetBuffer[op], m_body.targetOffset[op] + static_cast<std::int32_t>(i))] == m_made[i];
            if (same)
                m_repeated.push_back(op);
        }
        write(op, rank);
        return;
    case OpKind::Copy:
    case OpKind::Reduce:
        if (!usable)
            return;
        read(op, rank);
        m_made = m_source;
        for (std::size_t i = 0; i < count && kind == OpKind::Reduce; ++i) {
            const std::int32_t to = m_body.targetOffset[op] + static_cast<std::int32_t>(i);
            const ChunkMark& target = m_memory[m_layout.at(rank, m_body.targetBuffer[op], to)];
            if (!target.isDefined())
                undefinedRead(op, rank, to, "target");
            m_made[i] = unite(m_source[i], target);
        }
        write(op, rank);
        return;
    case OpKind::Put:
        if (!usable)
            return;
        read(op, rank);
        m_made = m_source;
        write(op, m_body.peer[op]);
        return;
    case OpKind::SwitchReduce: {
        if (!usable)
            return;
        m_made.clear();
        for (const std::int32_t member : m_body.teams[at(m_body.peer[op])]) {
            read(op, member);
            if (m_made.empty()) {
                m_made = m_source;
                continue;
            }
            for (std::size_t i = 0; i < count; ++i)
                m_made[i] = unite(m_made[i], m_source[i]);
        }
        write(op, rank);
        return;
    }
    case OpKind::SwitchMulticast:
        if (!usable)
            return;
        if (m_body.sourceBuffer[op] != BufferKind::Fused) {
            read(op, rank);
            m_made = m_source;
        }
        for (const std::int32_t member : m_body.teams[at(m_body.peer[op])])
            write(op, member);
        return;
    case OpKind::Compute:
    case OpKind::Signal:
    case OpKind::Wait:
        return;
    }
}

std::string ValueRun::wrongText(CellIndex cell, std::int32_t rank, BufferKind buffer, std::int32_t index) const
{
    const std::vector<Contribution> required = requiredContributions(m_context, rank, buffer, index);
    const std::vector<CountedContribution> held = contributionsOf(m_context, m_layout, cell);
    return differenceText(required, held);
}

bool ValueRun::holds(CellIndex cell, const ChunkMark& wanted, std::int32_t rank, BufferKind buffer, std::int32_t index)
{
    const ChunkMark& held = m_memory[cell];
    if (held == wanted)
        return true;
    if (m_findings.wants("V16", Severity::Error)) {
        std::string text = rangeText(buffer, index) + " of rank " + std::to_string(rank);
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
        if (!held.isDefined())
            text += " is undefined at the end";
        else if (held.isSpoilt())
            text += " is made of something undefined";
        else if (m_explained++ < kMostExplained)
            text += wrongText(cell, rank, buffer, index);
        else
            text += " holds " + std::to_string(held.size) + " contributions, not the " + std::to_string(wanted.size) + " it must";
        m_findings.add("V16", Severity::Error, std::move(text), {}, rank, buffer, index);
    }
    return false;
}

bool ValueRun::checkPostcondition()
{
    const Program& program = m_context.program;
    bool good = true;
    if (program.op == CollectiveOp::Custom) {
        for (const ChunkValue& chunk : m_context.conditions->after) {
            ChunkMark wanted;
            checkStop(m_context.stop);
            for (const Contribution& contribution : chunk.value)
                wanted = wanted.isDefined() ? unite(wanted, ChunkMark::of(contribution)) : ChunkMark::of(contribution);
            good = (chunk.value.empty() || holds(m_layout.at(chunk.rank, chunk.buffer, chunk.index), wanted, chunk.rank, chunk.buffer, chunk.index)) && good;
        }
        return good;
    }
    std::vector<ChunkMark> sums; // Of all ranks, by index of their input; made when first needed.
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        const std::int32_t outputs = MemoryLayout::sizesOf(program, rank).output;
        for (std::int32_t index = 0; index < outputs; ++index) {
            checkStop(m_context.stop);
            const Required required = requiredAt(program.op, program.ranks, program.chunks, rank, index, program.root);
            if (required.kind == Required::Kind::Anything)
                continue;
            ChunkMark wanted = ChunkMark::of(required.one);
            if (required.kind == Required::Kind::AllRanks) {
                sums.resize(static_cast<std::size_t>(program.chunks));
                ChunkMark& sum = sums[at(required.one.index)];
                for (std::int32_t giver = 0; sum.size < static_cast<std::uint32_t>(program.ranks); ++giver) {
                    checkStop(m_context.stop);
                    const ChunkMark one = ChunkMark::of({giver, required.one.index});
                    sum = sum.isDefined() ? unite(sum, one) : one;
                }
                wanted = sum;
            }
            good = holds(m_layout.at(rank, BufferKind::Output, index), wanted, rank, BufferKind::Output, index) && good;
        }
    }
    return good;
}

} // namespace fabricscope
