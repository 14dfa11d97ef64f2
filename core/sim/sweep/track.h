#pragma once

#include "core/program/phaserules.h"
#include "core/scenario/scenario.h"
#include "core/sim/sweep/ratesteps.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace fabricscope::sweep {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 4;

/// A message under way in a line: its flow, and how many links it has still to be sent over, the next one included.
/// flow << kRemainingBits | remaining.
using Meta = std::uint32_t;
constexpr int kRemainingBits = 20;
constexpr Meta kRemainingMask = (Meta{1} << kRemainingBits) - 1;
constexpr std::int32_t kMaxFlows = 1 << (32 - kRemainingBits);
constexpr std::int32_t flowOf(Meta meta) { return static_cast<std::int32_t>(meta >> kRemainingBits); }
constexpr std::int32_t remainingOf(Meta meta) { return static_cast<std::int32_t>(meta & kRemainingMask); }
constexpr Meta metaOf(std::int32_t flow, std::int32_t remaining) { return static_cast<Meta>(flow) << kRemainingBits | static_cast<Meta>(remaining); }
/// The tie key inside one collective and track: (chunk, phase, step). Flows are numbered by (chunk, phase).
constexpr Meta keyOf(Meta meta) { return meta ^ kRemainingMask; }

/// What a line knows at the end of a window and needs at the beginning of the next.
struct Parked {
    enum Kind : std::uint32_t {
        Arrival,  ///< A message of the predecessor that arrives at `time` and goes on.
        First,    ///< This position may send its first message of the flow.
        Gated,    ///< A message that goes on when this position enters.
        Waiting,  ///< A message that goes on when this position's own part is there.
        Complete  ///< All messages of the flow arrive by `time`; the own part is missing.
    };
    std::int64_t time = 0;
    Meta meta = 0;
    std::uint32_t placeAndKind = 0; ///< place << 3 | kind.

    std::int32_t place() const { return static_cast<std::int32_t>(placeAndKind >> 3); }
    Kind kind() const { return static_cast<Kind>(placeAndKind & 7); }
    static Parked of(Kind kind, std::int32_t place, std::int64_t time, Meta meta) { return {time, meta, static_cast<std::uint32_t>(place) << 3 | kind}; }
};

/// All ring phases of a program along one axis in one direction: the lines, what their links cost, and how far each line is.
/// `place` counts along the direction of travel, `cell` = line * extent + place stands for the link from a place to the next one.
/// Flows of a track are (chunk, phase of the track), numbered chunk by chunk.
struct Track {
    std::int32_t axis = 0;
    std::int32_t extent = 0;
    std::int32_t stride = 1;            ///< Of neighbours, in positions.
    bool minus = false;
    bool switched = false;              ///< Two links per hop: up, then down to the next place.
    bool uniform = false;               ///< All messages have `bytes` bytes.
    bool gated = false;                 ///< Messages of all-gathers wait for positions that have not entered.
    std::int64_t lines = 0;
    std::int32_t flows = 0;
    std::int64_t bytes = 0;             ///< Of the smallest message.
    std::vector<std::int32_t> phases;   ///< Ascending.
    std::vector<std::int32_t> chunks;   ///< That go here, ascending: flows count their places in this list.
    std::vector<PhaseRules> rules;      ///< By index in `phases`.
    std::vector<std::uint8_t> waits;    ///< By index in `phases`: forwarding needs the own part.
    std::vector<std::uint8_t> flowWaits; ///< `waits` by flow.
    std::vector<std::uint8_t> reduces;  ///< ... the receiver reduces: a message is not done before the own part is there.
    std::int64_t hop = 0;               ///< Least time from readiness to delivery at the next place, over all links.

    /// Links whose rate changes during the run, ascending.
    struct Changing {
        std::size_t cell = 0;
        RateSteps rates;
        std::int64_t busy = 0;
    };
    std::vector<Changing> changing;

    // By cell.
    std::vector<LinkId> link;
    std::vector<LinkId> downLink;       ///< Switched.
    std::vector<ResourceClass> resource;     ///< Unless `uniform`, or where occupancies are drawn.
    std::vector<ResourceClass> downResource;
    std::vector<std::int64_t> cost;     ///< D of the smallest message, at the highest rate and the least that may be drawn.
    std::vector<std::int64_t> latency;
    std::vector<std::int64_t> downCost; ///< Uniform.
    std::vector<std::int64_t> downBump; ///< Uniform: see trainBump().
    std::vector<std::int64_t> downLatency;
    std::vector<std::int64_t> free;     ///< w: end of the work committed to the link.
    std::vector<std::int64_t> downFree;
    std::vector<std::int64_t> served;   ///< Readiness of the latest message served; with servedKey for verification.
    std::vector<Meta> servedKey;
    std::vector<std::int32_t> missing;  ///< Flows whose messages wait for an own part that is not there.
    /// [cell * flows + flow]: messages that have been sent to this place; kStarted: its own first message has gone out.
    std::vector<std::uint32_t> arrived;
    std::vector<std::int64_t> latest;    ///< As `arrived`: when the last of them is there, which is not the last sent. Where delays are drawn.
    std::vector<std::int64_t> drawnBusy; ///< Where occupancies are drawn.
    static constexpr std::uint32_t kStarted = std::uint32_t{1} << 31;

