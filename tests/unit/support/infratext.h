#pragma once

#include "core/base/index.h"
#include "core/formats/infragraph/expandinstances.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fabricscope {

/// Sorted node names, a line "--", sorted lines "NODE NODE LINK": the text whose SHA-256 tells two expansions apart.
inline std::string canonicalText(const InfraExpansion& graph)
{
    std::vector<std::string> names;
    for (std::int32_t node = 0; node < graph.nodeCount(); ++node)
        names.push_back(graph.name(node));
    std::vector<std::string> lines;
    for (const InfraEdge& edge : graph.edges()) {
        const auto [first, second] = std::minmax(names[at(edge.a)], names[at(edge.b)]);
        lines.push_back(first + ' ' + second + ' ' + graph.links()[at(edge.link)].name);
    }
    std::sort(names.begin(), names.end());
    std::sort(lines.begin(), lines.end());
    const auto joined = [](const std::vector<std::string>& list) {
        std::string out;
        for (const std::string& line : list)
            out += line + '\n';
        return list.empty() ? std::string("\n") : out;
    };
    return joined(names) + "--\n" + joined(lines);
}

} // namespace fabricscope
