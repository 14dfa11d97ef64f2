#pragma once

#include "core/base/result.h"
#include "core/design/costconfig.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"

namespace fabricscope {

/// Of `costs`, of each of its parts, and of its checkpoint.
const SectionFields<CostConfig>& costFields();
const SectionFields<PartFigures>& partFigureFields();
const SectionFields<CheckpointConfig>& checkpointFields();

/// `costs` of a design. What it says is checked wherever a design is read, and decides no time, so a Design does not hold it.
void readCostSection(DesignReading& reading, const YamlNode& node);

/// The same of a whole design file; nothing where there is none. Errors: the first mistake in `costs`.
Result<std::optional<CostConfig>> readCosts(const YamlDocument& document);

} // namespace fabricscope
