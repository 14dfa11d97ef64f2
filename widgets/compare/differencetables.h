#pragma once

#include "widgets/base/tablecontent.h"

#include <memory>

namespace fabricscope {

struct DesignSet;

namespace comparing {

/// Figures of the designs, a column each, then the changes against the baseline.
std::shared_ptr<StoredTable> figureTable(const DesignSet& set);
/// Fields that differ, with the value of each design.
std::shared_ptr<StoredTable> fieldTable(const DesignSet& set);

} // namespace comparing

} // namespace fabricscope
