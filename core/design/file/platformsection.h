#pragma once

#include "core/design/file/reader.h"
#include "core/design/file/sectiontree.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// A platform, or a blueprint of one, while it is read.
struct PlatformReading {
    DesignReading& whole;
    std::string path; ///< Of what is described: "platform", "platform.blueprints[0]".
    PlatformSpec spec{};
    std::string name{}; ///< Of a blueprint.
};

/// The same while it is written. References stay.
struct PlatformWriting {
    const Design& design;
    const PlatformSpec& spec;
    std::string name{}; ///< Of a blueprint.
};

/// Empty where nothing but the usual is said. Throws StopRequested. \pre design.platform
YamlNode platformTree(const Design& design, DesignForm form, const std::stop_token& stop);

} // namespace fabricscope
