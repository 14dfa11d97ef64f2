#include "core/model/parametertensors.h"

namespace fabricscope {

namespace {

/// Sums tensors of a transformer.
class ParameterSum {
public:
    explicit ParameterSum(const ModelSpec& model) : m_model(model) {}

    /// `tensor` stands `times` times in the model; returns its elements. `outside`: embedding or head.
    void add(const ParameterTensor& tensor, std::int64_t times, bool layers)
    {
        const Count all = elementsOf(tensor) * times;
        total += all;
        active += tensor.routed ? Count(tensor.out) * tensor.in * m_model.transformer.moe.topK * times : all;
        if (layers)
            inLayers += all;
        if (tensor.routed)
            routed += all;
        if (tensor.kind == TensorClass::Embedding)
            embedding += all;
        if (tensor.kind == TensorClass::Head && !layers)
            head += all;
        classes[static_cast<std::size_t>(tensor.kind)] += all;
        types[static_cast<std::size_t>(storedType(tensor.kind, m_model.types))] += all;
        const Count scales = scalesOf(tensor, m_model.types) * times;
        types[static_cast<std::size_t>(NumberType::Fp32)] += scales;
        bytes += bytesOf(tensor, m_model.types) * times;
    }
    Result<ParameterCount> count() const
    {
        if (!bytes.fits() || !total.fits())
            return Error{ErrorCode::Unsupported, "the model has more than 2^63 bytes of parameters", {}, {}};
        ParameterCount out{total.value(), active.value(), embedding.value(), head.value(), inLayers.value(), routed.value(), {}, {}, bytes.value()};
        for (std::size_t i = 0; i < classes.size(); ++i)
            out.byClass[i] = classes[i].value();
        for (std::size_t i = 0; i < types.size(); ++i)
            out.byType[i] = types[i].value();
        return out;
    }

private:
    const ModelSpec& m_model;
    Count total, active, embedding, head, inLayers, routed, bytes;
    std::array<Count, kTensorClasses.size()> classes{};
    std::array<Count, kNumberTypes.size()> types{};
};

Result<ParameterCount> countTransformer(const ModelSpec& model, bool copies)
{
    const ModelTensors tensors = transformerTensors(model.transformer);
    ParameterSum sum(model);
    const std::int64_t outside = 1 + (copies ? model.transformer.predictLayers : 0);
    for (const ParameterTensor& tensor : tensors.before)
        sum.add(tensor, tensor.name == "embedding" ? outside : 1, false);
    for (const LayerTensors& kind : tensors.layers) {
        for (const ParameterTensor& tensor : kind.tensors)
            sum.add(tensor, static_cast<std::int64_t>(kind.layers.size()), true);
    }
    for (const ParameterTensor& tensor : tensors.predict)
        sum.add(tensor, model.transformer.predictLayers, true);
    for (const ParameterTensor& tensor : tensors.after)
        sum.add(tensor, tensor.name == "head" ? outside : 1, false);
    return sum.count();
}

TensorClass classOf(LayerOpKind kind)
{
    switch (kind) {
    case LayerOpKind::Embedding: return TensorClass::Embedding;
    case LayerOpKind::Norm: return TensorClass::Norm;
    case LayerOpKind::Convolution: return TensorClass::Convolution;
    default: return TensorClass::Linear;
    }
}

Result<ParameterCount> countOps(const ModelSpec& model)
{
    const auto layers = modelLayers(model, PassShape::train(1, 1));
    if (!layers)
        return layers.error();
    ParameterCount count;
    for (const LayerOp& op : layers.value().before) {
        const std::int64_t parameters = op.parameters.total();
        const TensorClass kind = classOf(op.kind);
        count.total += parameters;
        count.byClass[static_cast<std::size_t>(kind)] += parameters;
        count.byType[static_cast<std::size_t>(storedType(kind, model.types))] += parameters;
        count.bytes += op.weightBytes.total();
        (kind == TensorClass::Embedding ? count.embedding : count.layers) += parameters;
    }
    count.active = count.total;
    return count;
}

} // namespace

Result<ParameterCount> countParameters(const ModelSpec& model)
{
    return model.family == ComputeFamily::Transformer ? countTransformer(model, false) : countOps(model);
}

Result<ParameterCount> countCheckpoint(const ModelSpec& model)
{
    return model.family == ComputeFamily::Transformer ? countTransformer(model, true) : countOps(model);
}

} // namespace fabricscope
