#include "core/base/outofmemory.h"

namespace fabricscope {

Error outOfMemory() noexcept
{
    Error error;
    error.code = ErrorCode::MemoryLimit;
    try {
        error.message = "there is not enough memory for this";
    } catch (const std::bad_alloc&) {
        error.message = "out of memory"; // Short enough to need none.
    }
    return error;
}

bool isOutOfMemory(const std::system_error& error) noexcept
{
    return error.code() == std::errc::not_enough_memory || error.code() == std::errc::resource_unavailable_try_again;
}

} // namespace fabricscope
