#pragma once

#include "core/record/memoryuse.h"
#include "core/report/jsonwriter.h"

#include <string>
#include <vector>

namespace fabricscope {

/// The part `memory` of a result: one row per class of ranks, without the timeline.
void writeMemoryResult(JsonWriter& json, const MemoryUse& memory);

/// The same for a saved run: everything, times in ps.
void writeMemoryRecord(JsonWriter& json, const MemoryUse& memory);

/// What a table for people shows of a class.
struct MemoryRow {
    std::string peak;     ///< "93.2 GiB of 80 GiB", or without the capacity where it is unknown.
    std::string at;       ///< "1.234 ms".
    std::string largest;  ///< "activations 40 GiB, optimizer 20 GiB".
    bool over = false;    ///< More than the capacity.
};
MemoryRow memoryRow(const MemoryUse::Class& use);
/// Classes in the order of a table: those over their capacity first, then by the share of it that the peak takes, then by peak.
std::vector<const MemoryUse::Class*> memoryRows(const MemoryUse& memory);

} // namespace fabricscope
