#include "core/sim/sweep/ringsteps.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include "core/sim/sweep/fifo.h"

#include <algorithm>

namespace fabricscope::sweep {

RingEngine::RingEngine(const SweepPlan& plan, const Scenario& scenario, const SweepOptions& options, RingTarget& target, RingObserver* observer)
    : m_plan(plan)
    , m_costs(*scenario.costs)
    , m_ideal(scenario.model == Model::Ideal)
    , m_delay(scenario.params->endpointDelay.ps)
    , m_pieceBytes(scenario.params->pieceBytes)
    , m_haste(options.hastePs)
    , m_target(target)
    , m_observer(observer)
{
    if (const auto& network = scenario.params->network) {
        if (const LinkDraws draws(*network, options.seed != 0 ? options.seed : network->seed); draws.any())
            m_draws = draws;
    }
    std::int32_t longest = 0;
    for (const Track& track : plan.tracks)
        longest = std::max(longest, track.extent);
    m_places.resize(static_cast<std::size_t>(longest));
    m_memos.resize(plan.tracks.size());
    for (std::size_t i = 0; i < plan.tracks.size(); ++i) {
        const Track& track = plan.tracks[i];
        if (!observer && !m_ideal && !m_draws && track.uniform && !track.gated)
            m_memos[i] = LineMemo(track, m_delay);
    }
    if (observer) {
        m_undelivered.resize(plan.tracks.size());
        for (std::size_t i = 0; i < plan.tracks.size(); ++i)
            m_undelivered[i].resize(static_cast<std::size_t>(plan.tracks[i].lines));
    }
}

void RingEngine::addLocal(Place& place, const Local& local)
{
    const auto later = [](const Local& a, const Local& b) { return a.time != b.time ? a.time > b.time : keyOf(a.meta) > keyOf(b.meta); };
    place.locals.insert(std::upper_bound(place.locals.begin(), place.locals.end(), local, later), local);
}

void RingEngine::addArrival(Place& place, std::int64_t time, Meta meta)
{
    place.times.push_back(time);
    place.metas.push_back(meta);
    for (std::size_t k = place.times.size() - 1; k > place.head; --k) {
        if (place.times[k - 1] < time || (place.times[k - 1] == time && keyOf(place.metas[k - 1]) < keyOf(meta)))
            break;
        std::swap(place.times[k - 1], place.times[k]);
        std::swap(place.metas[k - 1], place.metas[k]);
    }
}

bool RingEngine::startedAt(std::int32_t place, std::int32_t flow) const
{
    const std::size_t cell = m_firstCell + static_cast<std::size_t>(place);
    return (m_track->arrived[cell * static_cast<std::size_t>(m_track->flows) + static_cast<std::size_t>(flow)] & Track::kStarted) != 0;
}

/// Does the next phase of the chunk run in the same line?
bool RingEngine::isChained(std::int32_t flow) const
{
    const auto index = static_cast<std::size_t>(flow % m_track->phasesPerChunk());
    return index + 1 < m_track->phases.size() && m_track->phases[index + 1] == m_track->phases[index] + 1;
}

/// The position has all messages of a phase and its own part.
void RingEngine::complete(std::int32_t place, std::int32_t flow, std::int64_t time)
{
    Track& track = *m_track;
    if (m_memo)
        m_memo->add({time, place, flow});
    if (!isChained(flow)) {
        m_target.completed(track, m_line, place, flow, time);
        return;
    }
    addLocal(m_places[at(place)], {time, metaOf(flow + 1, track.extent - 1), true});
    --track.unknown[track.planeCell(track.planeOf(m_line), flow + 1)];
}

/// A message that ends here, or the one that makes the phase's messages complete, arrives at `time`.
void RingEngine::ended(std::int32_t place, std::int32_t flow, std::uint32_t arrived, bool last, std::int64_t time)
{
    // Nothing arrives before what the place has sent already.
    m_inOrder = m_inOrder && time >= m_track->served[m_firstCell + static_cast<std::size_t>(place)];
    const bool all = (arrived & ~Track::kStarted) == static_cast<std::uint32_t>(m_track->extent - 1);
    if (last != all)
        m_track->lagging[flowCell(flow)] += last ? 1 : -1;
    if (!all)
        return;
    if ((arrived & Track::kStarted) != 0)
        complete(place, flow, time);
    else
        m_places[at(place)].complete.emplace_back(flow, time);
}

std::int64_t RingEngine::bytesOf(std::int32_t place, Meta meta) const
{
    const Track& track = *m_track;
    if (track.uniform)
        return track.bytes;
    const auto flow = static_cast<std::size_t>(flowOf(meta));
    const PhaseRules& rules = track.rules[flow % track.phases.size()];
    return rules.send(track.coordinateOf(place), track.extent - 1 - remainingOf(meta), m_held[flow]).bytes;
}

void RingEngine::tell(const RingObserver::Sent& sent, std::uint32_t arrived, std::int64_t arrival)
{
    m_observer->sent(*m_track, sent);
    const bool reduces = m_track->reduces[static_cast<std::size_t>(sent.flow) % m_track->phases.size()] != 0;
    if (reduces && (arrived & Track::kStarted) == 0)
        undelivered().emplace_back(sent, arrival);
    else
        m_observer->delivered(*m_track, sent, arrival);
}

/// The own part of `place` is there at `time`: so are messages that wait for it.
void RingEngine::tellWaiting(std::int32_t place, std::int32_t flow, std::int64_t time)
{
    std::erase_if(undelivered(), [&](const auto& entry) {
        const bool mine = entry.first.flow == flow && (entry.first.place + 1) % m_track->extent == place;
        if (mine)
            m_observer->delivered(*m_track, entry.first, std::max(entry.second, time));
        return mine;
    });
}

template <bool kIdeal, bool kSwitched, bool kGeneral>
void RingEngine::serve(Link& link, std::int64_t time, Meta meta)
{
    Track& track = *m_track;
    m_inOrder = m_inOrder && (time > link.served || (time == link.served && (kIdeal || keyOf(meta) > link.servedKey)));
    link.served = time;
    link.servedKey = keyOf(meta);
    std::int64_t cost = track.cost[link.cell];
    std::int64_t bytes = track.bytes;
    if (kGeneral && !track.uniform) {
        bytes = bytesOf(link.place, meta);
        cost = m_costs.occupancy(track.resource[link.cell], bytes);
    }
    const std::int64_t ready = time + m_delay;
    const std::int64_t start = kIdeal ? ready : std::max(ready, link.free);
    std::int64_t left = start + cost;
    if (kGeneral && link.changing) {
        left = link.changing->rates.endOf(m_costs, start, bytes, m_pieceBytes);
        link.changing->busy += left - start;
    }
    const std::int64_t latency = kGeneral && m_draws ? draw(link, meta, bytes, start, left) : track.latency[link.cell];
    const std::int64_t downBefore = link.downFree;
    link.free = kIdeal ? std::max(link.free, left) : left;
    std::int64_t arrival = left + latency;
    if (kSwitched) {
        std::int64_t downCost = 0;
        std::int64_t bump = 0;
        if (kGeneral && !track.uniform) {
            const ResourceClass down = track.downResource[link.cell];
            downCost = m_costs.occupancy(down, bytes);
            bump = trainBump(m_costs, track.resource[link.cell], down, bytes, kIdeal ? kNever : m_pieceBytes);
        } else {
            downCost = track.downCost[link.cell];
            bump = track.downBump[link.cell];
        }
        const std::int64_t head = start + latency + bump;
        link.downFree = kIdeal ? head : std::max(link.downFree + downCost, head);
        arrival = std::max(arrival, link.downFree) + track.downLatency[link.cell];
    }
    const std::int32_t flow = flowOf(meta);
    const std::uint32_t arrived = ++link.arrived[flow];
    const bool last = remainingOf(meta) == 1;
    if (kGeneral && m_observer)
        tell({ready, start, left, downBefore, bytes, m_line, link.place, flow, track.extent - 1 - remainingOf(meta)}, arrived, arrival);
    if (!last) {
        link.outTimes[link.out] = arrival;
        link.outMetas[link.out++] = meta - 1;
    }
    if (kGeneral && m_draws)
        link.latest[flow] = arrival = std::max(link.latest[flow], arrival);
    if (last || (arrived & ~Track::kStarted) == static_cast<std::uint32_t>(track.extent - 1))
        ended(link.next, flow, arrived, last, arrival);
}

/// Draws the latency of the message on the link, and when it has left it.
std::int64_t RingEngine::draw(const Link& link, Meta meta, std::int64_t bytes, std::int64_t start, std::int64_t& left)
{
    Track& track = *m_track;
    const LinkId id = track.link[link.cell];
    const std::int32_t flow = flowOf(meta);
    const std::int32_t kinds = track.phasesPerChunk();
    MessageName name;
    name.instance = m_plan.number;
    name.source = track.positionOf(m_line, link.place);
    name.target = track.positionOf(m_line, link.next);
    name.chunk = track.chunkOf(flow);
    name.phase = track.phases[at(flow % kinds)];
    name.step = track.extent - 1 - remainingOf(meta);
    const std::uint64_t identity = m_draws->identity(name);
    if (m_draws->drawsOccupancy()) {
        const ResourceClass resource = track.resource[link.cell];
        left = start;
        for (std::int64_t begin = 0; begin < bytes; begin += m_pieceBytes)
            left += m_draws->occupancy(m_costs.occupancy(resource, std::min(begin + m_pieceBytes, bytes)) - m_costs.occupancy(resource, begin), identity, id);
        track.drawnBusy[link.cell] += left - start;
    }
    return m_draws->latency(track.latency[link.cell], identity, id);
}

/// The inner loop where a hop is one link of constant cost.
std::size_t RingEngine::streamFifo(Link& link, const std::int64_t* times, const Meta* metas, std::size_t position, std::size_t count, std::int64_t stop)
{
    const std::int64_t* const begin = times + position;
    const auto length = static_cast<std::size_t>((times[count - 1] < stop ? times + count : std::lower_bound(begin, times + count, stop)) - begin);
    if (length == 0)
        return position;
    const Track& track = *m_track;
    bool fell = *begin < link.served;
    std::int64_t* const arrivals = link.outTimes + link.out;
    Meta* const outMetas = link.outMetas + link.out;
    link.free = m_delay + serveFifo(begin, length, link.free - m_delay, track.cost[link.cell], m_delay + track.latency[link.cell], arrivals, fell);
    m_inOrder = m_inOrder && !fell;
    link.served = begin[length - 1];
    link.servedKey = keyOf(metas[position + length - 1]);

    const auto full = static_cast<std::uint32_t>(track.extent - 1);
    std::uint32_t* const arrived = link.arrived;
    std::size_t kept = 0; // Messages that go on, moved together up to `moved`.
    std::size_t moved = 0;
    const auto move = [&](std::size_t end) {
        if (kept != moved) {
            std::copy(arrivals + moved, arrivals + end, arrivals + kept);
            std::copy(outMetas + moved, outMetas + end, outMetas + kept);
        }
        kept += end - moved;
    };
    for (std::size_t i = 0; i < length; ++i) {
        const Meta meta = metas[position + i];
        const std::uint32_t here = ++arrived[flowOf(meta)];
        outMetas[i] = meta - 1;
        const bool last = remainingOf(meta) == 1;
        if (__builtin_expect(last || (here & ~Track::kStarted) == full, 0)) {
            ended(link.next, flowOf(meta), here, last, arrivals[i]);
            if (last) {
                move(i);
                moved = i + 1;
            }
        }
    }
    move(length);
    link.out += kept;
    return position + length;
}

/// The inner loop: arrivals that need nothing else, up to `stop`.
template <bool kIdeal, bool kSwitched, bool kGeneral>
std::size_t RingEngine::stream(Link& link, const std::int64_t* times, const Meta* metas, std::size_t position, std::size_t count, std::int64_t stop)
{
    if (kGeneral) {
        for (; position < count && times[position] < stop; ++position)
            serve<kIdeal, kSwitched, kGeneral>(link, times[position], metas[position]);
        return position;
    }
    if (!kIdeal && !kSwitched)
        return streamFifo(link, times, metas, position, count, stop);
    const Track& track = *m_track;
    const std::int64_t cost = track.cost[link.cell];
    const std::int64_t latency = track.latency[link.cell];
    const std::int64_t downCost = kSwitched ? track.downCost[link.cell] : 0;
    const std::int64_t bump = kSwitched ? track.downBump[link.cell] + latency : 0;
    const std::int64_t downLatency = kSwitched ? track.downLatency[link.cell] : 0;
    const std::int64_t delay = m_delay;
    const auto full = static_cast<std::uint32_t>(track.extent - 1);
    std::int64_t free = link.free;
    std::int64_t downFree = link.downFree;
    std::int64_t before = link.served;
    std::uint32_t* const arrived = link.arrived;
    std::int64_t* const outTimes = link.outTimes;
    Meta* const outMetas = link.outMetas;
    std::size_t out = link.out;
    const std::size_t begin = position;
    bool fell = false;
    for (; position < count; ++position) {
        const std::int64_t time = times[position];
        if (time >= stop)
            break;
        const Meta meta = metas[position];
        fell |= time < before;
        before = time;
        const std::int64_t start = kIdeal ? time + delay : std::max(time + delay, free);
        const std::int64_t left = start + cost;
        free = kIdeal ? std::max(free, left) : left;
        std::int64_t arrival = left + latency;
        if (kSwitched) {
            downFree = kIdeal ? start + bump : std::max(downFree + downCost, start + bump);
            arrival = std::max(arrival, downFree) + downLatency;
        }
        const std::uint32_t here = ++arrived[flowOf(meta)];
        const bool last = remainingOf(meta) == 1;
        outTimes[out] = arrival;
        outMetas[out] = meta - 1;
        out += last ? 0 : 1;
        if (__builtin_expect(last || (here & ~Track::kStarted) == full, 0))
            ended(link.next, flowOf(meta), here, last, arrival);
    }
    if (position > begin) {
        m_inOrder = m_inOrder && !fell;
        link.free = free;
        link.downFree = downFree;
        link.served = before;
        link.servedKey = keyOf(metas[position - 1]);
        link.out = out;
    }
    return position;
}

/// End of the arrivals from `position` on that nothing holds up here: they are served together. Messages of one flow come in bursts.
std::size_t RingEngine::passing(std::int32_t place, const std::int64_t* times, const Meta* metas, std::size_t position, std::size_t count, std::int64_t stop) const
{
    for (std::int32_t known = -1; position < count && times[position] < stop; ++position) {
        const std::int32_t flow = flowOf(metas[position]);
        if (flow == known)
            continue;
        if (waits(flow) && !startedAt(place, flow))
            break;
        known = flow;
    }
    return position;
}

/// The place sends its first message of a flow, and what has waited for the own part.
template <bool kIdeal, bool kSwitched, bool kGeneral>
void RingEngine::fire(Link& link, const Local& local)
{
    if (!local.first) {
        serve<kIdeal, kSwitched, kGeneral>(link, local.time, local.meta);
        return;
    }
    Track& track = *m_track;
    Place& place = m_places[at(link.place)];
    const std::int32_t flow = flowOf(local.meta);
    track.arrived[link.cell * static_cast<std::size_t>(track.flows) + static_cast<std::size_t>(flow)] |= Track::kStarted;
    if (kGeneral && m_observer)
        tellWaiting(link.place, flow, local.time);
    serve<kIdeal, kSwitched, kGeneral>(link, local.time, local.meta);
    if (waits(flow)) {
        place.missing = --track.missing[link.cell];
        std::size_t kept = 0;
        for (const Meta meta : place.waiting) {
            if (flowOf(meta) != flow)
                place.waiting[kept++] = meta;
            else if (kGeneral && m_draws)
                addLocal(place, {local.time, meta, false}); // They may have come in another order.
            else
                serve<kIdeal, kSwitched, kGeneral>(link, local.time, meta);
        }
        place.waiting.resize(kept);
    }
    const auto found = std::find_if(place.complete.begin(), place.complete.end(), [&](const auto& entry) { return entry.first == flow; });
    if (found == place.complete.end())
        return;
    const std::int64_t time = std::max(local.time, found->second);
    place.complete.erase(found);
    complete(link.place, flow, time);
}

inline RingEngine::Link RingEngine::linkOf(std::int32_t place)
{
    Track& track = *m_track;
    Link link;
    link.cell = m_firstCell + static_cast<std::size_t>(place);
    link.place = place;
    link.next = place + 1 == track.extent ? 0 : place + 1;
    link.free = track.free[link.cell];
    link.downFree = track.switched ? track.downFree[link.cell] : 0;
    link.served = track.served[link.cell];
    link.servedKey = track.servedKey[link.cell];
    link.outTimes = m_outTimes.data();
    link.outMetas = m_outMetas.data();
    const std::size_t flows = (m_firstCell + static_cast<std::size_t>(link.next)) * static_cast<std::size_t>(track.flows);
    link.arrived = track.arrived.data() + flows;
    link.latest = m_draws ? track.latest.data() + flows : nullptr;
    link.changing = track.changing.empty() ? nullptr : track.changingAt(link.cell);
    return link;
}

/// The link has been served: its cells, and what it sent as the stream to the next place.
inline void RingEngine::keep(const Link& link)
{
    Track& track = *m_track;
    track.free[link.cell] = link.free;
    if (track.switched)
        track.downFree[link.cell] = link.downFree;
    track.served[link.cell] = link.served;
    track.servedKey[link.cell] = link.servedKey;
    m_in = link.out;
    m_inTimes.swap(m_outTimes);
    m_inMetas.swap(m_outMetas);
}

template <bool kIdeal, bool kSwitched, bool kGeneral>
void RingEngine::visit(std::int32_t number, std::int64_t horizon)
{
    Track& track = *m_track;
    Place& place = m_places[at(number)];
    const std::int32_t previous = number > 0 ? number - 1 : track.extent - 1;
    const std::size_t feeding = m_firstCell + static_cast<std::size_t>(previous);
    const std::int64_t proven = m_places[at(previous)].proven + m_delay;
    std::int64_t limit = (kIdeal ? proven : std::max(proven, track.free[feeding])) + track.cost[feeding] + track.latency[feeding];
    limit = std::min(limit + m_haste, horizon);

    // What is left over goes before what has just come.
    const bool direct = place.head == place.times.size();
    if (direct && m_in == 0 && (place.locals.empty() || place.locals.back().time >= limit)) {
        place.proven = std::max(place.proven, limit);
        return;
    }
    if (!direct) {
        place.times.insert(place.times.end(), m_inTimes.begin(), m_inTimes.begin() + static_cast<std::ptrdiff_t>(m_in));
        place.metas.insert(place.metas.end(), m_inMetas.begin(), m_inMetas.begin() + static_cast<std::ptrdiff_t>(m_in));
    }
    const std::int64_t* const times = direct ? m_inTimes.data() : place.times.data();
    const Meta* const metas = direct ? m_inMetas.data() : place.metas.data();
    std::size_t position = direct ? 0 : place.head;
    const std::size_t count = direct ? m_in : place.times.size();
    const std::size_t room = count - position + place.locals.size() + place.waiting.size() + place.complete.size() + 1;
    if (m_outTimes.size() < room) {
        m_outTimes.resize(2 * room);
        m_outMetas.resize(2 * room);
    }

    Link link = linkOf(number);
    for (;;) {
        const std::int64_t nextLocal = place.locals.empty() ? kNever : place.locals.back().time;
        if (position < count && times[position] >= place.gate) {
            const std::int64_t stop = std::min(nextLocal, horizon);
            const std::size_t end = place.missing == 0 ? count : passing(number, times, metas, position, count, stop);
            if (end > position)
                position = stream<kIdeal, kSwitched, kGeneral>(link, times, metas, position, end, stop);
        }
        if (position < count) {
            const std::int64_t time = times[position];
            const Meta meta = metas[position];
            if (time < horizon && (time < nextLocal || (time == nextLocal && keyOf(meta) < keyOf(place.locals.back().meta)))) {
                ++position;
                if (waits(flowOf(meta)) && !startedAt(number, flowOf(meta))) {
                    place.waiting.push_back(meta);
                    m_waited = std::max(m_waited, time);
                } else if (time < place.gate) {
                    addLocal(place, {place.gate, meta, false});
                } else {
                    serve<kIdeal, kSwitched, kGeneral>(link, time, meta);
                }
                continue;
            }
        }
        if (nextLocal >= limit)
            break;
        const Local local = place.locals.back();
        place.locals.pop_back();
        fire<kIdeal, kSwitched, kGeneral>(link, local);
    }
    place.proven = std::max(place.proven, limit);

    if (direct && position < count) {
        place.times.assign(times + position, times + count);
        place.metas.assign(metas + position, metas + count);
        place.head = 0;
    } else if (position == count) {
        place.times.clear();
        place.metas.clear();
        place.head = 0;
    } else {
        place.head = position;
    }
    keep(link);
}

/// As visit() on links whose delays are drawn: what arrives may be overtaken, so it is served like first messages, when nothing earlier can come.
void RingEngine::visitDrawn(std::int32_t number, std::int64_t horizon)
{
    Track& track = *m_track;
    Place& place = m_places[at(number)];
    const std::int32_t previous = number > 0 ? number - 1 : track.extent - 1;
    const std::size_t feeding = m_firstCell + static_cast<std::size_t>(previous);
    const std::int64_t start = std::max(m_places[at(previous)].proven + m_delay, track.free[feeding]);
    const std::int64_t limit = std::min(start + track.cost[feeding] + m_draws->leastLatency(track.latency[feeding]) + m_haste, horizon);
    for (std::size_t k = 0; k < m_in; ++k)
        addArrival(place, m_inTimes[k], m_inMetas[k]);
    const std::size_t room = place.times.size() - place.head + place.locals.size() + place.waiting.size() + place.complete.size() + 1;
    if (m_outTimes.size() < room) {
        m_outTimes.resize(2 * room);
        m_outMetas.resize(2 * room);
    }

    Link link = linkOf(number);
    for (;;) {
        const std::int64_t nextLocal = place.locals.empty() ? kNever : place.locals.back().time;
        const std::int64_t time = place.head < place.times.size() ? place.times[place.head] : kNever;
        if (std::min(nextLocal, time) >= limit)
            break;
        const Meta meta = time < kNever ? place.metas[place.head] : 0;
        if (nextLocal < time || (nextLocal == time && keyOf(place.locals.back().meta) < keyOf(meta))) {
            const Local local = place.locals.back();
            place.locals.pop_back();
            fire<false, false, true>(link, local);
            continue;
        }
        ++place.head;
        if (waits(flowOf(meta)) && !startedAt(number, flowOf(meta)))
            place.waiting.push_back(meta);
        else if (time < place.gate)
            addLocal(place, {place.gate, meta, false});
        else
            serve<false, false, true>(link, time, meta);
    }
    place.proven = std::max(place.proven, limit);
    if (place.head == place.times.size()) {
        place.times.clear();
        place.metas.clear();
        place.head = 0;
    }
    keep(link);
}

template <bool kIdeal, bool kSwitched, bool kGeneral>
void RingEngine::round(std::int64_t horizon)
{
    while (m_inOrder) {
        std::int64_t first = kNever;
        for (std::int32_t i = 0; i < m_track->extent; ++i) {
            const Place& place = m_places[at(i)];
            if (place.head < place.times.size())
                first = std::min(first, place.times[place.head]);
            if (!place.locals.empty())
                first = std::min(first, place.locals.back().time);
        }
        if (first >= horizon)
            return;
        for (std::int32_t i = 0; i < m_track->extent; ++i)
            m_places[at(i)].proven = std::max(m_places[at(i)].proven, first);
        m_in = 0;
        for (std::int32_t i = 0; i < m_track->extent; ++i) {
            checkStop(m_stop);
            if (m_draws)
                visitDrawn(i, horizon);
            else
                visit<kIdeal, kSwitched, kGeneral>(i, horizon);
        }
        Place& place = m_places[0];
        for (std::size_t k = 0; m_draws && k < m_in; ++k)
            addArrival(place, m_inTimes[k], m_inMetas[k]);
        if (m_draws)
            continue;
        place.times.insert(place.times.end(), m_inTimes.begin(), m_inTimes.begin() + static_cast<std::ptrdiff_t>(m_in));
        place.metas.insert(place.metas.end(), m_inMetas.begin(), m_inMetas.begin() + static_cast<std::ptrdiff_t>(m_in));
    }
}

void RingEngine::advance(Track& track, std::int64_t line, std::int64_t horizon)
{
    if (repeat(track, line, horizon))
        return;
    load(line);
    const Track::Changing* const changing = track.changingFrom(m_firstCell);
    const bool general = m_observer || m_draws || !track.uniform || (changing && changing->cell < track.cellOf(line + 1, 0));
    if (m_ideal && general)
        track.switched ? round<true, true, true>(horizon) : round<true, false, true>(horizon);
    else if (m_ideal)
        track.switched ? round<true, true, false>(horizon) : round<true, false, false>(horizon);
    else if (general)
        track.switched ? round<false, true, true>(horizon) : round<false, false, true>(horizon);
    else
        track.switched ? round<false, true, false>(horizon) : round<false, false, false>(horizon);
    store(line);
    if (m_memo)
        m_memo->learn(track, line, m_waited);
}

} // namespace fabricscope::sweep
