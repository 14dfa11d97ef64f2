#pragma once

#include "core/model/graph/opgraph.h"
#include "core/yaml/fieldreader.h"

#include <map>
#include <string>

namespace fabricscope {

/// How tensors and ops of a file are read.
struct GraphReadOptions {
    ElementType type = ElementType::Fp32;                     ///< Of tensors that say none.
    std::map<std::string, std::int64_t, std::less<>> symbols; ///< Words that may stand for sizes in shapes ("batch").
    bool flops = false;                                       ///< May ops have a key `flops`?
};

/// Reads `tensors: {a: [64, 32], ids: {shape: [8], dtype: int32}}` as inputs of the graph. Errors go to the context (place, field); returns false then.
bool readGraphTensors(FieldContext& context, const YamlNode& node, const std::string& field, const GraphReadOptions& options, OpGraph& graph);

/// Reads `ops: [{name: c, op: einsum, eq: "mk,kn->mn", in: [a, b]}, ...]` (manual: sharding 1) with the shapes of their results. Operands stand before what
/// uses them. Errors go to the context with the place of the op; returns false then. O(text).
bool readGraphOps(FieldContext& context, const YamlNode& node, const std::string& field, const GraphReadOptions& options, OpGraph& graph);

/// A list of sizes, numbers or symbols.
std::optional<TensorShape> readShape(FieldContext& context, const YamlNode& node, const std::string& field, const GraphReadOptions& options);

} // namespace fabricscope
