#include "core/measure/librarytable.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kMicrosecond = 1e-6;
constexpr double kGigabyte = 1e9;

/// Microseconds of an algorithm, by protocol: of a collective, and of a step over NVLink and over the network.
struct Latencies {
    std::array<double, 3> base, inside, between;
};
constexpr Latencies kTree{{6.8, 14, 8.4}, {0.6, 1.25, 4.0}, {5, 8.5, 14}};
constexpr Latencies kRing{{6.6, 14, 8.4}, {0.6, 1.9, 3.4}, {2.7, 4, 14}};
constexpr std::array<std::string_view, 3> kProtocols{"LL", "LL128", "Simple"};

constexpr std::array<LibraryConstants, 2> kConstants{{
    {"A100", 24, 240, 16, 192, 87.7, 22.5, 24, 23.6, 20},
    {"H100", 16, 370, 16, 370, 141, 45, 38.7, 41.4, 36.7},
}};

LibraryWay ringWay(const LibraryConstants& constants, std::int32_t gpus, std::int32_t nodes, std::size_t protocol)
{
    const double steps = 2.0 * (gpus - 1);
    const double between = nodes == 1 ? 0 : 2.0 * nodes;
    const double bus = nodes == 1 ? constants.busInside : constants.busBetween;
    const double channels = nodes == 1 ? constants.channelsInside : constants.channelsBetween;
    double rate = bus;
    if (protocol == 0)
        rate = std::min(nodes == 1 ? constants.flagged : constants.flaggedBetween, bus / 2);
    else if (protocol == 1)
        rate = std::min(bus * 0.92, channels * constants.ring128);
    const double latency = kRing.base[protocol] + (steps - between) * kRing.inside[protocol] + between * kRing.between[protocol];
    return {"ring", kProtocols[protocol], latency * kMicrosecond, steps / gpus / (rate * kGigabyte)};
}

LibraryWay treeWay(const LibraryConstants& constants, std::int32_t gpus, std::int32_t nodes, std::size_t protocol)
{
    const double bus = nodes == 1 ? constants.busInside : constants.busBetween;
    const double most = (nodes == 1 ? constants.channelsInside : constants.channelsBetween) * (nodes == 1 ? constants.treeInside : constants.treeBetween);
    double rate = std::min(bus * 0.92, most);
    if (protocol == 0)
        rate = std::min(rate / 3.8, nodes == 1 ? constants.flagged : constants.flaggedBetween);
    else if (protocol == 1)
        rate = std::min(rate * (nodes == 1 ? 7.0 / 9 : 120.0 / 128), most);
    const double inside = gpus / nodes - 1;
    const double latency = kTree.base[protocol] + 2 * (inside * kTree.inside[protocol] + std::log2(nodes) * kTree.between[protocol]);
    return {"tree", kProtocols[protocol], latency * kMicrosecond, 2 / (rate * kGigabyte)}; // At half of the bus.
}

} // namespace

std::span<const LibraryConstants> libraryConstants()
{
    return kConstants;
}

std::vector<LibraryWay> libraryWays(const LibraryConstants& constants, std::int32_t gpus, std::int32_t nodes)
{
    std::vector<LibraryWay> all;
    for (std::size_t protocol = 0; protocol < kProtocols.size(); ++protocol) {
        all.push_back(treeWay(constants, gpus, nodes, protocol));
        all.push_back(ringWay(constants, gpus, nodes, protocol));
    }
    // The lower envelope of lines: from the one of the least latency on to the one that crosses it first.
    std::vector<LibraryWay> ways{*std::min_element(all.begin(), all.end(), [](const LibraryWay& a, const LibraryWay& b) { return std::pair(a.latency, a.perByte) < std::pair(b.latency, b.perByte); })};
    while (true) {
        LibraryWay& now = ways.back();
        double least = INFINITY;
        const LibraryWay* next = nullptr;
        for (const LibraryWay& other : all) {
            if (other.perByte >= now.perByte)
                continue;
            const double crossing = (other.latency - now.latency) / (now.perByte - other.perByte);
            if (crossing < least || (crossing <= least && other.perByte < next->perByte)) {
                least = crossing;
                next = &other;
            }
        }
        if (!next)
            return ways;
        now.upTo = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(least)));
        ways.push_back(*next);
    }
}

} // namespace fabricscope
