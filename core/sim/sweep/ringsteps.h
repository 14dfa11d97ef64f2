#pragma once

#include "core/base/index.h"
#include "core/record/runrecord.h"
#include "core/sim/common/linkdraws.h"
#include "core/sim/sweep/linememo.h"
#include "core/sim/sweep/ringplan.h"
#include "core/sim/sweep/sweep.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace fabricscope::sweep {

/// What the line engine tells of; only where asked for (it costs more than the simulation).
class RingObserver {
public:
    virtual ~RingObserver() = default;
    /// A message has been given to its link: ready, start of service, end of service there.
    struct Sent {
        std::int64_t ready = 0;
        std::int64_t start = 0;
        std::int64_t left = 0;
        std::int64_t downFree = 0; ///< Switched: w of the second link before it.
        std::int64_t bytes = 0;
        std::int64_t line = 0;
        std::int32_t place = 0;
        std::int32_t flow = 0;
        std::int32_t step = 0;
    };
    virtual void sent(const Track& track, const Sent& message) = 0;
    /// It is delivered (and may be reduced: the own part of the receiver is there).
    virtual void delivered(const Track& track, const Sent& message, std::int64_t done) = 0;
};

/// Where completions go.
class RingTarget {
public:
    virtual ~RingTarget() = default;
    /// The position has all of the flow's phase at `time`; the next phase, if any, runs in another track.
    virtual void completed(const Track& track, std::int64_t line, std::int32_t place, std::int32_t flow, std::int64_t time) = 0;
};

/// Serves lines of rings (sweep.h). Scratch of one line, reused for all.
///
/// A line is gone round place by place. At place i the arrivals from its predecessor are a sorted stream: the predecessor's link is FIFO.
/// They are merged with the first messages of the place, which are few and known up to the horizon. A first message ready at T may be
/// served as soon as nothing can arrive any more before or at T: the predecessor has served all that is ready before P, so what is still to
/// come starts no earlier than max(P, w) and arrives at least D + L after that. Where a place's own part is missing, arrivals that
/// need it wait and are served with it, in the order of their keys, which is the order of their arrival: steps of one flow follow each other.
/// Several pieces on a link that only one stream uses follow each other without a gap, so a message is one piece of work here.
/// Where delays are drawn, messages overtake each other between two links. Then arrivals, too, are served only when nothing earlier can come any more.
class RingEngine {
public:
    RingEngine(const SweepPlan& plan, const Scenario& scenario, const SweepOptions& options, RingTarget& target, RingObserver* observer);

    /// Serves all messages of the line that are ready before `horizon`. \pre all first messages before it are known, and there is something to serve
    void advance(Track& track, std::int64_t line, std::int64_t horizon);
    /// Every link so far has served its messages in order.
    bool inOrder() const { return m_inOrder; }
    /// What all messages from a place over its own link, or over the one down to the next place, take. \pre the track is not uniform.
    LinkUse useOf(Track& track, std::int64_t line, std::int32_t place, bool down);
    /// Entry times by position, for Track::gated. \pre they outlive the engine.
    void setEntries(const std::vector<std::int64_t>* entries) { m_entries = entries; }
    /// From here on advance() throws StopRequested when told to stop.
    void setStop(std::stop_token stop) { m_stop = std::move(stop); }
    /// How often advance() did not serve a line, as another one had stood like it.
    std::int64_t repeats() const;
    /// Of what is kept of lines for that.
    std::int64_t memoryBytes() const;

private:
    struct Local {
        std::int64_t time = 0;
        Meta meta = 0;
        bool first = false; ///< First message of this place, else one that waited for it to enter.
    };
    struct Place {
        std::vector<std::int64_t> times; ///< Arrivals left over from the last round.
        std::vector<Meta> metas;
        std::size_t head = 0;
        std::vector<Local> locals;       ///< Latest first.
        std::vector<Meta> waiting;
        std::vector<std::pair<std::int32_t, std::int64_t>> complete;
        std::int32_t missing = 0;        ///< Flows that wait for an own part that is not there.
        std::int64_t gate = 0;
        std::int64_t proven = 0;         ///< All that is ready before has been served.
    };
    /// The link of the place that is being served: copies of its cells, and where its messages go.
    struct Link {
        std::int64_t free = 0;
        std::int64_t downFree = 0;
        std::int64_t served = 0;
        Meta servedKey = 0;
        std::size_t cell = 0;
        std::int64_t* outTimes = nullptr;
        Meta* outMetas = nullptr;
        std::size_t out = 0;
        std::uint32_t* arrived = nullptr; ///< Of the next place.
        std::int64_t* latest = nullptr;      ///< ... where delays are drawn.
        Track::Changing* changing = nullptr; ///< Where its rate changes.
        std::int32_t place = 0;
        std::int32_t next = 0;
    };
    using Undelivered = std::vector<std::pair<RingObserver::Sent, std::int64_t>>;

