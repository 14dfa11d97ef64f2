#pragma once

#include "core/report/runsummary.h"
#include "widgets/base/tablecontent.h"

namespace fabricscope {

/// Collectives of a run against the least time any algorithm needs: the best and the slowest time, the bound with its parts of latency
/// and bandwidth, the share reached and where it binds. One row per kind, as in RunSummary::collectiveBounds; ids are -1. The note says why
/// rows are missing.
TableContentPtr boundsContent(const RunSummary& summary);

/// What `algorithm: auto` looked at: every candidate of every kind of collective with its time alone, which one runs, and why one was left
/// out. Ids are -1.
TableContentPtr candidatesContent(const RunSummary& summary);

namespace texts {

/// "All-reduce" for "all_reduce"; an unknown key as it is.
QString operationOfKey(const std::string& key);

} // namespace texts

} // namespace fabricscope
