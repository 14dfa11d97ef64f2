#include "core/plan/opshare.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

bool isDropless(const PlanLayout& layout, const ModelSpec& model)
{
    return layout.expert.dispatch == ExpertPlan::Dispatch::Dropless || model.transformer.moe.capacityFactor <= 0;
}

} // namespace

OpShares::OpShares(const PlanLayout& layout, const ModelSpec& model)
    : m_tensor(layout.tensorSize)
    , m_context(layout.contextSize)
    , m_experts(layout.expertSize)
    , m_keyValueHeads(std::max<std::int64_t>(1, model.transformer.kvHeads))
    , m_sequence(layout.tensor.sequenceParallel && layout.tensorSize > 1)
    , m_vocabulary(layout.tensor.vocabularyParallel)
    , m_imbalance(isDropless(layout, model) && layout.expertSize > 1 ? layout.expert.imbalance : 1)
{
}

std::int64_t OpShares::parts(SplitLetter letter) const
{
    switch (letter) {
    case SplitLetter::Heads:
    case SplitLetter::Ff: return m_tensor;
    case SplitLetter::KvHeads: return std::min(m_tensor, m_keyValueHeads);
    case SplitLetter::Vocab: return m_vocabulary ? m_tensor : 1;
    case SplitLetter::Expert: return m_experts * m_tensor;
    case SplitLetter::None: return 1;
    }
    return 1;
}

std::int64_t OpShares::copies(const LayerOp& op) const
{
    switch (op.split) {
    case SplitLetter::Heads:
    case SplitLetter::Ff:
    case SplitLetter::Expert: return 1; // Experts get tokens of as many ranks as share them.
    case SplitLetter::KvHeads: return m_tensor / std::min(m_tensor, m_keyValueHeads);
    case SplitLetter::Vocab: return m_vocabulary || m_sequence ? 1 : m_tensor;
    case SplitLetter::None: return m_sequence ? 1 : m_tensor;
    }
    return 1;
}

double OpShares::rankFlops(const LayerOp& op, std::int64_t flops) const
{
    return static_cast<double>(flops) * static_cast<double>(copies(op)) / static_cast<double>(m_tensor * m_context) * (op.split == SplitLetter::Expert ? m_imbalance : 1);
}

double OpShares::rankBytes(const LayerOp& op, const Amount& amount, const Amount& weights) const
{
    const double ofWeights = static_cast<double>(std::min(amount.whole, weights.whole)) + static_cast<double>(std::min(amount.divided, weights.divided)) / static_cast<double>(parts(op.split));
    const auto whole = static_cast<double>(std::max<std::int64_t>(0, amount.whole - weights.whole));
    const auto divided = static_cast<double>(std::max<std::int64_t>(0, amount.divided - weights.divided));
    const double over = op.split == SplitLetter::Expert ? static_cast<double>(m_tensor) : static_cast<double>(op.split == SplitLetter::None && m_sequence ? m_tensor : parts(op.split));
    const double rows = op.split == SplitLetter::Expert ? m_imbalance : 1;
    return ofWeights + (whole / static_cast<double>(m_sequence ? m_tensor : 1) + divided / over) / static_cast<double>(m_context) * rows;
}

std::int64_t OpShares::parameters(const LayerOp& op, const Amount& amount) const
{
    return amount.whole + dividedUp(amount.divided, parts(op.split));
}

std::int64_t OpShares::repeated(const LayerOp& op) const
{
    const bool divided = op.split != SplitLetter::None && (op.split != SplitLetter::Vocab || m_vocabulary);
    return op.parameters.whole + (divided ? 0 : op.parameters.divided);
}

std::int64_t OpShares::saved(const LayerOp& op, bool firstOfExperts) const
{
    if (op.split == SplitLetter::None || (op.split == SplitLetter::Vocab && !m_vocabulary))
        return dividedUp(op.saved.total(), m_context * (m_sequence ? m_tensor : 1));
    // Rows of experts are h wide before the first product and f / tensor wide behind it.
    const std::int64_t over = op.split == SplitLetter::Expert ? (firstOfExperts && !m_sequence ? 1 : m_tensor) : parts(op.split);
    const std::int64_t bytes = dividedUp(op.saved.whole, m_context * (m_sequence ? m_tensor : 1)) + dividedUp(op.saved.divided, m_context * over);
    return op.split == SplitLetter::Expert ? ofFullest(bytes) : bytes;
}

std::int64_t OpShares::ofFullest(std::int64_t bytes) const
{
    if (m_imbalance == 1) // Exact, whatever a double can hold.
        return bytes;
    constexpr double kMost = 4e18;
    return static_cast<std::int64_t>(std::ceil(std::min(static_cast<double>(bytes) * m_imbalance, kMost)));
}

bool OpShares::isRecomputed(const LayerOp& op)
{
    return op.group == RecomputeGroup::AttentionCore && (op.kind == LayerOpKind::Softmax || op.kind == LayerOpKind::Dropout);
}

std::int64_t OpShares::ofTokens(std::int64_t bytes) const
{
    return dividedUp(bytes, m_context * (m_sequence ? m_tensor : 1));
}

MatrixFlops matrixFlops(std::span<const LayerOp> ops, const OpShares& shares)
{
    MatrixFlops sum;
    for (const LayerOp& op : ops) {
        if (!op.matrix)
            continue;
        sum.forward += shares.groupFlops(op, op.flops);
        sum.backward += shares.groupFlops(op, op.backwardFlops);
        sum.usual += WideCount{op.flops} * 3;
        if (op.group == RecomputeGroup::AttentionCore && op.kind != LayerOpKind::FlashAttention)
            sum.core += shares.groupFlops(op, op.flops);
    }
    return sum;
}

} // namespace fabricscope