    // In ringstate.cpp, with useOf() and what concerns repeats.
    bool repeat(Track& track, std::int64_t line, std::int64_t horizon);
    void load(std::int64_t line);
    void findHeld(std::int64_t line);
    void store(std::int64_t line);

    Link linkOf(std::int32_t place);
    void keep(const Link& link);
    void addLocal(Place& place, const Local& local);
    static void addArrival(Place& place, std::int64_t time, Meta meta);
    template <bool kIdeal, bool kSwitched, bool kGeneral>
    void round(std::int64_t horizon);
    template <bool kIdeal, bool kSwitched, bool kGeneral>
    void visit(std::int32_t place, std::int64_t horizon);
    void visitDrawn(std::int32_t place, std::int64_t horizon);
    std::int64_t draw(const Link& link, Meta meta, std::int64_t bytes, std::int64_t start, std::int64_t& left);
    template <bool kIdeal, bool kSwitched, bool kGeneral>
    void serve(Link& link, std::int64_t time, Meta meta);
    template <bool kIdeal, bool kSwitched, bool kGeneral>
    std::size_t stream(Link& link, const std::int64_t* times, const Meta* metas, std::size_t position, std::size_t count, std::int64_t stop);
    std::size_t streamFifo(Link& link, const std::int64_t* times, const Meta* metas, std::size_t position, std::size_t count, std::int64_t stop);
    std::size_t passing(std::int32_t place, const std::int64_t* times, const Meta* metas, std::size_t position, std::size_t count, std::int64_t stop) const;
    template <bool kIdeal, bool kSwitched, bool kGeneral>
    void fire(Link& link, const Local& local);
    void tell(const RingObserver::Sent& sent, std::uint32_t arrived, std::int64_t arrival);
    void tellWaiting(std::int32_t place, std::int32_t flow, std::int64_t time);
    void ended(std::int32_t place, std::int32_t flow, std::uint32_t arrived, bool last, std::int64_t time);
    void complete(std::int32_t place, std::int32_t flow, std::int64_t time);
    std::int64_t bytesOf(std::int32_t place, Meta meta) const;
    bool isChained(std::int32_t flow) const;
    bool startedAt(std::int32_t place, std::int32_t flow) const;
    bool waits(std::int32_t flow) const { return m_track->flowWaits[at(flow)] != 0; }
    std::size_t flowCell(std::int32_t flow) const
    {
        return static_cast<std::size_t>(m_line) * static_cast<std::size_t>(m_track->flows) + static_cast<std::size_t>(flow);
    }
    Undelivered& undelivered() { return m_undelivered[at(m_track - m_plan.tracks.data())][at(m_line)]; }

    const SweepPlan& m_plan;
    const CostTable& m_costs;
    bool m_ideal;
    std::int64_t m_delay;      ///< Endpoint delay.
    std::int64_t m_pieceBytes;
    std::int64_t m_haste;
    std::optional<LinkDraws> m_draws;
    RingTarget& m_target;
    RingObserver* m_observer;
    bool m_inOrder = true;
    std::stop_token m_stop;
    const std::vector<std::int64_t>* m_entries = nullptr;

    std::vector<LineMemo> m_memos; ///< By track.

    // The line.
    Track* m_track = nullptr;
    LineMemo* m_memo = nullptr;    ///< That learns what it does; null: none.
    std::int64_t m_waited = -1;    ///< Latest readiness of a message that began to wait for an own part.
    std::int64_t m_line = 0;
    std::size_t m_firstCell = 0;
    std::vector<Place> m_places;
    std::vector<std::int64_t> m_held;    ///< By flow; not uniform.
    std::vector<std::int64_t> m_inTimes; ///< Stream from place to place.
    std::vector<Meta> m_inMetas;
    std::size_t m_in = 0;
    std::vector<std::int64_t> m_outTimes;
    std::vector<Meta> m_outMetas;
    /// [track][line]: messages that are delivered when the own part of their receiver is there; only for the observer.
    std::vector<std::vector<Undelivered>> m_undelivered;
};

} // namespace fabricscope::sweep
