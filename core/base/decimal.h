#pragma once

#include <cstdint>
#include <string>

namespace fabricscope {

/// The shortest text that reads back as the number: "0.1", "1e+30".
std::string decimal(double value);

/// units / 10^decimals exactly, with all decimals: -1205 with 2 is "-12.05". \pre 0 <= decimals <= 18
std::string fixedDecimal(std::int64_t units, int decimals);

/// The same without zeros at the end, nor a point with nothing behind it: 1200 with 2 is "12". \pre 0 <= decimals <= 18
std::string shortDecimal(std::int64_t units, int decimals);

} // namespace fabricscope
