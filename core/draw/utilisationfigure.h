#pragma once

#include "core/draw/drawing.h"
#include "core/record/runrecord.h"

#include <cstddef>
#include <string>
#include <vector>

namespace fabricscope {

/// One curve: the links of a dimension together.
struct UtilisationCurve {
    const DimensionUse* use = nullptr; ///< Never null; outlives the call.
    std::string name;                  ///< "D0", or what the links are called.
    int dimension = -1;                ///< Colour; -1: none of its own.
};

/// Busy share of a part of the run, 0..1; above 1 where a model lets links carry more than they can.
struct UtilisationPoint {
    std::int64_t beginPs = 0;
    std::int64_t endPs = 0;
    double share = 0;
};

/// The run in at most `most` equal stretches of whole buckets, from 0 to `finish`. Empty where the engine did not follow the links over time.
/// \pre most > 0. O(buckets).
std::vector<UtilisationPoint> utilisationOf(const DimensionUse& use, SimTime finish, std::size_t most);

/// Share of busy links over time, one chart above the other on one time axis: 0 to 100 % and the mean of the run as a dashed line. `width` in
/// pixels. Equal curves give equal drawings. O(curves * buckets).
Drawing utilisationFigure(const std::vector<UtilisationCurve>& curves, SimTime finish, double width = 720);

} // namespace fabricscope
