#loc = loc(unknown)
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
