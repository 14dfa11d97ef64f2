#pragma once

#include "core/base/quantity.h"
#include "core/base/rankset.h"
#include "core/model/fittedkernels.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// An operation of at most `upTo` reaches this share of the peak.
struct EfficiencyPoint {
    std::optional<Quantity> upTo; ///< Absent: all larger ones; only at the end.
    double share = 1;             ///< Above 0, at most 1; kept to a millionth.
    friend bool operator==(const EfficiencyPoint&, const EfficiencyPoint&) = default;
};

/// Ascending; empty: the whole peak. Above the last `upTo` the last share holds.
struct EfficiencyTable {
    std::vector<EfficiencyPoint> operations; ///< By floating-point operations, share of the peak.
    std::vector<EfficiencyPoint> bytes;      ///< By bytes moved, share of the memory bandwidth.
    friend bool operator==(const EfficiencyTable&, const EfficiencyTable&) = default;
};

/// Tables of the tasks whose name fits `name` ("*" any characters, "?" one); first match wins. What it leaves out comes from the general table.
struct EfficiencyKind {
    std::string name;
    EfficiencyTable table;
    friend bool operator==(const EfficiencyKind&, const EfficiencyKind&) = default;
};

/// Something that is in the memory of NPUs all the time: parameters, optimizer state.
struct ResidentMemory {
    std::string name;
    Quantity bytes{0, "B", Measure::Size};
    RankSet ranks; ///< Empty: all.
    friend bool operator==(const ResidentMemory&, const ResidentMemory&) = default;
};

struct MemoryConfig {
    bool follow = true;
    std::vector<ResidentMemory> resident;
    friend bool operator==(const MemoryConfig&, const MemoryConfig&) = default;
};

/// What collectives take from the computation of their NPU, and it from them. Rules: core/sim/common/slowdown.h.
struct SlowdownConfig {
    double smShare = 0;        ///< Of the peak, taken by every collective under way on the NPU.
    double bandwidthShare = 0; ///< Of the memory bandwidth.
    double mostShare = 0.9;    ///< All collectives together take no more of either; below 1.
    double reducerLoss = 0;    ///< Share of the reducer's rate that is lost while the NPU computes; below 1.
    friend bool operator==(const SlowdownConfig&, const SlowdownConfig&) = default;
};

/// What kernels take beside operations and bytes, of the ops of a model that is spread by a plan (KernelTerms). What is absent is as `machine` has it; without one it is off.
struct KernelConfig {
    std::optional<FittedMachine> machine;
    std::optional<Quantity> start;
    std::optional<double> share;
    std::optional<double> attention;
    std::optional<double> memory;
    std::optional<double> traffic;
    std::optional<std::int32_t> units;
    std::optional<Quantity> fp8Peak;
    std::optional<Quantity> fp32Peak;
    std::optional<Quantity> layer;
    friend bool operator==(const KernelConfig&, const KernelConfig&) = default;
};

/// Section `compute`: what operations and memory of an NPU cost and hold. Plain value, shared and immutable once read.
///
///     compute:
///       efficiency:                       # of tasks whose time follows from operations and bytes (model.roofline)
///         interpolation: steps            # the entry whose up_to is not exceeded; linear: between the entries
///         operations: [{up_to: 1 GFLOP, share: 0.3}, {share: 0.7}]
///         bytes: [{up_to: 1 MiB, share: 0.2}, {share: 0.85}]
///         kinds: [{name: "*attention*", operations: [{share: 0.4}]}]
///       kernels: {machine: a100-megatron, start: 3 us}    # of plans, instead of the tables: plankernels.h
///       memory:                           # live bytes of every rank: with `output`, `scratch` and `uses` of steps, tensors of traces
///         follow: true
///         resident: [{name: parameters, bytes: 14 GB}, {name: optimizer, bytes: 56 GB, ranks: 0-7}]
///       slowdown: {sm_share: 0.1, bandwidth_share: 0.2, most_share: 0.9, reducer_loss: 0.3}
///
/// Keys of remote memory: remotesection.h.
struct ComputeConfig {
    bool linear = false;                 ///< Shares between the entries of a table: straight lines instead of steps.
    EfficiencyTable efficiency;
    std::vector<EfficiencyKind> kinds;
    std::optional<KernelConfig> kernels;
    std::optional<MemoryConfig> memory;
    std::optional<SlowdownConfig> slowdown;

    bool hasEfficiency() const { return !efficiency.operations.empty() || !efficiency.bytes.empty() || !kinds.empty(); }
    friend bool operator==(const ComputeConfig&, const ComputeConfig&) = default;
};

} // namespace fabricscope
