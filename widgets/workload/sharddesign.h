#pragma once

#include "core/run/simulateshard.h"
#include "widgets/base/tablecontent.h"

#include <QString>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// A sharded graph of a design worked out: what the page shows.
struct ShardDesign {
    std::shared_ptr<const Design> design;      ///< Holds `problem`.
    const ShardProblem* problem = nullptr;
    ShardPlan plan;
    std::optional<ShardTimes> times;           ///< Absent: `whyNotTimed`.
    std::string whyNotTimed;
    std::vector<ShardRemoval> removals;
};

using ShardDesignPtr = std::shared_ptr<const ShardDesign>;

/// The sharded graph of a design; null: its workload is another.
const ShardProblem* shardProblemOf(const Design& design);

/// Partitions, simulates on the design's own platform and tries removals. Errors: those of partition(); Cancelled. Any thread.
Result<ShardDesignPtr> analyseShard(std::shared_ptr<const Design> design, const std::stop_token& stop);

/// One tensor as rows of cells show it.
struct ShardRow {
    /// One dim.
    struct Cell {
        QString size; ///< "b 64": a letter of an einsum where one has it, and the size.
        QString axes; ///< "dp, tp"; empty: whole.
        bool given = false;
    };
    TensorId tensor = -1; ///< Of the problem.
    TensorId inProgram = -1;
    QString name;
    std::vector<Cell> cells;
    QString partial;          ///< "tp": its op leaves sums over them; empty: none.
    bool annotated = false;
    bool conflict = false;
    QString note;             ///< "given", "derived", "partial", or what a conflict costs.
};

namespace sharded {

std::vector<ShardRow> rowsOf(const ShardDesign& shard);
/// A row for each collective, in order: what, tensor, axes, phase, bytes, time, instead of what, cause. Its id is the step.
std::shared_ptr<StoredTable> collectiveTable(const ShardDesign& shard);
/// "all-gather".
QString kindName(StepKind kind);

} // namespace sharded

} // namespace fabricscope
