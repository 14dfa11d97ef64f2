#include "core/verify/verify.h"

#include "core/verify/progressshare.h"
#include "core/verify/verifyexplicit.h"
#include "core/verify/verifytemplate.h"

namespace fabricscope {

std::string_view postconditionKey(Postcondition state)
{
    switch (state) {
    case Postcondition::Holds:
        return "holds";
    case Postcondition::Fails:
        return "fails";
    case Postcondition::Unknown:
        break;
    }
    return "unknown";
}

Verification verify(const Program& program, const VerifyOptions& options)
{
    Verification result = program.isTemplate() ? verifyTemplate(program, options) : verifyExplicit(program, options);
    if (!result.cancelled)
        ProgressShare(options.progress).tell(1, 1);
    return result;
}

} // namespace fabricscope
