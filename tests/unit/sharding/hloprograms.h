#pragma once

#include "core/sharding/stablehlo/readstablehlo.h"

#include <QtGlobal>

#include <string>
#include <utility>

namespace fabricscope::test {

/// The program of a text that can be read.
inline ShardProblem hloProblem(const std::string& text)
{
    auto problem = readStableHloText(text, "case.mlir");
    if (!problem)
        qFatal("%s\n%s", problem.error().text().c_str(), text.c_str());
    return std::move(problem).value();
}

// Programs as JAX prints them, small, with the same graphs as `shard:` files beside them.

inline constexpr const char* kHloBlock = R"mlir(#loc = loc(unknown)
module @jit_mlp attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16x8x32xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>} loc("x"), %arg1: tensor<32x64xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg2: tensor<64x32xbf16>) -> (tensor<16x8x32xbf16> {jax.result_info = "", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8x32xbf16>, tensor<32x64xbf16>) -> tensor<16x8x64xbf16> loc(#loc)
    %1 = call @relu(%0) : (tensor<16x8x64xbf16>) -> tensor<16x8x64xbf16>
    %2 = stablehlo.dot_general %1, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8x64xbf16>, tensor<64x32xbf16>) -> tensor<16x8x32xbf16>
    return %2 : tensor<16x8x32xbf16>
  }
  func.func private @relu(%arg0: tensor<16x8x64xbf16>) -> tensor<16x8x64xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<16x8x64xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<16x8x64xbf16>
    return %1 : tensor<16x8x64xbf16>
  }
}
)mlir";

inline constexpr const char* kYamlBlock = R"(fabricscope: 1
shard:
  mesh: {x: 4, y: 2}
  dtype: bf16
  tensors: {x: [16, 8, 32], w1: [32, 64], w2: [64, 32], zero: []}
  ops:
    - {name: h, op: einsum, eq: "bsm,mh->bsh", in: [x, w1]}
    - {name: a, op: max, in: [h, zero]}
    - {name: out, op: einsum, eq: "bsh,hm->bsm", in: [a, w2]}
  annotations:
    - {tensor: x, dims: [[x], [], []], closed: [0, 1, 2]}
    - {tensor: w1, dims: [[], [y]], closed: [0, 1]}
    - {tensor: out, dims: [[x], [], []], closed: [0, 1, 2]}
)";

inline constexpr const char* kHloAttention = R"mlir(module @jit_attention attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8x16xf32> {mhlo.sharding = "{devices=[2,1,1,4]<=[8] last_tile_dim_replicate}"}, %arg1: tensor<16x4x8xf32> {mhlo.sharding = "{devices=[1,4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"}, %arg2: tensor<16x4x8xf32>, %arg3: tensor<16x4x8xf32>, %arg4: tensor<4x8x16xf32>) -> (tensor<4x8x16xf32> {jax.result_info = ""}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] : (tensor<4x8x16xf32>, tensor<16x4x8xf32>) -> tensor<4x8x4x8xf32>
    %1 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [2] x [0] : (tensor<4x8x16xf32>, tensor<16x4x8xf32>) -> tensor<4x8x4x8xf32>
    %2 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [2] x [0] : (tensor<4x8x16xf32>, tensor<16x4x8xf32>) -> tensor<4x8x4x8xf32>
    %3 = stablehlo.dot_general %0, %1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<4x8x4x8xf32>, tensor<4x8x4x8xf32>) -> tensor<4x4x8x8xf32>
    %cst = stablehlo.constant dense<0.353553385> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4x8x8xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<4x4x8x8xf32>
    %6 = stablehlo.iota dim = 0 : tensor<8x8xi32>
    %7 = stablehlo.iota dim = 1 : tensor<8x8xi32>
    %8 = stablehlo.compare  GE, %6, %7,  SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x4x8x8xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4x8x8xf32>
    %11 = stablehlo.select %9, %5, %10 : tensor<4x4x8x8xi1>, tensor<4x4x8x8xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4x4x8xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<4x4x8xf32>) -> tensor<4x4x8x8xf32>
    %14 = stablehlo.subtract %11, %13 : tensor<4x4x8x8xf32>
    %15 = stablehlo.exponential %14 : tensor<4x4x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = "stablehlo.reduce"(%15, %cst_2) <{dimensions = array<i64: 3>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %30 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %30 : tensor<f32>
    }) : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4x4x8xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<4x4x8xf32>) -> tensor<4x4x8x8xf32>
    %18 = stablehlo.divide %15, %17 : tensor<4x4x8x8xf32>
    %19 = stablehlo.dot_general %18, %2, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<4x4x8x8xf32>, tensor<4x8x4x8xf32>) -> tensor<4x4x8x8xf32>
    %20 = stablehlo.dot_general %19, %arg4, contracting_dims = [1, 3] x [0, 1] : (tensor<4x4x8x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    %21 = stablehlo.custom_call @Sharding(%20) {backend_config = "", mhlo.sharding = "{devices=[2,1,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    return %21 : tensor<4x8x16xf32>
  }
}
)mlir";

