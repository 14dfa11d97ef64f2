#pragma once

#include "core/model/modelspec.h"
#include "core/yaml/fieldreader.h"

#include <optional>

namespace fabricscope {

/// Reads the value of `model:` (manual: workload 1): a mapping, with `preset: NAME` whose fields the others override, or the name of a preset alone.
/// Errors go to the context with line and field; nothing is returned then. O(size).
std::optional<ModelSpec> readModel(FieldContext& context, const YamlNode& node, const std::string& field);

/// A model file: `model:`, and perhaps a `plan:` that is not looked at; or a design, whose `workload: {model: ...}` it reads alone. The first error.
Result<ModelSpec> readModelFile(const YamlDocument& document, const std::stop_token& stop = {});

/// `transformer:` into a spec that may come from a preset (readtransformer.cpp).
void readTransformer(FieldContext& context, const YamlNode& node, const std::string& field, bool fromPreset, TransformerSpec& spec);
/// The other families (readfamilies.cpp).
void readDlrm(FieldContext& context, const YamlNode& node, const std::string& field, DlrmSpec& spec);
void readConvnet(FieldContext& context, const YamlNode& node, const std::string& field, ConvnetSpec& spec);
void readGraph(FieldContext& context, const YamlNode& node, const std::string& field, GraphSpec& spec);

} // namespace fabricscope
