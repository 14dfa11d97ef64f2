// All-to-all templates and single phases in a switch, operation by operation.
#include "core/base/axes.h"
#include "core/base/integers.h"
#include "core/generate/expand.h"
#include "core/generate/expandlayout.h"
#include "core/generate/families.h"
#include "core/program/nativerule.h"

#include <utility>

namespace fabricscope::generate {

namespace {

/// One chunk's all-to-all, an axis after the other. At every moment a rank holds one block for every rank of the group: on the axes that are
/// done the digit of a block says from where it came, on the others where it goes. Before a phase the blocks are sorted by the digit of its
/// axis, so that every message is one piece of memory.
class AllToAll {
public:
    AllToAll(Writer& writer, const Program& program)
        : m_writer(writer)
        , m_program(program)
        , m_body(program.asTemplate())
        , m_strides(stridesOf(m_body.axes))
        , m_ranks(program.ranks)
    {
        std::int32_t scratch = 0;
        const bool one = m_body.axes.size() == 1;
        for (std::size_t number = 0; number < m_body.phases.size(); ++number) {
            const PhaseTemplate& phase = m_body.phases[number];
            const std::int32_t extent = m_body.axes[static_cast<std::size_t>(phase.axis)];
            const bool ring = isRing(phase);
            Buffers buffers;
            buffers.inner = m_ranks / extent;
            buffers.sorted = one && !ring ? -1 : scratch;
            scratch += buffers.sorted < 0 ? 0 : m_ranks;
            buffers.arrived = one && !ring ? -1 : scratch;
            scratch += buffers.arrived < 0 ? 0 : m_ranks;
            for (std::int32_t step = 0; ring && step + 1 < extent; ++step) {
                buffers.travelling.push_back(scratch);
                scratch += (extent - 1 - step) * buffers.inner;
            }
            m_buffers.push_back(std::move(buffers));
        }
        m_scratch = scratch;
    }

    void run()
    {
        for (std::size_t number = 0; number < m_body.phases.size(); ++number) {
            sortBlocks(number);
            if (isRing(m_body.phases[number]))
                ringPhase(number);
            else
                directPhase(number);
        }
        takeOut();
    }

private:
    struct Buffers {
        std::int32_t inner = 1;   ///< Blocks with one digit.
        std::int32_t sorted = 0;  ///< In scratch; -1: the input.
        std::int32_t arrived = 0; ///< In scratch; -1: the output.
        std::vector<std::int32_t> travelling; ///< Ring: what came in a step.
    };

    /// Blocks travel on from neighbour to neighbour; else every one goes straight to its target.
    static bool isRing(const PhaseTemplate& phase) { return nativeRule(phase.algorithm).sequence == Sequence::PassedOn; }
    std::int32_t digit(std::int32_t value, std::size_t axis) const { return value / m_strides[axis] % m_body.axes[axis]; }
    Writer::Spot scratch(std::int32_t chunk, std::int32_t at) const { return Writer::scratch(chunk, m_scratch, at); }

    /// Place of a block among those with the same digit on `axis`: by the other digits.
    std::int32_t inside(std::int32_t block, std::size_t axis) const
    {
        const std::int32_t below = block % m_strides[axis];
        return below + block / (m_strides[axis] * m_body.axes[axis]) * m_strides[axis];
    }
    /// Where the blocks of one digit begin before a phase; rings have them in the order of the way.
    Writer::Spot sortedAt(std::size_t number, std::int32_t rank, std::int32_t chunk, std::int32_t digitOfBlock) const
    {
        const PhaseTemplate& phase = m_body.phases[number];
        const Buffers& buffers = m_buffers[number];
        if (buffers.sorted < 0)
            return m_writer.input(chunk, digitOfBlock);
        std::int32_t at = digitOfBlock;
        if (isRing(phase)) {
            const auto axis = static_cast<std::size_t>(phase.axis);
            at = modulo((digitOfBlock - digit(rank, axis)) * (phase.minus ? -1 : 1), m_body.axes[axis]);
        }
        return scratch(chunk, buffers.sorted + at * buffers.inner);
    }
    Writer::Spot arrivedAt(std::size_t number, std::int32_t chunk, std::int32_t digitOfBlock) const
    {
        const Buffers& buffers = m_buffers[number];
        return buffers.arrived < 0 ? m_writer.output(chunk, digitOfBlock) : scratch(chunk, buffers.arrived + digitOfBlock * buffers.inner);
    }
    Writer::Where where(std::size_t number, std::int32_t chunk) const
    {
        return {.piece = chunk, .phase = static_cast<std::int32_t>(number), .dimension = m_body.phases[number].axis};
    }

