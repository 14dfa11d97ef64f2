#pragma once

#include "core/base/result.h"
#include "core/sharding/execute/densetensor.h"
#include "core/sharding/execute/devicegrid.h"
#include "core/sharding/partition/partitionedprogram.h"

namespace fabricscope {

/// What every device holds of one value, by position.
using DeviceArrays = std::vector<DenseTensor>;

/// One step between values of which the program is known to be well formed (checkProgram()).
struct ExchangeCall {
    const DeviceGrid& grid;
    const ProgramStep& step;
    const ProgramValue& from;
    const ProgramValue& to;
    const DeviceArrays& arrays; ///< Of `from`.
};

/// Where the array of a position begins along a dim, in the whole tensor; may be negative, or behind the end.
std::int64_t startOf(const DeviceGrid& grid, const ProgramValue& value, std::size_t dim, std::int64_t position);

/// Result of a step that is neither an input nor local, as partitionedprogram.h says it, element by element between the arrays of devices. What lies in no array is poison.
/// Errors: no device has what a Permute or HaloExchange needs (Internal). O(elements of all arrays * group of a reduction).
Result<DeviceArrays> runExchange(const ExchangeCall& call);

} // namespace fabricscope
