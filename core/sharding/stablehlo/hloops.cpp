#include "core/sharding/stablehlo/hloops.h"

#include <algorithm>

namespace fabricscope::mlir {

namespace {

template <HloValue (*read)(HloBuilder&, const HloOperands&)>
HloValue fromOperands(HloBuilder& builder, const HloOperands& in, Diagnostics&)
{
    return read(builder, in);
}

template <HloValue (*read)(HloBuilder&)>
HloValue fromNothing(HloBuilder& builder, const HloOperands&, Diagnostics&)
{
    return read(builder);
}

constexpr HloOpRow kRows[] = {{"constant", 0, 0, fromNothing<readConstant>}, {"iota", 0, 0, fromNothing<readIota>}, {"rng", 3, 3, fromOperands<readRandom>}, {"broadcast_in_dim", 1, 1, fromOperands<readBroadcast>}, {"reshape", 1, 1, fromOperands<readReshape>},
    {"transpose", 1, 1, fromOperands<readTranspose>}, {"reverse", 1, 1, fromOperands<readReverse>}, {"slice", 1, 1, fromOperands<readSlice>}, {"dynamic_slice", 1, 16, fromOperands<readDynamicSlice>}, {"dynamic_update_slice", 2, 16, fromOperands<readDynamicUpdateSlice>}, {"pad", 2, 2, readPad},
    {"concatenate", 1, 1024, fromOperands<readConcatenate>}, {"clamp", 3, 3, fromOperands<readClamp>}, {"dot_general", 2, 2, fromOperands<readDotGeneral>}, {"dot", 2, 2, fromOperands<readDot>},
    {"convolution", 2, 2, fromOperands<readConvolution>}, {"reduce", 2, 64, fromOperands<readReduce>}, {"reduce_window", 2, 64, fromOperands<readReduceWindow>}, {"select_and_scatter", 3, 3, fromOperands<readSelectAndScatter>}, {"sort", 1, 1, fromOperands<readSort>},
    {"gather", 2, 2, fromOperands<readGather>}, {"batch_norm_inference", 5, 5, fromOperands<readBatchNormInference>}, {"einsum", 2, 2, fromOperands<readEinsum>}, {"cholesky", 1, 1, readCholesky}, {"triangular_solve", 2, 2, readTriangularSolve}, {"fft", 1, 1, readFft}, {"scatter", 3, 64, fromOperands<readScatter>}};

constexpr std::string_view kShardingOps[] = {"sdy.sharding_constraint", "sdy.reshard", "sdy.all_gather", "sdy.all_reduce", "sdy.all_slice", "sdy.all_to_all", "sdy.collective_permute", "sdy.reduce_scatter"};

constexpr std::string_view kOthers[] = {"sdy.manual_computation", "sdy.named_computation", "sdy.sharding_group", "sdy.return", "stablehlo.composite", "mhlo.composite", "chlo.top_k", "stablehlo.while", "mhlo.while", "stablehlo.if", "mhlo.if", "stablehlo.case", "mhlo.case", "stablehlo.rng_bit_generator", "mhlo.rng_bit_generator",
    "sdy.propagation_barrier", "stablehlo.batch_norm_training", "mhlo.batch_norm_training", "stablehlo.tuple", "mhlo.tuple", "stablehlo.get_tuple_element", "mhlo.get_tuple_element", "func.call", "func.return", "stablehlo.return", "mhlo.return", "stablehlo.custom_call", "mhlo.custom_call", "stablehlo.optimization_barrier", "mhlo.optimization_barrier"};

} // namespace

std::string_view hloWord(std::string_view name)
{
    for (const std::string_view dialect : {"stablehlo.", "mhlo.", "chlo."}) {
        if (name.starts_with(dialect))
            return name.substr(dialect.size());
    }
    return {};
}

const HloOpRow* hloOpRow(std::string_view name)
{
    const auto found = std::ranges::find(kRows, hloWord(name), &HloOpRow::word);
    return found == std::end(kRows) ? nullptr : found;
}

bool isShardingOp(std::string_view name)
{
    return std::ranges::count(kShardingOps, name) != 0;
}

bool isKnownHloOp(std::string_view name)
{
    return hloOpRow(name) || isElementFunction(hloWord(name)) || isCollectiveWord(hloWord(name)) || isShardingOp(name) || std::ranges::count(kOthers, name) != 0;
}

} // namespace fabricscope::mlir
