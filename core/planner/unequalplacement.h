#pragma once

#include "core/planner/placementwatch.h"
#include "core/planner/programsearch.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Where the ratios come from.
enum class RatioChoice : std::uint8_t { Even, Proportional, Optimised, Listed };

/// All that `place` is asked (manual: placement 1).
struct PlacementProblem {
    PlacedGraph graph;             ///< No ops: `phases` are given instead.
    std::vector<RatioTerm> phases; ///< A linear program alone.
    double bytesHeld = 0;          ///< With phases: what falls by the ratios and has to fit into memory.
    UnequalCluster cluster;
    TheoryOptions theory;
    RatioChoice choice = RatioChoice::Optimised;
    std::vector<double> listed;    ///< One per device, sum 1.
    std::vector<int> segmentOf;    ///< By op.
    int segments = 1;

    /// Puts a copy of every result that ops of another segment use before their first use, so that its parts may move to their ratios. Call once segmentOf is set.
    void copyBetweenSegments();
    /// Bytes of the largest tensor or phase.
    double mostBytes() const;
};

struct PlacementRound {
    double cost = 0;
    std::vector<DeviceRatios> ratios; ///< By segment.
};

/// Parts of a split dimension, by device.
struct PlacedLengths {
    int tensor = -1;
    int dim = 0;
    std::vector<std::int64_t> parts;
};

struct UnequalPlacement {
    double cost = 0;                  ///< Seconds.
    std::vector<DeviceRatios> ratios; ///< By segment.
    PlacedProgram program;
    std::vector<PlacementRound> rounds;
    std::vector<PlacedLengths> lengths;
    std::optional<double> dataParallelEven;         ///< Cost of the baselines; none with phases, or where there is no such program.
    std::optional<double> dataParallelProportional;
    std::optional<PlacedProgram> evenProgram;       ///< Programs of the baselines.
    std::optional<PlacedProgram> proportionalProgram;
    std::optional<double> even;            ///< With RatioChoice::Optimised: the best program at even ratios; none where nothing fits at them.
    std::optional<PlacedProgram> evenBest;
    std::int64_t expanded = 0;        ///< Of all searches for the program.
    bool proved = true;               ///< Each search found the best program of its ratios.
    HeldBytes held;
};

/// Segment whose ratios what a step makes falls by.
int segmentOfStep(const PlacementProblem& problem, const PlacedStep& step);
/// Has the step nothing to do at these ratios? (Parts that would move between segments of the same ratios.)
bool isIdle(const PlacedStep& step, const std::vector<DeviceRatios>& ratios);

/// Most rounds of search and linear program.
constexpr int kMostRounds = 12;

/// Program and ratios of least estimated time (HAP). From ratios proportional to speed: the best program for the ratios, the best ratios for the program, until the cost
/// does not fall; then the same from even ratios; the best pair is returned, never worse than the first round. What does not fit into memory is searched again with
/// a rising price of memory. `watch`: told how far it is; may be null. Errors: InvalidInput (nothing fits: what is short; no program), Unsupported (limits), Cancelled.
Result<UnequalPlacement> place(const PlacementProblem& problem, SearchMethod method, const std::stop_token& stop = {}, PlacementWatch* watch = nullptr);

} // namespace fabricscope
