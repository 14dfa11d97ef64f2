#include "core/sharding/partition/halos.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Elements [begin, end) of the operand that the device with this index reads; padding included.
struct ReadRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

ReadRange readRange(const WindowNeed& need, std::int64_t index)
{
    const std::int64_t part = partSize(need.resultSize, need.shards);
    const std::int64_t outputs = std::clamp<std::int64_t>(need.resultSize - index * part, 0, part);
    const std::int64_t begin = index * need.window.step + need.window.offset;
    // Fewer outputs need less at the far end; of a reversed dim at the near one.
    const std::int64_t less = (part - outputs) * need.stride;
    if (outputs == 0)
        return {begin, begin};
    return need.window.step < 0 ? ReadRange{begin + less, begin + need.window.length} : ReadRange{begin, begin + need.window.length - less};
}

} // namespace

bool readsWindows(const GraphOp& op, const OpFactors& rule, std::size_t operand, std::size_t dim)
{
    const std::vector<int>& factors = rule.dims[operand][dim];
    if (factors.size() != 1)
        return false;
    if (rule.factors[static_cast<std::size_t>(factors[0])].type == FactorType::Permutation)
        return true;
    const bool spatial = op.kind == GraphOpKind::ConvKernelGrad && operand == 0 && dim >= 1 && dim <= op.windows.size();
    return spatial && op.windows[dim - 1] != WindowDim{};
}

WindowNeed windowNeed(const OpGraph& graph, const GraphOp& op, std::size_t operand, std::size_t dim, std::int64_t shards)
{
    WindowNeed need;
    need.size = graph.tensor(op.inputs[operand]).shape[dim];
    // The gradient of a kernel is cut as dy is.
    need.resultSize = graph.tensor(op.kind == GraphOpKind::ConvKernelGrad ? op.inputs[1] : op.output).shape[dim];
    need.shards = shards;
    const std::int64_t part = partSize(need.resultSize, shards);
    switch (op.kind) {
    case GraphOpKind::Slice:
        need.stride = op.strides[dim];
        need.window = {part * need.stride, op.starts[dim], (part - 1) * need.stride + 1};
        break;
    case GraphOpKind::Pad:
        need.window = {part, -op.low[dim], part};
        break;
    case GraphOpKind::Concat: {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < operand; ++i)
            offset += graph.tensor(op.inputs[i]).shape[dim];
        need.window = {part, -offset, part};
        break;
    }
    case GraphOpKind::Reverse:
        need.window = {-part, need.size - part, part};
        break;
    case GraphOpKind::ConvInputGrad: {
        const WindowDim& w = op.windows[dim - 1];
        const std::int64_t reach = (w.size - 1) * w.dilation;
        need.window = {part, w.padLow - reach, part + reach};
        break;
    }
    default: {
        const WindowDim& w = op.windows[dim - 1];
        need.stride = w.stride;
        need.window = {part * w.stride, -w.padLow, (part - 1) * w.stride + (w.size - 1) * w.dilation + 1};
        if (op.kind == GraphOpKind::Pool && op.reduce == ReduceKind::Max)
            need.fill = Fill::Lowest;
        else if (op.kind == GraphOpKind::Pool && op.reduce == ReduceKind::Min)
            need.fill = Fill::Highest;
        break;
    }
    }
    return need;
}

std::vector<Halo> halosOf(const WindowNeed& need)
{
    const std::int64_t part = partSize(need.size, need.shards);
    std::vector<Halo> halos;
    for (std::int64_t j = 0; j < need.shards; ++j) {
        const ReadRange range = readRange(need, j);
        halos.push_back({j * part - range.begin, range.end - (j + 1) * part});
    }
    return halos;
}

std::vector<std::int64_t> rowsSent(const WindowNeed& need)
{
    const std::int64_t part = partSize(need.size, need.shards);
    std::vector<std::int64_t> sent(static_cast<std::size_t>(need.shards), 0);
    for (std::int64_t j = 0; j < need.shards; ++j) {
        const ReadRange range = readRange(need, j);
        const std::int64_t begin = std::max<std::int64_t>(range.begin, 0);
        const std::int64_t end = std::min(range.end, need.size);
        for (std::int64_t from = begin; from < end;) {
            const std::int64_t owner = from / part;
            const std::int64_t until = std::min(end, (owner + 1) * part);
            if (owner != j)
                sent[static_cast<std::size_t>(owner)] += until - from;
            from = until;
        }
    }
    return sent;
}

bool reachesFar(const WindowNeed& need)
{
    const std::int64_t part = partSize(need.size, need.shards);
    std::int64_t neighbours = 0;
    for (std::int64_t j = 0; j < need.shards; ++j) {
        const ReadRange range = readRange(need, j);
        const std::int64_t begin = std::clamp<std::int64_t>(range.begin, 0, need.size);
        const std::int64_t end = std::clamp<std::int64_t>(range.end, 0, need.size);
        if (begin >= end)
            continue;
        neighbours += std::max<std::int64_t>(j - begin / part, 0) + std::max<std::int64_t>((end - 1) / part - j, 0);
    }
    return neighbours > 2 * need.shards;
}

} // namespace fabricscope
