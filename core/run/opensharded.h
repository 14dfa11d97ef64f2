#pragma once

#include "core/run/openinput.h"

#include <optional>

namespace fabricscope {

/// A file with a section `shard` as a design whose workload it is; nothing: it is another kind of file. The platform is assumed, and said: per axis of the mesh, the last one first, a ring of
/// 100 GB/s and 1 us, and NPUs of 100 TFLOP/s and 1 TB/s. Errors: those of readShardText().
std::optional<Result<OpenedInput>> openSharded(const std::string& path, const std::stop_token& stop);

} // namespace fabricscope
