#pragma once

#include "core/model/count.h"
#include "core/model/modelspec.h"

namespace fabricscope {

/// Rows of tokens that one expert has room for: ceil(capacityFactor x k x tokens / E); the factor counts in millionths. 0: dropless.
Count expertCapacity(const MoeSpec& moe, std::int64_t tokens);

/// Rows that all experts compute for `tokens` tokens: E x capacity in training with a capacity factor, else exactly k x tokens.
Count expertRows(const MoeSpec& moe, std::int64_t tokens, bool training);

/// Rows of a grouped product, each expert's rounded up to `align` (128 for FP8, else 1). \pre align > 0
Count alignedRows(const std::vector<std::int64_t>& rowsOfExperts, std::int64_t align);

/// Expected number of experts that `tokens` tokens use when each picks k of E, all alike: E (1 - (1 - k/E)^tokens).
double expectedExperts(std::int64_t experts, std::int64_t topK, double tokens);

/// Expected number of nodes that the k experts of a token are on: N (1 - C(E - E/N, k) / C(E, k)); limited to M nodes:
/// M (1 - C((M - 1) E/N, k) / C(M E/N, k)). \pre E is a multiple of N, 0 < k <= E (limited: k <= M E/N), 0 < M <= N. O(k)
double expectedNodes(std::int64_t experts, std::int64_t topK, std::int64_t nodes);
double expectedNodesLimited(std::int64_t experts, std::int64_t topK, std::int64_t nodes, std::int64_t limit);

/// Bytes of one token's copy to an expert: FP8 with one FP32 scale per 128 elements, else `act`.
std::int64_t dispatchBytes(std::int64_t hidden, NumberType act, bool fp8);

} // namespace fabricscope
