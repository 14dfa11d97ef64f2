#include "widgets/timeline/geometry.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

double TimelineGeometry::xOf(std::int64_t timePs) const
{
    return left + static_cast<double>(timePs - visible.beginPs) * width / static_cast<double>(visible.spanPs());
}

std::int64_t TimelineGeometry::timeAt(double x) const
{
    const double offset = (x - left) * psPerPixel();
    return std::clamp(visible.beginPs + static_cast<std::int64_t>(std::floor(offset)), visible.beginPs, visible.endPs);
}

TimeRange TimelineGeometry::clamped(TimeRange range) const
{
    const std::int64_t most = std::max<std::int64_t>(run.spanPs(), 1);
    const std::int64_t least = std::min(most, static_cast<std::int64_t>(std::ceil(width)));
    const std::int64_t span = std::clamp(range.spanPs(), least, most);
    const std::int64_t begin = std::clamp(range.beginPs, run.beginPs, run.beginPs + most - span);
    return {begin, begin + span};
}

TimeRange TimelineGeometry::zoomed(double factor, double x) const
{
    const double share = std::clamp((x - left) / width, 0.0, 1.0);
    const auto wanted = static_cast<std::int64_t>(std::llround(std::min(static_cast<double>(visible.spanPs()) / factor, 4e18)));
    const std::int64_t span = clamped({visible.beginPs, visible.beginPs + std::max<std::int64_t>(wanted, 1)}).spanPs();
    const double shift = share * static_cast<double>(visible.spanPs() - span);
    const std::int64_t begin = visible.beginPs + std::llround(shift);
    return clamped({begin, begin + span});
}

TimeRange TimelineGeometry::panned(double share) const
{
    const std::int64_t shift = std::llround(share * static_cast<double>(visible.spanPs()));
    return clamped({visible.beginPs + shift, visible.endPs + shift});
}

TimeRange TimelineGeometry::fitted(TimeRange range, double share) const
{
    const auto span = std::max<std::int64_t>(std::llround(static_cast<double>(range.spanPs()) / share), 1);
    const std::int64_t begin = range.beginPs - (span - range.spanPs()) / 2;
    const std::int64_t allowed = clamped({begin, begin + span}).spanPs();
    const std::int64_t middle = range.beginPs + range.spanPs() / 2;
    return clamped({middle - allowed / 2, middle - allowed / 2 + allowed});
}

TimeRange TimelineGeometry::centred(std::int64_t timePs) const
{
    const std::int64_t begin = timePs - visible.spanPs() / 2;
    return clamped({begin, begin + visible.spanPs()});
}

std::int64_t TimelineGeometry::tickStep(double pixels) const
{
    const double least = psPerPixel() * pixels;
    std::int64_t power = 1;
    while (true) {
        for (const std::int64_t factor : {1, 2, 5})
            if (static_cast<double>(power * factor) >= least)
                return power * factor;
        power *= 10;
    }
}

std::vector<TimelineTick> TimelineGeometry::ticks(std::int64_t stepPs) const
{
    std::vector<TimelineTick> ticks;
    const std::int64_t minor = stepPs % 2 == 0 ? stepPs / 2 : stepPs;
    std::int64_t time = visible.beginPs / minor * minor;
    if (time < visible.beginPs)
        time += minor;
    for (; time <= visible.endPs; time += minor)
        ticks.push_back({time, time % stepPs == 0});
    return ticks;
}

} // namespace fabricscope
