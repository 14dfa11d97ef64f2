#pragma once

#include "core/design/file/reader.h"
#include "core/design/file/sectiontree.h"

#include <optional>
#include <stop_token>
#include <string>

namespace fabricscope {

/// An entry of platform.overrides.links: the links that a name means (linknames.h), and what of them is other than usual.
struct NamedLinkChange {
    std::optional<std::string> link; ///< Absent: not said, or not as a name.
    LinkOverride change{};
};

/// `platform.overrides`. \pre the fabric is read. Throws StopRequested.
void readOverrides(DesignReading& reading, const YamlNode& node, PlatformSpec& spec);
/// Empty where nothing is other than usual. Throws StopRequested.
YamlNode overridesTree(const PlatformSpec& spec, const std::stop_token& stop);

} // namespace fabricscope
