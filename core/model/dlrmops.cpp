#include "core/model/layerparts.h"

namespace fabricscope {

namespace {

/// A stack of products with bias, named PREFIX1, PREFIX2, ...
void addMlp(const PassShape& pass, const std::string& prefix, std::int64_t in, const std::vector<std::int64_t>& widths, bool last,
            std::vector<ParameterTensor>& tensors, OpBuilder& ops)
{
    const Count batch = pass.batch;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const std::string name = prefix + std::to_string(i + 1);
        const std::int64_t out = widths[i];
        tensors.push_back({name, TensorClass::Linear, out, in, 1, SplitLetter::None, false});
        tensors.push_back({name + "_bias", TensorClass::Bias, out, 1, 1, SplitLetter::None, false});
        ops.begin(name, LayerOpKind::Linear).weights(name).matrix(batch * 2 * in * out).reads(batch * in, false).writes(batch * out, false).savesInput(batch, in, false);
        ops.begin(name + "_relu", LayerOpKind::Activation).vector(batch * out).reads(batch * out, false).writes(batch * out, false).saves(batch * out, false);
        in = out;
    }
    if (last && !widths.empty())
        ops.begin("loss", LayerOpKind::Loss).vector(batch * 5 * in).reads(batch * in, false).savesBytes(batch * in * 4, false);
}

} // namespace

Result<std::vector<LayerOp>> dlrmOps(const ModelSpec& model, const PassShape& pass)
{
    const DlrmSpec& spec = model.dlrm;
    std::vector<ParameterTensor> tensors;
    OpBuilder ops(model, pass, tensors);
    const Count batch = pass.batch;
    addMlp(pass, "bottom", spec.denseIn, spec.bottom, false, tensors, ops);
    for (std::size_t i = 0; i < spec.tables.size(); ++i) {
        const DlrmSpec::Table& table = spec.tables[i];
        const std::string name = "table" + std::to_string(i + 1);
        tensors.push_back({name, TensorClass::Embedding, table.rows, table.dim, 1, SplitLetter::None, false});
        ops.begin(name, LayerOpKind::Embedding).table(name).vector(batch * (table.pooling - 1) * table.dim);
        ops.reads(batch * table.pooling * table.dim, false).writes(batch * table.dim, false);
    }
    const std::int64_t dim = spec.bottom.empty() ? 0 : spec.bottom.back();
    const auto features = static_cast<std::int64_t>(spec.tables.size()) + 1;
    const std::int64_t met = features * (features - 1) / 2 + dim;
    ops.begin("interaction", LayerOpKind::Interaction).matrix(batch * 2 * features * features * dim);
    ops.reads(batch * features * dim, false).writes(batch * met, false).saves(batch * features * dim, false);
    addMlp(pass, "top", met, spec.top, pass.mode == PassMode::Train, tensors, ops);
    return ops.take();
}

} // namespace fabricscope
