#pragma once

#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Collectives of a layer table; `None` moves nothing.
enum class LayerCollective : std::uint8_t { None, AllReduce, AllGather, ReduceScatter, AllToAll };
/// Who takes part: TP in the forward and input-gradient columns and DP in the weight-gradient column, unless a suffix says EP or DP_EP.
enum class LayerGroup : std::uint8_t { All, Tensor, Data, Expert, DataExpert };

/// One of the three columns of times: forward, input gradient, weight gradient.
struct LayerPass {
    std::int64_t ns = 0;
    LayerCollective collective = LayerCollective::None;
    LayerGroup group = LayerGroup::All;
    std::int64_t bytes = 0; ///< Of the whole tensor.
};

struct LayerRow {
    std::string name;
    std::array<LayerPass, 3> passes;
    std::int64_t updateNs = 0;
    Place place;
};

/// Workload text of ASTRA-sim 1.0, AICB and SimAI (manual: formats 8). A plain value.
struct LayerTable {
    std::string policy;        ///< "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "DATA", "MICRO", ...
    std::int64_t tensor = 0;   ///< model_parallel_NPU_group; 0: not said, as the others.
    std::int64_t expert = 1;   ///< ep
    std::int64_t pipeline = 1; ///< pp
    std::int64_t rounds = 1;   ///< ga: how often the rows are run.
    std::int64_t ranks = 0;    ///< all_gpus
    std::int64_t sendBytes = 0; ///< pp_comm
    std::vector<LayerRow> rows;

    /// Of a pass and a collective: how many rows, and the sum of their bytes. O(rows).
    struct Sum {
        std::int64_t count = 0;
        std::int64_t bytes = 0;
    };
    Sum sum(std::size_t pass, LayerCollective collective) const;
    /// Of a pass: all its times, ns.
    std::int64_t time(std::size_t pass) const;
};

inline constexpr std::int64_t kMostLayerRows = 200'000;

/// Is this such a text: a policy, on the second line a number, on the third a row? O(first lines).
bool isLayerTable(std::string_view head);

/// Reads one. Warnings (`diagnostics`): another number of rows than line 2 says, collectives that the reference ignores (BROADCAST, ALLREDUCEALLTOALL), keys that are not
/// known. Errors with line and column number: unknown policies and collectives, rows without 12 columns, numbers out of range, too many rows; Cancelled. O(text).
Result<LayerTable> readLayerTable(std::string_view text, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop = {});

} // namespace fabricscope
