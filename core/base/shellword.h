#pragma once

#include <string>

namespace fabricscope {

/// As a shell takes it for one word: as it is, or in single quotes.
std::string shellWord(const std::string& text);

} // namespace fabricscope
