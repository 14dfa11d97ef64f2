#include "core/verify/verify.h"

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

} // namespace fabricscope
