// Ops fit for local shapes.
#include "core/sharding/partition/partitioner.h"

#include <algorithm>

namespace fabricscope {

namespace {

bool isWindowed(const ProgramValue& value, std::size_t dim)
{
    return !value.windows.empty() && value.windows[dim];
}

void localSlice(const OpFactors& rule, const ProgramValue& in, GraphOp& op)
{
    for (std::size_t d = 0; d < op.starts.size(); ++d) {
        const auto factor = static_cast<std::size_t>(rule.dims[0][d].front());
        if (isWindowed(in, d)) {
            op.starts[d] = 0;
            op.limits[d] = in.local[d];
        } else if (rule.factors[factor].type == FactorType::PassThrough) {
            op.starts[d] = 0;
            op.limits[d] = in.local[d];
            op.strides[d] = 1;
        }
    }
}

} // namespace

GraphOp localOp(const OpGraph& graph, const GraphOp& op, const OpFactors& rule, const std::vector<AxisList>& byFactor, const std::vector<const ProgramValue*>& in, const ProgramValue& out)
{
    GraphOp local = op;
    if (!local.type)
        local.type = graph.tensor(op.output).type;
    if (!op.shape.empty())
        local.shape = out.local;
    switch (op.kind) {
    case GraphOpKind::Slice:
        localSlice(rule, *in[0], local);
        break;
    case GraphOpKind::Pad:
        for (std::size_t d = 0; d < local.low.size(); ++d) {
            if (isWindowed(*in[0], d))
                local.low[d] = local.high[d] = 0;
        }
        break;
    case GraphOpKind::ConvInputGrad:
        for (std::size_t d = 0; d < local.windows.size(); ++d) {
            if (isWindowed(*in[0], d + 1))
                local.windows[d].padLow = local.windows[d].padHigh = (local.windows[d].size - 1) * local.windows[d].dilation;
        }
        break;
    case GraphOpKind::Conv:
    case GraphOpKind::ConvKernelGrad:
    case GraphOpKind::Pool:
        for (std::size_t d = 0; d < local.windows.size(); ++d) {
            if (isWindowed(*in[0], d + 1))
                local.windows[d].padLow = local.windows[d].padHigh = 0;
        }
        break;
    case GraphOpKind::ScatterAdd:
        local.size = out.local[static_cast<std::size_t>(op.dim)];
        break;
    default:
        break;
    }
    if (op.groups > 1) {
        // The group factor stands first among those of the channels.
        const auto group = static_cast<std::size_t>(rule.dims[0].back().front());
        local.groups /= shardsOf(byFactor[group]);
    }
    return local;
}

} // namespace fabricscope
