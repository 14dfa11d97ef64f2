#pragma once

#include "core/synthesis/synthesis.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace fabricscope {

// Small schedules with the fewest steps and rounds (SCCL; manual: synthesis 5). Link rates are whole numbers of chunks per round; a
// schedule has S steps, step s lasts r_s >= 1 rounds, sum r_s = R, and C chunks per shard. Its time is S alpha + (R / C) M_shard beta.

struct StepsRoundsChunks {
    std::int32_t steps = 1;
    std::int32_t rounds = 1;
    std::int32_t chunks = 1;
    friend bool operator==(const StepsRoundsChunks&, const StepsRoundsChunks&) = default;
};

/// A transfer of a schedule: chunk `chunk` over link `link` in step `step` (from 0).
struct ScheduledTransfer {
    std::int32_t step = 0;
    std::int32_t link = 0;   ///< Index into SynthesisGraph::links.
    std::int32_t chunk = 0;
};

enum class Feasible : std::uint8_t { Yes, No, Unknown };

struct ExactSchedule {
    Feasible feasible = Feasible::Unknown;
    std::vector<std::int32_t> roundsOfStep;
    std::vector<ScheduledTransfer> transfers; ///< By step; none is useless.
};

struct ExactLimits {
    std::int64_t conflicts = 2'000'000; ///< Of the SAT solver, per question: the same answer on every machine.
    double seconds = 0;                 ///< 0: none. For all questions of one call.
    std::stop_token stop{};
};

/// Is there such a schedule of all-gather, gather, scatter, broadcast or all-to-all? Every rank receives a chunk at most once. Chunks: of
/// all-gather and gather rank-major (rank * C + i), of broadcast and scatter likewise by target, of all-to-all (source * ranks + target) * C + i.
/// Decided with the SAT solver CaDiCaL, one question for every way to share the rounds among the steps.
/// In exactschedule.cpp. \pre ranks only, no switches; every (link rate / unit) is whole.
ExactSchedule exactSchedule(const SynthesisGraph& graph, CollectiveOp op, std::int32_t root, const StepsRoundsChunks& question, const ExactLimits& limits = {});

/// A point of the trade between steps and rounds per chunk.
struct ParetoPoint {
    StepsRoundsChunks point;
    ExactSchedule schedule;
    bool proven = false; ///< Everything better with as many steps and at most `mostChunks` chunks is infeasible.
};

/// For every number of steps, from the fewest on, the fewest rounds per chunk with at most `mostChunks` chunks; points that are no better than
/// one with fewer steps are left out. Ends at the bandwidth bound of single ranks, at `mostSteps`, or at a limit.
/// In exactpareto.cpp.
std::vector<ParetoPoint> paretoSchedules(const SynthesisGraph& graph, CollectiveOp op, std::int32_t root, std::int32_t mostSteps, std::int32_t mostChunks,
                                         const ExactLimits& limits = {});

/// The best point for options.bytes (options.chunks > 1: with so many chunks) as a program. Reduce-scatter and reduce by reversal, all-reduce as
/// reduce-scatter and all-gather. Switches are unwound. With a time limit the best so far.
/// Errors: too large (over kMostExactVariables variables), collectives it does not make, disconnected ranks. In exactprogram.cpp.
Result<Synthesis> synthesizeExact(const SynthesisGraph& graph, const SynthesisOptions& options);

constexpr std::int64_t kMostExactVariables = 400'000;

} // namespace fabricscope
