#pragma once

#include "core/base/fraction.h"
#include "core/model/layers.h"
#include "core/plan/layout.h"

#include <cstdint>
#include <span>

namespace fabricscope {

/// How much of an op one rank of a stage has (manual: plans 4). Numbers of a micro-batch, rounded up once per op.
class OpShares {
public:
    explicit OpShares(const PlanLayout& layout, const ModelSpec& model);

    /// Ranks of a tensor x context group that do the same part of the op: 1 where it is divided wholly.
    std::int64_t copies(const LayerOp& op) const;
    /// FLOPs over all ranks of a tensor x context group: flops x copies.
    WideCount groupFlops(const LayerOp& op, std::int64_t flops) const { return WideCount{flops} * copies(op); }
    /// FLOPs of one rank, as a double: flops x copies / (tensor x context).
    double rankFlops(const LayerOp& op, std::int64_t flops) const;
    /// Bytes one rank moves in a pass that moves `amount` in all; `weights` of it are read whole whatever the context.
    double rankBytes(const LayerOp& op, const Amount& amount, const Amount& weights) const;

    /// Elements or bytes of parameters a rank holds.
    std::int64_t parameters(const LayerOp& op, const Amount& amount) const;
    /// Elements of `parameters` that every rank of the tensor group holds, too.
    std::int64_t repeated(const LayerOp& op) const;
    /// Bytes kept from forward to backward. `firstOfExperts`: the op that reads the rows experts get.
    std::int64_t saved(const LayerOp& op, bool firstOfExperts) const;
    /// Does selective recomputation drop what the op keeps?
    static bool isRecomputed(const LayerOp& op);

    /// Bytes of a tensor of tokens x hidden that one rank holds: divided over context and, with sequence parallelism, over tensor.
    std::int64_t ofTokens(std::int64_t bytes) const;
    /// The same gathered over the tensor group.
    std::int64_t gathered(std::int64_t bytes) const { return dividedUp(bytes, m_context); }
    /// Ranks a letter is divided over.
    std::int64_t parts(SplitLetter letter) const;
    bool sequence() const { return m_sequence; }
    /// Bytes of rows that experts get, of the fullest rank: a mean times the imbalance of the plan (dropless dispatch over several ranks), rounded up.
    std::int64_t ofFullest(std::int64_t bytes) const;

    static std::int64_t dividedUp(std::int64_t value, std::int64_t by) { return value / by + (value % by != 0); }

private:
    std::int64_t m_tensor;
    std::int64_t m_context;
    std::int64_t m_experts;
    std::int64_t m_keyValueHeads;
    bool m_sequence;
    bool m_vocabulary;
    double m_imbalance; ///< Of rows of experts; 1 where all ranks have as many.
};

/// Of a list of ops: FLOPs of matrix products over all ranks of a tensor x context group. \pre every number fits (modelLayers() checks it).
struct MatrixFlops {
    WideCount forward = 0;
    WideCount backward = 0;  ///< As executed.
    WideCount usual = 0;     ///< Forward and twice that: what is counted as the model's own, each product once.
    WideCount core = 0;      ///< Forward, of what selective recomputation does again.
};
MatrixFlops matrixFlops(std::span<const LayerOp> ops, const OpShares& shares);

} // namespace fabricscope
