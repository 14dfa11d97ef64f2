#include "core/verify/verify.h"

#include "core/verify/verifyexplicit.h"
#include "core/verify/verifytemplate.h"

namespace fabricscope {

Verification verify(const Program& program, const VerifyOptions& options)
{
    return program.isTemplate() ? verifyTemplate(program, options) : verifyExplicit(program, options);
}

} // namespace fabricscope
