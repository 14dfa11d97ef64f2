#pragma once

#include "core/design/edits/graphedits.h"
#include "core/design/edits/textsplices.h"

namespace fabricscope {

/// A graph before and after an edit, and what became of its parts: by the number of an item the new one, -1 where it is gone.
struct PartsChange {
    const GraphText& before;
    const GraphText& after;
    std::vector<std::int64_t> nodes;
    std::vector<std::int64_t> links;
};

/// All that names nodes, NPUs and links elsewhere in the design means the same parts afterwards: overrides, nodes of jobs, faults and listed routes. What is
/// said of a part that is gone goes with it. Error: Unsupported, with the place for which that is impossible.
/// \pre the splices touch nothing but nodes and links so far
Status followParts(const YamlDocument& yaml, TextSplices& splices, const PartsChange& change);

/// Do names of NPUs in overrides mean the same NPUs of another graph? The first that does not, else null.
const YamlNode* otherNpu(const YamlDocument& yaml, const GraphText& before, const GraphText& after);

} // namespace fabricscope
