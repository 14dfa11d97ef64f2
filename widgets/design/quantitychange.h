#pragma once

#include "core/base/quantity.h"

#include <QString>

#include <optional>

namespace fabricscope {

/// What changes a value instead of setting it.
struct QuantityChange {
    double factor = 1; ///< Not negative.
};

namespace quantitytext {

/// Reads "+10%", "-2.5 %", "*2", "×1.5", "/4". Nothing: the text changes no value.
std::optional<QuantityChange> parseChange(const QString& typed);

/// In the unit of the value, rounded to 12 significant digits. Error: it would be too large.
Result<Quantity> changed(const Quantity& value, const QuantityChange& change);

} // namespace quantitytext

} // namespace fabricscope
