#pragma once

#include "core/verify/verify.h"

namespace fabricscope {

/// verify() of an explicit body.
Verification verifyExplicit(const Program& program, const VerifyOptions& options);

} // namespace fabricscope
