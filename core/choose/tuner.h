#pragma once

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/programio/nccltuner.h"
#include "core/scenario/scenario.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// A sweep of `algorithm: auto` over sizes.
struct TuneRequest {
    CollectiveOp op = CollectiveOp::AllReduce;
    std::vector<std::int64_t> sizes; ///< Large sides, ascending.
    int threads = 1;                 ///< Sizes at once.
    std::stop_token stop{};
    std::function<void(std::size_t done, std::size_t of)> progress{}; ///< Sizes done; on any thread, one at a time. May be empty.
};

/// NCCL's name for one of our candidates: all parts of "ring x ring" must have the same.
std::optional<TunerAlgorithm> tunerAlgorithmOfCandidate(const std::string& candidate);

/// "1KiB..1GiB": every doubling from the first to the last; "1 MiB, 3 MiB": a list. Errors: Usage; more than 48 sizes.
Result<std::vector<std::int64_t>> parseSizes(const std::string& text);

/// What `algorithm: auto` decides for one collective of all ranks of the design, per size. Chunks, window and candidates are those of the
/// design's default; its rules and workload do not count. Errors: those of prepare(), Cancelled.
Result<std::vector<CollectiveChoice>> tuneSizes(const Design& design, const TuneRequest& request);

/// The program that tuneSizes() finds fastest at one size. Errors: the same.
Result<ProgramPtr> tunedProgram(const Design& design, CollectiveOp op, std::int64_t bytes, const std::stop_token& stop = {});

/// A table for NCCL made of such choices: from each size on, the fastest candidate that NCCL has too (tunerAlgorithmOf; "ring x ring" is a
/// ring). `skipped` receives the sizes at which NCCL has none of them.
std::vector<TunerRow> tunerRows(const std::vector<CollectiveChoice>& choices, std::vector<std::int64_t>& skipped);

} // namespace fabricscope
