#pragma once

#include "core/planner/unequalplacement.h"
#include "core/yaml/tree.h"

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// A `place` file as read.
struct PlaceFile {
    std::string name;        ///< Of the file's `name`; may be empty.
    PlacementProblem problem;
    const YamlNode* platform = nullptr; ///< Of place.cluster.platform, in the tree of the document: collectives are to be timed by simulation; null: by figures.
};

/// Reads `place:` (manual: placement 1). Errors: InvalidInput with line and field; Unsupported over limits; Cancelled.
Result<PlaceFile> readPlaceFile(const YamlDocument& document, const std::stop_token& stop = {});

} // namespace fabricscope
