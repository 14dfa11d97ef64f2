#include "core/step/partmap.h"

#include "core/base/axes.h"
#include "core/base/integers.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Calls `visit` with every number whose digits (mixed radix `extents`, weights `strides`) run over `axes`, the first axis fastest.
template <typename Visit>
void forEachCell(const std::vector<std::size_t>& axes, const std::vector<std::int32_t>& extents, const std::vector<std::int32_t>& strides, const Visit& visit)
{
    std::vector<std::int32_t> digit(axes.size(), 0);
    std::int32_t value = 0;
    for (;;) {
        visit(value);
        std::size_t i = 0;
        for (; i < axes.size(); ++i) {
            value += strides[axes[i]];
            if (++digit[i] < extents[axes[i]])
                break;
            value -= digit[i] * strides[axes[i]];
            digit[i] = 0;
        }
        if (i == axes.size())
            return;
    }
}

/// Does some message of the phase carry the last block and the first behind it, in the order of the rule? \pre reduce-scatter or all-gather
bool goesRound(const PhaseTemplate& phase, std::int32_t extent)
{
    const PhaseRules rules(phase, extent);
    for (std::int32_t sender = 0; sender < extent; ++sender) {
        for (std::int32_t index = 0; index < rules.sendCount(sender); ++index) {
            const PhaseRules::Message message = rules.send(sender, index, 0);
            const BlockRange run = rules.rule().blocks(rules, sender, message.step, message.slot);
            if (run.first + run.count > extent)
                return true;
        }
    }
    return false;
}

/// Are all orders the same but for the way round rings? Then blocks are the same in all of them.
bool haveOneOrder(const TemplateBody& body)
{
    const auto alike = [](const PhaseTemplate& a, PhaseTemplate b) {
        b.minus = a.minus;
        return a == b && a.kind != PhaseKind::AllToAll;
    };
    return std::all_of(body.orders.begin(), body.orders.end(), [&](const std::vector<PhaseTemplate>& order) { return std::ranges::equal(body.phases, order, alike); });
}

} // namespace

TemplateParts::TemplateParts(const Program& program)
    : m_size(program.ranks)
    , m_axes(program.asTemplate().axes)
{
    const TemplateBody& body = program.asTemplate();
    m_stride = stridesOf(m_axes);
    m_size = strideOf(m_axes, static_cast<std::int64_t>(m_axes.size()));
    m_cuts.assign(m_axes.size(), 1);
    m_tree.assign(m_axes.size(), false);
    if (!haveOneOrder(body)) { // The parts of a chunk depend on its order.
        m_note = "Chunks go through the dimensions in different orders: who holds which part is shown only where all have one order.";
        return;
    }
    if (!plan(body.phases)) {
        m_note = "This program cuts its data in no way that stepping can show part by part.";
        m_phases.clear();
        return;
    }

    std::int64_t parts = 1;
    for (const std::int32_t cuts : m_cuts) {
        m_partStride.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(parts, kMaxCells)));
        parts *= cuts;
    }
    if (m_allToAll)
        parts = std::int64_t{m_size} * m_size;
    if (parts * m_size > kMaxCells) {
        m_note = "The group is too large to show who holds which part: " + std::to_string(parts) + " parts at " + std::to_string(m_size) + " ranks.";
        m_phases.clear();
        return;
    }
    m_parts = static_cast<std::int32_t>(parts);
    for (std::size_t number = 0; number < m_phases.size(); ++number) {
        if (m_allToAll)
            addJourneys(m_phases[number], number);
        else
            addBlocks(m_phases[number]);
    }
}

/// Works out which axes are cut in every phase; reduce-scatters open, all-gathers close. False: not of that form.
bool TemplateParts::plan(const std::vector<PhaseTemplate>& phases)
{
    std::vector<int> uses(m_axes.size(), 0);
    std::size_t travels = 0;
    for (const PhaseTemplate& phase : phases) {
        const auto axis = static_cast<std::size_t>(phase.axis);
        if (phase.kind == PhaseKind::AllToAll)
            ++travels;
        if (phase.kind != PhaseKind::AllGather && ++uses[axis] > 1)
            return false;
        if (phase.kind == PhaseKind::AllReduce) {
            m_tree[axis] = true;
            m_complete *= m_axes[axis];
        } else if (phase.kind == PhaseKind::ReduceScatter) {
            m_complete *= m_axes[axis];
        }
    }
    m_allToAll = travels > 0;
    if (m_allToAll && travels != phases.size())
        return false;

    std::vector<std::size_t> open;
    for (std::size_t i = phases.size(); i-- > 0 && phases[i].kind == PhaseKind::AllGather && m_complete == 1;)
        open.push_back(static_cast<std::size_t>(phases[i].axis)); // All-gathers alone close cuts made before, the last of them the outermost.
    m_gathersOnly = !m_allToAll && m_complete == 1;
    if (m_gathersOnly && open.size() != phases.size())
        return false;
    m_order = open;
    for (const std::size_t axis : open) {
        if (++uses[axis] > 1)
            return false;
    }
    for (const PhaseTemplate& rule : phases) {
        const auto axis = static_cast<std::size_t>(rule.axis);
        Phase phase;
        phase.rule = rule;
        phase.extent = m_axes[axis];
        if (rule.kind == PhaseKind::AllGather) {
            if (open.empty() || open.back() != axis)
                return false;
            open.pop_back();
        }
        phase.fixed = open;
        if (rule.kind == PhaseKind::ReduceScatter) {
            open.push_back(axis);
            m_order.push_back(axis);
        } else if (rule.kind == PhaseKind::AllReduce || m_allToAll) {
            m_order.push_back(axis);
        }
        m_phases.push_back(std::move(phase));
    }
    for (const std::size_t axis : m_order)
        m_cuts[axis] = m_tree[axis] ? 2 : m_axes[axis];
    return true;
}

