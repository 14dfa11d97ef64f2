#include "core/sharding/execute/prove.h"

namespace fabricscope {

Result<bool> proveByExecution(const PartitionedProgram&, const std::stop_token&)
{
    return Error{ErrorCode::Unsupported, "running both sides is not built into this program", {}, {}};
}

} // namespace fabricscope
