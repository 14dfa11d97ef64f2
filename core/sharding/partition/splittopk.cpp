#include "core/sharding/partition/splittopk.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Parts the dim is cut into when taking the op apart pays; else 1.
std::int64_t partsOf(const OpGraph& graph, const GraphOp& op, const std::vector<std::vector<AxisList>>& propagated)
{
    if (op.kind != GraphOpKind::TopK)
        return 1;
    const auto dim = static_cast<std::size_t>(op.dim);
    const std::int64_t size = graph.tensor(op.inputs[0]).shape[dim];
    const std::int64_t parts = shardsOf(propagated[static_cast<std::size_t>(op.inputs[0])][dim]);
    return size % parts == 0 && op.k < size / parts ? parts : 1;
}

/// Adds the three ops before the last one; the tensor the last one reads, -1 where a name is taken.
TensorId addParts(OpGraph& graph, const GraphOp& op, TensorId operand, std::int64_t parts)
{
    const TensorShape shape = graph.tensor(operand).shape;
    const auto dim = static_cast<std::ptrdiff_t>(op.dim);
    TensorShape split = shape;
    split[static_cast<std::size_t>(dim)] /= parts;
    split.insert(split.begin() + dim, parts);
    TensorShape together = shape;
    together[static_cast<std::size_t>(dim)] = parts * op.k;
    const auto add = [&](const char* name, GraphOpKind kind, TensorId in, const TensorShape& to) {
        GraphOp made;
        made.name = op.name + name;
        made.kind = kind;
        made.inputs = {in};
        made.shape = to;
        made.dim = op.dim + 1;
        made.k = op.k;
        made.place = op.place;
        const Result<TensorId> id = in < 0 ? Result<TensorId>(TensorId{-1}) : graph.addOp(std::move(made));
        return id ? id.value() : -1;
    };
    const TensorId cut = add(".parts", GraphOpKind::Reshape, operand, split);
    const TensorId best = add(".best", GraphOpKind::TopK, cut, {});
    return add(".candidates", GraphOpKind::Reshape, best, together);
}

} // namespace

std::optional<ShardProblem> withSplitTopK(const ShardProblem& problem, std::vector<std::vector<AxisList>>& propagated, std::vector<char>& fresh)
{
    const OpGraph& graph = problem.graph;
    if (std::ranges::none_of(graph.ops, [&](const GraphOp& op) { return partsOf(graph, op, propagated) > 1; }))
        return std::nullopt;
    ShardProblem out = problem;
    out.graph = {};
    std::vector<TensorId> now(graph.tensors.size(), -1);
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        if (graph.tensors[t].producer < 0)
            now[t] = out.graph.addInput(graph.tensors[t]).value();
    }
    for (const GraphOp& op : graph.ops) {
        GraphOp copy = op;
        for (TensorId& input : copy.inputs)
            input = now[static_cast<std::size_t>(input)];
        if (const std::int64_t parts = partsOf(graph, op, propagated); parts > 1) {
            const TensorId candidates = addParts(out.graph, copy, copy.inputs[0], parts);
            if (candidates < 0)
                return std::nullopt;
            copy.inputs = {candidates};
        }
        const Result<TensorId> made = out.graph.addOp(std::move(copy));
        if (!made)
            return std::nullopt;
        now[static_cast<std::size_t>(op.output)] = made.value();
    }
    std::vector<std::vector<AxisList>> dims;
    for (const GraphTensor& tensor : out.graph.tensors)
        dims.emplace_back(tensor.shape.size());
    fresh.assign(dims.size(), 1);
    for (std::size_t t = 0; t < now.size(); ++t) {
        fresh[static_cast<std::size_t>(now[t])] = 0;
        dims[static_cast<std::size_t>(now[t])] = std::move(propagated[t]);
    }
    propagated = std::move(dims);
    for (TensorAnnotation& note : out.annotations)
        note.tensor = now[static_cast<std::size_t>(note.tensor)];
    for (WantedLayout& wanted : out.wanted)
        wanted.tensor = now[static_cast<std::size_t>(wanted.tensor)];
    for (std::vector<TensorId>& group : out.groups) {
        for (TensorId& tensor : group)
            tensor = now[static_cast<std::size_t>(tensor)];
    }
    return out;
}

} // namespace fabricscope
