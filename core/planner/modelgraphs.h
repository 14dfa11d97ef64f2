#pragma once

#include "core/planner/placedops.h"
#include "core/yaml/fieldreader.h"

#include <optional>

namespace fabricscope {

/// A forward graph with what is not in it.
struct ModelGraph {
    OpGraph graph;
    PlacedGraphNotes notes;

    std::int64_t parameters() const; ///< Elements of all parameters.
};

/// Reads `model: {preset: vgg19, input: [3, 32, 32], classes: 10}` and makes its graph: vgg16, vgg19, vit, bert, moe (manual: placement 1). `devices`: for the usual
/// number of experts and the vocabulary, a multiple of it. Errors go to the context; nothing then.
std::optional<ModelGraph> readModelGraph(FieldContext& context, const YamlNode& node, const std::string& field, std::int64_t batch, ElementType type, std::int64_t devices);

} // namespace fabricscope
