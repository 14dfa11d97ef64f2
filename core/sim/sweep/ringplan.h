#pragma once

#include "core/base/index.h"
#include "core/base/result.h"
#include "core/sim/sweep/track.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace fabricscope::sweep {

/// A collective laid out for the sweep: its tracks, and which phase runs where.
struct SweepPlan {
    const CollectiveInstance* instance = nullptr;
    const Program* program = nullptr;
    const TemplateBody* body = nullptr;
    std::int32_t number = 0;                 ///< Of the instance.
    std::int32_t size = 0;                   ///< Positions.
    std::vector<std::int32_t> ranks;         ///< By position; empty: rank = position.
    std::vector<Track> tracks;
    std::vector<std::int32_t> trackOfPhase;
    std::vector<std::int32_t> trackOfChunk;  ///< Where chunks go round in different directions: all phases of one are in one track. Else empty.
    std::vector<std::int32_t> placeOfChunk;  ///< In Track::chunks.
    std::vector<std::int32_t> indexOfPhase;  ///< In Track::phases.

    std::int32_t rankOf(std::int32_t position) const { return ranks.empty() ? position : ranks[at(position)]; }
    std::int32_t chunks() const { return program->chunks; }
    std::int32_t trackOf(std::int32_t chunk, std::size_t phase) const { return trackOfChunk.empty() ? trackOfPhase[phase] : trackOfChunk[at(chunk)]; }
    std::int64_t chunkBytes(std::int32_t chunk) const { return blockBytes(instance->bytes, program->chunks, chunk); }
};

/// Lays the collective out, without the state of a run when `onlyCheck`. Errors: Unsupported, naming the first thing that stands in the way;
/// Cancelled.
Result<SweepPlan> planSweep(const Scenario& scenario, std::int32_t instance, bool onlyCheck = false, const std::stop_token& stop = {});

} // namespace fabricscope::sweep
