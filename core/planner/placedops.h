#pragma once

#include "core/model/graph/opgraph.h"
#include "core/planner/placedgraph.h"

#include <map>
#include <set>
#include <string>

namespace fabricscope {

/// What a single-device graph does not say of its tensors.
struct PlacedGraphNotes {
    std::set<TensorId> parameters;
    std::map<TensorId, int> batchDims; ///< Of inputs: the dimension that counts samples.
};

/// The op graph as factors and FLOPs: rules of a factor that is not the major one of a dimension somewhere, and of factors joined by a maximum, are left out.
/// Error: Unsupported (PlacedGraph's limits).
Result<PlacedGraph> placedGraphOf(const OpGraph& graph, const PlacedGraphNotes& notes);

/// Forward FLOPs of an op: those its file gives, else 2 for each multiply-add of products and convolutions, 5 an element for softmax and normalisation, 8 for gelu,
/// 1 an element of the largest tensor for other arithmetic, 0 for what only moves data.
double forwardFlops(const OpGraph& graph, const GraphOp& op);

} // namespace fabricscope
