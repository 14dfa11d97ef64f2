// Reduce-scatter, all-gather and all-reduce templates, transfer by transfer.
#include "core/base/axes.h"
#include "core/base/integers.h"
#include "core/base/stop.h"
#include "core/generate/expand.h"
#include "core/generate/expandlayout.h"
#include "core/program/nativerule.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace fabricscope::generate {

namespace {

/// How the blocks of a chunk lie beside each other: the axis that is cut first moves slowest, two halves for trees within.
struct Layout {
    std::vector<std::int32_t> order;              ///< Axes as they are cut.
    std::vector<std::vector<std::int32_t>> place; ///< By axis: where its block b stands.
    std::vector<std::int32_t> weight;             ///< By axis: blocks of the chunk in one block of the axis.
    std::int32_t innermost = 1;                   ///< Blocks in what is cut by all axes: 2 with trees.
    std::vector<std::int32_t> owner;              ///< By place in the chunk: the rank whose block it is. Empty with trees.
};

bool usesTrees(const std::vector<PhaseTemplate>& phases)
{
    return std::any_of(phases.begin(), phases.end(), [](const PhaseTemplate& phase) { return nativeRule(phase.algorithm).halves; });
}

Layout layoutOf(const TemplateBody& body, const std::vector<PhaseTemplate>& phases)
{
    Layout layout;
    layout.order = cutOrder(phases);
    layout.innermost = usesTrees(phases) ? 2 : 1;
    for (std::size_t axis = 0; axis < body.axes.size(); ++axis) {
        const NativeRule* rule = nullptr;
        for (const PhaseTemplate& phase : phases) {
            if (static_cast<std::size_t>(phase.axis) == axis && nativeRule(phase.algorithm).place)
                rule = &nativeRule(phase.algorithm);
        }
        layout.place.push_back(blockOrder(body.axes[axis], rule));
    }
    layout.weight.assign(body.axes.size(), 0);
    std::int32_t weight = layout.innermost;
    for (std::size_t i = layout.order.size(); i-- > 0;) {
        const auto axis = static_cast<std::size_t>(layout.order[i]);
        layout.weight[axis] = weight;
        weight *= body.axes[axis];
    }
    if (layout.innermost == 1) {
        const std::vector<std::int32_t> strides = stridesOf(body.axes);
        layout.owner.assign(static_cast<std::size_t>(weight), 0);
        for (std::int32_t rank = 0; rank < weight; ++rank) {
            std::int32_t at = 0;
            for (std::size_t axis = 0; axis < body.axes.size(); ++axis)
                at += layout.place[axis][static_cast<std::size_t>(rank / strides[axis] % body.axes[axis])] * layout.weight[axis];
            layout.owner[static_cast<std::size_t>(at)] = rank;
        }
    }
    return layout;
}

/// Writes the chunks of one program.
class Expander {
public:
    Expander(Writer& writer, const Program& program, const std::stop_token& stop)
        : m_stop(stop)
        , m_writer(writer)
        , m_program(program)
        , m_body(program.asTemplate())
        , m_strides(stridesOf(m_body.axes))
        , m_inPlace(expandsInPlace(program))
        , m_oneByOne(!m_body.chunkWeights.empty() && program.op != CollectiveOp::AllReduce)
    {
        m_layouts.push_back(layoutOf(m_body, m_body.phases));
        for (const auto& order : m_body.orders)
            m_layouts.push_back(layoutOf(m_body, order));
        // Behind the blocks, where they are worked on in scratch: for every phase what is put together for one message, and what comes in so.
        m_perPiece = m_inPlace ? 0 : writer.blocks();
        for (std::size_t phase = 0; phase < m_body.phases.size(); ++phase) {
            m_packed.push_back(m_perPiece);
            if (sendsApart(phase))
                m_perPiece += 2 * writer.blocks();
        }
    }

