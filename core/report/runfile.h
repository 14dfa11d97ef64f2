#pragma once

#include "core/report/runjson.h"

#include <string>

namespace fabricscope {

class OutputFiles;

/// Schema number of saved runs; its own, apart from that of the JSON results.
constexpr int kRunFileSchema = 1;

/// The run as one JSON document {"fabricscope_run": 1, "design", "result", "run", "record"}: everything a report needs,
/// with exact integer times in ps and the times of every task.
std::string runFileText(const RunSummary& summary, const RunCost& cost);

/// Writes it whole or not at all; `files` as for writeOutputFile(). Error: NotWritable.
Status saveRun(const std::string& path, const RunSummary& summary, const RunCost& cost, OutputFiles* files = nullptr);

struct SavedRun {
    RunSummary summary;
    RunCost cost;
};

/// Reads a saved run. Errors: NotReadable, InvalidInput naming the field; a newer schema is refused.
Result<SavedRun> readRun(const std::string& path);
Result<SavedRun> readRunText(const std::string& text, const std::string& file);

/// True when the text looks like a saved run (and not like a design).
bool looksLikeRunFile(std::string_view text);

} // namespace fabricscope
