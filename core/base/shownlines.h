#pragma once

#include <string>
#include <string_view>

namespace fabricscope {

/// shownText() that leaves ends of lines and tabs: for whole texts on their way to a terminal or a page. O(bytes).
std::string shownLines(std::string_view text);

} // namespace fabricscope
