#pragma once

#include "core/measure/rowpredictions.h"
#include "core/measure/transferscores.h"

#include <stop_token>
#include <string_view>

namespace fabricscope {

/// How names of sets of 2^26 elements and more end.
inline constexpr std::string_view kLargeOptimizers = ", 2^26 elements and more";

/// Rows of all-reduces of gradients and optimiser steps on 128 V100 (columns implementation, nccl_algo, elements, iter_ms): each implementation and algorithm is a set, below 2^26 elements and from there on, a ring of 128 with
/// fitted numbers. Where the optimiser is not part of the collective it takes 28 bytes of an element at 792 GB/s beside it. MeasuredTransfer::seconds is that of the collective alone.
/// Rows known to be of another state of the cluster are left out (SGD of 2^28, Adam in FP16 of 2^18 to 2^24 elements).
/// Errors: columns that are missing, numbers that are not possible, with line; those of simulating, Cancelled.
Result<std::vector<ScoredSet>> fitOptimizer(const MeasuredTable& table, const std::stop_token& stop);

} // namespace fabricscope
