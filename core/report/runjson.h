#pragma once

#include "core/report/jsonwriter.h"
#include "core/report/runsummary.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// Rows of the table `ranks` of a result.
enum class RankRows : std::uint8_t { Classes, All, None };

/// Schema number of the JSON results (manual: json 3). Goes up when a reader must change.
constexpr int kRunJsonSchema = 1;

/// The part of a result that is reproducible byte for byte, as one object.
void writeResult(JsonWriter& json, const RunSummary& summary, RankRows rows);

/// "levels": name and extent of each, from below.
void writeLevels(JsonWriter& json, const std::vector<GroupLevelRow>& levels);
/// What `algorithm: auto` decided, as an array: op, group, ranks, size_bytes, chosen, and the candidates with time_ns (null: not simulated, and why).
void writeChoices(JsonWriter& json, const std::vector<CollectiveChoice>& choices);

/// The part that is not: engine shares, events, time, memory, host.
void writeRunCost(JsonWriter& json, const RunRecord& record, const RunCost& cost);

/// The step under several seeds.
struct SeedSummary {
    std::uint64_t first = 0;
    std::int64_t count = 0;
    SimTime median;
    SimTime p99;
    SimTime least;
    SimTime most;
};

/// {"schema": 1, "result": {...}, "seeds": {...}, "accuracy": {...}, "run": {...}}; seeds: only when given. Told to stop: throws
/// StopRequested (stop.h).
std::string runJson(const RunSummary& summary, const RunCost& cost, RankRows rows, const SeedSummary* seeds = nullptr, const std::stop_token& stop = {});

} // namespace fabricscope
