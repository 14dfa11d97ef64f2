#pragma once

#include "core/study/batchedstore.h"
#include "core/study/spacerun.h"

#include <map>
#include <stop_token>

namespace fabricscope {

/// A study with `search` (manual: studies 3). Designs are decided on in rounds that the seed and earlier answers make, so the table does not depend on threads, on what is
/// `known`, or on interruptions. `store` null: only what is known; the table ends with the first round that lacks something, whose designs are open.
/// Errors: Cancelled, MemoryLimit, those of the store.
Result<StudyTable> searchSpace(const StudySpec& space, PointRunner& runner, std::map<Digest, PointRow> known, BatchedStore* store, const SpaceRunOptions& options, StudyProgress& progress,
                               const std::stop_token& stop);

} // namespace fabricscope