inline constexpr const char* kYamlAttention = R"(fabricscope: 1
shard:
  mesh: {a: 2, b: 4}
  tensors: {x: [4, 8, 16], wq: [16, 4, 8], wk: [16, 4, 8], wv: [16, 4, 8], wo: [4, 8, 16], scale: [], rows: {shape: [8, 8], dtype: int32}, columns: {shape: [8, 8], dtype: int32}, low: []}
  ops:
    - {name: q, op: einsum, eq: "bsm,mnd->bsnd", in: [x, wq]}
    - {name: k, op: einsum, eq: "bsm,mnd->bsnd", in: [x, wk]}
    - {name: v, op: einsum, eq: "bsm,mnd->bsnd", in: [x, wv]}
    - {name: scores, op: einsum, eq: "bsnd,btnd->bnst", in: [q, k]}
    - {name: scaled, op: mul, in: [scores, scale]}
    - {name: mask, op: map, function: "compare GE", in: [rows, columns]}
    - {name: masks, op: broadcast, shape: [4, 4, 8, 8], dims: [2, 3], in: [mask]}
    - {name: masked, op: select, in: [masks, scaled, low]}
    - {name: most, op: reduce, dims: [3], kind: max, in: [masked]}
    - {name: mosts, op: broadcast, shape: [4, 4, 8, 8], dims: [0, 1, 2], in: [most]}
    - {name: less, op: sub, in: [masked, mosts]}
    - {name: e, op: exp, in: [less]}
    - {name: sum, op: reduce, dims: [3], kind: sum, in: [e]}
    - {name: sums, op: broadcast, shape: [4, 4, 8, 8], dims: [0, 1, 2], in: [sum]}
    - {name: probs, op: div, in: [e, sums]}
    - {name: mixed, op: einsum, eq: "bnst,btnd->bnsd", in: [probs, v]}
    - {name: out, op: einsum, eq: "bnsd,ndm->bsm", in: [mixed, wo]}
  annotations:
    - {tensor: x, dims: [[a], [], []], closed: [0, 1, 2]}
    - {tensor: wq, dims: [[], [b], []], closed: [0, 1, 2]}
    - {tensor: out, dims: [[a], [], []], closed: [0, 1, 2]}
)";

/// Channels first, as PyTorch has them: the graph turns them.
inline constexpr const char* kHloConvolution = R"mlir(sdy.mesh @mesh = <["s"=4]>
func.func @main(%x: tensor<2x3x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"s"}, {}]>}, %k: tensor<3x3x3x5xf32>) -> tensor<2x5x16x8xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x16x8xf32>, tensor<3x3x3x5xf32>) -> tensor<2x5x16x8xf32>
  return %0 : tensor<2x5x16x8xf32>
}
)mlir";

inline constexpr const char* kYamlConvolution = R"(fabricscope: 1
shard:
  mesh: {s: 4}
  tensors: {x: [2, 3, 16, 8], k: [3, 3, 3, 5]}
  ops:
    - {name: turned, op: transpose, perm: [0, 2, 3, 1], in: [x]}
    - {name: c, op: conv, window: [3, 3], pad: [[1, 1], [1, 1]], in: [turned, k]}
    - {name: y, op: transpose, perm: [0, 3, 1, 2], in: [c]}
  annotations:
    - {tensor: x, dims: [[], [], [s], []], closed: [0, 1, 2, 3]}
)";

/// A table cut by rows and columns: lookup, and its gradient as a scatter into zeros.
inline constexpr const char* kHloEmbedding = R"mlir(sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%t: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %ids: tensor<8x16xi32>, %g: tensor<8x16x32xf32>) -> (tensor<8x16x32xf32>, tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.broadcast_in_dim %ids, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
  %1 = "stablehlo.gather"(%t, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<64x32xf32>, tensor<8x16x1xi32>) -> tensor<8x16x32xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
  %3 = "stablehlo.scatter"(%2, %0, %g) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %9 = stablehlo.add %arg3, %arg4 : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  }) : (tensor<64x32xf32>, tensor<8x16x1xi32>, tensor<8x16x32xf32>) -> tensor<64x32xf32>
  return %1, %3 : tensor<8x16x32xf32>, tensor<64x32xf32>
}
)mlir";

inline constexpr const char* kYamlEmbedding = R"(fabricscope: 1
shard:
  mesh: {x: 4, y: 2}
  tensors: {table: [64, 32], ids: {shape: [8, 16], dtype: int32}, g: [8, 16, 32]}
  ops:
    - {name: listed, op: broadcast, shape: [8, 16, 1], dims: [0, 1], in: [ids]}
    - {name: plain, op: reshape, shape: [8, 16], in: [listed]}
    - {name: rows, op: gather, dim: 0, in: [table, plain]}
    - {name: again, op: reshape, shape: [8, 16], in: [listed]}
    - {name: grad, op: scatter_add, dim: 0, size: 64, in: [again, g]}
  annotations:
    - {tensor: table, dims: [[x], [y]], closed: [0, 1]}
    - {tensor: grad, dims: [[x], [y]], closed: [0, 1]}
)";

} // namespace fabricscope::test
