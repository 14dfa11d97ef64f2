#pragma once

#include "tests/unit/support/cases/astracase.h"

#include <nlohmann/json_fwd.hpp>

namespace fabricscope::test {

/// A row of tests/golden/golden_collectives.json as a run.
AstraCase goldenCase(const nlohmann::json& row);

} // namespace fabricscope::test
