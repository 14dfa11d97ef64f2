#pragma once

#include "core/insight/resultcolumns.h"
#include "core/insight/waterfall.h"
#include "core/report/runjson.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// One of several designs that are compared, and its run.
struct ComparedDesign {
    std::string name; ///< Or file, for people.
    std::shared_ptr<const Design> design; ///< As it was run; never null.
    ScenarioPtr scenario;
    RunSummary summary;
    RunCost cost;
};

/// What leads from the baseline to one of the others.
struct DesignPath {
    std::size_t to = 0;                 ///< Number of the other design.
    DesignChanges changes;
    std::optional<Waterfall> waterfall; ///< Absent: one of the two never ends.
};

/// A field in which some design differs from the baseline, with the value of each as a design file writes it; empty: not there.
struct FieldColumns {
    std::string field;
    std::vector<std::string> values;
};

/// Two to four designs, one of them the baseline that the others are compared with. Letters are A to D, in the order given.
struct DesignSet {
    static constexpr std::size_t kMost = 4;

    std::vector<ComparedDesign> designs;
    std::size_t baseline = 0;
    std::vector<ResultColumnRow> columns;
    std::vector<FieldColumns> fields; ///< In the order of the file.
    std::vector<DesignPath> paths; ///< One for each other design, in their order.

    static char letter(std::size_t number) { return static_cast<char>('A' + number); }
};

/// Columns, fields, differences and waterfalls of designs that were run, in the order of `options.order` or means; `options.progress` counts the runs of
/// all waterfalls. Designs between two that draw at random have the seed of the run that a waterfall leads to, or of the baseline where that one draws nothing; `options.seed` counts where neither does.
/// \pre 2 to kMost designs, and the baseline is one of them. Errors: Cancelled, MemoryLimit, Internal.
Result<DesignSet> compareDesigns(std::vector<ComparedDesign> designs, std::size_t baseline, const WaterfallOptions& options, const std::stop_token& stop = {});

/// What makes times hard to compare, a sentence each: "A and B run different workloads." In designsettext.cpp, as the next six.
std::vector<std::string> cautionsOf(const DesignSet& set);
/// For people, at most 100 columns: times, parts, changes against the baseline, fields that differ.
std::string designSetText(const DesignSet& set);
/// Parts of the step of each design, and what makes them hard to compare.
std::string partsText(const DesignSet& set);
/// One waterfall after the other, each with its sum.
std::string waterfallsText(const DesignSet& set);
/// A value of a column for people: "12.5 us", "53.4 %"; "-" where there is none.
std::string columnText(const std::optional<std::int64_t>& value, ResultUnit unit);
/// "Pod of 1024 (pod.yaml)", without folders; empty: the design has neither name nor file.
std::string namedByFile(const RunSummary& summary);
/// The same for a report, cut where it is long. Wherever the set was made: a window knows designs by other names than a command. Two may have the same.
std::string nameOf(const DesignSet& set, std::size_t number);

/// {"schema": 1, "result": {"a": ..., "b": ..., "baseline": "a", ...}, "run": {...}} (manual: json 3). In designsetjson.cpp, as the next.
std::string designSetJson(const DesignSet& set, RankRows rows);
/// "baseline", "columns" and "waterfalls" of the object that `json` is in.
void writeDesignSet(JsonWriter& json, const DesignSet& set);
/// "from_ns", "to_ns", "delta_ns" and "apart" of an item, of a waterfall or a reconciliation, in the object that `json` is in.
void writeItemTimes(JsonWriter& json, SimTime from, SimTime to, bool apart);

} // namespace fabricscope
