// gather and scatter of whole rows along one dim.
#include "core/sharding/stablehlo/hlobuilder.h"

#include <algorithm>

namespace fabricscope::mlir {

namespace {

/// What gather and scatter share: rows of a table along `dim`, named by ids.
struct RowDims {
    std::int64_t dim = 0;
    std::int64_t indexDim = 0;
    std::vector<std::int64_t> window; ///< Dims of the result, or the updates, that are of the rows.
};

/// Names of the fields of the two structured attributes.
struct RowWords {
    std::string_view window, collapsed, indexed, tableBatch, idsBatch;
};

constexpr RowWords kGatherWords = {"offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims", "start_indices_batching_dims"};
constexpr RowWords kScatterWords = {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims", "input_batching_dims", "scatter_indices_batching_dims"};

std::optional<RowDims> rowDims(HloBuilder& builder, std::string_view key, const RowWords& words, const TensorShape& table, const TensorShape& ids)
{
    const auto& attributes = builder.operation().attributes;
    const auto found = attributes.find(key);
    if (found == attributes.end()) {
        builder.fail(ErrorCode::InvalidInput, "has no " + std::string(key));
        return std::nullopt;
    }
    const Attributes fields = fieldsOf(found->second);
    RowDims rows;
    rows.window = builder.fieldIntegers(fields, words.window);
    const std::vector<std::int64_t> collapsed = builder.fieldIntegers(fields, words.collapsed);
    const std::vector<std::int64_t> indexed = builder.fieldIntegers(fields, words.indexed);
    const std::vector<std::int64_t> indexDim = builder.fieldIntegers(fields, "index_vector_dim", {0});
    if (!builder.fieldIntegers(fields, words.tableBatch).empty() || !builder.fieldIntegers(fields, words.idsBatch).empty()) {
        builder.refuse("dims of a batch are not read", "rows along one dim");
        return std::nullopt;
    }
    if (collapsed.size() != 1 || indexed != collapsed || collapsed[0] < 0 || collapsed[0] >= static_cast<std::int64_t>(table.size()) || indexDim.size() != 1) {
        builder.refuse("names elements by several ids or takes parts of rows", "whole rows along one dim: one entry in " + std::string(words.collapsed) + " and the same in " + std::string(words.indexed));
        return std::nullopt;
    }
    rows.dim = collapsed[0];
    rows.indexDim = indexDim[0];
    const auto rank = static_cast<std::int64_t>(ids.size());
    if (rows.indexDim < 0 || rows.indexDim > rank || (rows.indexDim < rank && ids[static_cast<std::size_t>(rows.indexDim)] != 1)) {
        builder.fail(ErrorCode::InvalidInput, "index_vector_dim " + std::to_string(rows.indexDim) + " does not fit ids " + shapeText(ids), "a dim of size 1, or one behind the last");
        return std::nullopt;
    }
    return rows;
}

/// The ids without the dim of size 1 that lists the indices of one row.
TensorId plainIds(HloBuilder& builder, const HloValue& ids, const RowDims& rows)
{
    const TensorId tensor = builder.whole(ids, ".ids.whole");
    TensorShape shape = ids.shape;
    if (rows.indexDim < static_cast<std::int64_t>(shape.size()))
        shape.erase(shape.begin() + rows.indexDim);
    return builder.reshaped(tensor, std::move(shape), ".ids");
}

/// Dim of the declared tensor per dim of the graph's (rows before the dim, ids, rows behind it); none where the declared ones do not add up.
std::optional<std::vector<std::int64_t>> placesOf(const RowDims& rows, std::size_t tableRank, std::size_t idsRank)
{
    const std::size_t rank = tableRank - 1 + idsRank;
    std::vector<char> isRow(rank, 0);
    for (const std::int64_t dim : rows.window) {
        if (dim < 0 || dim >= static_cast<std::int64_t>(rank) || isRow[static_cast<std::size_t>(dim)]++)
            return std::nullopt;
    }
    if (rows.window.size() != tableRank - 1 || !std::ranges::is_sorted(rows.window))
        return std::nullopt;
    std::vector<std::int64_t> places(rows.window.begin(), rows.window.begin() + rows.dim);
    for (std::size_t d = 0; d < rank; ++d) {
        if (!isRow[d])
            places.push_back(static_cast<std::int64_t>(d));
    }
    places.insert(places.end(), rows.window.begin() + rows.dim, rows.window.end());
    return places;
}

} // namespace

HloValue readGather(HloBuilder& builder, const HloOperands& in)
{
    const auto rows = rowDims(builder, "dimension_numbers", kGatherWords, in[0].shape, in[1].shape);
    if (!rows)
        return {};
    TensorShape whole = in[0].shape;
    whole[static_cast<std::size_t>(rows->dim)] = 1;
    if (builder.needed("slice_sizes") != whole) {
        builder.refuse("takes parts of rows", "slice_sizes " + shapeText(whole));
        return {};
    }
    const TensorId ids = plainIds(builder, in[1], *rows);
    const auto places = placesOf(*rows, in[0].shape.size(), builder.shapeOf(ids).size());
    if (builder.failed() || !places) {
        builder.fail(ErrorCode::InvalidInput, "offset_dims do not fit its operands", "one per dim of a row, rising");
        return {};
    }
    const TensorId table = builder.whole(in[0], ".table");
    const auto set = [&](GraphOp& op) { op.dim = rows->dim; };
    if (std::ranges::is_sorted(*places))
        return builder.finish(GraphOpKind::Gather, {table, ids}, set);
    std::vector<std::int64_t> perm(places->size());
    for (std::size_t d = 0; d < places->size(); ++d)
        perm[static_cast<std::size_t>((*places)[d])] = static_cast<std::int64_t>(d);
    return builder.finish(GraphOpKind::Transpose, {builder.add(GraphOpKind::Gather, {table, ids}, ".rows", set)}, [&](GraphOp& op) { op.dims = perm; });
}

HloValue readScatter(HloBuilder& builder, const HloOperands& in)
{
    if (in.size() != 3) {
        builder.refuse("a scatter into several tensors at once is not read", "one tensor, ids, updates");
        return {};
    }
    if (joinOf(builder.operation()) != ReduceKind::Sum) {
        builder.refuse("joins elements by a function that is not read", "add");
        return {};
    }
    const auto rows = rowDims(builder, "scatter_dimension_numbers", kScatterWords, in[0].shape, in[1].shape);
    if (!rows)
        return {};
    const TensorId ids = plainIds(builder, in[1], *rows);
    const auto places = placesOf(*rows, in[0].shape.size(), builder.shapeOf(ids).size());
    if (builder.failed() || !places || places->size() != in[2].shape.size()) {
        builder.fail(ErrorCode::InvalidInput, "update_window_dims do not fit its operands", "one per dim of a row, rising");
        return {};
    }
    const TensorId updates = builder.transposed(builder.whole(in[2], ".updates.whole"), *places, ".updates");
    const bool zero = in[0].splat && isZeroLiteral(in[0].literal);
    std::vector<TensorId> operands = {ids, updates};
    if (!zero)
        operands.insert(operands.begin(), builder.whole(in[0], ".base"));
    return builder.finish(GraphOpKind::ScatterAdd, std::move(operands), [&](GraphOp& op) {
        op.dim = rows->dim;
        op.size = zero ? in[0].shape[static_cast<std::size_t>(rows->dim)] : 0;
    });
}

} // namespace fabricscope::mlir
