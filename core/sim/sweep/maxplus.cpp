#include "core/sim/sweep/maxplus.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include "core/sim/common/runpace.h"
#include "core/sim/sweep/followable.h"
#include "core/sim/sweep/linktotals.h"

#include <algorithm>
#include <cassert>

namespace fabricscope::sweep {

/// Digest, messages and busy time, message by message.
class SweepEngine::Observer : public RingObserver {
public:
    Observer(const SweepPlan& plan, const Scenario& scenario, const SweepOptions& options)
        : m_plan(plan)
        , m_scenario(scenario)
        , m_options(options)
        , m_busy(scenario.structure->platform.isExplicit() ? 1 : scenario.structure->platform.dimensions().size())
    {
    }

    void sent(const Track& track, const Sent& message) override
    {
        if (!m_options.busyOverTime && !m_options.busy)
            return;
        const std::size_t cell = track.cellOf(message.line, message.place);
        addBusy(track.link[cell], message.start, message.left);
        if (!track.switched)
            return;
        // The second link may be faster than the first, and then rests between pieces.
        const CostTable& costs = *m_scenario.costs;
        const ResourceClass up = m_scenario.structure->classOf(track.link[cell]);
        const ResourceClass down = m_scenario.structure->classOf(track.downLink[cell]);
        const bool ideal = m_scenario.model == Model::Ideal;
        const std::int64_t piece = ideal ? message.bytes : m_scenario.params->pieceBytes;
        std::int64_t free = ideal ? 0 : message.downFree;
        for (std::int64_t begin = 0; begin < message.bytes; begin += piece) {
            const std::int64_t head = message.start + costs.occupancy(up, begin) + costs.latency(up);
            const std::int64_t start = std::max(free, head);
            free = start + costs.occupancy(down, std::min(begin + piece, message.bytes)) - costs.occupancy(down, begin);
            addBusy(track.downLink[cell], start, free);
        }
    }

    void delivered(const Track& track, const Sent& message, std::int64_t done) override
    {
        if (!m_options.messageDigest && !m_options.message)
            return;
        MessageRecord record;
        const std::int32_t kinds = track.phasesPerChunk();
        const std::int32_t next = message.place + 1 == track.extent ? 0 : message.place + 1;
        record.instance = m_plan.number;
        record.source = m_plan.rankOf(track.positionOf(message.line, message.place));
        record.target = m_plan.rankOf(track.positionOf(message.line, next));
        record.chunk = track.chunkOf(message.flow);
        record.phase = track.phases[at(message.flow % kinds)];
        record.step = message.step;
        record.bytes = message.bytes;
        record.readyPs = message.ready;
        record.leftPs = message.left;
        record.donePs = done;
        if (m_options.messageDigest)
            m_digest.add(record.words());
        if (m_options.message)
            m_options.message(record);
    }

    const CommutativeDigest& digest() const { return m_digest; }
    const std::vector<BusyPyramid>& busy() const { return m_busy; }

private:
    void addBusy(LinkId link, std::int64_t begin, std::int64_t end)
    {
        if (m_options.busy)
            m_options.busy(link, begin, end);
        if (!m_options.busyOverTime)
            return;
        const Platform& platform = m_scenario.structure->platform;
        m_busy[platform.isExplicit() ? 0 : static_cast<std::size_t>(platform.linkInfo(link).dimension)].add(begin, end);
    }

