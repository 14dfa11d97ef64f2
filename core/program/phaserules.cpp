#include "core/program/phaserules.h"

#include "core/base/index.h"
#include "core/program/nativerule.h"

#include <cassert>

namespace fabricscope {

namespace {

__extension__ using Wide = __int128;

/// Bytes of the blocks before block b.
std::int64_t bytesBefore(std::int64_t held, std::int32_t n, std::int32_t b)
{
    return static_cast<std::int64_t>(Wide{held} * b / n);
}

} // namespace

PhaseRules::PhaseRules(const PhaseTemplate& phase, std::int32_t extent)
    : m_phase(phase)
    , m_extent(extent)
    , m_rule(&nativeRule(phase.algorithm))
{
    assert(extent > 1);
    assert(m_rule->does(phase.kind));
}

std::int32_t PhaseRules::sendCount(std::int32_t r) const
{
    return m_rule->sendCount(*this, r);
}

PhaseRules::Message PhaseRules::send(std::int32_t r, std::int32_t index, std::int64_t held) const
{
    return m_rule->send(*this, r, index, held);
}

std::int32_t PhaseRules::receiveCount(std::int32_t r) const
{
    return m_rule->receiveCount(*this, r);
}

PhaseRules::Message PhaseRules::receive(std::int32_t r, std::int32_t index, std::int64_t held) const
{
    return m_rule->receive(*this, r, index, held);
}

std::int32_t PhaseRules::receiveIndex(std::int32_t r, std::int32_t step, std::int32_t slot) const
{
    return m_rule->receiveIndex(*this, r, step, slot);
}

PhaseRules::Needs PhaseRules::needs(std::int32_t r, std::int32_t index) const
{
    return m_rule->needs(*this, r, index);
}

std::int64_t blockRangeBytes(std::int64_t held, std::int32_t n, std::int32_t first, std::int32_t count)
{
    const std::int32_t end = first + count;
    if (end <= n)
        return bytesBefore(held, n, end) - bytesBefore(held, n, first);
    return held - bytesBefore(held, n, first) + bytesBefore(held, n, end - n);
}

std::int64_t heldBytes(const TemplateBody& body, std::size_t phase, std::int64_t chunk, std::span<const std::int32_t> coordinates)
{
    return heldBytes(body.axes, body.phases, phase, chunk, coordinates);
}

std::int64_t heldBytes(std::span<const std::int32_t> axes, std::span<const PhaseTemplate> phases, std::size_t phase, std::int64_t chunk,
                       std::span<const std::int32_t> coordinates)
{
    const auto cut = [&](std::int64_t held, std::size_t index) {
        const auto axis = static_cast<std::size_t>(phases[index].axis);
        return blockBytes(held, axes[axis], coordinates[axis]);
    };

    // Phases pair up like brackets: a reduce-scatter opens, the all-gather that undoes it closes.
    // All-gathers without a partner close cuts made before the collective, the last of them the outermost.
    std::vector<std::size_t> unmatched;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        if (phases[i].kind == PhaseKind::ReduceScatter)
            open.push_back(i);
        else if (phases[i].kind == PhaseKind::AllGather && !open.empty())
            open.pop_back();
        else if (phases[i].kind == PhaseKind::AllGather)
            unmatched.push_back(i);
    }

    std::vector<std::int64_t> held{chunk};
    for (std::size_t i = unmatched.size(); i-- > 0;)
        held.push_back(cut(held.back(), unmatched[i]));
    for (std::size_t i = 0; i < phase; ++i) {
        if (phases[i].kind == PhaseKind::ReduceScatter)
            held.push_back(cut(held.back(), i));
        else if (phases[i].kind == PhaseKind::AllGather)
            held.pop_back();
    }
    if (phases[phase].kind == PhaseKind::AllGather)
        held.pop_back();
    return held.back();
}

std::vector<std::int64_t> chunkSizes(const Program& program, std::int64_t bytes)
{
    const std::vector<std::int64_t>& weights = program.asTemplate().chunkWeights;
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(program.chunks));
    if (weights.empty()) {
        for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk)
            sizes[at(chunk)] = blockBytes(bytes, program.chunks, chunk);
        return sizes;
    }
    Wide sum = 0;
    for (const std::int64_t weight : weights)
        sum += weight;
    Wide upTo = 0;
    std::int64_t begin = 0;
    for (std::size_t chunk = 0; chunk < sizes.size(); ++chunk) {
        upTo += weights[chunk];
        const auto end = static_cast<std::int64_t>(bytes * upTo / sum);
        sizes[chunk] = end - begin;
        begin = end;
    }
    return sizes;
}

} // namespace fabricscope
