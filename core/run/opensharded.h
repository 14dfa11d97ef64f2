#pragma once

#include "core/run/openinput.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// A file with a section `shard` as a design whose workload it is. The platform is assumed, and said: per axis of the mesh, the last one first, a ring of
/// 100 GB/s and 1 us, and NPUs of 100 TFLOP/s and 1 TB/s. Errors: a file that cannot be read; those of readShardText().
Result<OpenedInput> openSharded(const std::string& path, const std::stop_token& stop);

} // namespace fabricscope
