#include "core/scenario/offloadrates.h"

#include <algorithm>
#include <tuple>

namespace fabricscope {

namespace {

SwitchRates ratesOf(const SwitchOffload& offload)
{
    SwitchRates rates;
    rates.reduction = offload.reduction ? toBandwidth(*offload.reduction).bytesPerSecond : 0;
    rates.multicast = offload.multicast ? toBandwidth(*offload.multicast).bytesPerSecond : 0;
    rates.buffer = offload.buffer ? toBytes(*offload.buffer).value : 0;
    rates.latency = std::max<std::int64_t>(toSimTime(offload.latency).ps, 1);
    rates.shares = offload.shares;
    if (offload.efficiency)
        std::tie(rates.payload, rates.wire) = *offload.efficiency;
    return rates;
}

} // namespace

std::shared_ptr<const OffloadRates> offloadRates(const PlatformSpec& spec)
{
    if (!hasOffload(spec))
        return nullptr;
    auto rates = std::make_shared<OffloadRates>();
    for (std::size_t d = 0; d < spec.dimensions.size(); ++d) {
        if (spec.dimensions[d].offload)
            rates->ofDimension.emplace(static_cast<std::int32_t>(d), ratesOf(*spec.dimensions[d].offload));
    }
    for (const auto& [node, offload] : spec.nodes.offloads())
        rates->ofNode.emplace(static_cast<NodeId>(node), ratesOf(offload));
    return rates;
}

} // namespace fabricscope
