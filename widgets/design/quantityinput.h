#pragma once

#include "core/base/quantity.h"

#include <QString>

namespace fabricscope {

/// Quantities as people type and read them. The number keeps the digits it was given; µ is shown for "us".
namespace quantitytext {

/// "12.5", with at least `decimals` digits behind the mark, in the locale's form.
QString number(double value, int decimals = 0);
/// "GB/s", "µs"; empty for a count.
QString unit(const Quantity& quantity);
/// "12.5 GB/s" with a narrow no-break space.
QString text(const Quantity& quantity);
/// Digits behind the mark in the shortest form of the value.
int decimals(double value);

/// Reads what a person typed: any space between number and unit, µ for u, the locale's mark or a point. A number alone takes
/// `defaultUnit`. Errors say what is expected.
Result<Quantity> parse(const QString& typed, Measure measure, const std::string& defaultUnit);

/// The same amount counted in another unit of its measure, rounded to 12 significant digits.
Quantity inUnit(const Quantity& quantity, const std::string& unit);

/// What to write instead of a text that was refused: "a rate such as 50 GB/s".
QString example(Measure measure);
/// Why parse() refuses what was typed, and what to write instead; empty: it does not.
QString refusal(const QString& typed, Measure measure, const std::string& defaultUnit);

} // namespace quantitytext

} // namespace fabricscope