    void run()
    {
        if (!m_inPlace)
            copyIn();
        for (std::size_t phase = 0; phase < m_body.phases.size(); ++phase)
            expandPhase(phase);
        if (!m_inPlace)
            copyOut();
    }

private:
    /// Some message of the phase is not one run, in some order of phases: blocks beyond the last and from the first on.
    bool sendsApart(std::size_t number)
    {
        for (std::size_t i = 0; i < m_layouts.size(); ++i) {
            const PhaseTemplate& phase = phasesOf(i)[number];
            if (!nativeRule(phase.algorithm).manyBlocks)
                continue;
            const std::vector<AxisMessage>& list = messagesOf(phase, m_layouts[i]).list;
            if (std::any_of(list.begin(), list.end(), [](const AxisMessage& message) { return message.runEnd - message.runBegin > 1; }))
                return true;
        }
        return false;
    }

    const std::vector<PhaseTemplate>& phasesOf(std::size_t layout) const { return layout == 0 ? m_body.phases : m_body.orders[layout - 1]; }
    std::size_t orderOf(std::int32_t chunk) const { return m_body.orderOfChunk.empty() ? 0 : m_body.orderOfChunk[static_cast<std::size_t>(chunk)]; }
    const Layout& layoutOfChunk(std::int32_t chunk) const { return m_layouts[orderOf(chunk)]; }

    /// Chunk of the large side at a place of the layout.
    std::int32_t sizeAt(std::int32_t chunk, std::int32_t place) const
    {
        if (m_program.op == CollectiveOp::AllReduce)
            return m_writer.chunk(chunk, place);
        return m_writer.chunk(chunk, layoutOfChunk(chunk).owner[static_cast<std::size_t>(place)]);
    }
    Writer::Spot spotAt(std::int32_t chunk, std::int32_t place) const
    {
        if (!m_inPlace)
            return Writer::scratch(chunk, m_perPiece, place);
        return {m_program.op == CollectiveOp::AllGather ? BufferKind::Output : BufferKind::Input, sizeAt(chunk, place)};
    }
    std::int32_t placeOfOwn(const Layout& layout, std::int32_t rank) const
    {
        std::int32_t place = 0;
        for (const std::int32_t axis : layout.order) {
            const auto a = static_cast<std::size_t>(axis);
            place += layout.place[a][static_cast<std::size_t>(rank / m_strides[a] % m_body.axes[a])] * layout.weight[a];
        }
        return place;
    }

