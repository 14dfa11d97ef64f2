#pragma once

#include "core/planner/placedprogram.h"

#include <cstdint>
#include <stop_token>

namespace fabricscope {

/// States of a search that is exact; beyond, the graph is gone through op by op with the cheapest kLayerStates states of each.
constexpr std::size_t kMostSearchStates = 1'500'000;
constexpr std::size_t kLayerStates = 2000;

/// A question for the search. Everything outlives the search.
struct SearchProblem {
    const PlacedGraph* graph = nullptr;
    const UnequalCluster* cluster = nullptr;
    const TheoryOptions* options = nullptr;
    const std::vector<DeviceRatios>* ratios = nullptr; ///< By segment.
    const std::vector<int>* segmentOf = nullptr;       ///< By op.
    double memoryPrice = 0; ///< Seconds for each byte a device holds: raised where programs do not fit.
    std::size_t mostStates = kMostSearchStates;
};

enum class SearchMethod : std::uint8_t {
    Bound,     ///< A* with the least computation of the rest as its bound.
    NoBound,   ///< The same with 0: uniform-cost search.
    Exhaustive ///< Every program, without dominance.
};

struct FoundProgram {
    PlacedProgram program;
    double cost = 0;            ///< Seconds, at the ratios asked for, without prices of memory.
    std::int64_t expanded = 0;  ///< States whose successors were made.
    bool proved = true;         ///< No program is better.
};

constexpr std::int64_t kMostExhaustiveStates = 30'000'000;

/// The program of least cost. Ops are computed in their order, each once; a tensor is made once and communicated once; inputs, parameters and collectives are brought
/// about where they are needed (manual: placement 3). Costs are compared as whole parts of a small unit, so every method finds the same cost exactly.
/// Errors: InvalidInput (no program: what is missing), Unsupported (over kMostExhaustiveStates), Cancelled.
Result<FoundProgram> findProgram(const SearchProblem& problem, SearchMethod method, const std::stop_token& stop = {});

} // namespace fabricscope
