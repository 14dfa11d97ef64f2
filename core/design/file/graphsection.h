#pragma once

#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/design/file/sectiontree.h"

#include <optional>
#include <stop_token>
#include <string>

namespace fabricscope {

/// An entry of platform.links: one link, or one each way, between nodes by their names.
struct ListedLink {
    bool eachWay = false;
    std::optional<std::string> from; ///< Absent: not said, or not as a name.
    std::optional<std::string> to;
    Quantity bandwidth = ExplicitLink().bandwidth;
    Quantity latency = ExplicitLink().latency;
};

/// `nodes` and `links` of a platform. Throws StopRequested. O(nodes + links).
void readGraph(DesignReading& reading, const MapReader& map, PlatformSpec& spec);
/// An entry of `copies`.
struct CopiesEntry {
    std::string of;          ///< What the names of the nodes of every copy begin with, before the number of the copy.
    std::int32_t count = 0;  ///< 0: not said rightly.
};
const SectionFields<CopiesEntry>& copiesFields();
/// `copies` of a platform, which decide nothing but what is edited together: only looked at. \pre the nodes are read
void readCopies(DesignReading& reading, const MapReader& map, const PlatformSpec& spec);
void addGraph(const PlatformSpec& spec, MapBuilder& platform, const std::stop_token& stop);

} // namespace fabricscope
