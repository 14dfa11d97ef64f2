#include "core/step/programreplay.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace fabricscope {

ProgramCursor::ProgramCursor(ProgramReplayPtr replay)
    : m_replay(std::move(replay))
    , m_state(m_replay->hasPlaces() ? m_replay->places().count() : 0)
    , m_underAt(m_replay->body().size(), kNotThere)
{
    std::iota(m_state.begin(), m_state.end(), 0u);
}

void ProgramCursor::enter(std::uint32_t send)
{
    m_underAt[send] = static_cast<std::uint32_t>(m_under.size());
    m_under.push_back(send);
}

void ProgramCursor::leave(std::uint32_t send)
{
    const std::uint32_t at = m_underAt[send];
    m_under[at] = m_under.back();
    m_underAt[m_under[at]] = at;
    m_under.pop_back();
    m_underAt[send] = kNotThere;
}

void ProgramCursor::seek(std::size_t position, std::vector<PlaceIndex>* changed)
{
    const ProgramReplay& r = *m_replay;
    const ExplicitBody& body = r.body();
    const ProgramOrder& order = r.order();
    position = std::min(position, r.m_sequence.size());
    for (; m_position < position; ++m_position) {
        const std::uint32_t op = r.m_sequence[m_position];
        if (receives(body.kind[op]))
            leave(order.partner(op));
        else if (body.kind[op] == OpKind::Send && order.partner(op) != kNoOperation)
            enter(op);
        if (m_state.empty())
            continue;
        for (std::uint32_t i = r.m_writeBegin[m_position]; i < r.m_writeBegin[m_position + 1]; ++i) {
            const PlaceIndex place = r.m_writes[i].place;
            if (place == kNoPlace)
                continue;
            m_state[place] = i;
            if (changed)
                changed->push_back(place);
        }
    }
    while (m_position > position) {
        --m_position;
        const std::uint32_t op = r.m_sequence[m_position];
        if (receives(body.kind[op]))
            enter(order.partner(op));
        else if (body.kind[op] == OpKind::Send && order.partner(op) != kNoOperation)
            leave(op);
        if (m_state.empty())
            continue;
        for (std::uint32_t i = r.m_writeBegin[m_position + 1]; i-- > r.m_writeBegin[m_position];) {
            const PlaceIndex place = r.m_writes[i].place;
            if (place == kNoPlace)
                continue;
            m_state[place] = r.m_writes[i].before;
            if (changed)
                changed->push_back(place);
        }
    }
}

std::vector<std::uint32_t> ProgramCursor::underWay() const
{
    std::vector<std::uint32_t> out = m_under;
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<std::uint32_t> ProgramCursor::next(std::int32_t rank) const
{
    std::vector<std::uint32_t> out;
    const std::vector<std::uint32_t>& begin = m_replay->body().rankBegin;
    for (std::uint32_t op = begin[static_cast<std::size_t>(rank)]; op < begin[static_cast<std::size_t>(rank) + 1]; ++op) {
        const std::uint32_t before = m_replay->order().beforeInLane(op);
        if (!isDone(op) && (before == kNoOperation || isDone(before)))
            out.push_back(op);
    }
    return out;
}

std::vector<WaitReason> ProgramCursor::waitsFor(std::uint32_t operation) const
{
    if (isDone(operation))
        return {};
    std::vector<WaitReason> reasons = m_replay->order().reasons(m_replay->body(), operation);
    std::erase_if(reasons, [this](const WaitReason& reason) { return reason.operation != kNoOperation && isDone(reason.operation); });
    return reasons;
}

std::optional<bool> endsAsAsked(const ProgramReplayPtr& replay, const std::stop_token& stop)
{
    const Program& program = replay->program();
    if (!replay->hasPlaces() || program.op == CollectiveOp::Custom || program.op == CollectiveOp::Barrier)
        return std::nullopt;
    constexpr PlaceIndex kLook = PlaceIndex{1} << 16;
    ProgramCursor cursor(replay);
    cursor.seek(replay->sequence().size());
    const ProgramPlaces& places = replay->places();
    for (PlaceIndex place = 0; place < places.count(); ++place) {
        if (place % kLook == 0 && stop.stop_requested())
            return std::nullopt;
        const std::int32_t output = places.outputOf(place);
        if (output < 0 || !places.exists(place))
            continue;
        const Required required = requiredAt(program.op, program.ranks, program.chunks, places.rankOf(place), output, program.root);
        if (required.kind != Required::Kind::Anything && !cursor.isAsAsked(place))
            return false;
    }
    return true;
}

} // namespace fabricscope
