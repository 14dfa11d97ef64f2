#pragma once

#include "core/insight/designset.h"
#include "core/insight/difference.h"
#include "core/insight/reconcile.h"
#include "core/report/runjson.h"

#include <string>

namespace fabricscope {

/// What a comparison of two designs shows. `b` may be the same design with other values.
struct DesignComparison {
    std::string nameA; ///< Name or file of the design, for people.
    std::string nameB;
    RunSummary a;
    RunSummary b;
    RunCost costA;
    RunCost costB;
    RunDifference difference;
    std::vector<FieldDifference> fields;
    const DesignSet* set = nullptr; ///< Parts and waterfall of the same two; null: left out.
};

/// For people, at most 100 columns: both times, every item in the order in which the rules were switched, the sum, and what the rules say.
std::string reconciliationText(const Reconciliation& result);
/// Both results side by side: finish, dimensions, classes of ranks, fields that differ.
std::string comparisonText(const DesignComparison& comparison);

/// {"schema": 1, "result": {"a": ..., "b": ..., "difference_ns": ..., ...}, "run": {"a": ..., "b": ...}}; `a` and `b` as in runJson(). In comparejson.cpp.
std::string reconciliationJson(const Reconciliation& result, RankRows rows);
std::string comparisonJson(const DesignComparison& comparison, RankRows rows);

/// "+1701 ns", "-0.014 ns", "0 ns".
std::string signedNs(SimTime delta);
/// "+1.2 us", "-35.7 us", "0": a difference with its sign.
std::string deltaText(SimTime delta);
/// part / whole with sign and one decimal: "-35.2 %"; "" when whole is 0.
std::string relativeText(SimTime part, SimTime whole);

} // namespace fabricscope
