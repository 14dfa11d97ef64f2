// gather and scatter of whole rows along one dim, and of single elements of every row of a batch.
#include "core/sharding/stablehlo/hlobuilder.h"

#include <algorithm>
#include <numeric>

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

/// Elements of lines along one dim: every dim of the table but that one is of a batch that the ids have too (take_along_axis).
struct LineIds {
    TensorId mask = -1;               ///< [batch, ids of a line, line]: which element each id names.
    std::vector<std::int64_t> table;  ///< Dims of the table as [batch, line].
    std::vector<std::int64_t> listed; ///< Dims of the ids, without that of index vectors, as [batch, ids of a line].
    TensorShape shape;                ///< Of the mask.
};

bool hasBatch(HloBuilder& builder, std::string_view key, const RowWords& words)
{
    const auto found = builder.operation().attributes.find(key);
    return found != builder.operation().attributes.end() && !builder.fieldIntegers(fieldsOf(found->second), words.tableBatch).empty();
}

/// Dims of a rank: those given in their order, then the others.
std::optional<std::vector<std::int64_t>> ledBy(const std::vector<std::int64_t>& first, std::size_t rank)
{
    std::vector<std::int64_t> dims = first;
    for (std::size_t d = 0; d < rank; ++d) {
        if (std::ranges::count(first, static_cast<std::int64_t>(d)) == 0)
            dims.push_back(static_cast<std::int64_t>(d));
    }
    const bool fits = dims.size() == rank && std::ranges::all_of(dims, [&](std::int64_t d) { return d >= 0 && d < static_cast<std::int64_t>(rank); });
    return fits ? std::optional(dims) : std::nullopt;
}

std::vector<std::int64_t> firstDims(std::size_t count)
{
    std::vector<std::int64_t> dims(count);
    std::iota(dims.begin(), dims.end(), 0);
    return dims;
}

std::optional<LineIds> lineIds(HloBuilder& builder, std::string_view key, const RowWords& words, const HloValue& table, const HloValue& ids)
{
    const Attributes fields = fieldsOf(builder.operation().attributes.find(key)->second);
    std::vector<std::int64_t> batch = builder.fieldIntegers(fields, words.tableBatch);
    std::vector<std::int64_t> idsBatch = builder.fieldIntegers(fields, words.idsBatch);
    const std::vector<std::int64_t> indexed = builder.fieldIntegers(fields, words.indexed);
    const std::vector<std::int64_t> vector = builder.fieldIntegers(fields, "index_vector_dim", {0});
    const auto rank = static_cast<std::int64_t>(ids.shape.size());
    if (builder.failed())
        return std::nullopt;
    if (!builder.fieldIntegers(fields, words.window).empty() || indexed.size() != 1 || builder.fieldIntegers(fields, words.collapsed) != indexed || batch.size() + 1 != table.shape.size() || batch.size() != idsBatch.size()) {
        builder.refuse("takes rows of a batch", "single elements: every dim but one of the batch");
        return std::nullopt;
    }
    const auto tableDims = ledBy(batch, table.shape.size());
    if (!tableDims || tableDims->back() != indexed[0] || vector.size() != 1 || vector[0] < 0 || vector[0] > rank || (vector[0] < rank && ids.shape[static_cast<std::size_t>(vector[0])] != 1)) {
        builder.fail(ErrorCode::InvalidInput, "its dims do not fit " + shapeText(table.shape) + " and " + shapeText(ids.shape));
        return std::nullopt;
    }
    for (std::int64_t& dim : idsBatch)
        dim -= dim > vector[0] ? 1 : 0;
    const TensorId plain = plainIds(builder, ids, {0, vector[0], {}});
    const auto idDims = ledBy(idsBatch, builder.shapeOf(plain).size());
    if (builder.failed() || !idDims) {
        builder.fail(ErrorCode::InvalidInput, "its dims do not fit " + shapeText(ids.shape));
        return std::nullopt;
    }
    LineIds lines{-1, *tableDims, *idDims, {}};
    const TensorId ordered = builder.transposed(plain, lines.listed, ".ids.ordered");
    lines.shape = builder.shapeOf(ordered);
    for (std::size_t i = 0; i < batch.size() && i < lines.shape.size(); ++i) {
        if (lines.shape[i] != table.shape[static_cast<std::size_t>(batch[i])])
            builder.fail(ErrorCode::InvalidInput, "its dims of the batch have sizes " + std::to_string(lines.shape[i]) + " and " + std::to_string(table.shape[static_cast<std::size_t>(batch[i])]), "equal sizes");
    }
    if (builder.failed())
        return std::nullopt;
    const std::int64_t size = table.shape[static_cast<std::size_t>(indexed[0])];
    const std::vector<std::int64_t> own = firstDims(lines.shape.size());
    lines.shape.push_back(size);
    const TensorId spread = builder.add(GraphOpKind::Broadcast, {ordered}, ".ids.lines", [&](GraphOp& op) {
        op.shape = lines.shape;
        op.dims = own;
    });
    const TensorId positions = builder.failed() ? -1 : builder.input({size}, builder.graph().tensor(ordered).type, ".positions");
    lines.mask = builder.add(GraphOpKind::Map, {spread, positions}, ".named", [](GraphOp& op) {
        op.function = "compare EQ";
        op.type = ElementType::Bool;
    });
    return lines;
}

