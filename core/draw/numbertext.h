#pragma once

#include "core/base/units.h"

#include <cstdint>
#include <string>

namespace fabricscope {

/// Numbers for people in pages that must not depend on a locale: point as decimal mark, narrow no-break space before the unit and
/// between groups of three, true minus. Rounded from integers, halves up: equal values give equal bytes.
namespace numbertext {

/// part / whole with this many decimals. \pre whole > 0, 0 <= decimals <= 9
std::string ratio(std::int64_t part, std::int64_t whole, int decimals);
/// "11.314 ms": the unit that gives 1-999 before the mark.
std::string time(SimTime time, int decimals = 3);
/// The unit `time` uses for this value: 10^12, 10^9, 10^6, 10^3 or 1 ps, and its name.
std::int64_t timeUnitPs(SimTime scale);
std::string timeUnit(SimTime scale);
/// In the unit that fits `scale`, without its name: for columns that share one.
std::string timeIn(SimTime time, SimTime scale, int decimals = 3);
/// "12.5 GB/s", "64.3 GB/s"; whole numbers without decimals.
std::string rate(std::int64_t bytesPerSecond);
/// Decimal units: "75.5 MB".
std::string bytes(std::int64_t bytes);
/// part / (count * whole) as "53.4 %". The product may exceed 63 bits; 0 when it is 0.
std::string percent(std::int64_t part, std::int64_t count, std::int64_t whole, int decimals = 1);
/// "1 408" with a narrow no-break space.
std::string count(std::int64_t value);
/// "0–7", "5".
std::string range(std::int64_t first, std::int64_t count);

} // namespace numbertext

} // namespace fabricscope
