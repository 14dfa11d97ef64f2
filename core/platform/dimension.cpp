#include "core/platform/dimension.h"

#include "core/base/index.h"

#include <algorithm>
#include <limits>

namespace fabricscope {

std::string_view shapeName(Shape shape)
{
    static constexpr std::string_view kNames[] = {"Ring", "FullyConnected", "Switch"};
    return kNames[at(shape)];
}

std::string_view shapeKey(Shape shape)
{
    static constexpr std::string_view kKeys[] = {"ring", "fully_connected", "switch"};
    return kKeys[at(shape)];
}

std::int32_t Dimension::linksPerNpu() const
{
    if (size < 2)
        return 0;
    switch (shape) {
    case Shape::Ring:
        return size == 2 ? 1 : 2;
    case Shape::FullyConnected:
        return size - 1;
    case Shape::Switch:
        break;
    }
    return 1;
}

Bandwidth Dimension::linkBandwidth() const
{
    const Bandwidth given = toBandwidth(bandwidth);
    const std::int32_t links = linksPerNpu();
    if (!bandwidthIsPerNpu || links < 2)
        return given;
    return {std::max<std::int64_t>(given.bytesPerSecond / links, given.bytesPerSecond > 0 ? 1 : 0)};
}

Bandwidth Dimension::npuBandwidth() const
{
    const std::int64_t given = toBandwidth(bandwidth).bytesPerSecond;
    if (bandwidthIsPerNpu)
        return {given};
    const std::int32_t links = linksPerNpu();
    if (links > 0 && given > std::numeric_limits<std::int64_t>::max() / links)
        return {std::numeric_limits<std::int64_t>::max()};
    return {given * links};
}

SimTime Dimension::linkLatency() const
{
    return std::max(toSimTime(latency), SimTime{1});
}

double Dimension::linkGibPerSecond() const
{
    const double given = inGibPerSecond(bandwidth);
    return bandwidthIsPerNpu && linksPerNpu() > 1 ? given / linksPerNpu() : given;
}

double Dimension::latencyNs() const
{
    return inNanoseconds(latency);
}

} // namespace fabricscope
