#include "core/verify/verify.h"

#include "core/verify/verifyexplicit.h"

namespace fabricscope {

Verification verify(const Program& program, const VerifyOptions& options)
{
    if (!program.isTemplate())
        return verifyExplicit(program, options);
    Verification result;
    return result;
}

} // namespace fabricscope
