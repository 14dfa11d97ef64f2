#include "core/sim/common/eventsonly.h"

#include "core/scenario/computeparams.h"
#include "core/scenario/networkparams.h"

namespace fabricscope {

namespace {

bool needsOfNpus(const Params& params)
{
    return (params.compute && params.compute->needsEvents()) || params.offload || !params.crossbars.empty();
}

bool needsEventsBesidesScheduling(const Params& params)
{
    return (params.network && !params.network->ways) || needsOfNpus(params);
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

bool needsOnlyBegins(const Params& params)
{
    return params.network && params.network->onlyBegins() && !needsOfNpus(params);
}

bool changesOnlyLinks(const Params& params)
{
    if (!params.network || params.scheduling || needsOfNpus(params))
        return false;
    const NetworkParams& network = *params.network;
    return !network.failures && !network.routing && !network.ways && network.protocols.empty() && !network.launches() && network.compute.empty();
}

} // namespace fabricscope
