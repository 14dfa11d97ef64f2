#pragma once

#include "core/planner/modelgraphs.h"

#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// Adds ops one after the other; after a failure nothing more is added and every result is the first tensor.
class GraphMaker {
public:
    GraphMaker(std::int64_t batch, ElementType type) : m_batch(batch), m_type(type) {}

    /// An input whose first dimension counts samples.
    TensorId input(const std::string& name, TensorShape rest, bool integers = false);
    TensorId parameter(const std::string& name, TensorShape shape);
    TensorId einsum(const std::string& name, std::vector<std::string> letters, TensorId a, TensorId b);
    TensorId unary(const std::string& name, GraphOpKind kind, TensorId x) { return add(name, kind, {x}); }
    TensorId binary(const std::string& name, GraphOpKind kind, TensorId a, TensorId b) { return add(name, kind, {a, b}); }
    /// x plus a parameter NAME_b of this shape.
    TensorId bias(const std::string& name, TensorId x, TensorShape shape) { return binary(name, GraphOpKind::Add, x, parameter(name + "_b", std::move(shape))); }
    /// Normalised along the last dimension, scaled and shifted by parameters.
    TensorId layerNorm(const std::string& name, TensorId x);
    TensorId softmax(const std::string& name, TensorId x);
    /// 3 x 3, padded, with bias and relu.
    TensorId convolution(const std::string& name, TensorId x, std::int64_t channels);
    TensorId halfPool(const std::string& name, TensorId x);
    TensorId reduce(const std::string& name, ReduceKind kind, TensorId x, std::vector<std::int64_t> dims);
    TensorId repeated(const std::string& name, TensorId x, TensorShape shape);
    TensorId add(const std::string& name, GraphOpKind kind, std::vector<TensorId> inputs);
    TensorId add(GraphOp op);

    std::int64_t batch() const { return m_batch; }
    const TensorShape& shape(TensorId id) const { return m_model.graph.tensor(id).shape; }
    /// What was made, or the first failure.
    Result<ModelGraph> finish();

private:
    TensorId keep(Result<TensorId> made);

    std::int64_t m_batch;
    ElementType m_type;
    ModelGraph m_model;
    Status m_status;
};

} // namespace fabricscope
