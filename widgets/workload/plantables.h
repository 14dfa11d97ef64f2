#pragma once

#include "widgets/base/tablecontent.h"
#include "widgets/base/valuerows.h"

#include <memory>
#include <vector>

namespace fabricscope {

struct PlanAnalysis;

namespace planned {

/// A row for each kind of communication: what, group, how often, bytes of one and of all, where it comes from.
std::shared_ptr<StoredTable> communicationTable(const PlanAnalysis& analysis);
/// A row for each class of ranks: bytes by kind and at the peak.
std::shared_ptr<StoredTable> memoryTable(const PlanAnalysis& analysis);
/// What people quote of a step: time, its parts, tokens, use of the NPUs. Times are estimates.
std::vector<ValueRow> figureRows(const PlanAnalysis& analysis);
/// FLOPs with a decimal prefix, "1.23 PFLOP".
QString flopText(double flops);

} // namespace planned

} // namespace fabricscope
