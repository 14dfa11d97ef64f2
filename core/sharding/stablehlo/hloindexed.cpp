// gather and scatter: rows, or parts of them, that ids name along one dim or several, for every batch.
#include "core/sharding/stablehlo/rowindices.h"

#include <algorithm>

namespace fabricscope::mlir {

namespace {

/// How updates are joined with what is there: as joinOf(), or Last where the region returns the update.
std::optional<ReduceKind> updateJoinOf(const Operation& op)
{
    const bool returns = op.regions.size() == 1 && op.regions[0].arguments.size() == 2 && op.regions[0].ops.size() == 1;
    if (returns && op.regions[0].ops[0].operands == std::vector<std::string>{op.regions[0].arguments[1].name})
        return ReduceKind::Last;
    return joinOf(op);
}

GraphOpKind elementJoin(ReduceKind kind)
{
    return kind == ReduceKind::Sum ? GraphOpKind::Add : kind == ReduceKind::Product ? GraphOpKind::Mul : kind == ReduceKind::Max ? GraphOpKind::Max : GraphOpKind::Min;
}

/// Updates of a part that is known: no ids are left.
HloValue knownUpdate(HloBuilder& builder, const RowForm& form, TensorId base, TensorId updates, ReduceKind join)
{
    const TensorId plain = form.back(builder, form.updates(builder, updates), ".update");
    if (join == ReduceKind::Last)
        return finishReplaced(builder, base, plain, form.starts());
    const TensorId part = form.part(builder, base, ".there");
    if (!form.isPart())
        return builder.finish(elementJoin(join), {part, plain});
    return finishReplaced(builder, base, builder.add(elementJoin(join), {part, plain}, ".joined"), form.starts());
}

bool isOutside(const RowIndices& rows)
{
    for (std::size_t d = 0; d < rows.dims.size(); ++d) {
        const RowDim& dim = rows.dims[d];
        if (dim.role == RowDim::Role::Fixed && (dim.start < 0 || dim.start > rows.table[d] - dim.window))
            return true;
    }
    return false;
}

} // namespace

HloValue readGather(HloBuilder& builder, const HloOperands& in)
{
    const auto rows = readRowIndices(builder, kGatherWords, in[0].shape, in[1], builder.needed("slice_sizes"), false);
    if (!rows)
        return {};
    const RowForm form(*rows);
    const TensorId table = form.rows(builder, form.part(builder, builder.whole(in[0], ".table.whole"), ".table.part"), ".table");
    if (!form.indexed())
        return form.taken(builder, GraphOpKind::Copy, {table}, {});
    const TensorId ids = form.ids(builder);
    return form.taken(builder, GraphOpKind::Gather, {table, ids}, [&](GraphOp& op) {
        op.dim = form.dim();
        op.batch = form.batch();
    });
}

HloValue readScatter(HloBuilder& builder, const HloOperands& in)
{
    if (in.size() != 3) {
        builder.refuse("a scatter into several tensors at once is not read", "one tensor, ids, updates");
        return {};
    }
    const auto join = updateJoinOf(builder.operation());
    if (!join) {
        builder.refuse("joins elements by a function that is not read", "add, multiply, maximum, minimum, or the update alone");
        return {};
    }
    const auto rows = readRowIndices(builder, kScatterWords, in[0].shape, in[1], in[2].shape, true);
    if (!rows)
        return {};
    const RowForm form(*rows);
    const TensorId given = builder.whole(in[2], ".updates.whole");
    if (isOutside(*rows)) // Such updates are left out.
        return builder.finish(GraphOpKind::Copy, {builder.whole(in[0], ".base")});
    if (!form.indexed())
        return knownUpdate(builder, form, builder.whole(in[0], ".base"), given, *join);
    const bool zero = *join == ReduceKind::Sum && in[0].splat && isZeroLiteral(in[0].literal) && !form.isPart();
    std::vector<TensorId> operands = {form.ids(builder), form.updates(builder, given)};
    TensorId base = -1;
    if (!zero) {
        base = builder.whole(in[0], ".base");
        operands.insert(operands.begin(), form.rows(builder, form.part(builder, base, ".base.part"), ".base.rows"));
    }
    std::int64_t places = 1;
    for (const std::size_t d : rows->all(RowDim::Role::Indexed))
        places *= rows->table[d];
    const auto set = [&](GraphOp& op) {
        op.dim = form.dim();
        op.batch = form.batch();
        op.reduce = *join;
        op.size = zero ? places : 0;
    };
    if (form.isPlain())
        return builder.finish(GraphOpKind::ScatterAdd, std::move(operands), set);
    const TensorId made = form.back(builder, builder.add(GraphOpKind::ScatterAdd, std::move(operands), ".rows", set), ".placed");
    return form.isPart() ? finishReplaced(builder, base, made, form.starts()) : builder.finish(GraphOpKind::Copy, {made});
}

} // namespace fabricscope::mlir
