#pragma once

#include "core/draw/drawing.h"
#include "core/record/runrecord.h"
#include "core/step/collectivereplay.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// The collective of a run that a report shows step by step, or why it shows none.
struct StoryboardSource {
    CollectiveReplayPtr replay;  ///< Null: see `note`.
    std::string name;            ///< "all_reduce of 32 MiB by ranks 0-7".
    std::string note;            ///< A sentence; empty when there is a replay.
};

/// More message hops than this in the whole run: the run is not repeated for a storyboard.
constexpr std::int64_t kMostStoryboardHops = 1'000'000;

/// The collective that takes longest, the earliest of equals. Runs the scenario again up to its end.
/// Depends on the run alone, not on the machine. Told to stop: throws StopRequested (stop.h).
StoryboardSource storyboardOf(const ScenarioPtr& scenario, const RunRecord& record, const std::stop_token& stop = {});

/// Steps of the first chunk that are drawn as one thumbnail.
struct StoryboardCard {
    std::int32_t first = 0;     ///< Index into CollectiveReplay::steps(0).
    std::int32_t count = 1;     ///< Steps in a row that are alike: same kind and place, same pairs of ranks, largest moves equal.
    std::int64_t beginPs = 0;   ///< Since the collective began.
    std::int64_t endPs = 0;
};

/// Up to this many steps every step has a card of its own.
constexpr std::int32_t kShortStoryboard = 16;
constexpr std::size_t kMostCards = 32;

/// One card for each step of a short collective; of a longer one a card for each class of steps in a row that are alike. All cards, also those
/// that storyboardFigure() leaves out. O(moves of the chunk * log).
std::vector<StoryboardCard> storyboardCards(const CollectiveReplay& replay);

/// The first kMostCards cards: ranks of the group as points, moves of the steps as lines. Each in a group "step N" or "steps N-M".
/// \pre cards of this replay, at least one. `width` in pixels.
Drawing storyboardFigure(const CollectiveReplay& replay, const std::vector<StoryboardCard>& cards, double width = 720);

/// Squares with names for the kinds of phases that occur, one line high.
Drawing storyboardLegend(const CollectiveReplay& replay);

} // namespace fabricscope
