#pragma once

#include "core/draw/drawing.h"
#include "core/report/placementfigures.h"

namespace fabricscope {

constexpr double kPlacementWidth = 720; ///< Of the figures of a report.

/// A row for each kind of devices: the ratio of one as a bar, with marks where even and proportional ratios would end, and what it holds of its memory.
/// `most`: rows at most.
Drawing ratioDrawing(const PlacementFigures& figures, double width = kPlacementWidth, std::size_t most = SIZE_MAX);
/// The program over its estimated time: collectives that all wait for, computations, gradients beside the backward pass, stage by stage. `current`: number of a
/// stage that is marked; 0: none.
Drawing stageDrawing(const PlacementFigures& figures, double width = kPlacementWidth, std::int32_t current = 0);
/// What was found and what it is compared with: estimated and simulated times as bars.
Drawing programsDrawing(const PlacementFigures& figures, double width = kPlacementWidth);

/// Where one of stagesOf() is in stageDrawing(), all its rows. \pre index < stages.size()
RectF stageRect(const std::vector<PlacedStage>& stages, std::size_t index, double width);

} // namespace fabricscope
