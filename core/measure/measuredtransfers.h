#pragma once

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/measure/measuredrows.h"
#include "core/program/collectiveop.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// One collective by all ranks, or one message from rank 0 to rank 1, and how long it took.
struct MeasuredTransfer {
    std::size_t row = 0;     ///< Of its table or log.
    std::int32_t gpus = 1;
    std::int32_t nodes = 1;  ///< As many GPUs on each.
    bool message = false;    ///< Point to point; `op` does not count.
    CollectiveOp op = CollectiveOp::AllReduce; ///< A reduction to one rank is the broadcast from it run backwards.
    std::int64_t bytes = 0;  ///< The large side.
    double seconds = 0;
};

/// Rows of one system, ascending by bytes: what one fabric is fitted to.
struct TransferSet {
    std::string name;        ///< From the columns that tell it apart: "T1 Azure ND A100 v4, 8 GPUs, all_reduce".
    std::vector<MeasuredTransfer> rows;
};

/// The words nccl-tests and the tables have for collectives and messages; nothing: none of them.
std::optional<MeasuredTransfer> transferNamed(const std::string& word);

/// Rows with columns gpus, nodes, collective, bytes, time_us (and table, system, algorithm), or gpu, n_gpus, bytes, time_ns (ring all-reduces in one node). Sets in the order of their first rows.
/// Errors: a column that is missing, numbers that are not possible, nodes that do not divide the GPUs, other collectives; with line.
Result<std::vector<TransferSet>> readTransferSets(const MeasuredTable& table);

/// Does the table have the columns of readTransferSets() rather than those of other kinds?
bool hasTransfers(const MeasuredTable& table);

/// The time of one row on a fabric by simulation: on its first NPUs, of several nodes on the first ones along the first dimension, or on one dimension of as many NPUs. In transferruns.cpp.
/// Errors: Unsupported where the fabric has no room for it; those of preparing and simulating.
Result<double> simulatedSeconds(const Design& fabric, const MeasuredTransfer& transfer, const std::stop_token& stop);

} // namespace fabricscope