    void copyOwn(bool in)
    {
        const BufferKind buffer = in ? BufferKind::Input : BufferKind::Output;
        const std::int32_t phase = in ? 0 : static_cast<std::int32_t>(m_body.phases.size()) - 1;
        for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
            for (std::int32_t chunk = 0; chunk < m_program.chunks; ++chunk) {
                const Writer::Spot scratch = spotAt(chunk, placeOfOwn(layoutOfChunk(chunk), rank));
                const Writer::Spot own = m_writer.share(buffer, chunk, 0);
                m_writer.copy(rank, in ? own : scratch, in ? scratch : own, 1, m_writer.chunk(chunk, rank), {.piece = chunk, .phase = phase});
            }
        }
    }
    void copyAll(bool in)
    {
        const std::int32_t phase = in ? 0 : static_cast<std::int32_t>(m_body.phases.size()) - 1;
        std::vector<Writer::Part> parts;
        for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
            for (std::int32_t chunk = 0; chunk < m_program.chunks; ++chunk) {
                parts.clear();
                checkStop(m_stop);
                for (std::int32_t place = 0; place < m_writer.blocks(); ++place) {
                    const std::int32_t at = sizeAt(chunk, place);
                    const Writer::Spot user{in ? BufferKind::Input : BufferKind::Output, at};
                    parts.push_back(in ? Writer::Part{user, spotAt(chunk, place), at} : Writer::Part{spotAt(chunk, place), user, at});
                }
                m_writer.copy(rank, parts, {.piece = chunk, .phase = phase});
            }
        }
    }
    void copyIn() { m_program.op == CollectiveOp::AllGather ? copyOwn(true) : copyAll(true); }
    void copyOut() { m_program.op == CollectiveOp::AllGather ? copyAll(false) : copyOwn(false); }

    /// Axis messages of phases are alike for all chunks of one order.
    const AxisMessages& messagesOf(const PhaseTemplate& phase, const Layout& layout)
    {
        const auto axis = static_cast<std::size_t>(phase.axis);
        const bool reordered = !std::is_sorted(layout.place[axis].begin(), layout.place[axis].end());
        const auto key = std::make_tuple(phase.kind, phase.algorithm, phase.axis, phase.minus, reordered);
        const auto found = m_messages.find(key);
        if (found != m_messages.end())
            return found->second;
        return m_messages.emplace(key, axisMessages(phase, m_body.axes[axis], layout.place[axis], m_stop)).first->second;
    }

    void expandPhase(std::size_t number)
    {
        struct OfOrder {
            const PhaseTemplate* phase = nullptr;
            const AxisMessages* messages = nullptr;
            std::vector<std::int32_t> lines;
            std::vector<std::int32_t> fixed; ///< Axes cut on the line.
        };
        std::vector<OfOrder> orders;
        std::int32_t steps = 0;
        for (std::size_t i = 0; i < m_layouts.size(); ++i) {
            OfOrder order;
            order.phase = &phasesOf(i)[number];
            order.messages = &messagesOf(*order.phase, m_layouts[i]);
            order.lines = linesOf(m_body.axes, order.phase->axis);
            const std::vector<std::int32_t>& cut = m_layouts[i].order;
            order.fixed.assign(cut.begin(), std::find(cut.begin(), cut.end(), order.phase->axis));
            steps = std::max(steps, order.messages->steps);
            orders.push_back(std::move(order));
        }
        m_lastSends.clear();
        for (std::int32_t step = 0; step < steps; ++step) {
            for (std::int32_t chunk = 0; chunk < m_program.chunks; ++chunk) {
                const OfOrder& order = orders[orderOf(chunk)];
                if (step >= order.messages->steps)
                    continue;
                for (const std::int32_t line : order.lines) {
                    const std::int32_t base = baseOf(layoutOfChunk(chunk), order.fixed, line);
                    for (std::uint32_t i = order.messages->stepBegin[static_cast<std::size_t>(step)]; i < order.messages->stepBegin[static_cast<std::size_t>(step) + 1]; ++i)
                        emit(chunk, number, *order.phase, *order.messages, order.messages->list[i], line, base);
                }
            }
        }
    }

    /// First place of what the ranks of a line hold.
    std::int32_t baseOf(const Layout& layout, const std::vector<std::int32_t>& fixed, std::int32_t line) const
    {
        std::int32_t base = 0;
        for (const std::int32_t axis : fixed) {
            const auto a = static_cast<std::size_t>(axis);
            base += layout.place[a][static_cast<std::size_t>(line / m_strides[a] % m_body.axes[a])] * layout.weight[a];
        }
        return base;
    }

    void emit(std::int32_t chunk, std::size_t number, const PhaseTemplate& phase, const AxisMessages& messages, const AxisMessage& message, std::int32_t line,
              std::int32_t base)
    {
        const auto axis = static_cast<std::size_t>(phase.axis);
        const bool tree = nativeRule(phase.algorithm).halves;
        const std::int32_t inner = tree ? 1 : layoutOfChunk(chunk).weight[axis];
        const std::int32_t from = line + message.from * m_strides[axis];
        const std::int32_t to = line + message.to * m_strides[axis];
        const Writer::Where where{.piece = chunk,
                                  .phase = static_cast<std::int32_t>(number),
                                  .step = message.step,
                                  .slot = message.slot,
                                  .dimension = phase.axis,
                                  .tree = tree ? message.slot % 2 : -1};
        ProgramBuilder& builder = m_writer.builder();
        const auto first = static_cast<ProgramBuilder::Op>(builder.size());
        if (message.runEnd - message.runBegin > 1 && !m_oneByOne) {
            sendPacked(chunk, messages, message, from, to, base, inner, where);
            waitForAwaited(chunk, phase, message, from, line, first);
            return;
        }
        std::vector<ProgramBuilder::Op> needed; // All parts of a message leave when the last of it is there.
        for (std::uint32_t run = message.runBegin; run < message.runEnd && m_oneByOne; ++run) {
            const std::int32_t begin = base + messages.runs[run].first * inner;
            for (std::int32_t place = begin; place < begin + messages.runs[run].count * inner; ++place) {
                const auto found = m_lastReceive.find(keyOf(from, chunk, place));
                if (found != m_lastReceive.end())
                    needed.push_back(found->second);
            }
        }
        std::sort(needed.begin(), needed.end());
        needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
        for (std::uint32_t run = message.runBegin; run < message.runEnd; ++run) {
            const std::int32_t begin = base + messages.runs[run].first * inner;
            const std::int32_t count = messages.runs[run].count * inner;
            const std::int32_t each = m_oneByOne ? 1 : count;
            for (std::int32_t place = begin; place < begin + count; place += each) {
                const Writer::Spot spot = spotAt(chunk, place);
                if (message.reduces)
                    m_writer.sendAndReduce(from, spot, to, spot, spot, each, sizeAt(chunk, place), where);
                else
                    m_writer.send(from, spot, to, spot, each, sizeAt(chunk, place), where);
                const auto receive = static_cast<ProgramBuilder::Op>(builder.size() - 1);
                for (const ProgramBuilder::Op earlier : needed)
                    builder.depend(receive - 1, earlier);
                for (std::int32_t at = place; at < place + each && m_oneByOne; ++at)
                    m_lastReceive[keyOf(to, chunk, at)] = receive;
            }
        }
        if (windowOf(phase) > 0)
            keepWindow(chunk, from, message.slot, phase.window, first);
        waitForAwaited(chunk, phase, message, from, line, first);
    }

    /// What must have come before a message though it has nothing of it (NativeRule::awaits).
    void waitForAwaited(std::int32_t chunk, const PhaseTemplate& phase, const AxisMessage& message, std::int32_t from, std::int32_t line, ProgramBuilder::Op first)
    {
        ProgramBuilder& builder = m_writer.builder();
        const auto end = static_cast<ProgramBuilder::Op>(builder.size());
        if (message.awaited)
            m_awaited[{chunk, from}] = {first, end};
        if (message.awaits < 0)
            return;
        const auto [begin, last] = m_awaited.at({chunk, line + message.awaits * m_strides[static_cast<std::size_t>(phase.axis)]});
        // Block by block every send waits; else the only one, or the first copy of what is put together for it.
        for (ProgramBuilder::Op later = first; later < (m_oneByOne ? end : first + 1); later += 2) {
            for (ProgramBuilder::Op receive = begin + 1; receive < last; receive += 2)
                builder.depend(later, receive);
        }
    }

    /// Several runs as one message: put together in scratch, by the receiver too what it adds to, and taken apart.
    void sendPacked(std::int32_t chunk, const AxisMessages& messages, const AxisMessage& message, std::int32_t from, std::int32_t to, std::int32_t base,
                    std::int32_t inner, const Writer::Where& where)
    {
        const auto pack = [&](std::int32_t index) { return Writer::scratch(chunk, m_perPiece, m_packed[static_cast<std::size_t>(where.phase)] + index); };
        std::vector<Writer::Part> in;
        std::vector<Writer::Part> own;
        std::vector<Writer::Part> out;
        for (std::uint32_t run = message.runBegin; run < message.runEnd; ++run) {
            const std::int32_t begin = base + messages.runs[run].first * inner;
            for (std::int32_t place = begin; place < begin + messages.runs[run].count * inner; ++place) {
                const auto index = static_cast<std::int32_t>(in.size());
                in.push_back({spotAt(chunk, place), pack(index), sizeAt(chunk, place)});
                own.push_back({spotAt(chunk, place), pack(m_writer.blocks() + index), sizeAt(chunk, place)});
                out.push_back({pack(m_writer.blocks() + index), spotAt(chunk, place), sizeAt(chunk, place)});
            }
        }
        const auto count = static_cast<std::int32_t>(in.size());
        const Writer::Spot came = pack(m_writer.blocks());
        m_writer.copy(from, in, where);
        if (message.reduces) {
            m_writer.copy(to, own, where);
            m_writer.sendAndReduce(from, pack(0), to, came, came, count, sizeAt(chunk, base), where);
        } else {
            m_writer.send(from, pack(0), to, came, count, sizeAt(chunk, base), where);
        }
        m_writer.copy(to, out, where);
    }

    std::uint64_t keyOf(std::int32_t rank, std::int32_t chunk, std::int32_t place) const
    {
        return (static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(m_program.chunks) + static_cast<std::uint64_t>(chunk)) * static_cast<std::uint64_t>(m_writer.blocks())
            + static_cast<std::uint64_t>(place);
    }

    /// Direct with a window: slot s waits until the message of slot s - window has left.
    void keepWindow(std::int32_t chunk, std::int32_t rank, std::int32_t slot, std::int32_t window, ProgramBuilder::Op first)
    {
        ProgramBuilder& builder = m_writer.builder();
        const auto end = static_cast<ProgramBuilder::Op>(builder.size());
        m_lastSends[{chunk, rank, slot}] = {first, end};
        const auto before = m_lastSends.find({chunk, rank, slot - window});
        if (before == m_lastSends.end())
            return;
        for (ProgramBuilder::Op later = first; later < end; later += 2) {
            for (ProgramBuilder::Op earlier = before->second.first; earlier < before->second.second; earlier += 2)
                builder.depend(later, earlier);
        }
    }

    const std::stop_token& m_stop;
    Writer& m_writer;
    const Program& m_program;
    const TemplateBody& m_body;
    std::vector<std::int32_t> m_strides;
    bool m_inPlace;
    bool m_oneByOne; ///< Neighbours in scratch are of different sizes in the vector.
    std::unordered_map<std::uint64_t, ProgramBuilder::Op> m_lastReceive; ///< By keyOf(): what came there last. Only where m_oneByOne.
    std::int32_t m_perPiece = 0;         ///< Scratch blocks of a chunk.
    std::vector<std::int32_t> m_packed;  ///< By phase: where the blocks of such a message are put together.
    std::vector<Layout> m_layouts;
    std::map<std::tuple<PhaseKind, Algorithm, std::int32_t, bool, bool>, AxisMessages> m_messages;
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::pair<ProgramBuilder::Op, ProgramBuilder::Op>> m_lastSends;
    std::map<std::pair<std::int32_t, std::int32_t>, std::pair<ProgramBuilder::Op, ProgramBuilder::Op>> m_awaited; ///< By chunk and sender: its awaited message's transfers.
};

} // namespace

