#pragma once

#include "core/base/quantity.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fabricscope {

/// Section `accuracy`: how far times on a fabric are from measured ones, and what was measured. Plain value, shared and immutable once read.
///
///     accuracy: {error: 5.5, min_size: 1 MiB, max_size: 512 MiB, min_ranks: 2, max_ranks: 8, source: nccl-tests of 2026-11}
struct AccuracyConfig {
    double errorPct = 0;             ///< Geometric mean of the larger over the smaller, less 1.
    std::optional<Quantity> minSize; ///< Of a collective or message.
    std::optional<Quantity> maxSize;
    std::optional<std::int32_t> minRanks;
    std::optional<std::int32_t> maxRanks;
    std::string source;
    friend bool operator==(const AccuracyConfig&, const AccuracyConfig&) = default;
};

} // namespace fabricscope
