#pragma once

#include "core/report/reportcontent.h"
#include "widgets/report/pages.h"

#include <vector>

namespace fabricscope {

/// A table of `width` as a head, which every page repeats, and a piece per row. Columns are as wide as their content asks for: no word is parted unless it is
/// longer than kBreakableWord (wrappedtext.h); tables of many columns get smaller type, down to 6 points, before columns are cut.
void addTable(std::vector<ReportPiece>& pieces, const ReportTable& table, double width);

/// Size of the type such a table gets, in points; 0: words would be parted even in the smallest.
double typeSizeOf(const ReportTable& table, double width);

} // namespace fabricscope
