#pragma once

#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"

namespace fabricscope {

struct InferencePlan;

/// A workload of `plan` with or without `model`, or of `shard`.
void readPlannedWorkload(DesignReading& reading, const YamlNode& node);
const SectionFields<InferencePlan>& inferencePlanFields(); ///< Of workload.plan.inference.
YamlNode plannedTree(const PlannedWorkload& planned, const Writing& how);

} // namespace fabricscope
