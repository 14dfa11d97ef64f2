#pragma once

#include "core/plan/kernelseconds.h"
#include "core/plan/lower/layerpieces.h"

#include <optional>

namespace fabricscope {

/// Floating-point operations and bytes of one rank.
struct OpCost {
    double operations = 0;
    double bytes = 0;
    double seconds = 0; ///< Of kernels; 0: follows from the others.
    OpCost& operator+=(const OpCost& other);
};

/// Of the passes of an op.
struct PassCosts {
    OpCost forward;
    OpCost input;  ///< Backward: gradient of the input, ...
    OpCost weight; ///< ... of the weights (half of a product with weights, all of a table that is looked up, else none) ...
    OpCost full;   ///< ... and both.
};

/// What ops of a layer cost on one rank. `kernels`: what times them; null: operations and bytes do.
class OpCosts {
public:
    explicit OpCosts(const SpreadModel& spread, const NpuKernels* kernels = nullptr);
    PassCosts of(const LayerOp& op) const;
    OpCost forward(const LayerOp& op) const { return of(op).forward; }
    static TaskWriter::Cost rounded(const OpCost& cost);

private:
    const OpShares& m_shares;
    std::optional<PlanKernelTimer> m_timer;
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
