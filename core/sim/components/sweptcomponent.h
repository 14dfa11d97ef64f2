#pragma once

#include "core/sim/components/answer.h"
#include "core/sim/components/localplaces.h"

#include <span>
#include <stop_token>

namespace fabricscope::events {

/// May the sweep (sweep.h) answer the collective of this run apart from the others? False where work may take no time (rates above
/// 1 B/ps with small pieces), because then the order of what happens inside an instant can be seen from outside.
/// O(links of the collective).
bool sweepsAlone(const EngineState& state, const Run& run);

/// The answer of the sweep; absent: its order did not hold.
/// \param entries by position, ps from the first one, which is 0.
/// \param records fill CollectiveAnswer::records. \param busy fill CollectiveAnswer::busy, which takes time.
/// Links and reducers of a member count as in use from its entry on.
/// Errors: Cancelled, MemoryLimit.
Result<CollectiveAnswerPtr> sweepAnswer(const EngineState& state, const Run& run, const GroupPlaces& places, std::span<const std::int64_t> entries,
                                        bool records, bool busy, const std::stop_token& stop);

} // namespace fabricscope::events
