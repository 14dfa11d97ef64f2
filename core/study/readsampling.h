#pragma once

#include "core/study/designspace.h"
#include "core/yaml/fieldreader.h"

namespace fabricscope {

/// `study.sampling`: which designs there are, and whether all of them are run. What is wrong is reported.
void readSampling(const MapReader& study, StudySampling& sampling);

} // namespace fabricscope
