// What a line knows between two windows, and what it did in all: part of RingEngine (ringsteps.h).
#include "core/sim/sweep/ringsteps.h"

#include "core/base/axes.h"
#include "core/base/index.h"

#include <algorithm>

namespace fabricscope::sweep {

/// Bytes every member of the line holds in each flow.
void RingEngine::findHeld(std::int64_t line)
{
    const Track& track = *m_track;
    const std::int32_t kinds = track.phasesPerChunk();
    const TemplateBody& body = *m_plan.body;
    std::vector<std::int32_t> coordinates;
    coordinatesOf(track.positionOf(line, 0), body.axes, coordinates);
    m_held.clear();
    for (std::int32_t flow = 0; flow < track.flows; ++flow) {
        const auto phase = static_cast<std::size_t>(track.phases[at(flow % kinds)]);
        m_held.push_back(heldBytes(body, phase, m_plan.chunkBytes(track.chunkOf(flow)), coordinates));
    }
}

LinkUse RingEngine::useOf(Track& track, std::int64_t line, std::int32_t place, bool down)
{
    m_track = &track;
    if (place == 0 && !down)
        findHeld(line);
    const std::size_t cell = track.cellOf(line, place);
    const ResourceClass resource = (down ? track.downResource : track.resource)[cell];
    LinkUse use;
    for (std::int32_t flow = 0; flow < track.flows; ++flow) {
        for (std::int32_t remaining = track.extent - 1; remaining > 0; --remaining) {
            const std::int64_t bytes = bytesOf(place, metaOf(flow, remaining));
            use.bytes += bytes;
            use.busyPs += m_costs.occupancy(resource, bytes);
        }
    }
    return use;
}

/// Else the line is to be served, and learned where that may help others.
bool RingEngine::repeat(Track& track, std::int64_t line, std::int64_t horizon)
{
    m_track = &track;
    m_line = line;
    m_waited = -1;
    m_memo = &m_memos[at(&track - m_plan.tracks.data())];
    if (!m_memo->looksFor(line)) {
        m_memo = nullptr;
        return false;
    }
    const std::vector<LineMemo::Completion>* const completions = m_memo->repeat(track, line, horizon);
    if (!completions)
        return false;
    for (const LineMemo::Completion& completion : *completions) {
        if (isChained(completion.flow))
            --track.unknown[track.planeCell(track.planeOf(line), completion.flow + 1)];
        else
            m_target.completed(track, line, completion.place, completion.flow, completion.time);
    }
    return true;
}

std::int64_t RingEngine::repeats() const
{
    std::int64_t sum = 0;
    for (const LineMemo& memo : m_memos)
        sum += memo.repeats();
    return sum;
}

std::int64_t RingEngine::memoryBytes() const
{
    std::int64_t sum = 0;
    for (const LineMemo& memo : m_memos)
        sum += memo.memoryBytes();
    return sum;
}

void RingEngine::load(std::int64_t line)
{
    Track& track = *m_track;
    m_line = line;
    m_firstCell = track.cellOf(line, 0);
    for (std::int32_t i = 0; i < track.extent; ++i) {
        Place& place = m_places[at(i)];
        place.proven = 0;
        place.gate = track.gated ? (*m_entries)[at(track.positionOf(line, i))] : 0;
        place.missing = track.missing[m_firstCell + static_cast<std::size_t>(i)];
    }
    if (!track.uniform)
        findHeld(line);
    std::vector<Parked>& parked = track.parked[at(line)];
    for (const Parked& item : parked) {
        Place& place = m_places[at(item.place())];
        switch (item.kind()) {
        case Parked::Arrival:
            place.times.push_back(item.time);
            place.metas.push_back(item.meta);
            break;
        case Parked::First:
        case Parked::Gated:
            addLocal(place, {item.time, item.meta, item.kind() == Parked::First});
            break;
        case Parked::Waiting:
            place.waiting.push_back(item.meta);
            break;
        case Parked::Complete:
            place.complete.emplace_back(flowOf(item.meta), item.time);
            break;
        }
    }
    parked.clear();
}

/// Puts away what is left, and what it says about the future.
void RingEngine::store(std::int64_t line)
{
    Track& track = *m_track;
    const auto l = static_cast<std::size_t>(line);
    std::vector<Parked>& parked = track.parked[l];
    std::int64_t* const ahead = track.ahead.data() + flowCell(0);
    std::fill_n(ahead, track.flows, kNever);
    std::fill_n(track.waiting.begin() + static_cast<std::ptrdiff_t>(flowCell(0)), track.flows, 0);
    std::fill_n(track.ownless.begin() + static_cast<std::ptrdiff_t>(flowCell(0)), track.flows, 0);
    // A position that lacks a message other than its last one may get it with the next hop of any.
    const auto bound = [&](Meta meta, std::int64_t time) {
        std::int64_t& known = ahead[flowOf(meta)];
        known = std::min(known, time + (track.lagging[flowCell(flowOf(meta))] > 0 ? 1 : remainingOf(meta)) * track.hop);
    };
    std::size_t count = 0;
    for (std::int32_t i = 0; i < track.extent; ++i) {
        const Place& place = m_places[at(i)];
        count += place.times.size() - place.head + place.locals.size() + place.waiting.size() + place.complete.size();
    }
    if (count == 0)
        std::vector<Parked>().swap(parked);
    else
        parked.reserve(count);
    std::int64_t next = kNever;
    for (std::int32_t i = 0; i < track.extent; ++i) {
        Place& place = m_places[at(i)];
        for (std::size_t k = place.head; k < place.times.size(); ++k) {
            parked.push_back(Parked::of(Parked::Arrival, i, place.times[k], place.metas[k]));
            bound(place.metas[k], place.times[k]);
            next = std::min(next, place.times[k]);
        }
        for (const Local& local : place.locals) {
            parked.push_back(Parked::of(local.first ? Parked::First : Parked::Gated, i, local.time, local.meta));
            bound(local.meta, local.time);
            next = std::min(next, local.time);
        }
        const auto ownPart = [&](std::int32_t flow) {
            return std::find_if(place.locals.begin(), place.locals.end(), [&](const Local& local) { return local.first && flowOf(local.meta) == flow; });
        };
        for (const Meta meta : place.waiting) {
            parked.push_back(Parked::of(Parked::Waiting, i, 0, meta));
            if (const auto own = ownPart(flowOf(meta)); own != place.locals.end())
                bound(meta, own->time);
            else
                ++track.waiting[flowCell(flowOf(meta))];
        }
        for (const auto& [flow, time] : place.complete) {
            parked.push_back(Parked::of(Parked::Complete, i, time, metaOf(flow, 0)));
            if (const auto own = ownPart(flow); own != place.locals.end())
                ahead[flow] = std::min(ahead[flow], std::max(own->time, time));
            else
                ++track.ownless[flowCell(flow)];
        }
        place.times.clear();
        place.metas.clear();
        place.head = 0;
        place.locals.clear();
        place.waiting.clear();
        place.complete.clear();
    }
    track.next[l] = next;
}

} // namespace fabricscope::sweep
