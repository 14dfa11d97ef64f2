#include "core/sim/common/eventsonly.h"

#include "core/scenario/computeparams.h"
#include "core/scenario/networkparams.h"

namespace fabricscope {

namespace {

bool needsEventsBesidesScheduling(const Params& params)
{
    return (params.network && !params.network->ways) || (params.compute && params.compute->needsEvents()) || params.offload || !params.crossbars.empty();
}

} // namespace

bool needsEvents(const Params& params)
{
    return params.scheduling || needsEventsBesidesScheduling(params);
}

bool needsOnlyScheduling(const Params& params)
{
    return params.scheduling && !needsEventsBesidesScheduling(params);
}

} // namespace fabricscope
