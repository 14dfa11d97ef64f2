#pragma once

#include <string>

namespace fabricscope {

/// The shortest text that reads back as the number: "0.1", "1e+30".
std::string decimal(double value);

} // namespace fabricscope
