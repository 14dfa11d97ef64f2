#pragma once

#include "core/verify/verify.h"

namespace fabricscope {

/// verify() of a template: every order of phases as a sequence of operations on whole axes, the window and where the vector ends (windowcheck.h),
/// and every phase by checkPhase().
/// O(sum of extents * log) per different phase.
Verification verifyTemplate(const Program& program, const VerifyOptions& options);

} // namespace fabricscope
