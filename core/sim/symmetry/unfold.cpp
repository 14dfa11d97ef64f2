#include "core/sim/symmetry/unfold.h"

#include "core/sim/common/dimensionuses.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

/// A folded link that is used, and what it takes to find the links it stands for.
struct PortUse {
    LinkUse use;
    std::size_t dimension = 0;
    std::int32_t port = 0;
    std::int32_t ports = 1;
    LinkId firstLink = 0; ///< Port 0 of NPU 0.
};

/// The link at the port of an NPU; under r xor m the folded port stands for the peer at distance m from NPU 0.
LinkId linkOf(const FoldedScenario& folded, const PortUse& port, NodeId npu)
{
    const Platform& platform = folded.scenario.structure->platform;
    std::int32_t own = port.port;
    if (folded.exclusiveOr[port.dimension] && platform.dimensions()[port.dimension].shape == Shape::FullyConnected) {
        const std::int32_t size = platform.dimensions()[port.dimension].size;
        const std::int32_t coordinate = platform.coordinate(npu, port.dimension);
        own = ((coordinate ^ (port.port + 1)) - coordinate + size) % size - 1;
    }
    return port.firstLink + LinkId{npu} * port.ports + own;
}

/// The busiest links of all NPUs in the order of RunRecord::links; `ports` are those of NPU 0 in that order.
/// O(kMaxLinks), since links of equal use follow one another NPU by NPU inside a dimension.
std::vector<LinkUse> busiestLinks(const FoldedScenario& folded, const std::vector<PortUse>& ports)
{
    std::vector<LinkUse> links;
    for (std::size_t begin = 0; begin < ports.size();) {
        std::size_t end = begin;
        while (end < ports.size() && ports[end].use.busyPs == ports[begin].use.busyPs && ports[end].dimension == ports[begin].dimension)
            ++end;
        for (NodeId npu = 0; npu < folded.ranks; ++npu) {
            if (links.size() >= RunRecord::kMaxLinks)
                return links;
            const auto first = static_cast<std::ptrdiff_t>(links.size());
            for (std::size_t i = begin; i < end; ++i) {
                links.push_back(ports[i].use);
                links.back().link = linkOf(folded, ports[i], npu);
            }
            std::sort(links.begin() + first, links.end(), [](const LinkUse& a, const LinkUse& b) { return a.link < b.link; });
        }
        begin = end;
    }
    return links;
}

/// A million NPUs with a thousand links each are busy for more picoseconds than 63 bits hold after 9 ms; then as many NPUs count as fit.
void multiply(DimensionUse& use, std::int64_t ranks, Diagnostics& diagnostics)
{
    use.messages *= ranks;
    use.bytes *= ranks;
    const std::int64_t counted = std::min(ranks, INT64_MAX / std::max({use.busyPs, use.busy.total(), std::int64_t{1}}));
    if (counted < ranks) {
        diagnostics.push_back(warning("busy-too-long", "the busy time of " + use.name + " over all links is too long to count: it is shown for "
                                                           + std::to_string(counted) + " of " + std::to_string(ranks) + " NPUs, so its share is too low"));
    }
    use.busyPs *= counted;
    std::vector<std::int64_t> busy = use.busy.busyPs();
    for (std::int64_t& bucket : busy)
        bucket *= counted;
    use.busy = BusyPyramid::restored(use.busy.bucketPs(), std::move(busy));
}

} // namespace

RunRecord unfoldedRecord(const FoldedScenario& folded, RunRecord record)
{
    const Platform& platform = folded.scenario.structure->platform;
    const std::int64_t ranks = folded.ranks;
    record.rankCount = folded.ranks;
    for (RankClass& alike : record.classes)
        alike.ranks = RankSet::range(0, ranks);
    if (!record.finishOrder.empty()) {
        record.finishOrder.resize(static_cast<std::size_t>(ranks));
        std::iota(record.finishOrder.begin(), record.finishOrder.end(), 0);
    }
    for (DimensionUse& use : record.dimensions)
        multiply(use, ranks, record.diagnostics);

    std::vector<PortUse> ports;
    for (const LinkUse& use : record.links) {
        const LinkInfo info = platform.linkInfo(use.link);
        const auto dimension = static_cast<std::size_t>(info.dimension);
        ports.push_back({use, dimension, info.port, portsPerNpu(platform.dimensions()[dimension]), use.link - info.port});
    }
    record.allLinks = record.allLinks && static_cast<std::int64_t>(ports.size()) * ranks <= static_cast<std::int64_t>(RunRecord::kMaxLinks);
    record.links = busiestLinks(folded, ports);
    if (record.links.size() > RunRecord::kMaxLinks)
        record.links.resize(RunRecord::kMaxLinks);
    for (EngineShare& share : record.engines) {
        share.engine = "symmetry";
        share.messages *= ranks;
    }
    return record;
}

} // namespace fabricscope