    /// Copies what came in the phase before, or the input, into the order of this phase; what stays on the rank goes to where it would arrive.
    void sortBlocks(std::size_t number)
    {
        const auto axis = static_cast<std::size_t>(m_body.phases[number].axis);
        std::vector<Writer::Part> parts;
        for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
            for (std::int32_t chunk = 0; chunk < m_program.chunks; ++chunk) {
                parts.clear();
                for (std::int32_t block = 0; block < m_ranks; ++block) {
                    const bool stays = digit(block, axis) == digit(rank, axis);
                    if (m_buffers[number].sorted < 0 && !stays)
                        continue;
                    Writer::Spot to = stays ? arrivedAt(number, chunk, digit(block, axis)) : sortedAt(number, rank, chunk, digit(block, axis));
                    to.offset += inside(block, axis);
                    parts.push_back({before(number, chunk, block), to, m_writer.chunk(chunk, block)});
                }
                m_writer.copy(rank, parts, where(number, chunk));
            }
        }
    }
    /// Where a block is before phase `number`.
    Writer::Spot before(std::size_t number, std::int32_t chunk, std::int32_t block) const
    {
        if (number == 0)
            return m_writer.input(chunk, block);
        const auto axis = static_cast<std::size_t>(m_body.phases[number - 1].axis);
        Writer::Spot spot = arrivedAt(number - 1, chunk, digit(block, axis));
        spot.offset += inside(block, axis);
        return spot;
    }

    void directPhase(std::size_t number)
    {
        const PhaseTemplate& phase = m_body.phases[number];
        const auto axis = static_cast<std::size_t>(phase.axis);
        const std::int32_t extent = m_body.axes[axis];
        const std::int32_t inner = m_buffers[number].inner;
        std::vector<ProgramBuilder::Op> sends;
        m_received.assign(static_cast<std::size_t>(m_ranks) * static_cast<std::size_t>(m_program.chunks), {});
        for (std::int32_t chunk = 0; chunk < m_program.chunks; ++chunk) {
            for (const std::int32_t line : linesOf(m_body.axes, phase.axis)) {
                for (std::int32_t from = 0; from < extent; ++from) {
                    sends.clear();
                    for (std::int32_t slot = 1; slot < extent; ++slot) {
                        const std::int32_t to = (from + slot) % extent;
                        const std::int32_t sender = line + from * m_strides[axis];
                        Writer::Where at = where(number, chunk);
                        at.slot = slot;
                        sends.push_back(static_cast<ProgramBuilder::Op>(m_writer.builder().size()));
                        m_writer.send(sender, sortedAt(number, sender, chunk, to), line + to * m_strides[axis], arrivedAt(number, chunk, from), inner,
                                      m_writer.chunk(chunk, to * m_strides[axis]), at);
                        m_received[keyOf(line + to * m_strides[axis], chunk)].push_back(sends.back() + 1);
                        if (phase.window > 0 && slot > phase.window)
                            m_writer.builder().depend(sends.back(), sends[static_cast<std::size_t>(slot - 1 - phase.window)]);
                    }
                }
            }
        }
    }

