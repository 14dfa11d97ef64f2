#pragma once

#include "tests/unit/support/cases/randomcase.h"

#include <functional>

namespace fabricscope::test {

/// A smaller case that still fails, found by leaving out one thing after the other. O(things^2) calls of `fails`.
CaseSpec shrink(CaseSpec spec, const std::function<bool(const CaseSpec&)>& fails);

} // namespace fabricscope::test
