#pragma once

#include "core/model/graph/opfactors.h"
#include "core/sharding/partition/partitionedprogram.h"

namespace fabricscope {

/// What every device needs of a dim cut into parts, whose result is cut likewise (manual: sharding 6).
struct WindowNeed {
    std::int64_t size = 1;       ///< Of the dim of the operand.
    std::int64_t resultSize = 1; ///< Of the dim of the result.
    std::int64_t shards = 1;
    DimWindow window;            ///< With the padded length.
    std::int64_t stride = 1;     ///< Operand positions per result position; its sign is that of window.step.
    Fill fill = Fill::Zero;
};

/// Does the op read windows of this dim of an operand when it is cut: permuted dims, and those of the input of a kernel's gradient?
bool readsWindows(const GraphOp& op, const OpFactors& rule, std::size_t operand, std::size_t dim);

/// The need of one operand of a slice, pad, concat, reverse, convolution or pooling along a dim; `offset`: where the operand starts in a concatenation. \pre readsWindows(op, operand, dim).
WindowNeed windowNeed(const OpGraph& graph, const GraphOp& op, std::size_t operand, std::size_t dim, std::int64_t shards);

/// By index: rows needed left and right of the own part. O(shards).
std::vector<Halo> halosOf(const WindowNeed& need);
/// By index: rows a device sends to others when each gets what it needs straight from those who hold it. O(shards + pairs).
std::vector<std::int64_t> rowsSent(const WindowNeed& need);
/// Do the rows a device needs reach over more than one neighbour per side on average?
bool reachesFar(const WindowNeed& need);

} // namespace fabricscope
