#pragma once

#include "core/insight/resultcolumns.h"

#include <QString>

namespace fabricscope::comparing {

/// "A" to "D".
QString letter(std::size_t number);
/// "▼ 1.242 s", "▲ 3.000 us", "0": less is faster.
QString difference(SimTime delta);
/// Of a row of figures: "All-reduce in tensor, exposed".
QString rowText(const ResultColumnRow& row);

} // namespace fabricscope::comparing
