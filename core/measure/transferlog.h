#pragma once

#include "core/measure/measuredtransfers.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// What a log of nccl-tests or rccl-tests measured, out of place, or a CSV that readTransferSets() takes.
///
/// Of a log: ranks and hosts by its lines "Rank ... on HOST", else nThread times nGpus of its head, else from the ratio of busbw and algbw; the collective by its program (all_reduce_perf), else by the
/// name of the file, else from that ratio and redop. Prefixes of mpirun (--tag-output) are skipped, several runs may follow one another. `row` counts the rows of the file.
/// Errors: no rows, a row that cannot be read, ranks or a collective that nothing says; with line.
Result<std::vector<MeasuredTransfer>> readTransferLog(std::string_view text, const std::string& file);

} // namespace fabricscope
