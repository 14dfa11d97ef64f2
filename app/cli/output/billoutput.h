#pragma once

#include "core/cost/checkpointing.h"
#include "core/report/jsonwriter.h"

#include <string>

namespace fabricscope::cli {

/// The bill of a fabric as lines behind its figures. \pre it says anything
std::string billText(const HardwareBill& bill, const std::optional<Checkpointing>& kept);
/// As the value of a key (manual: json 3).
void writeBill(JsonWriter& json, const HardwareBill& bill, const std::optional<Checkpointing>& kept);

/// "50 429 440": whole numbers in groups of three.
std::string grouped(double value);

} // namespace fabricscope::cli
