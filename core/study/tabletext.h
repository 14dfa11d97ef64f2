#pragma once

#include "core/study/spacerun.h"

#include <stop_token>
#include <string>

namespace fabricscope {

class JsonWriter;

/// A table of a study as CSV: number, parameters, state, all figures that some design has, whether it is in the front, message. Throws StopRequested.
std::string tableCsv(const StudySpec& space, const StudyTable& table, const std::stop_token& stop = {});
/// The same as lines of JSON, one object each. Throws StopRequested.
std::string tableJsonLines(const StudySpec& space, const StudyTable& table, const std::stop_token& stop = {});

/// `objectives`, `parameters`, `rows`, `front`, `sensitivity`, of a search `search` and over seeds `quantiles` of the result, into an open object (manual: json 3).
void writeStudyTable(JsonWriter& json, const StudySpec& space, const StudyTable& table);

/// "64 simulated of 4096; pruned 300 by their bounds, 20 by constraints" and what each rung looked at; empty: no search.
std::string searchText(const StudySpec& space, const StudyTable& table);

/// "step_time over 300 seeds, size 4: p50 21.97 us (21.9 us to 22 us), ..., p99 30 us (28 us to open)", a line for at most `most`; empty: no parameter is the seed.
std::string seedsText(const StudySpec& space, const StudyTable& table, std::size_t most);

/// The best for people: the front, by its first objective, at most `most` of it.
std::string frontText(const StudySpec& space, const StudyTable& table, std::size_t most);

/// "3.2 s", "5 min", "2 h".
std::string durationText(double seconds);

} // namespace fabricscope
