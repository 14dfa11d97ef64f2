#include "core/scenario/usedversion.h"

#include "core/design/modelversions.h"

namespace fabricscope {

std::string usedVersion(const Scenario& scenario)
{
    return versionUsed(scenario.model, scenario.version);
}

} // namespace fabricscope
