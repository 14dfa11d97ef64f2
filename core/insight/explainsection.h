#pragma once

#include "core/insight/explain.h"
#include "core/report/reportcontent.h"

namespace fabricscope {

/// Adds why the run takes as long as it takes to the findings of a report of it: the parts of the critical path, the diagnosis and the longest rows of blame.
void addExplanation(const Explanation& explanation, ReportContent& content);

} // namespace fabricscope
