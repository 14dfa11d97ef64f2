#pragma once

#include "core/sharding/shardproblem.h"
#include "core/sharding/stablehlo/hlobuilder.h"

#include <string>
#include <vector>

namespace fabricscope::mlir {

/// What an annotation says of a tensor per device: leading dims lie along their axes, the program's own along none of the region's.
TensorAnnotation layoutOf(const HloBuilder& builder, TensorId tensor, const PerDevice& of, std::size_t dims);

/// Cuts a tensor of the whole program into what each device has, where it lies as `dims`: of these axes `manual` are the program's. `layOut` annotates the tensor before. Errors go to the builder:
/// sub-axes, axes of the program behind others, sizes that do not divide.
HloValue enterRegion(HloBuilder& builder, const HloValue& value, const std::vector<AxisList>& dims, const std::vector<std::int32_t>& manual, const std::string& suffix,
                     const std::function<void(TensorId)>& layOut);

/// The other way: the whole tensor of `shape` that lies as `dims`. What differs along axes of which `dims` knows nothing is taken from the first device, as is said in the notes.
HloValue leaveRegion(HloBuilder& builder, const HloValue& value, const std::vector<AxisList>& dims, const std::vector<std::int32_t>& manual, const TensorShape& shape, const std::string& suffix,
                     const std::function<void(TensorId)>& layOut, Diagnostics& notes);

} // namespace fabricscope::mlir
