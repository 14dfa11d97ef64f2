#include "core/base/index.h"
#include "core/step/collectivereplay.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

ReplayCursor::ReplayCursor(CollectiveReplayPtr replay, std::int32_t chunk)
    : m_replay(std::move(replay))
    , m_chunk(chunk)
    , m_partCount(m_replay->parts())
    , m_time(m_replay->beginPs() - 1)
    , m_state(m_replay->initialState(chunk))
{
    for (PartIndex part = 0; part < m_partCount; ++part) {
        if (m_replay->partBytes(chunk, part) > 0)
            continue;
        m_empty.resize(static_cast<std::size_t>(m_partCount), false);
        m_empty[at(part)] = true;
    }
    if (m_replay->program() && m_partCount > 0)
        m_program.emplace(m_replay->program());
    if (m_program)
        followProgram();
}

void ReplayCursor::setTime(std::int64_t ps)
{
    const std::span<const std::uint32_t> order = m_replay->completionOrder(m_chunk);
    const std::span<const ReplayMove> moves = m_replay->moves();
    while (m_undo.size() < order.size() && moves[order[m_undo.size()]].donePs <= ps)
        apply(moves[order[m_undo.size()]]);
    while (!m_undo.empty() && moves[order[m_undo.size() - 1]].donePs > ps)
        takeBack(moves[order[m_undo.size() - 1]]);
    m_time = ps;
    if (m_program)
        followProgram();
}

/// Cells are those of the program's places, in the same order.
void ReplayCursor::followProgram()
{
    m_changed.clear();
    m_program->setTime(m_time, &m_changed);
    for (const PlaceIndex place : m_changed) {
        if (!skips(m_program->replay().places().columnOf(place)))
            m_state[place] = {m_program->contributions(place), false};
    }
}

const PartState& ReplayCursor::part(std::int32_t position, PartIndex part) const
{
    assert(part >= 0 && part < m_partCount);
    return m_state[static_cast<std::size_t>(position) * static_cast<std::size_t>(m_partCount) + static_cast<std::size_t>(part)];
}

void ReplayCursor::apply(const ReplayMove& move)
{
    if (m_program) { // Which says what changes.
        m_undo.emplace_back();
        return;
    }
    const std::span<const PartIndex> parts = m_replay->partsOf(move);
    Undo common;
    bool any = false;
    bool spilled = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (skips(parts[i]))
            continue;
        PartState& source = cell(move.source, parts[i]);
        PartState& target = cell(move.target, parts[i]);
        if (!any) {
            common = {source, target};
            any = true;
        } else if (!spilled && !(source == common.source && target == common.target)) {
            const auto before = std::count_if(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i), [&](PartIndex part) { return !skips(part); });
            m_spill.insert(m_spill.end(), static_cast<std::size_t>(before), common);
            spilled = true;
        }
        if (spilled)
            m_spill.push_back({source, target});

        switch (move.effect) {
        case MoveEffect::Adds:
            target = {target.contributions + source.contributions, false};
            source = {0, true};
            break;
        case MoveEffect::Moves:
            target = {source.contributions, false};
            source = {0, true};
            break;
        case MoveEffect::Copies:
            target = {source.contributions, false};
            break;
        case MoveEffect::Joins:
            target = {m_replay->heldAfter(move, i), false};
            break;
        }
    }
    if (spilled)
        common.source.contributions = kSpilled;
    m_undo.push_back(common);
}

void ReplayCursor::takeBack(const ReplayMove& move)
{
    const std::span<const PartIndex> parts = m_replay->partsOf(move);
    const Undo common = m_undo.back();
    m_undo.pop_back();
    if (m_program)
        return;
    if (common.source.contributions != kSpilled) {
        for (const PartIndex part : parts) {
            if (skips(part))
                continue;
            cell(move.source, part) = common.source;
            cell(move.target, part) = common.target;
        }
        return;
    }
    for (std::size_t i = parts.size(); i-- > 0;) {
        if (skips(parts[i]))
            continue;
        cell(move.source, parts[i]) = m_spill.back().source;
        cell(move.target, parts[i]) = m_spill.back().target;
        m_spill.pop_back();
    }
}

std::vector<std::uint32_t> ReplayCursor::underWay() const
{
    const std::span<const std::uint32_t> order = m_replay->completionOrder(m_chunk);
    const std::span<const ReplayMove> moves = m_replay->moves();
    const std::int64_t longest = m_replay->longestMovePs(m_chunk);
    std::vector<std::uint32_t> under;
    for (std::size_t i = m_undo.size(); i < order.size() && moves[order[i]].donePs - longest <= m_time; ++i) {
        if (moves[order[i]].readyPs <= m_time)
            under.push_back(order[i]);
    }
    return under;
}

std::int32_t ReplayCursor::currentStep() const
{
    const std::span<const ReplayStep> steps = m_replay->steps(m_chunk);
    for (std::size_t i = steps.size(); i-- > 0;) {
        if (steps[i].beginPs <= m_time)
            return static_cast<std::int32_t>(i);
    }
    return -1;
}

} // namespace fabricscope