    // By line.
    std::vector<std::vector<Parked>> parked;
    std::vector<std::int64_t> next;     ///< Earliest instant at which something can be served.
    std::vector<std::int64_t> ahead;    ///< [line * flows + flow]: no position completes the flow earlier, as far as known starts go.
    std::vector<std::int32_t> lagging;  ///< [line * flows + flow]: positions whose last message has arrived, but not all.
    std::vector<std::int32_t> ownless;  ///< [line * flows + flow]: positions that have all messages, but not the own part, of which nothing is known.
    std::vector<std::int32_t> waiting;  ///< [line * flows + flow]: messages that wait for an own part of which nothing is known yet.

    // By plane: lines of axis 0 are one plane, lines of other axes one per coordinate on axis 0, since they do not meet otherwise.
    std::int32_t planes = 1;
    std::vector<std::int64_t> horizon;   ///< All messages ready before it have been served.
    std::vector<std::int64_t> unknown;   ///< [plane * flows + flow]: positions whose first message is not known yet.
    std::vector<std::int64_t> aheadOf;   ///< [plane * flows + flow]: minimum of `ahead`.
    std::vector<std::int64_t> ownlessOf; ///< [plane * flows + flow]: sum of `ownless`.
    std::vector<std::int64_t> closeOf;   ///< [plane * flows + flow]: sum of `lagging` and `waiting`: one hop after a first message may complete it.
    std::vector<std::int64_t> nextOf;    ///< Minimum of `next`.

    /// Lines of a plane are plane, plane + planes, ...: strides of other axes are multiples of the extent of axis 0.
    std::int32_t planeOf(std::int64_t line) const { return static_cast<std::int32_t>(line % planes); }
    std::size_t planeCell(std::int32_t plane, std::int32_t flow) const
    {
        return static_cast<std::size_t>(plane) * static_cast<std::size_t>(flows) + static_cast<std::size_t>(flow);
    }
    std::int32_t chunkOf(std::int32_t flow) const { return chunks[static_cast<std::size_t>(flow) / phases.size()]; }
    std::int32_t phasesPerChunk() const { return static_cast<std::int32_t>(phases.size()); }
    std::int32_t coordinateOf(std::int32_t place) const { return minus ? extent - 1 - place : place; }
    std::int64_t basePosition(std::int64_t line) const { return line % stride + line / stride * stride * extent; }
    std::int32_t positionOf(std::int64_t line, std::int32_t place) const
    {
        return static_cast<std::int32_t>(basePosition(line) + std::int64_t{coordinateOf(place)} * stride);
    }
    std::int64_t lineOf(std::int32_t position) const { return position % stride + std::int64_t{position / stride / extent} * stride; }
    std::int32_t placeOf(std::int32_t position) const { return coordinateOf(position / stride % extent); }
    std::size_t cellOf(std::int64_t line, std::int32_t place) const { return static_cast<std::size_t>(line * extent + place); }

    /// The first of `changing` that is not before the cell, null beyond the last.
    Changing* changingFrom(std::size_t cell);
    Changing* changingAt(std::size_t cell);
    /// A position may send its first message of a flow at `time`.
    void addFirst(std::int64_t line, std::int32_t place, std::int32_t flow, std::int64_t time);
    /// Bounds of lines to bounds of their plane. O(lines of the plane * flows).
    void collectBounds(std::int32_t plane);
    std::int64_t memoryBytes() const;
};

/// Pieces of a train reach the second of two links at the times their first link serves them; the second is then free at
/// max(free + D(all), start + latency + bump), where bump is the largest over the pieces of (what the first link did before the piece
/// + what the second has to do from it on). Unrolled from w := max(w, head) + D piece by piece; exact because no other message uses
/// either link while the train crosses them.
std::int64_t trainBump(const CostTable& costs, ResourceClass first, ResourceClass second, std::int64_t bytes, std::int64_t pieceBytes);

} // namespace fabricscope::sweep
