#include "core/planner/graphmaker.h"

namespace fabricscope {

TensorId GraphMaker::keep(Result<TensorId> made)
{
    if (made)
        return made.value();
    if (m_status)
        m_status = made.error();
    return 0;
}

TensorId GraphMaker::input(const std::string& name, TensorShape rest, bool integers)
{
    rest.insert(rest.begin(), m_batch);
    const TensorId id = keep(m_model.graph.addInput({name, std::move(rest), integers ? ElementType::Int32 : m_type, -1, {}}));
    m_model.notes.batchDims.emplace(id, 0);
    return id;
}

TensorId GraphMaker::parameter(const std::string& name, TensorShape shape)
{
    const TensorId id = keep(m_model.graph.addInput({name, std::move(shape), m_type, -1, {}}));
    m_model.notes.parameters.insert(id);
    return id;
}

TensorId GraphMaker::add(GraphOp op)
{
    return m_status ? keep(m_model.graph.addOp(std::move(op))) : 0;
}

TensorId GraphMaker::add(const std::string& name, GraphOpKind kind, std::vector<TensorId> inputs)
{
    GraphOp op;
    op.name = name;
    op.kind = kind;
    op.inputs = std::move(inputs);
    return add(std::move(op));
}

TensorId GraphMaker::einsum(const std::string& name, std::vector<std::string> letters, TensorId a, TensorId b)
{
    GraphOp op;
    op.name = name;
    op.kind = GraphOpKind::Einsum;
    op.letters = std::move(letters);
    op.inputs = {a, b};
    return add(std::move(op));
}

TensorId GraphMaker::layerNorm(const std::string& name, TensorId x)
{
    if (!m_status)
        return 0;
    const TensorShape last{shape(x).back()};
    GraphOp op;
    op.name = name + "_normal";
    op.kind = GraphOpKind::LayerNorm;
    op.inputs = {x};
    op.dim = static_cast<std::int64_t>(shape(x).size()) - 1;
    const TensorId normal = add(std::move(op));
    return bias(name, binary(name + "_scaled", GraphOpKind::Mul, normal, parameter(name + "_g", last)), last);
}

TensorId GraphMaker::softmax(const std::string& name, TensorId x)
{
    if (!m_status)
        return 0;
    GraphOp op;
    op.name = name;
    op.kind = GraphOpKind::Softmax;
    op.inputs = {x};
    op.dim = static_cast<std::int64_t>(shape(x).size()) - 1;
    return add(std::move(op));
}

TensorId GraphMaker::convolution(const std::string& name, TensorId x, std::int64_t channels)
{
    if (!m_status)
        return 0;
    GraphOp op;
    op.name = name;
    op.kind = GraphOpKind::Conv;
    op.inputs = {x, parameter(name + "_w", {3, 3, shape(x).back(), channels})};
    op.windows = {{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
    return unary(name + "_relu", GraphOpKind::Relu, bias(name + "_bias", add(std::move(op)), {channels}));
}

TensorId GraphMaker::halfPool(const std::string& name, TensorId x)
{
    GraphOp op;
    op.name = name;
    op.kind = GraphOpKind::Pool;
    op.inputs = {x};
    op.reduce = ReduceKind::Max;
    op.windows = {{2, 2, 0, 0, 1}, {2, 2, 0, 0, 1}};
    return add(std::move(op));
}

TensorId GraphMaker::reduce(const std::string& name, ReduceKind kind, TensorId x, std::vector<std::int64_t> dims)
{
    GraphOp op;
    op.name = name;
    op.kind = GraphOpKind::Reduce;
    op.inputs = {x};
    op.reduce = kind;
    op.dims = std::move(dims);
    return add(std::move(op));
}

TensorId GraphMaker::repeated(const std::string& name, TensorId x, TensorShape wanted)
{
    GraphOp op;
    op.name = name;
    op.kind = GraphOpKind::Broadcast;
    op.inputs = {x};
    for (std::size_t dim = 0; dim < wanted.size(); ++dim)
        op.dims.push_back(static_cast<std::int64_t>(dim));
    op.shape = std::move(wanted);
    return add(std::move(op));
}

Result<ModelGraph> GraphMaker::finish()
{
    if (!m_status)
        return m_status.error();
    return std::move(m_model);
}

} // namespace fabricscope
