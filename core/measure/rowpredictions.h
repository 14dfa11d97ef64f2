#pragma once

#include "core/base/keytable.h"
#include "core/measure/measuredrows.h"

#include <stop_token>

namespace fabricscope {

/// What a table of measurements is of (manual: checks, "Measured steps and products").
enum class MeasuredKind : std::uint8_t {
    Gpt,      ///< Steps of GPT models on A100: columns params_b, gpus, global_batch, micro_batch, hidden, heads, layers, seq, tp, dp, pp, iter_ms.
    Megatron, ///< The same with vocab, virtual, recompute, sequence_parallel, iter_s; or steps of named models on named machines, with tokens_per_s_per_gpu.
    Fsdp,     ///< MPT models with all states shared: model, seq, gpus, gpu, micro_batch, global_batch, recompute, tokens_per_s_per_gpu.
    Gemm,     ///< Matrix products: gpu, kind, m, n, k, time_us; other rows are left out.
    Tpu,      ///< Language models sharded over a mesh of TPU v3 cores: name, L, M, H, N x D, gated, seq, batch, "cores, mesh" ("128 (8,16)"; or cores and mesh), tokens/s.
    Collectives, ///< readTransferSets() (measuredtransfers.h), not predictRows().
    Optimizer ///< An all-reduce of gradients and the optimiser on 128 V100: implementation, nccl_algo, elements, iter_ms; fitted by predictOptimizer(), not predictRows().
};
inline constexpr KeyTable<MeasuredKind, 7> kMeasuredKinds{{{"collectives", MeasuredKind::Collectives}, {"gemm", MeasuredKind::Gemm}, {"gpt", MeasuredKind::Gpt}, {"megatron", MeasuredKind::Megatron}, {"fsdp", MeasuredKind::Fsdp},
                                                            {"tpu", MeasuredKind::Tpu}, {"optimizer", MeasuredKind::Optimizer}}};

/// One row; seconds.
struct PredictedRow {
    std::size_t row = 0;             ///< Of the table.
    std::optional<double> predicted; ///< Absent: `reason` says why.
    double measured = 0;
    std::string reason;
};

/// Predicts every row: steps as kernels (kernelseconds.h), products as tiles in waves, both with numbers of the machine (measuredmachines.h); those of TPUs as `plan` estimates them, with nothing fitted.
/// Errors: columns that are missing, numbers that are not possible, with line; told to stop: Cancelled.
Result<std::vector<PredictedRow>> predictRows(MeasuredKind kind, const MeasuredTable& table, const std::stop_token& stop);

} // namespace fabricscope
