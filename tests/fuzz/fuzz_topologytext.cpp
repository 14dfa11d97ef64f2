#include "core/platform/topologytext.h"

#include <cstdint>

using namespace fabricscope;

// Three lines: topology, bandwidths, latencies.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto first = text.find('\n');
    const auto second = first == std::string_view::npos ? first : text.find('\n', first + 1);
    if (second == std::string_view::npos)
        return 0;
    const auto spec = parseTopologyText(text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1));
    if (!spec)
        return 0;
    const auto platform = Platform::create(spec.value());
    if (platform && platform.value().linkCount() > 0) {
        std::vector<LinkId> links;
        platform.value().route(0, platform.value().npuCount() - 1, links);
        for (const LinkId link : links)
            static_cast<void>(platform.value().linkName(link));
    }
    return 0;
}
