module @jit_f attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<i32>) -> (tensor<8x16xf32>) {
    %0 = "stablehlo.case"(%arg1) ({
      %1 = stablehlo.exponential %arg0 : tensor<8x16xf32>
      stablehlo.return %1 : tensor<8x16xf32>
    }, {
      %1 = stablehlo.tanh %arg0 : tensor<8x16xf32>
      stablehlo.return %1 : tensor<8x16xf32>
    }) : (tensor<i32>) -> tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
