#pragma once

#include "core/report/jsonwriter.h"
#include "core/scenario/scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

struct RunSummary;

/// How far off times on the fabric of a run are, as the section accuracy of its design says.
struct AccuracyFigures {
    std::optional<double> errorPct;   ///< Absent: nobody measured.
    std::string measured;             ///< "64 KiB to 8 GiB, 2 to 8 ranks"; empty: not said.
    std::string source;
    std::vector<std::string> outside; ///< What of the run was not measured, a sentence without its stop each.
    friend bool operator==(const AccuracyFigures&, const AccuracyFigures&) = default;
};

/// Of collectives that move data. O(instances).
AccuracyFigures accuracyFigures(const Scenario& scenario);

/// The error alone: "5.5 % off"; "not measured".
std::string errorText(std::optional<double> errorPct);
/// "5.5 % off, measured for 64 KiB to 8 GiB, 2 to 8 ranks (source)"; "not measured".
std::string accuracyText(const AccuracyFigures& figures);
/// As an object: error_pct (null: not measured), measured, source, outside.
void writeAccuracy(JsonWriter& json, const AccuracyFigures& figures);

/// The error that a comparison of two has: the larger one; absent: that of one is not known.
std::optional<double> errorOfBoth(const std::optional<AccuracyFigures>& a, const std::optional<AccuracyFigures>& b);
/// Is the larger of two figures larger than the other by no more than the error?
bool isWithinError(double a, double b, double errorPct);
/// "not distinguishable (1.2 % apart, error 7 %)"; empty: the difference is larger than the error, or one of the times is 0.
std::string notDistinguishable(SimTime a, SimTime b, std::optional<double> errorPct);
/// The same of two runs; empty also where one of them never ends.
std::string notDistinguishable(const RunSummary& a, const RunSummary& b);

} // namespace fabricscope