/// What the mask names of a tensor whose dims are some of its own, zeros elsewhere, summed over `dim` of the mask.
TensorId namedSum(HloBuilder& builder, const LineIds& lines, TensorId tensor, const std::vector<std::int64_t>& dims, std::size_t first, std::size_t count, const std::string& suffix)
{
    if (builder.failed())
        return -1;
    const TensorId spread = builder.add(GraphOpKind::Broadcast, {tensor}, suffix + ".lines", [&](GraphOp& op) {
        op.shape = lines.shape;
        op.dims = dims;
    });
    const TensorId zero = builder.failed() ? -1 : builder.constant(builder.graph().tensor(tensor).type, "0").tensor;
    const TensorId chosen = builder.add(GraphOpKind::Select, {lines.mask, spread, zero}, suffix + ".chosen");
    return builder.add(GraphOpKind::Reduce, {chosen}, suffix, [&](GraphOp& op) {
        for (std::size_t d = 0; d < count; ++d)
            op.dims.push_back(static_cast<std::int64_t>(first + d));
    });
}

std::vector<std::int64_t> inverseOf(const std::vector<std::int64_t>& perm)
{
    std::vector<std::int64_t> back(perm.size());
    for (std::size_t d = 0; d < perm.size(); ++d)
        back[static_cast<std::size_t>(perm[d])] = static_cast<std::int64_t>(d);
    return back;
}

HloValue readLineGather(HloBuilder& builder, const HloOperands& in)
{
    const auto lines = lineIds(builder, "dimension_numbers", kGatherWords, in[0], in[1]);
    if (!lines)
        return {};
    if (builder.needed("slice_sizes") != TensorShape(in[0].shape.size(), 1)) {
        builder.refuse("takes parts of rows", "slice_sizes of 1");
        return {};
    }
    const TensorId table = builder.transposed(builder.whole(in[0], ".table.whole"), lines->table, ".table");
    std::vector<std::int64_t> dims = firstDims(in[0].shape.size() - 1);
    dims.push_back(static_cast<std::int64_t>(lines->shape.size()) - 1);
    const TensorId made = namedSum(builder, *lines, table, dims, lines->shape.size() - 1, 1, ".elements");
    return builder.finish(GraphOpKind::Transpose, {made}, [&](GraphOp& op) { op.dims = inverseOf(lines->listed); });
}

HloValue readLineScatter(HloBuilder& builder, const HloOperands& in)
{
    const auto lines = lineIds(builder, "scatter_dimension_numbers", kScatterWords, in[0], in[1]);
    if (!lines)
        return {};
    if (in[2].shape.size() + 1 != lines->shape.size()) {
        builder.fail(ErrorCode::InvalidInput, "updates are " + shapeText(in[2].shape), "one per id");
        return {};
    }
    const TensorId updates = builder.transposed(builder.whole(in[2], ".updates.whole"), lines->listed, ".updates");
    const std::size_t batch = in[0].shape.size() - 1;
    const TensorId made = namedSum(builder, *lines, updates, firstDims(in[2].shape.size()), batch, lines->shape.size() - 1 - batch, ".sums");
    const TensorId placed = builder.transposed(made, inverseOf(lines->table), ".placed");
    return builder.finish(GraphOpKind::Add, {in[0].splat ? in[0].tensor : builder.whole(in[0], ".base"), placed});
}

} // namespace

HloValue readGather(HloBuilder& builder, const HloOperands& in)
{
    if (hasBatch(builder, "dimension_numbers", kGatherWords))
        return readLineGather(builder, in);
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
    if (hasBatch(builder, "scatter_dimension_numbers", kScatterWords))
        return readLineScatter(builder, in);
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
