#pragma once

#include "core/platform/platform.h"

namespace fabricscope {

/// What a figure of a machine can be that someone means: wide enough for any machine that was or will be built, so that what is outside is a slip of the unit or of
/// the hand. The one list of them.
struct ValueRange {
    Measure measure;
    double least; ///< In the base unit of the measure; 0 itself is also allowed for times.
    double most;
    const char* text; ///< "1 kB/s to 1 EB/s".
};

/// Of rates of links, memories and budgets; of latencies; of capacities; of peak rates of computation.
const ValueRange& valueRange(Measure measure);

/// Is every figure of the machine in its range? The first that is not: field, value and range. checkPlatform() asks whether it can be computed with; this, whether it
/// can be meant. O(links).
Status checkValues(const PlatformSpec& spec);

/// The same for one figure. Error: InvalidInput, `field` as its place.
Status checkValue(const Quantity& value, const std::string& field);

} // namespace fabricscope
