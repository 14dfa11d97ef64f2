#pragma once

#include "core/draw/drawing.h"
#include "core/insight/designset.h"

#include <string>

namespace fabricscope {

/// How the times of one waterfall are written: in the largest unit in which none of them needs more than three decimals, so that what is read adds
/// up to the picosecond.
struct WaterfallUnit {
    std::int64_t ps = 1; ///< 10^12, 10^9, 10^6, 10^3, or 1.
    int decimals = 0;

    /// "ms".
    std::string name() const;
    /// "6 230.443" with narrow spaces.
    std::string text(SimTime time) const;
    /// The same with its sign: "+13.590", "−1 241.770", "0".
    std::string signedText(SimTime change) const;
};

/// O(items).
WaterfallUnit unitOf(const Waterfall& waterfall);

/// Why one design takes another time than the baseline: a bar of the time of each at both ends, and between them one from the time before to the time after
/// every difference, with the change and the time then. Where the axis does not begin at 0 the bars of the designs are broken.
/// `width` in pixels. \pre path has a waterfall
Drawing waterfallFigure(const DesignSet& set, const DesignPath& path, double width = 720);

} // namespace fabricscope
