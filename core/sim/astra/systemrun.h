#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/runoptions.h"

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
    friend bool operator==(const AstraVariant&, const AstraVariant&) = default;
};

/// Runs an astra-* scenario: one rank for all where they are alike, else event by event. Errors: those of simulate().
Result<RunRecord> simulateAstra(const Scenario& scenario, const RunOptions& options, std::stop_token stop);
/// The same with rules switched off. Errors as there.
Result<RunRecord> simulateAstraVariant(const Scenario& scenario, const AstraVariant& variant, const RunOptions& options, std::stop_token stop);

} // namespace fabricscope
