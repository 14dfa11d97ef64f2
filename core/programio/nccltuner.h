#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Algorithms the example tuner plugin of NCCL knows.
enum class TunerAlgorithm : std::uint8_t { Tree, Ring, CollnetDirect, CollnetChain, Nvls, NvlsTree, Pat };

/// "tree", "ring", "collnet_direct", ...: as in the table.
std::string_view tunerAlgorithmKey(TunerAlgorithm algorithm);
/// Of the plugin's own names and of those of our algorithms that NCCL has too: "ring", "double_binary_tree" (tree), "in_network" (nvls).
std::optional<TunerAlgorithm> tunerAlgorithmOf(std::string_view name);

/// What is best for a collective in a range of sizes. -1: any (channels: what NCCL takes).
struct TunerRow {
    CollectiveOp op = CollectiveOp::AllReduce; ///< All-reduce, all-gather, reduce-scatter, broadcast or reduce.
    std::int64_t minBytes = 0;                 ///< Closed range of the large side, as NCCL counts too.
    std::int64_t maxBytes = 0;
    TunerAlgorithm algorithm = TunerAlgorithm::Ring;
    WireProtocol protocol = WireProtocol::Simple; ///< Any is written as Simple: what the plugin takes for a name it does not know.
    std::int32_t channels = -1;
    std::int32_t nodes = -1;                   ///< Machines.
    std::int32_t ranks = -1;
    std::int32_t pipeOps = -1;
    std::int32_t registered = -1;              ///< 1: only registered buffers, 0: only others.
    friend bool operator==(const TunerRow&, const TunerRow&) = default;
};

/// The table of NCCL's example tuner plugin (NCCL_TUNER_CONFIG_FILE): a comment with the columns
/// "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff", then a line per row. The plugin takes the
/// first line that fits, so rows of one collective and group must not overlap. Neighbours that say the same become one line.
/// Errors: collectives the plugin does not know (it would read them as all-reduce), empty, negative or overlapping ranges.
Result<std::string> writeTunerTable(std::vector<TunerRow> rows);

} // namespace fabricscope
