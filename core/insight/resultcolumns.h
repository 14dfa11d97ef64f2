#pragma once

#include "core/record/activity.h"
#include "core/record/resultparts.h"
#include "core/report/runsummary.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// What a number of a row counts.
enum class ResultUnit : std::uint8_t { Picoseconds, Millionths, Bytes };

/// One figure of several results.
struct ResultColumnRow {
    enum class Kind : std::uint8_t {
        Part,       ///< Of the step of the slowest ranks; all parts of a result add up to its step time.
        StepTime,   ///< Absent: it never ends.
        LowerBound, ///< Known where all collectives have one.
        BoundShare, ///< Lower bound / step time.
        Exposed,    ///< Communication and no compute, of the slowest ranks.
        Busy,       ///< Of all links of one dimension, on average.
        Traffic,    ///< Bytes over all links of one dimension.
        Memory      ///< Most live bytes of any rank, with what is there all the time.
    };
    Kind kind = Kind::StepTime;
    ResultUnit unit = ResultUnit::Picoseconds;
    std::string key;   ///< Stable and short: "part.compute", "part.exposed.all_reduce.tensor", "step", "busy.0".
    ResultPart part{}; ///< Part: what it is; `family` and `ps` say nothing.
    std::string group; ///< Part: name of the family of groups; empty: all ranks. Busy, Traffic: name of the dimension, where it is the same everywhere.
    std::int32_t dimension = -1;
    std::vector<std::optional<std::int64_t>> values; ///< One per result, in `unit`; nothing: not there, or it never ends.

    /// What B has more than A; nothing where one has none. \pre numbers of results
    std::optional<std::int64_t> difference(std::size_t a, std::size_t b) const;
};

/// A run as the columns need it.
struct ComparedRun {
    const RunSummary* summary = nullptr; ///< Never null.
    ScenarioPtr scenario;                ///< Null: parts are not known.
};

/// Figures of results side by side: parts in the order compute, exposed, host, waiting, and of their first appearance; the step; the rest. A run
/// whose task times were not kept has coarser parts (resultParts()). O(tasks of the slowest ranks * log).
std::vector<ResultColumnRow> resultColumns(const std::vector<ComparedRun>& runs);

/// For people, in English: "All-reduce in tensor, exposed", "Busy, dimension 0, Ring(8)".
std::string rowName(const ResultColumnRow& row);

} // namespace fabricscope
