#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/runoptions.h"
#include "core/sim/common/telllinkbusy.h"

#include <stop_token>

namespace fabricscope {

// The engine of astra-unaware and astra-aware (manual: astra): checks, the event loop, the record.

/// Rules of the astra-* models switched off, to see what each is worth. Not models of their own: no result is published under them.
struct AstraVariant {
    bool noHandling = false;      ///< No endpoint delay, in small groups neither.
    bool freeReductions = false;  ///< Reductions take no time; roofline keeps its memory bandwidth.
    bool manyTransfers = false;   ///< A rank runs any number of sends and one collective of every group family at once.
    /// Chunks on their way down have places of their own also with one queue per dimension, and an all-reduce is a scatter up and a gather
    /// down in the last dimension and in small groups too.
    bool separateQueues = false;
    bool allDimensions = false;   ///< astra-unaware: every dimension a message crosses is charged.
    bool storeAndForward = false; ///< astra-unaware: a message is forwarded hop by hop as a whole.
    bool ownPlaces = false;       ///< Collectives of a group family have places of their own in a dimension.
    bool bundledRings = false;    ///< In an all-to-all by a ring all blocks that go further are one message.
    bool wholeShares = false;     ///< A chunk is cut to a multiple of the members at once, so that no dimension drops a remainder of its own.
    bool endsWhenLeft = false;    ///< A send, and a member of a collective, ends no earlier than what it sends has left it.
    bool zeroDurations = false;   ///< A recorded duration of 0 takes no time.
    bool roundUp = false;         ///< Durations of messages and memory accesses are rounded up.
    std::int64_t slower = 1;      ///< Memory accesses take so many times as long.
    friend bool operator==(const AstraVariant&, const AstraVariant&) = default;
};

/// Runs an astra-* scenario: one rank for all where they are alike, else event by event. Errors: those of simulate().
Result<RunRecord> simulateAstra(const Scenario& scenario, const RunOptions& options, std::stop_token stop);
/// The same with rules switched off. Errors as there.
Result<RunRecord> simulateAstraVariant(const Scenario& scenario, const AstraVariant& variant, const RunOptions& options, std::stop_token stop);
/// Runs an astra-aware scenario event by event, and tells of every busy interval of every link; those of a link follow one another. Memory: that of the run. Errors: those of simulate().
Status tellAstraLinkIntervals(const Scenario& scenario, std::int64_t memoryLimit, const TellLinkBusy& tell, std::stop_token stop);

} // namespace fabricscope
