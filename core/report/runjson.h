#pragma once

#include "core/report/jsonwriter.h"
#include "core/report/runsummary.h"

#include <string>

namespace fabricscope {

/// Rows of the table `ranks` of a result.
enum class RankRows : std::uint8_t { Classes, All, None };

/// Schema number of the JSON results (design.md section 8). Goes up when a reader must change.
constexpr int kRunJsonSchema = 1;

/// The part of a result that is reproducible byte for byte, as one object.
void writeResult(JsonWriter& json, const RunSummary& summary, RankRows rows);

/// The part that is not: engine shares, events, time, memory, host.
void writeRunCost(JsonWriter& json, const RunRecord& record, const RunCost& cost);

/// {"schema": 1, "result": {...}, "run": {...}}
std::string runJson(const RunSummary& summary, const RunCost& cost, RankRows rows);

} // namespace fabricscope
