#pragma once

#include "core/base/result.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/plan/plansearchspec.h"

namespace fabricscope {

/// Of `search`, and of `search.fixed`.
const SectionFields<PlanSearchSpec>& planSearchFields();
const SectionFields<FixedPlan>& fixedPlanFields();

/// `search` of a design. What it says is checked wherever a design is read and used by `plan search` alone, so a Design does not hold it.
void readSearchSection(DesignReading& reading, const YamlNode& node);

/// The same of a whole design file; as it usually is where there is none. Errors: the first mistake in `search`.
Result<PlanSearchSpec> readPlanSearch(const YamlDocument& document);

} // namespace fabricscope
