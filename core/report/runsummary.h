#pragma once

#include "core/design/design.h"
#include "core/record/runrecord.h"
#include "core/report/accuracyfigures.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Figures of one dimension that a record does not hold, as text with units, parallel to RunRecord::dimensions.
struct DimensionFigures {
    std::string linkBandwidth; ///< Per link and direction.
    std::string npuBandwidth;  ///< All links of one NPU together; empty for links of an explicit graph.
    std::string latency;       ///< Per link.
    friend bool operator==(const DimensionFigures&, const DimensionFigures&) = default;
};

/// What was asked of the `collective` command, in both ways of counting.
struct CollectiveSize {
    std::string op;            ///< "all_reduce".
    std::int64_t bytes = 0;    ///< The large side.
    std::int32_t ranks = 0;
    /// Bytes of the largest shard: ceil(bytes / ranks).
    std::int64_t shard() const { return ranks > 0 ? (bytes + ranks - 1) / ranks : 0; }
    friend bool operator==(const CollectiveSize&, const CollectiveSize&) = default;
};

/// A level a group of NPUs has on a graph, from below (manual: collectives 5.5).
struct GroupLevelRow {
    std::string name;          ///< Of what it joins: "host", "unit", "all".
    std::int32_t extent = 1;   ///< Blocks below in one of this level.
    friend bool operator==(const GroupLevelRow&, const GroupLevelRow&) = default;
};

/// Collectives of one kind against the least time any algorithm needs for them.
struct CollectiveBoundRow {
    std::string op;            ///< "all_reduce".
    std::string group;         ///< Name of the family of groups; empty: all ranks.
    std::int32_t ranks = 0;    ///< Of one group.
    std::int64_t bytes = 0;    ///< The large side.
    std::string algorithm;     ///< Name of the program.
    std::vector<GroupLevelRow> levels; ///< What its phases go along on a graph; empty: it is flat, or has dimensions.
    std::int64_t count = 0;    ///< Collectives of this kind that ended.
    SimTime bound;             ///< CollectiveBound::timePs, and its parts.
    SimTime latency;
    SimTime bandwidth;
    bool exact = false;        ///< No cut binds more.
    std::string cut;           ///< Where it binds.
    SimTime best;              ///< From the first issue to the last end.
    SimTime worst;
    friend bool operator==(const CollectiveBoundRow&, const CollectiveBoundRow&) = default;
};

struct CollectiveBounds {
    std::vector<CollectiveBoundRow> rows;
    std::string note;          ///< Why some or all are missing; empty: none is.
};

/// One of several jobs.
struct JobFigures {
    std::string name;          ///< "train", or "job 1".
    std::int32_t ranks = 0;
    SimTime finish;            ///< Of its last rank.
    bool finished = true;
    friend bool operator==(const JobFigures&, const JobFigures&) = default;
};

struct PlanFigures; // planfigures.h

/// All that a report shows of one run. A plain value: made from a run, or read from a run file.
struct RunSummary {
    std::string name;                     ///< Of the design; may be empty.
    std::string notes;
    std::string workload;                 ///< "trace traces/step (8 ranks)".
    std::string designHash;               ///< 32 hexadecimal digits.
    std::string designFile;               ///< As the user named it; empty: built from the command line.
    std::string designText;               ///< Content of designFile; empty when there is none.
    std::vector<DimensionFigures> dimensions;
    std::vector<Parameter> parameters;    ///< In the order of the scenario.
    std::optional<CollectiveSize> collective;
    std::vector<CollectiveBoundRow> collectiveBounds; ///< As collectiveBounds() gives them.
    std::string boundsNote;               ///< Why some or all are missing; empty: none is.
    std::vector<JobFigures> jobs;         ///< By number; empty: one job without a name.
    std::vector<CollectiveChoice> choices; ///< What `algorithm: auto` decided.
    std::shared_ptr<const PlanFigures> plan; ///< Null: the workload is no plan, the run did not end, or a file of an older version was read.
    std::optional<AccuracyFigures> accuracy; ///< Of the fabric; absent: a file of an older version was read.
    Diagnostics diagnostics;              ///< Of reading, lowering and running, each once, in this order.
    std::shared_ptr<const RunRecord> record; ///< Never null.
    std::uint64_t seed = 0;               ///< Of what was drawn at random; 0: the design's, or nothing was drawn.
};

/// What of a run is not reproducible.
struct RunCost {
    std::int64_t wallMicroseconds = 0;
    std::int64_t peakRssBytes = 0;
    std::string host;
    int threads = 1;
};

/// `noticed`: what reading the design reported. `bounds`: collectiveBounds() of this run, where they are known; null: found here. Told to stop:
/// throws StopRequested (stop.h).
RunSummary summarise(const Design& design, const Scenario& scenario, std::shared_ptr<const RunRecord> record, const Diagnostics& noticed = {},
                     const std::stop_token& stop = {}, const CollectiveBounds* bounds = nullptr);

/// Texts of the entries of one severity, without the severity word; assumed parameters count as notes.
std::vector<std::string> warningsOf(const RunSummary& summary);
std::vector<std::string> assumptionsOf(const RunSummary& summary);

/// Classes for a table: ranks of one job whose times are the same are one row, also where their tasks differ. In ascending order of
/// the first rank; without task times. O(classes log classes + ranks).
std::vector<RankClass> resultRows(const RunRecord& record);

/// A class of ranks for people: "rank 3", "ranks 0-7".
std::string ranksText(const RankSet& ranks);

} // namespace fabricscope
