#pragma once

#include "core/report/runjson.h"
#include "core/scenario/scenario.h"

#include <stop_token>
#include <string>

namespace fabricscope {

class OutputFiles;

/// Schema number of saved runs; its own, apart from that of the JSON results.
constexpr int kRunFileSchema = 1;

/// The run as one JSON document {"fabricscope_run": 1, "design", "result", "run", "record"}: everything a report needs,
/// with exact integer times in ps and the times of every task. Told to stop: throws StopRequested (stop.h).
std::string runFileText(const RunSummary& summary, const RunCost& cost, const std::stop_token& stop = {});

/// Writes it whole or not at all; `files` as for writeOutputFile(). Errors: NotWritable, Cancelled.
Status saveRun(const std::string& path, const RunSummary& summary, const RunCost& cost, OutputFiles* files = nullptr, const std::stop_token& stop = {});

struct SavedRun {
    RunSummary summary;
    RunCost cost;
    ScenarioPtr scenario{}; ///< What was run, where that was just now: a file has none, and rebuiltRun() makes it again.
};

/// Reads a saved run. Errors: NotReadable, InvalidInput naming the field; a newer schema is refused; lists of nothing, which
/// would take more than 64 MiB and 20 times the text; Cancelled. In runfilereader.cpp.
Result<SavedRun> readRun(const std::string& path, const std::stop_token& stop = {});
Result<SavedRun> readRunText(const std::string& text, const std::string& file, const std::stop_token& stop = {});

/// True when the text looks like a saved run (and not like a design).
bool looksLikeRunFile(std::string_view text);

} // namespace fabricscope
