#pragma once

#include "core/platform/platform.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// The link that Platform::linkName writes as `name` ("d0 3>4", "d1 5>switch", "gpu0>nvswitch"; of several links between two nodes "gpu0>nvswitch" is the first, also
/// as "gpu0>nvswitch#1", and "gpu0>nvswitch#2" the second, in the order listed).
/// O(1) for dimensions, O(links) for explicit graphs.
std::optional<LinkId> findLink(const Platform& platform, std::string_view name);

/// All links that a name of an override means: that of findLink(). On explicit graphs also both ways, "leaf3<>spine5", and classes, with "*" for any part of a name
/// ("unit*.leaf3>spine*"); these are all parallel links, and so is a plain "leaf3>spine5" of a generated fabric, where "#1", "#2", .. is one of them. O(links).
std::vector<LinkId> findLinks(const Platform& platform, std::string_view name);
/// The NPUs that a name means, with "*" as above. O(nodes).
std::vector<NodeId> findNpus(const Platform& platform, std::string_view name);
/// As findLinks() reads it: "#1" behind the first of several parallel links of a generated fabric, else Platform::linkName.
std::string overrideName(const Platform& platform, LinkId link);
/// ", did you mean \"leaf3\"?" for what is no node, or nothing; looks at graphs of up to 65536 nodes.
std::string nearestNode(const Platform& platform, std::string_view name);

} // namespace fabricscope
