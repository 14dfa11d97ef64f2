// Places for the nodes of a graph.
#include "widgets/draw/graphpicture.h"
#include "core/base/index.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <unordered_map>

namespace fabricscope {

namespace {

constexpr int kPitch = 96;      ///< Between middles in a row.
constexpr int kRow = 128;       ///< Between levels.
constexpr int kTight = 72;      ///< Between rows of NPUs that stand below one another.
constexpr std::size_t kWidest = 32; ///< NPUs side by side, before they take several rows.

using Neighbours = std::vector<std::vector<std::size_t>>;

Neighbours neighboursOf(const GraphText& graph)
{
    std::unordered_map<std::string, std::size_t> byName;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        byName.emplace(graph.nodes[i].name, i);
    Neighbours neighbours(graph.nodes.size());
    for (const GraphText::Link& link : graph.links) {
        const auto from = byName.find(link.from);
        const auto to = byName.find(link.to);
        if (from == byName.end() || to == byName.end())
            continue;
        neighbours[from->second].push_back(to->second);
        neighbours[to->second].push_back(from->second);
    }
    return neighbours;
}

/// Links to the nearest NPU; what no NPU reaches is one level above all else.
std::vector<int> levelsOf(const GraphText& graph, const Neighbours& neighbours)
{
    std::vector<int> level(graph.nodes.size(), -1);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (graph.nodes[i].kind == NodeKind::Npu) {
            level[i] = 0;
            found.push_back(i);
        }
    }
    int highest = 0;
    for (std::size_t next = 0; next < found.size(); ++next) {
        for (const std::size_t other : neighbours[found[next]]) {
            if (level[other] < 0) {
                level[other] = level[found[next]] + 1;
                highest = std::max(highest, level[other]);
                found.push_back(other);
            }
        }
    }
    for (int& each : level)
        each = each < 0 ? highest + 1 : each;
    return level;
}

std::vector<DrawnAt> levels(const GraphText& graph)
{
    const Neighbours neighbours = neighboursOf(graph);
    const std::vector<int> level = levelsOf(graph, neighbours);
    std::vector<DrawnAt> places(graph.nodes.size());
    std::vector<std::vector<std::size_t>> rows(static_cast<std::size_t>(level.empty() ? 0 : *std::ranges::max_element(level) + 1));
    for (std::size_t i = 0; i < level.size(); ++i)
        rows[at(level[i])].push_back(i);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        std::vector<std::size_t>& here = rows[row];
        if (row > 0) {
            // Above the middle of what they join below; ties in the order of the file.
            std::vector<double> middle(here.size(), 0);
            std::vector<std::size_t> order(here.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            for (std::size_t k = 0; k < here.size(); ++k) {
                int below = 0;
                for (const std::size_t other : neighbours[here[k]]) {
                    if (level[other] < static_cast<int>(row)) {
                        middle[k] += places[other].x;
                        ++below;
                    }
                }
                middle[k] /= std::max(below, 1);
            }
            std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return middle[a] < middle[b]; });
            std::vector<std::size_t> sorted;
            for (const std::size_t k : order)
                sorted.push_back(here[k]);
            here = std::move(sorted);
        }
        const std::size_t wide = row == 0 && here.size() > kWidest ? std::max(kWidest, static_cast<std::size_t>(std::ceil(std::sqrt(2.0 * static_cast<double>(here.size()))))) : here.size();
        for (std::size_t k = 0; k < here.size(); ++k) {
            const std::size_t inRow = std::min(wide, here.size());
            const auto x = static_cast<std::int32_t>((static_cast<std::int64_t>(k % wide) * 2 - static_cast<std::int64_t>(inRow) + 1) * kPitch / 2);
            places[here[k]] = {x, static_cast<std::int32_t>(row == 0 ? static_cast<int>(k / wide) * kTight : -static_cast<int>(row) * kRow)};
        }
    }
    return places;
}

std::vector<DrawnAt> ring(std::size_t count)
{
    std::vector<DrawnAt> places;
    const double radius = std::max(120.0, static_cast<double>(count) * kPitch / (2 * std::numbers::pi));
    for (std::size_t i = 0; i < count; ++i) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
        places.push_back({static_cast<std::int32_t>(std::lround(radius * std::sin(angle))), static_cast<std::int32_t>(std::lround(-radius * std::cos(angle)))});
    }
    return places;
}

std::vector<DrawnAt> grid(std::size_t count)
{
    std::vector<DrawnAt> places;
    const auto wide = std::max(std::size_t{1}, static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count)))));
    for (std::size_t i = 0; i < count; ++i)
        places.push_back({static_cast<std::int32_t>(i % wide) * kPitch, static_cast<std::int32_t>(i / wide) * kPitch});
    return places;
}

} // namespace

std::vector<DrawnAt> layOut(const GraphText& graph, GraphLayout layout)
{
    switch (layout) {
    case GraphLayout::Ring: return ring(graph.nodes.size());
    case GraphLayout::Grid: return grid(graph.nodes.size());
    case GraphLayout::Levels: break;
    }
    return levels(graph);
}

} // namespace fabricscope
