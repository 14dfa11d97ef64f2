#include "core/model/count.h"
#include "core/model/layers.h"

namespace fabricscope {

namespace {

/// OpTotals that notices when it leaves 63 bits.
class TotalsSum {
public:
    void add(const std::vector<LayerOp>& ops, std::int64_t times)
    {
        for (const LayerOp& op : ops) {
            m_flops += Count(op.flops) * times;
            m_backward += Count(op.backwardFlops) * times;
            if (op.matrix)
                m_matrix += Count(op.flops) * times;
            m_read += Count(op.read.total()) * times;
            m_written += Count(op.written.total()) * times;
            m_parameters += Count(op.parameters.total()) * times;
            m_weights += Count(op.weightRead.total()) * times;
            m_saved += Count(op.saved.total()) * times;
        }
    }
    bool fits() const
    {
        return m_flops.fits() && m_backward.fits() && m_read.fits() && m_written.fits() && m_parameters.fits() && m_weights.fits() && m_saved.fits();
    }
    OpTotals totals() const
    {
        return {m_flops.value(), m_backward.value(), m_matrix.value(), m_read.value(), m_written.value(), m_parameters.value(), m_weights.value(), m_saved.value()};
    }

private:
    Count m_flops, m_backward, m_matrix, m_read, m_written, m_parameters, m_weights, m_saved;
};

} // namespace

std::string wideText(WideCount value)
{
    if (value == 0)
        return "0";
    const bool negative = value < 0;
    std::string text;
    for (; value != 0; value /= 10)
        text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(negative ? -(value % 10) : value % 10)));
    return negative ? "-" + text : text;
}

Amount keptBytes(const LayerOp& op, std::uint16_t modules)
{
    Amount kept;
    for (const SavedPart& part : op.savedParts) {
        if ((part.madeBy & modules) != 0)
            continue;
        kept.whole += part.bytes.whole;
        kept.divided += part.bytes.divided;
    }
    return kept;
}

OpTotals totalsOf(const std::vector<LayerOp>& ops)
{
    TotalsSum sum;
    sum.add(ops, 1);
    return sum.totals();
}

Result<OpTotals> totalsOf(const ModelLayers& layers)
{
    TotalsSum sum;
    sum.add(layers.before, 1);
    for (const LayerKind& kind : layers.kinds)
        sum.add(kind.ops, static_cast<std::int64_t>(kind.layers.size()));
    sum.add(layers.after, 1);
    if (!sum.fits())
        return Error{ErrorCode::Unsupported, "the sums over the layers are beyond 2^63: the model or the batch is too large", {}, {}};
    return sum.totals();
}

} // namespace fabricscope