    const SweepPlan& m_plan;
    const Scenario& m_scenario;
    const SweepOptions& m_options;
    CommutativeDigest m_digest;
    std::vector<BusyPyramid> m_busy;
};

SweepEngine::SweepEngine(SweepPlan& plan, const Scenario& scenario, const SweepOptions& options)
    : m_plan(plan)
    , m_scenario(scenario)
    , m_options(options)
    , m_observer(options.messageDigest || options.message || options.busyOverTime || options.busy ? std::make_shared<Observer>(plan, scenario, options) : nullptr)
    , m_rings(plan, scenario, options, *this, m_observer.get())
    , m_completion(static_cast<std::size_t>(plan.body->axes[0]), std::vector<std::int64_t>(static_cast<std::size_t>(plan.chunks()) * plan.body->phases.size(), kNever))
    , m_common(static_cast<std::size_t>(plan.chunks()) * plan.body->phases.size(), kNever)
    , m_left(std::int64_t{plan.size} * plan.chunks())
{
}

void SweepEngine::completed(const Track& track, std::int64_t line, std::int32_t place, std::int32_t flow, std::int64_t time)
{
    const std::int32_t kinds = track.phasesPerChunk();
    const auto phase = static_cast<std::size_t>(track.phases[at(flow % kinds)]);
    const std::int32_t position = track.positionOf(line, place);
    if (phase + 1 == m_plan.body->phases.size()) {
        std::int64_t& exit = m_exits[at(position)];
        exit = std::max(exit, time);
        --m_left;
        return;
    }
    const std::int32_t chunk = track.chunkOf(flow);
    Track& next = m_plan.tracks[at(m_plan.trackOf(chunk, phase + 1))];
    const std::int64_t nextLine = next.lineOf(position);
    m_late = m_late || time < next.horizon[at(next.planeOf(nextLine))];
    next.addFirst(nextLine, next.placeOf(position), m_plan.placeOfChunk[at(chunk)] * next.phasesPerChunk() + m_plan.indexOfPhase[phase + 1], time);
}

/// Nobody of the plane completes the phase earlier, apart from completions that are known. `first`: no unknown first message is earlier.
std::int64_t SweepEngine::boundOf(const Track& track, std::int32_t plane, std::int32_t chunk, std::size_t phase, std::int64_t first) const
{
    const std::size_t flow = track.planeCell(plane, m_plan.placeOfChunk[at(chunk)] * track.phasesPerChunk() + m_plan.indexOfPhase[phase]);
    std::int64_t bound = track.aheadOf[flow];
    if (track.unknown[flow] > 0) {
        bound = std::min(bound, first + (track.extent - 1) * track.hop);
        if (track.closeOf[flow] > 0)
            bound = std::min(bound, first + track.hop);
        if (track.ownlessOf[flow] > 0)
            bound = std::min(bound, first);
    }
    return bound;
}

void SweepEngine::findBounds(std::int32_t plane)
{
    std::vector<std::int64_t>& own = m_completion[at(plane)];
    for (std::int32_t chunk = 0; chunk < m_plan.chunks(); ++chunk) {
        for (std::size_t phase = 0; phase < m_plan.body->phases.size(); ++phase) {
            if (isCommon(phase))
                continue;
            const std::int64_t first = phase == 0 ? kNever : (isCommon(phase - 1) ? m_common : own)[cell(chunk, phase - 1)];
            own[cell(chunk, phase)] = boundOf(trackOf(chunk, phase), plane, chunk, phase, first);
        }
    }
}

void SweepEngine::findCommonBounds()
{
    for (std::int32_t chunk = 0; chunk < m_plan.chunks(); ++chunk) {
        for (std::size_t phase = 0; phase < m_plan.body->phases.size(); ++phase) {
            if (!isCommon(phase))
                continue;
            std::int64_t first = kNever;
            if (phase > 0 && isCommon(phase - 1)) {
                first = m_common[cell(chunk, phase - 1)];
            } else if (phase > 0) {
                for (const auto& plane : m_completion)
                    first = std::min(first, plane[cell(chunk, phase - 1)]);
            }
            m_common[cell(chunk, phase)] = boundOf(trackOf(chunk, phase), 0, chunk, phase, first);
        }
    }
}

/// Up to where all first messages of the track in the plane are known.
std::int64_t SweepEngine::horizonOf(std::size_t number, std::int32_t plane) const
{
    const Track& track = m_plan.tracks[number];
    const std::int32_t kinds = track.phasesPerChunk();
    std::int64_t horizon = kNever;
    for (std::int32_t flow = 0; flow < track.flows; ++flow) {
        const auto phase = static_cast<std::size_t>(track.phases[at(flow % kinds)]);
        const std::int32_t chunk = track.chunkOf(flow);
        if (phase == 0 || track.unknown[track.planeCell(plane, flow)] == 0 || m_plan.trackOf(chunk, phase - 1) == static_cast<std::int32_t>(number))
            continue;
        const std::size_t before = cell(chunk, phase - 1);
        if (isCommon(phase - 1)) {
            horizon = std::min(horizon, m_common[before]);
        } else if (track.axis != 0) {
            horizon = std::min(horizon, m_completion[at(plane)][before]);
        } else {
            for (const auto& each : m_completion)
                horizon = std::min(horizon, each[before]);
        }
    }
    return horizon;
}

/// Serves a track in a plane as far as it goes now; true when that is further than before.
Result<bool> SweepEngine::move(std::size_t number, std::int32_t plane, const std::stop_token& stop)
{
    Track& track = m_plan.tracks[number];
    const std::int64_t horizon = horizonOf(number, plane);
    std::int64_t& known = track.horizon[at(plane)];
    if (horizon <= known)
        return false;
    if (track.nextOf[at(plane)] >= horizon) {
        known = horizon;
    } else if (Status status = advance(track, plane, horizon, stop); !status) {
        return std::move(status).error();
    }
    return true;
}

/// Serves the tracks of a plane against each other until they wait for axis 0.
Result<bool> SweepEngine::movePlane(std::int32_t plane, const std::stop_token& stop)
{
    bool ever = false;
    for (bool moved = true; moved && m_rings.inOrder() && !m_late;) {
        moved = false;
        for (std::size_t number = 0; number < m_plan.tracks.size(); ++number) {
            if (m_plan.tracks[number].axis == 0)
                continue;
            findBounds(plane);
            const Result<bool> step = move(number, plane, stop);
            if (!step)
                return step;
            moved = moved || step.value();
        }
        ever = ever || moved;
    }
    findBounds(plane);
    return ever;
}

Status SweepEngine::checkMemory() const
{
    if (m_options.memoryLimit <= 0)
        return {};
    std::int64_t bytes = static_cast<std::int64_t>((m_entries.size() + m_exits.size()) * sizeof(std::int64_t));
    bytes += m_rings.memoryBytes();
    for (const Track& track : m_plan.tracks)
        bytes += track.memoryBytes();
    return sweep::checkMemory(bytes, m_options.memoryLimit);
}

Status SweepEngine::advance(Track& track, std::int32_t plane, std::int64_t horizon, const std::stop_token& stop)
{
    for (std::int64_t line = plane; line < track.lines; line += track.planes) {
        if (track.next[at(line)] >= horizon)
            continue;
        if (stop.stop_requested())
            return stoppedRun();
        const Status advanced = untilStopped([&]() -> Status {
            m_rings.advance(track, line, horizon);
            return {};
        });
        if (!advanced)
            return advanced;
        if (!m_rings.inOrder() || m_late)
            return {};
    }
    track.horizon[at(plane)] = horizon;
    track.collectBounds(plane);
    return {};
}

/// First messages of a track whose first phase is that of its chunks.
void SweepEngine::begin(Track& first) const
{
    const auto chunks = static_cast<std::int32_t>(first.chunks.size());
    for (std::int64_t line = 0; line < first.lines; ++line) {
        first.parked[at(line)].reserve(static_cast<std::size_t>(first.extent) * first.chunks.size());
        for (std::int32_t place = 0; place < first.extent; ++place) {
            for (std::int32_t chunk = 0; chunk < chunks; ++chunk)
                first.addFirst(line, place, chunk * first.phasesPerChunk(), m_entries[at(first.positionOf(line, place))]);
        }
    }
}

Result<bool> SweepEngine::run(std::span<const std::int64_t> entries, const std::stop_token& stop)
{
    assert(entries.size() == static_cast<std::size_t>(m_plan.size));
    m_entries.assign(entries.begin(), entries.end());
    m_exits = m_entries;
    if (Status status = checkMemory(); !status)
        return std::move(status).error();
    m_rings.setEntries(&m_entries);
    m_rings.setStop(stop);
    for (Track& track : m_plan.tracks) {
        if (!m_plan.trackOfChunk.empty() || &track == &m_plan.tracks[at(m_plan.trackOfPhase[0])])
            begin(track);
    }
    const auto all = static_cast<double>(m_left);
    const auto planes = static_cast<std::int32_t>(m_completion.size());
    for (std::size_t phase = 0; phase < m_plan.body->phases.size(); ++phase) { // Each takes the bounds of the phase before.
        findCommonBounds();
        for (std::int32_t plane = 0; plane < planes; ++plane)
            findBounds(plane);
    }
    while (m_left > 0) {
        bool moved = false;
        findCommonBounds();
        for (std::size_t number = 0; number < m_plan.tracks.size(); ++number) {
            if (m_plan.tracks[number].axis != 0)
                continue;
            const Result<bool> step = move(number, 0, stop);
            if (!step)
                return step;
            moved = moved || step.value();
            findCommonBounds();
        }
        for (std::int32_t plane = 0; plane < planes && m_rings.inOrder() && !m_late; ++plane) {
            const Result<bool> step = movePlane(plane, stop);
            if (!step)
                return step;
            moved = moved || step.value();
        }
        if (!m_rings.inOrder() || m_late || !moved) // Not moved: two tracks wait for each other's present instant.
            return false;
        if (Status status = checkMemory(); !status)
            return std::move(status).error();
        if (m_options.progress)
            m_options.progress(1 - static_cast<double>(m_left) / all);
    }
    return true;
}

Result<CollectiveOutcome> SweepEngine::outcome(const std::stop_token& stop)
{
    const Platform& platform = m_scenario.structure->platform;
    CollectiveOutcome outcome;
    LinkTotals totals(platform, m_options);
    for (Track& track : m_plan.tracks) {
        const std::int64_t messages = std::int64_t{track.flows} * (track.extent - 1);
        outcome.messages += messages * track.lines * track.extent;
        for (std::int64_t line = 0; line < track.lines; ++line) {
            for (std::int32_t place = 0; place < track.extent; ++place) {
                if (stop.stop_requested())
                    return stoppedRun();
                const std::size_t cell = track.cellOf(line, place);
                std::int64_t& exit = m_exits[at(track.positionOf(line, place))];
                exit = std::max(exit, track.free[cell]);
                if (track.switched)
                    outcome.quietPs = std::max(outcome.quietPs, track.downFree[cell]);
                if (m_options.linkEnd) {
                    m_options.linkEnd(track.link[cell], track.positionOf(line, place), track.free[cell]);
                    if (track.switched)
                        m_options.linkEnd(track.downLink[cell], track.positionOf(line, place), track.downFree[cell]);
                }
                const Track::Changing* const changing = track.changingAt(cell);
                const bool counted = changing || !track.drawnBusy.empty();
                const std::int64_t busy = changing ? changing->busy : (counted ? track.drawnBusy[cell] : 0);
                if (track.uniform && counted) {
                    totals.add(track.link[cell], messages, messages * track.bytes, busy);
                    continue;
                }
                if (track.uniform) {
                    totals.add(track.link[cell], messages, messages * track.bytes, messages * track.cost[cell]);
                    if (track.switched)
                        totals.add(track.downLink[cell], messages, messages * track.bytes, messages * track.downCost[cell]);
                    continue;
                }
                const LinkUse up = m_rings.useOf(track, line, place, false);
                totals.add(track.link[cell], messages, up.bytes, counted ? busy : up.busyPs);
                if (track.switched) {
                    const LinkUse down = m_rings.useOf(track, line, place, true);
                    totals.add(track.downLink[cell], messages, down.bytes, down.busyPs);
                }
            }
        }
    }
    totals.moveTo(outcome);
    outcome.repeats = m_rings.repeats();
    if (m_observer) {
        outcome.digest = m_observer->digest();
        for (std::size_t d = 0; d < outcome.dimensions.size(); ++d)
            outcome.dimensions[d].busy = m_observer->busy()[d];
    }
    for (const std::int64_t exit : m_exits)
        outcome.quietPs = std::max(outcome.quietPs, exit);
    outcome.exitPs = std::move(m_exits);
    return outcome;
}

} // namespace fabricscope::sweep
