#include "core/model/layerparts.h"

namespace fabricscope {

namespace {

/// What goes from layer to layer: one image's sizes.
struct ImageShape {
    std::int64_t channels = 0, height = 0, width = 0;
    Count elements() const { return Count(channels) * height * width; }
    friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

/// Walks over the layers, adding an op for each.
class ConvWalk {
public:
    ConvWalk(const ModelSpec& model, const PassShape& pass) : m_pass(pass), m_ops(model, pass, m_tensors) {}

    /// The shape behind the layers. An error stops all.
    ImageShape run(const std::vector<ConvLayer>& layers, ImageShape shape, bool dataIsInput)
    {
        for (const ConvLayer& layer : layers) {
            if (m_error)
                break;
            shape = step(layer, shape, dataIsInput);
            dataIsInput = false;
        }
        return shape;
    }
    Result<std::vector<LayerOp>> take() { return m_error ? Result<std::vector<LayerOp>>(*m_error) : m_ops.take(); }

private:
    ImageShape step(const ConvLayer& layer, ImageShape in, bool dataIsInput)
    {
        switch (layer.kind) {
        case ConvLayer::Kind::Conv: return conv(layer, in, dataIsInput);
        case ConvLayer::Kind::BatchNorm: return batchNorm(in);
        case ConvLayer::Kind::Relu: return relu(in);
        case ConvLayer::Kind::Pool: return pool(layer, in);
        case ConvLayer::Kind::GlobalPool: return globalPool(in);
        case ConvLayer::Kind::Fc: return fc(layer, in, dataIsInput);
        case ConvLayer::Kind::Residual: return residual(layer, in, dataIsInput);
        }
        return in;
    }

    std::string named(const char* kind) { return kind + std::to_string(++m_number); }

    void refuse(const std::string& name, const std::string& message)
    {
        if (!m_error)
            m_error = Error{ErrorCode::InvalidInput, "layer " + name + ": " + message, {}, {}};
    }

    /// floor((size + 2 pad - dilation (k - 1) - 1) / stride) + 1
    std::int64_t outSize(const std::string& name, std::int64_t size, const ConvLayer& layer)
    {
        const std::int64_t room = size + 2 * std::int64_t{layer.pad} - std::int64_t{layer.dilation} * (layer.size - 1) - 1;
        if (room < 0)
            refuse(name, "a window of " + std::to_string(layer.size) + " does not fit in " + std::to_string(size));
        return room < 0 ? 1 : room / layer.stride + 1;
    }

    ImageShape conv(const ConvLayer& layer, ImageShape in, bool dataIsInput)
    {
        const std::string name = named("conv");
        if (in.channels % layer.groups != 0 || layer.out % layer.groups != 0)
            refuse(name, std::to_string(in.channels) + " to " + std::to_string(layer.out) + " channels do not divide by " + std::to_string(layer.groups) + " groups");
        const ImageShape out{layer.out, outSize(name, in.height, layer), outSize(name, in.width, layer)};
        if (m_error)
            return in;
        const std::int64_t depth = in.channels / layer.groups * layer.size * layer.size;
        m_tensors.push_back({name, TensorClass::Convolution, layer.out, depth, 1, SplitLetter::None, false});
        if (layer.bias)
            m_tensors.push_back({name + "_bias", TensorClass::Bias, layer.out, 1, 1, SplitLetter::None, false});
        const Count flops = out.elements() * 2 * depth * m_pass.batch;
        m_ops.begin(name, LayerOpKind::Convolution).weights(name).matrix(flops);
        if (dataIsInput)
            m_ops.backward(flops); // No gradient of data.
        passes(in, out);
        m_ops.saves(in.elements() * m_pass.batch, false);
        return out;
    }

    ImageShape batchNorm(ImageShape in)
    {
        const std::string name = named("bn");
        m_tensors.push_back({name, TensorClass::Norm, in.channels, 1, 1, SplitLetter::None, false});
        m_tensors.push_back({name + "_bias", TensorClass::Norm, in.channels, 1, 1, SplitLetter::None, false});
        m_ops.begin(name, LayerOpKind::Norm).weights(name).vector(in.elements() * 10 * m_pass.batch);
        passes(in, in);
        m_ops.saves(in.elements() * m_pass.batch, false);
        return in;
    }

    ImageShape relu(ImageShape in)
    {
        m_ops.begin(named("relu"), LayerOpKind::Activation).vector(in.elements() * m_pass.batch);
        passes(in, in);
        m_ops.savesBytes(in.elements() * m_pass.batch, false); // A mask of one byte.
        return in;
    }

    ImageShape pool(const ConvLayer& layer, ImageShape in)
    {
        const std::string name = named("pool");
        const ImageShape out{in.channels, outSize(name, in.height, layer), outSize(name, in.width, layer)};
        m_ops.begin(name, LayerOpKind::Pool).vector(out.elements() * layer.size * layer.size * m_pass.batch);
        passes(in, out);
        constexpr std::int64_t kIndex = 8; // Bytes of the place of a maximum.
        if (layer.maxPool)
            m_ops.savesBytes(out.elements() * kIndex * m_pass.batch, false);
        return out;
    }

    ImageShape globalPool(ImageShape in)
    {
        const ImageShape out{in.channels, 1, 1};
        m_ops.begin(named("pool"), LayerOpKind::Pool).vector(in.elements() * m_pass.batch);
        passes(in, out);
        return out;
    }

    ImageShape fc(const ConvLayer& layer, ImageShape in, bool dataIsInput)
    {
        const std::string name = named("fc");
        const Count width = in.elements();
        if (!width.fits())
            refuse(name, "the input is too large");
        m_tensors.push_back({name, TensorClass::Linear, layer.out, width.value(), 1, SplitLetter::None, false});
        if (layer.bias)
            m_tensors.push_back({name + "_bias", TensorClass::Bias, layer.out, 1, 1, SplitLetter::None, false});
        const Count flops = width * 2 * layer.out * m_pass.batch;
        m_ops.begin(name, LayerOpKind::Linear).weights(name).matrix(flops);
        if (dataIsInput)
            m_ops.backward(flops);
        const ImageShape out{layer.out, 1, 1};
        passes(in, out);
        m_ops.saves(width * m_pass.batch, false);
        return out;
    }

    ImageShape residual(const ConvLayer& layer, ImageShape in, bool dataIsInput)
    {
        const ImageShape body = run(layer.body, in, dataIsInput);
        const ImageShape shortcut = run(layer.shortcut, in, dataIsInput);
        const std::string name = named("add");
        if (body != shortcut)
            refuse(name, "the residual block and its shortcut end with different sizes");
        m_ops.begin(name, LayerOpKind::Residual).vector(body.elements() * m_pass.batch);
        passes(body, body);
        m_ops.reads(body.elements() * m_pass.batch, false);
        return body;
    }

    void passes(ImageShape in, ImageShape out) { m_ops.reads(in.elements() * m_pass.batch, false).writes(out.elements() * m_pass.batch, false); }

    const PassShape& m_pass;
    std::vector<ParameterTensor> m_tensors;
    OpBuilder m_ops;
    std::optional<Error> m_error;
    int m_number = 0;
};

} // namespace

Result<std::vector<LayerOp>> convnetOps(const ModelSpec& model, const PassShape& pass)
{
    const ConvnetSpec& spec = model.convnet;
    ConvWalk walk(model, pass);
    walk.run(spec.layers, {spec.channels, spec.height, spec.width}, true);
    return walk.take();
}

} // namespace fabricscope
