#pragma once

#include "core/draw/drawing.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// `text` for element content and attribute values of XML: control characters and bytes that are not UTF-8 become U+FFFD.
std::string xmlEscaped(std::string_view text);

struct SvgOptions {
    bool dark = false;
    bool file = false; ///< A document of its own: with the XML declaration and a ground in the colour of a view.
    std::stop_token stop = {};
};

/// The drawing as SVG with title and description. Numbers have at most two decimals and no exponent; nothing depends on the locale or the
/// machine, and nothing is referred to. Told to stop: throws StopRequested (stop.h). O(shapes).
std::string svgText(const Drawing& drawing, const SvgOptions& options = {});

} // namespace fabricscope
