#include "core/model/opbuilder.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

OpBuilder::OpBuilder(const ModelSpec& model, const PassShape& pass, const std::vector<ParameterTensor>& tensors)
    : m_model(model)
    , m_pass(pass)
    , m_tensors(tensors)
    , m_act(bytesOf(model.types.act))
{
}

OpBuilder& OpBuilder::begin(std::string name, LayerOpKind kind, SplitLetter split)
{
    m_ops.emplace_back();
    now().op.name = std::move(name);
    now().op.kind = kind;
    now().op.split = split;
    return *this;
}

OpBuilder& OpBuilder::matrix(Count flops)
{
    now().op.matrix = true;
    now().flops += flops;
    now().backward += flops * 2;
    return *this;
}

OpBuilder& OpBuilder::vector(Count flops)
{
    now().flops += flops;
    now().backward += flops;
    return *this;
}

OpBuilder& OpBuilder::backward(Count flops)
{
    now().backward = flops;
    return *this;
}

OpBuilder& OpBuilder::core()
{
    now().op.group = RecomputeGroup::AttentionCore;
    return within(kCoreAttention);
}

OpBuilder& OpBuilder::within(std::uint16_t modules)
{
    now().op.modules = static_cast<std::uint16_t>(now().op.modules | modules);
    return *this;
}

OpBuilder& OpBuilder::madeBy(std::uint16_t modules)
{
    now().madeBy = modules;
    return *this;
}

OpBuilder& OpBuilder::reads(Count elements, bool divided)
{
    return readBytes(elements * m_act, divided);
}

OpBuilder& OpBuilder::writes(Count elements, bool divided)
{
    return writeBytes(elements * m_act, divided);
}

OpBuilder& OpBuilder::readBytes(Count bytes, bool divided)
{
    now().readActs.add(bytes, divided);
    return *this;
}

OpBuilder& OpBuilder::writeBytes(Count bytes, bool divided)
{
    now().written.add(bytes, divided);
    return *this;
}

void OpBuilder::addWeight(std::string_view name, bool own, double hit, bool read)
{
    // A weight comes with its bias, which stands behind it. The newest first: families without layers add tensors as they go.
    const std::string bias = std::string(name) + "_bias";
    for (auto at = m_tensors.rbegin(); at != m_tensors.rend(); ++at) {
        const ParameterTensor& tensor = *at;
        if (tensor.name != name && (!own || tensor.name != bias))
            continue;
        const bool divided = tensor.split != SplitLetter::None;
        const Count bytes = bytesOf(tensor, m_model.types);
        if (own) {
            now().parameters.add(elementsOf(tensor), divided);
            now().weights.add(bytes, divided);
        }
        const double one = static_cast<double>(bytes.value() / tensor.copies);
        if (read)
            now().readWeights.add(hit < 0 || !bytes.fits() ? bytes : Count(std::llround(one * std::min(hit, static_cast<double>(tensor.copies)))), divided);
        now().op.fp8 = now().op.fp8 || (tensor.kind == TensorClass::Linear && m_model.types.fp8Linears);
        if (tensor.name == name)
            return;
    }
}

OpBuilder& OpBuilder::weights(std::string_view name, double hit)
{
    addWeight(name, true, hit, true);
    return *this;
}

OpBuilder& OpBuilder::table(std::string_view name)
{
    addWeight(name, true, -1, false);
    return *this;
}

OpBuilder& OpBuilder::borrows(std::string_view name)
{
    addWeight(name, false, -1, true);
    return *this;
}

OpBuilder& OpBuilder::saves(Count elements, bool divided)
{
    return savesBytes(elements * m_act, divided);
}

OpBuilder& OpBuilder::savesInput(Count rows, std::int64_t width, bool divided)
{
    if (!m_model.types.fp8Linears)
        return saves(rows * width, divided);
    constexpr std::int64_t kTile = 128;
    return savesBytes(rows * (Count(width) + Count(width).dividedUp(kTile) * 4), divided);
}

OpBuilder& OpBuilder::savesBytes(Count bytes, bool divided)
{
    if (!training())
        return *this;
    now().saved.add(bytes, divided);
    now().parts.push_back({{}, now().madeBy});
    now().parts.back().first.add(bytes, divided);
    return *this;
}

Result<std::vector<LayerOp>> OpBuilder::take()
{
    std::vector<LayerOp> ops;
    ops.reserve(m_ops.size());
    for (Building& built : m_ops) {
        LayerOp& op = built.op;
        bool fits = built.flops.fits() && built.backward.fits();
        const auto amount = [&fits](const Sums& sums) {
            fits = fits && (sums.whole + sums.divided).fits();
            return Amount{sums.whole.value(), sums.divided.value()};
        };
        const auto both = [](const Sums& a, const Sums& b) { return Sums{a.whole + b.whole, a.divided + b.divided}; };
        op.flops = built.flops.value();
        op.read = amount(both(built.readActs, built.readWeights));
        op.weightRead = amount(built.readWeights);
        op.written = amount(built.written);
        op.parameters = amount(built.parameters);
        op.weightBytes = amount(built.weights);
        op.saved = amount(built.saved);
        for (const auto& [bytes, madeBy] : built.parts)
            op.savedParts.push_back({amount(bytes), madeBy});
        if (training()) {
            // Products read the gradient of their output twice (dX and dW), their input and weight once, and write two gradients. Elementwise ops
            // read one more tensor than forward.
            op.backwardFlops = built.backward.value();
            op.backwardRead = amount(both(both(built.readActs, built.readWeights), op.matrix ? both(built.written, built.written) : built.written));
            op.backwardWritten = amount(op.matrix ? both(built.readActs, built.readWeights) : built.readActs);
        }
        if (!fits)
            return Error{ErrorCode::Unsupported, "op " + op.name + " has numbers beyond 2^63: the model or the batch is too large", {}, {}};
        ops.push_back(std::move(op));
    }
    m_ops.clear();
    return ops;
}

} // namespace fabricscope
