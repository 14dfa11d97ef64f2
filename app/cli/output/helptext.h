#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fabricscope::cli {

/// Help in lines of at most `width` characters, broken at blanks; what follows a name and two blanks stays in its column. A word longer than a line keeps
/// one for itself.
std::string helpInWidth(std::string_view help, std::size_t width = 100);

} // namespace fabricscope::cli
