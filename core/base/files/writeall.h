#pragma once

#include <string_view>

namespace fabricscope {

/// Writes all of `content` to a descriptor, however often the system takes only a part or is interrupted. 0, or the error number.
int writeAll(int file, std::string_view content);

} // namespace fabricscope
