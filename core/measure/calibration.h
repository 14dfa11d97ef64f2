#pragma once

#include "core/measure/transferscores.h"

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// A fabric fitted to rows that were measured on it.
struct Calibration {
    FabricFit fit;                      ///< To all rows of 64 KiB and more; to all where fewer than three are.
    std::int32_t gpus = 0;              ///< Of the fabric.
    std::int32_t nodes = 1;             ///< 1 also where nodes are not told apart.
    std::vector<PredictedTransfer> rows; ///< Ascending by bytes.
    SetScore inSample;                  ///< Of all rows, those too that were not fitted.
    std::optional<double> heldOutPct;   ///< Error of every second row when only the others are fitted; absent: too few.
};

/// Rows of one machine, any collectives and numbers of GPUs; on several nodes as many on each. Errors: no rows, those of the fitter, Cancelled.
Result<Calibration> calibrateFabric(std::vector<MeasuredTransfer> rows, const std::stop_token& stop);

/// Names and values with units of what was fitted: "bandwidth", "231.58 GB/s".
std::vector<std::pair<std::string, std::string>> fittedNumbers(const FittedFigures& figures);

/// A design of the fabric, what it was measured with and how far off it is as comments. `sources`: names of the files.
std::string calibratedDesign(const Calibration& calibration, const std::vector<std::string>& sources);

} // namespace fabricscope
