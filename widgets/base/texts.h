#pragma once

#include "core/base/units.h"
#include "core/record/activity.h"

#include <QString>

namespace fabricscope {

/// Numbers for people: number, narrow no-break space, unit; groups of three split by the same space; the decimal mark is the locale's.
namespace texts {

/// "12.400 ms": the unit that gives 1-999 before the mark.
QString time(SimTime time, int decimals = 3);
/// In the unit fitting `scale`, so that a column or an axis shares one unit.
QString timeIn(SimTime time, SimTime scale, int decimals);
/// The unit `timeIn` uses for this scale: "ms".
QString timeUnit(SimTime scale);
/// Decimal units: "75.5 MB".
QString bytes(std::int64_t bytes, int decimals = 1);
/// As people type a buffer: "64 MiB" where it is a whole number of a binary unit, else decimal "1.5 GB".
QString size(std::int64_t bytes);
/// "12.5 GB/s".
QString rate(double bytesPerSecond, int decimals = 1);
/// "53.4 %".
QString percent(double share, int decimals = 1);
/// "1 408".
QString count(std::int64_t value);
/// "1 NPU", "1 408 NPUs"; "1 rank", "8 ranks"; "1 switch", "12 switches".
QString npus(std::int64_t value);
QString ranks(std::int64_t value);
QString switches(std::int64_t value);
QString number(double value, int decimals);
/// "All-reduce".
QString activity(Activity activity);

} // namespace texts

} // namespace fabricscope
