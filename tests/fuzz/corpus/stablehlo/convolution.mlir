sdy.mesh @mesh = <["s"=4]>
func.func @main(%x: tensor<2x3x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"s"}, {}]>}, %k: tensor<3x3x3x5xf32>) -> tensor<2x5x16x8xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x16x8xf32>, tensor<3x3x3x5xf32>) -> tensor<2x5x16x8xf32>
  return %0 : tensor<2x5x16x8xf32>
}