    /// Step t: the blocks of the rank t before, for those beyond. The first of what comes in stays.
    void ringPhase(std::size_t number)
    {
        const PhaseTemplate& phase = m_body.phases[number];
        const auto axis = static_cast<std::size_t>(phase.axis);
        const std::int32_t extent = m_body.axes[axis];
        const std::int32_t inner = m_buffers[number].inner;
        const std::int32_t sign = phase.minus ? -1 : 1;
        const std::vector<std::int32_t> lines = linesOf(m_body.axes, phase.axis);
        const auto came = [&](std::int32_t chunk, std::int32_t step) { return scratch(chunk, m_buffers[number].travelling[static_cast<std::size_t>(step)]); };
        // A rank passes nothing on before it has all of the phase before.
        const std::vector<std::vector<ProgramBuilder::Op>> own = std::exchange(m_received, {});
        m_received.assign(static_cast<std::size_t>(m_ranks) * static_cast<std::size_t>(m_program.chunks), {});
        for (std::int32_t step = 0; step + 1 < extent; ++step) {
            for (const std::int32_t line : lines) {
                for (std::int32_t position = 0; position < extent; ++position) {
                    const std::int32_t rank = line + position * m_strides[axis];
                    const std::int32_t next = line + modulo(position + sign, extent) * m_strides[axis];
                    const std::int32_t source = modulo(position - sign * step, extent);
                    for (std::int32_t chunk = 0; chunk < m_program.chunks; ++chunk) {
                        Writer::Where at = where(number, chunk);
                        at.step = step;
                        Writer::Spot from = sortedAt(number, rank, chunk, modulo(position + sign, extent));
                        if (step > 0) {
                            from = came(chunk, step - 1);
                            from.offset += inner;
                        }
                        const auto send = static_cast<ProgramBuilder::Op>(m_writer.builder().size());
                        m_writer.send(rank, from, next, came(chunk, step), (extent - 1 - step) * inner, m_writer.chunk(chunk, 0), at);
                        if (step > 0 && !own.empty()) {
                            for (const ProgramBuilder::Op receive : own[keyOf(rank, chunk)])
                                m_writer.builder().depend(send, receive);
                        }
                        m_received[keyOf(next, chunk)].push_back(send + 1);
                        m_writer.copy(next, came(chunk, step), arrivedAt(number, chunk, source), inner, m_writer.chunk(chunk, 0), at);
                    }
                }
            }
        }
    }

    std::size_t keyOf(std::int32_t rank, std::int32_t chunk) const
    {
        return static_cast<std::size_t>(rank) * static_cast<std::size_t>(m_program.chunks) + static_cast<std::size_t>(chunk);
    }

    void takeOut()
    {
        const std::size_t last = m_buffers.size();
        if (m_buffers[last - 1].arrived < 0)
            return;
        std::vector<Writer::Part> parts;
        for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
            for (std::int32_t chunk = 0; chunk < m_program.chunks; ++chunk) {
                parts.clear();
                for (std::int32_t source = 0; source < m_ranks; ++source)
                    parts.push_back({before(last, chunk, source), m_writer.output(chunk, source), m_writer.chunk(chunk, source)});
                m_writer.copy(rank, parts, where(last - 1, chunk));
            }
        }
    }

    Writer& m_writer;
    const Program& m_program;
    const TemplateBody& m_body;
    std::vector<std::int32_t> m_strides;
    std::int32_t m_ranks;
    std::int32_t m_scratch = 0;
    std::vector<Buffers> m_buffers;
    std::vector<std::vector<ProgramBuilder::Op>> m_received; ///< In the last phase, by keyOf().
};

} // namespace

void expandAllToAll(Writer& writer, const Program& program)
{
    AllToAll(writer, program).run();
}

/// NVLS-like (manual: collectives 3.5): the rank that owns a block fetches its sum from the switch, and has its block copied to all.
void expandInSwitch(Writer& writer, const Program& program)
{
    std::vector<std::int32_t> team;
    for (std::int32_t rank = 0; rank < program.ranks; ++rank)
        team.push_back(rank);
    writer.builder().extras().teams.push_back(std::move(team));
    const bool sums = program.op == CollectiveOp::AllReduce || program.op == CollectiveOp::ReduceScatter;
    const bool blocks = program.op == CollectiveOp::ReduceScatter || program.op == CollectiveOp::AllGather;
    const BufferKind buffer = sums ? BufferKind::Input : BufferKind::Output;
    for (std::int32_t rank = 0; rank < (blocks ? program.ranks : 1); ++rank) {
        for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk) {
            const std::int32_t at = writer.chunk(chunk, rank);
            ProgramBuilder::Row row;
            row.rank = rank;
            row.peer = 0;
            row.chunk = at;
            row.sourceBuffer = row.targetBuffer = buffer;
            row.sourceOffset = row.targetOffset = at;
            row.slot = rank;
            row.tags = {0, 0, -1, static_cast<std::int16_t>(chunk)};
            row.kind = sums ? OpKind::SwitchReduce : OpKind::SwitchMulticast;
            if (program.op == CollectiveOp::AllReduce) { // The sum goes back to all without leaving the switch.
                row.targetBuffer = BufferKind::None;
                row.targetOffset = 0;
                writer.builder().add(row);
                row.kind = OpKind::SwitchMulticast;
                row.fused = true;
                row.sourceBuffer = BufferKind::Fused;
                row.sourceOffset = 0;
                row.targetBuffer = buffer;
                row.targetOffset = at;
            }
            writer.builder().add(row);
        }
    }
}

} // namespace fabricscope::generate