std::vector<std::int32_t> cutOrder(const std::vector<PhaseTemplate>& phases)
{
    std::vector<std::int32_t> order;
    for (const PhaseTemplate& phase : phases) {
        if (phase.kind == PhaseKind::ReduceScatter)
            order.push_back(phase.axis);
    }
    if (order.empty()) {
        // All-gathers undo cuts made before the collective, the last of them the outermost.
        for (std::size_t i = phases.size(); i-- > 0;) {
            if (phases[i].kind == PhaseKind::AllGather)
                order.push_back(phases[i].axis);
        }
    }
    return order;
}

bool expandsInPlace(const Program& program)
{
    if (program.op == CollectiveOp::AllReduce)
        return true;
    const TemplateBody& body = program.asTemplate();
    // Messages of one block each.
    const auto many = [](const std::vector<PhaseTemplate>& phases) {
        return std::any_of(phases.begin(), phases.end(), [](const PhaseTemplate& phase) { return nativeRule(phase.algorithm).manyBlocks; });
    };
    return body.axes.size() == 1 && !many(body.phases) && std::none_of(body.orders.begin(), body.orders.end(), many);
}

void expandVector(Writer& writer, const Program& program, const std::stop_token& stop)
{
    Expander(writer, program, stop).run();
}

} // namespace fabricscope::generate
