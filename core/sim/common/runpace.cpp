#include "core/sim/common/runpace.h"

namespace fabricscope {

void cutBusy(DimensionUse& use, SimTime cut)
{
    const std::int64_t width = use.busy.bucketPs();
    std::vector<std::int64_t> kept = use.busy.busyPs();
    const auto last = static_cast<std::size_t>(cut.ps / width);
    if (last < kept.size()) {
        kept.resize(last + 1);
        kept[last] = mulDivCeil(kept[last], cut.ps - static_cast<std::int64_t>(last) * width, width);
    }
    use.busy = BusyPyramid::restored(width, std::move(kept));
    use.busyPs = use.busy.total();
    use.peakLinkPs = std::min(use.peakLinkPs, cut.ps);
}

} // namespace fabricscope
