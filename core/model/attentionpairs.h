#pragma once

#include "core/model/count.h"
#include "core/model/layers.h"

namespace fabricscope {

/// Twice the query-key pairs of one head and one sequence that an attention kernel works on (manual: workload 3); `window` 0: none.
/// Training without flash attention, and all attention that is not causal: every pair. Training with it, causal: s^2 / 2 pairs, with a window
/// s w - w^2 / 2. Inference, causal: exactly those that are seen, sum of min(position, window) over the new tokens.
Count doublePairs(const TransformerSpec& spec, const PassShape& pass, std::int64_t window);

/// Sum of min(p, window) for p = offset + 1 ... keys. \pre 0 <= offset <= keys, window > 0
Count windowPairs(std::int64_t offset, std::int64_t keys, std::int64_t window);

/// Tokens of the cache that a pass reads, per sequence: all of them to decode, the earlier ones for a chunk of a prompt; within the window.
std::int64_t cachedTokensRead(const PassShape& pass, std::int64_t window);

} // namespace fabricscope
