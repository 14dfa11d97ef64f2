#pragma once

#include "core/draw/drawing.h"
#include "core/measure/calibration.h"

namespace fabricscope {

/// Time over size of rows that were measured (circles) beside what is simulated for them (lines), both axes by powers; a colour for each collective and number of GPUs, its error beside its name. \pre every row is predicted
Drawing measuredFigure(const std::vector<PredictedTransfer>& rows, double width);

} // namespace fabricscope
