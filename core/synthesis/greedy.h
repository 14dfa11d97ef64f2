#pragma once

#include "core/synthesis/synthesis.h"

namespace fabricscope {

/// Synthesis by time-expanded matching (after TACOS; manual: synthesis 4): all-gather, reduce-scatter (its reversal), all-reduce (the
/// two after one another), broadcast, reduce and all-to-all, on any strongly connected graph. Switches are unwound. A chunk takes
/// latency + bytes / bandwidth over a link, one at a time; ranks store and forward. On graphs with translations (rings, tori, hypercubes,
/// cliques, their products) one rank's schedule serves all. Each of `tries` makes several attempts where they cost little.
/// The same program for the same seed on any number of threads, unless a time limit or the stop token cuts the search short.
/// Errors: InvalidInput (chunks, bytes, root, a rank that cannot be reached), Unsupported (other collectives; more than kMostPlanned
/// transfers), Cancelled (before anything was found), Internal (the verifier refuses the program).
Result<Synthesis> synthesizeGreedy(const SynthesisGraph& graph, const SynthesisOptions& options);

/// Transfers of the largest program that is made.
constexpr std::int64_t kMostPlanned = 20'000'000;

} // namespace fabricscope
