#pragma once

#include "core/sharding/devicelayout.h"
#include "core/yaml/tree.h"

#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

class FieldContext; // core/yaml/fieldreader.h

/// What the user says of one tensor.
struct TensorAnnotation {
    TensorId tensor = -1;
    std::optional<std::vector<AxisList>> dims;
    std::vector<char> closed;    ///< Per dim: may not be split further.
    std::vector<int> priority;   ///< Per dim: 0 is propagated first.
    AxisList replicated;         ///< May not be used.
    AxisList unreduced;
    Place place;
};

/// Layout asked of a result or an input in the end.
struct WantedLayout {
    TensorId tensor = -1;
    std::vector<AxisList> dims;
    Place place;
};

enum class Regather : std::uint8_t { None, Parameters, All };

struct ShardOptions {
    bool windowedEinsum = false;
    bool nested = true;
    bool backward = false;
    bool aggressive = true; ///< Strategy of propagation.
    Regather regather = Regather::Parameters;
    std::int64_t turns = 0; ///< Of loops of StableHLO whose length is computed; 0: those are refused.
};

/// A `shard:` file (manual: sharding 1). A plain value. Functions: readshard.cpp.
struct ShardProblem {
    Mesh mesh;
    OpGraph graph;
    std::vector<TensorAnnotation> annotations;
    std::vector<WantedLayout> wanted;
    /// Tensors of one shape that lie alike, each in at most one group (sdy.sharding_group, what a loop carries). Annotations of a group do not contradict each other.
    std::vector<std::vector<TensorId>> groups;
    ShardOptions options;
    Diagnostics notes; ///< What was read as something else than the file says; of StableHLO.

    const TensorAnnotation* annotationOf(TensorId tensor) const; ///< Null: none. O(annotations), as the next.
    const WantedLayout* wantedOf(TensorId tensor) const;
};

/// Reads the text of a file; `overrides`: paths and values of --set, from the root ("shard.mesh.x") or the section ("mesh.x"). Errors name line and field: unknown keys and
/// names, an axis used twice, dims that do not fit, broken YAML; Cancelled. O(text).
Result<ShardProblem> readShardText(const std::string& text, const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides = {}, const std::stop_token& stop = {});

/// Reads the section `shard` at `field`. Errors go to the context; none then.
std::optional<ShardProblem> readShardSection(FieldContext& context, const YamlNode& section, const std::string& field);

/// Has the text a section `shard` at its root?
bool isShardText(const std::string& text);

} // namespace fabricscope
