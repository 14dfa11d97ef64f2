module @jit_f attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<3x8x16xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %z = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x8x16xf32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %z) : tensor<i32>, tensor<8x16xf32>, tensor<3x8x16xf32> attributes {mhlo.frontend_attributes = {a = "b"}}
    cond {
      %1 = stablehlo.compare  LT, %iterArg, %c_2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.exponential %iterArg_0 : tensor<8x16xf32>
      %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<8x16xf32>) -> tensor<1x8x16xf32>
      %3 = stablehlo.dynamic_update_slice %iterArg_1, %2, %iterArg, %c, %c : (tensor<3x8x16xf32>, tensor<1x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x16xf32>
      %7 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      stablehlo.return %7, %1, %3 : tensor<i32>, tensor<8x16xf32>, tensor<3x8x16xf32>
    }
    return %0#2 : tensor<3x8x16xf32>
  }
}
