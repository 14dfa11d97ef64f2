#pragma once

#include "core/plan/lower/layerpieces.h"

namespace fabricscope {

/// Floating-point operations and bytes of one rank.
struct OpCost {
    double operations = 0;
    double bytes = 0;
    OpCost& operator+=(const OpCost& other);
};

/// What ops of a layer cost on one rank.
class OpCosts {
public:
    explicit OpCosts(const SpreadModel& spread) : m_shares(*spread.shares) {}
    OpCost forward(const LayerOp& op) const;
    OpCost backward(const LayerOp& op) const;
    /// The part of backward() that makes the gradient of weights: half of a product with weights, all of a table that is looked up, else none.
    OpCost weight(const LayerOp& op) const;
    static TaskWriter::Cost rounded(const OpCost& cost);

private:
    const OpShares& m_shares;
};

/// Communications between the ops of a layer: before and behind each of them, in both directions of time. Sizes are those of the ops.
struct BetweenOps {
    explicit BetweenOps(std::size_t ops) : before(ops), behind(ops), beforeBackward(ops), behindBackward(ops) {}
    std::vector<std::vector<WorkPiece>> before, behind;
    std::vector<std::vector<WorkPiece>> beforeBackward, behindBackward; ///< Of the backward pass of an op.
    std::size_t ringFirst = 0; ///< Ops of the core of attention as blocks round a ring: [ringFirst, ringEnd).
    std::size_t ringEnd = 0;
    WorkPiece ring;
};

/// Pieces of a list of ops with the communications between them; `recompute`: what the backward pass does again. Ops behind the last communication join the piece before it.
LayerPieces walkOps(const std::vector<LayerOp>& ops, const BetweenOps& between, const OpCosts& costs, Recompute recompute, const std::string& name);

} // namespace fabricscope
