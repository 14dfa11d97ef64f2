#pragma once

#include "core/synthesis/transferplan.h"

#include <string>
#include <vector>

namespace fabricscope {

/// A part of a collective that moves every item along one tree.
struct TransferPhase {
    TransferPlan plan;    ///< On the links of the graph, in its own time from 0.
    bool reduces = false; ///< Receivers add what comes; items end at their home. Else they start there.
};

/// The reversal (manual: synthesis 2): what took [a, b) takes [finish - b, finish - a). A plan for the reversed graph becomes one
/// for the graph itself, its copies become reductions.
TransferPlan mirrored(TransferPlan plan);

/// The program that does the phases one after another: one lane and one connection per link, in the order of the plan; every send waits for
/// what it sends; planned starts, steps (numbers of distinct starts) and, over switches, routes are noted. It works in place and out of place
/// (all-to-all: out of place). Items: home * chunks + chunk; broadcast and reduce: chunk; all-to-all: (source * ranks + target) * chunks + chunk.
/// O(transfers log transfers); about 50 bytes per operation. Error: Cancelled.
Result<ProgramPtr> planProgram(const SynthesisGraph& graph, CollectiveOp op, std::int32_t chunks, std::int32_t root, const std::vector<TransferPhase>& phases,
                               std::string name, std::string provenance, const std::stop_token& stop = {});

} // namespace fabricscope
