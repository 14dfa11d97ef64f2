#pragma once

#include "core/design/file/reader.h"

#include <string>
#include <string_view>

namespace fabricscope {

/// What a fabric was before it was written out for an override.
struct WrittenFabric {
    std::string origin;             ///< "preset hgx-h100-8, changed"; empty: nothing was written out.
    bool astraUnits = false;
    std::vector<std::string> files;
    Diagnostics diagnostics;
};

/// For `--set platform.dimensions...` (nodes, links) over a platform that a preset, a file or one line of topology gives: puts its
/// dimensions, or nodes and links, and the figures of its NPUs into the tree in place of the name, so that they can be changed. Does nothing for
/// other paths, and where the platform has errors of its own, which reading will report.
void writeOutFabric(YamlDocument& document, std::string_view path, const std::string& file, bool readFiles, WrittenFabric& written);

} // namespace fabricscope
