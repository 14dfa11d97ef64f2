#include "core/synthesis/transferplan.h"

#include "core/base/units.h"

#include <algorithm>
#include <utility>

namespace fabricscope {

std::vector<std::int64_t> transferTimes(const SynthesisGraph& graph, std::int64_t bytes)
{
    std::vector<std::int64_t> out;
    out.reserve(graph.links.size());
    for (const SynthesisGraph::Link& link : graph.links)
        out.push_back(std::max<std::int64_t>(1, link.latencyPs + serialisationDelay({bytes}, {link.bytesPerSecond}).ps));
    return out;
}

} // namespace fabricscope
