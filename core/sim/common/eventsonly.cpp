#include "core/sim/common/eventsonly.h"

#include "core/scenario/computeparams.h"

namespace fabricscope {

namespace {

bool needsEventsBesidesScheduling(const Params& params)
{
    return params.network || (params.compute && params.compute->needsEvents()) || params.offload;
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