/// Lists of a phase that moves blocks of its axis.
void TemplateParts::addBlocks(Phase& phase)
{
    const auto axis = static_cast<std::size_t>(phase.rule.axis);
    const std::int32_t blocks = m_cuts[axis];
    std::vector<std::size_t> free;
    for (std::size_t other = 0; other < m_axes.size(); ++other) {
        if (other != axis && m_cuts[other] > 1 && std::find(phase.fixed.begin(), phase.fixed.end(), other) == phase.fixed.end()) {
            free.push_back(other);
            phase.perBlock *= static_cast<std::uint32_t>(m_cuts[other]);
        }
    }

    // By the rule every message is a run of neighbours. Where one goes on from the first after the last, the sequence stands there twice.
    const NativeRule& rule = nativeRule(phase.rule.algorithm);
    std::vector<std::int32_t> sequence(static_cast<std::size_t>(blocks));
    for (std::int32_t block = 0; block < blocks; ++block)
        sequence[static_cast<std::size_t>(rule.placeOf(blocks, block))] = block;
    if (rule.manyBlocks && goesRound(phase.rule, blocks))
        sequence.insert(sequence.end(), sequence.begin(), sequence.begin() + blocks);

    phase.begin = static_cast<std::uint32_t>(m_table.size());
    phase.perFixed = static_cast<std::uint32_t>(sequence.size()) * phase.perBlock;
    forEachCell(phase.fixed, m_cuts, m_partStride, [&](std::int32_t fixed) {
        for (const std::int32_t block : sequence) {
            forEachCell(free, m_cuts, m_partStride, [&](std::int32_t rest) { m_table.push_back(fixed + block * m_partStride[axis] + rest); });
        }
    });
}

/// Lists of an all-to-all phase: for every position what starts its way along the axis there, by the distance it goes.
void TemplateParts::addJourneys(Phase& phase, std::size_t number)
{
    std::vector<std::size_t> before; // Axes along which data has come, and along which it still has to go.
    std::vector<std::size_t> after;
    for (std::size_t other = 0; other < m_phases.size(); ++other) {
        if (other < number)
            before.push_back(static_cast<std::size_t>(m_phases[other].rule.axis));
        else if (other > number)
            after.push_back(static_cast<std::size_t>(m_phases[other].rule.axis));
    }
    const auto axis = static_cast<std::size_t>(phase.rule.axis);
    const std::int32_t sign = phase.rule.minus ? -1 : 1;
    phase.begin = static_cast<std::uint32_t>(m_table.size());
    phase.perBlock = static_cast<std::uint32_t>(m_size / phase.extent);
    phase.perFixed = static_cast<std::uint32_t>(phase.extent - 1) * phase.perBlock;
    for (std::int32_t position = 0; position < m_size; ++position) {
        std::int32_t source = position; // With the coordinates the data may have come from taken out, and those it goes to.
        std::int32_t target = position;
        for (const std::size_t other : before)
            source -= coordinate(position, other) * m_stride[other];
        for (const std::size_t other : after)
            target -= coordinate(position, other) * m_stride[other];
        const std::int32_t own = coordinate(position, axis);
        for (std::int32_t distance = 1; distance < phase.extent; ++distance) {
            const std::int32_t at = target + (modulo(own + sign * distance, phase.extent) - own) * m_stride[axis];
            forEachCell(before, m_axes, m_stride, [&](std::int32_t from) {
                forEachCell(after, m_axes, m_stride, [&](std::int32_t to) { m_table.push_back((source + from) * m_size + at + to); });
            });
        }
    }
}

