#pragma once

#include "core/base/result.h"
#include "core/platform/platform.h"
#include "core/program/collectiveop.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

namespace fabricscope {

/// Least time a collective can take on a platform, whatever its algorithm (collectives.md section 0.1). Rules of the model `links`.
struct CollectiveBound {
    std::int64_t latencyPs = 0;    ///< Of an empty message through all rounds that are needed: farthest pair, and rounds by ports.
    std::int64_t bandwidthPs = 0;  ///< Bytes over the narrowest cut, rounded down.
    std::int64_t timePs = 0;       ///< Largest bound that is proven for both together; at least the larger of the two.
    bool exact = false;            ///< The bandwidth term is the optimum over all cuts (max-flow), not only of the cuts looked at.
    std::string cut;               ///< Where it binds, for people: "dimension 1 of every NPU", "gpu0, gpu3 | rest".
    /// Rate of the binding cut as a fraction in bytes of one shard per second (numerator / denominator), in lowest terms; 0/1: none.
    std::int64_t shardRateNumerator = 0;
    std::int64_t shardRateDenominator = 1;
};

/// `members`: NPUs of the group, at least 2. `bytes`: the large side. `root`: position in `members`.
/// Exact for graphs up to a few thousand links; dimension-based platforms by closed form where symmetric. Errors: Cancelled.
Result<CollectiveBound> collectiveBound(const Platform& platform, std::span<const NodeId> members, CollectiveOp op, std::int64_t bytes,
                                        std::int32_t root = 0, const std::stop_token& stop = {});

} // namespace fabricscope