PartRange TemplateParts::carried(std::int32_t phaseNumber, bool minus, std::int32_t position, std::int32_t step, std::int32_t slot) const
{
    if (m_parts == 0)
        return {};
    const Phase& phase = m_phases[static_cast<std::size_t>(phaseNumber)];
    const auto axis = static_cast<std::size_t>(phase.rule.axis);
    const std::int32_t own = coordinate(position, axis);
    const std::int32_t n = phase.extent;
    if (m_allToAll) {
        std::int32_t origin = position;
        std::int32_t first = slot;
        std::int32_t last = slot;
        if (nativeRule(phase.rule.algorithm).sequence == Sequence::PassedOn) { // What started `step` places behind and has not arrived yet.
            origin += (modulo(phase.rule.minus ? own + step : own - step, n) - own) * m_stride[axis];
            first = step + 1;
            last = n - 1;
        }
        const auto begin = phase.begin + static_cast<std::uint32_t>(origin) * phase.perFixed + static_cast<std::uint32_t>(first - 1) * phase.perBlock;
        return {begin, static_cast<std::uint32_t>(last - first + 1) * phase.perBlock};
    }

    std::uint32_t cell = 0;
    std::uint32_t weight = 1;
    for (const std::size_t fixed : phase.fixed) {
        cell += static_cast<std::uint32_t>(coordinate(position, fixed)) * weight;
        weight *= static_cast<std::uint32_t>(m_cuts[fixed]);
    }
    const std::uint32_t base = phase.begin + cell * phase.perFixed;
    if (phase.rule.kind == PhaseKind::AllReduce) // One part per tree. CollectiveReplay::create() refuses switches.
        return {base + static_cast<std::uint32_t>(slot % 2) * phase.perBlock, phase.perBlock};
    PhaseTemplate rule = phase.rule;
    rule.minus = minus;
    const PhaseRules rules(rule, n);
    const BlockRange blocks = rules.rule().blocks(rules, own, step, slot);
    return {base + static_cast<std::uint32_t>(blocks.first) * phase.perBlock, static_cast<std::uint32_t>(blocks.count) * phase.perBlock};
}

MoveEffect TemplateParts::effectOf(std::int32_t phase, bool reduces) const
{
    if (m_parts == 0)
        return MoveEffect::Copies;
    switch (m_phases[static_cast<std::size_t>(phase)].rule.kind) {
    case PhaseKind::ReduceScatter:
        return reduces ? MoveEffect::Adds : MoveEffect::Moves;
    case PhaseKind::AllReduce:
        return reduces ? MoveEffect::Adds : MoveEffect::Copies;
    case PhaseKind::AllToAll:
        return MoveEffect::Moves;
    case PhaseKind::AllGather:
    case PhaseKind::Broadcast:
        break;
    }
    return MoveEffect::Copies;
}

std::int32_t TemplateParts::ownerOf(PartIndex part) const
{
    if (m_allToAll)
        return part % m_size;
    std::int32_t owner = 0;
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis) {
        // The root of the first tree is the first of its axis, that of the second the last.
        const std::int32_t at = partCoordinate(part, axis);
        owner += (m_tree[axis] ? at * (m_axes[axis] - 1) : at) * m_stride[axis];
    }
    return owner;
}

std::int64_t TemplateParts::bytesOf(std::int64_t chunk, PartIndex part) const
{
    std::int64_t bytes = chunk;
    for (const std::size_t axis : m_order) {
        if (m_tree[axis]) {
            bytes = partCoordinate(part, axis) == 0 ? bytes / 2 : bytes - bytes / 2;
            continue;
        }
        const std::int32_t block = m_allToAll ? coordinate(part % m_size, axis) : partCoordinate(part, axis);
        if (m_allToAll && blockBytes(chunk, m_axes[axis], block) == 0)
            return 0; // Every phase cuts the whole chunk: no message takes it along this axis.
        bytes = blockBytes(bytes, m_axes[axis], block);
    }
    return bytes;
}

std::int32_t TemplateParts::heldAtStart(std::int32_t position, PartIndex part) const
{
    if (m_allToAll)
        return part / m_size == position ? 1 : 0;
    if (!m_gathersOnly)
        return 1;
    for (const std::size_t axis : m_order) {
        if (coordinate(position, axis) != partCoordinate(part, axis))
            return 0;
    }
    return 1;
}

PartRange TemplateParts::atStart(std::int32_t position) const
{
    if (!m_allToAll || m_parts == 0) // Of a group that is too large no part is known.
        return PartMap::atStart(position);
    return {static_cast<std::uint32_t>(position * m_size), static_cast<std::uint32_t>(m_size)};
}

std::string TemplateParts::nameOf(PartIndex part) const
{
    if (m_allToAll)
        return std::to_string(part / m_size) + '>' + std::to_string(part % m_size);
    return std::to_string(part);
}

} // namespace fabricscope
