// Places for the nodes of a graph.
#include "widgets/draw/graphpicture.h"
#include "core/base/index.h"
#include "core/design/edits/partcopies.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
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

/// How many stand side by side: a whole number of rows where that is no strip, else about a square.
std::size_t sideOf(std::size_t count)
{
    const auto root = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(std::max<std::size_t>(count, 1)))));
    for (std::size_t wide = root; wide <= 2 * root; ++wide) {
        if (count % wide == 0)
            return wide;
    }
    return root;
}

/// A block of the plan: NPUs of one switch, and the switches and memories that only they have.
struct PlanBlock {
    std::vector<std::size_t> npus;
    std::vector<std::size_t> own;
};

/// In the order of their first NPU. An NPU belongs to the part one level above it that has the fewest NPUs, of several to the first listed.
std::vector<PlanBlock> planBlocks(const GraphText& graph, const Neighbours& neighbours, const std::vector<int>& level)
{
    const auto npusOf = [&](std::size_t part) { return std::ranges::count_if(neighbours[part], [&](std::size_t other) { return graph.nodes[other].kind == NodeKind::Npu; }); };
    std::vector<std::ptrdiff_t> size(graph.nodes.size(), 0);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        size[i] = level[i] == 1 ? npusOf(i) : 0;
    std::vector<PlanBlock> blocks;
    std::unordered_map<std::size_t, std::size_t> blockOf; // By the part that is home.
    std::vector<std::size_t> blockOfNpu(graph.nodes.size(), 0);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (graph.nodes[i].kind != NodeKind::Npu)
            continue;
        std::size_t home = graph.nodes.size();
        for (const std::size_t other : neighbours[i]) {
            if (level[other] == 1 && (home == graph.nodes.size() || std::pair(size[other], other) < std::pair(size[home], home)))
                home = other;
        }
        const auto [block, isNew] = blockOf.emplace(home, blocks.size());
        if (isNew)
            blocks.emplace_back();
        blocks[block->second].npus.push_back(i);
        blockOfNpu[i] = block->second;
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        std::set<std::size_t> met;
        for (const std::size_t other : neighbours[i]) {
            if (graph.nodes[other].kind == NodeKind::Npu)
                met.insert(blockOfNpu[other]);
        }
        if (level[i] == 1 && met.size() == 1)
            blocks[*met.begin()].own.push_back(i);
    }
    return blocks;
}

/// What has no place yet, above the middle of all that has, a row for each level.
void putAbove(const std::vector<int>& level, const std::vector<bool>& placed, DrawnAt middle, std::vector<DrawnAt>& places)
{
    std::vector<std::vector<std::size_t>> rows;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (placed[i])
            continue;
        rows.resize(std::max(rows.size(), at(level[i]) + 1));
        rows[at(level[i])].push_back(i);
    }
    std::int32_t y = middle.y;
    for (const std::vector<std::size_t>& row : rows) {
        y -= row.empty() ? 0 : kRow;
        for (std::size_t k = 0; k < row.size(); ++k)
            places[row[k]] = {middle.x + static_cast<std::int32_t>((static_cast<std::int64_t>(k) * 2 - static_cast<std::int64_t>(row.size()) + 1) * kPitch / 2), y};
    }
}

std::vector<DrawnAt> plan(const GraphText& graph, int depth = 0);

/// Units and hosts by their names: each a plan of its own, beside one another.
std::vector<DrawnAt> planOfCopies(const GraphText& graph, const PartCopies& said, int depth)
{
    const CopiedParts copies(graph, {said});
    std::vector<GraphText> parts(at(said.count));
    std::vector<std::vector<std::size_t>> nodes(at(said.count));
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (const auto& place = copies.placeOf(i)) {
            nodes[at(place->copy)].push_back(i);
            parts[at(place->copy)].nodes.push_back({place->part, graph.nodes[i].kind, {}});
        }
    }
    for (const GraphText::Link& link : graph.links) {
        const auto from = copies.placeOfName(link.from);
        const auto to = copies.placeOfName(link.to);
        if (from && to && from->copy == to->copy)
            parts[at(from->copy)].links.push_back({from->part, to->part, link.eachWay, {}, {}});
    }
    std::vector<DrawnAt> places(graph.nodes.size());
    std::vector<bool> placed(graph.nodes.size(), false);
    std::vector<std::vector<DrawnAt>> plans;
    DrawnAt least{DrawnAt::kFarthest, DrawnAt::kFarthest}; // Of all plans, which are alike.
    DrawnAt most{-DrawnAt::kFarthest, -DrawnAt::kFarthest};
    for (const GraphText& part : parts) {
        plans.push_back(plan(part, depth + 1));
        for (const DrawnAt& place : plans.back()) {
            least = {std::min(least.x, place.x), std::min(least.y, place.y)};
            most = {std::max(most.x, place.x), std::max(most.y, place.y)};
        }
    }
    const std::int32_t across = most.x - least.x + 2 * kPitch;
    const std::int32_t down = most.y - least.y + 2 * kPitch;
    const std::size_t inRow = sideOf(plans.size());
    for (std::size_t copy = 0; copy < plans.size(); ++copy) {
        for (std::size_t k = 0; k < plans[copy].size(); ++k) {
            const auto x = static_cast<std::int64_t>(copy % inRow) * across + plans[copy][k].x - least.x;
            const auto y = static_cast<std::int64_t>(copy / inRow) * down + plans[copy][k].y - least.y;
            places[nodes[copy][k]] = {static_cast<std::int32_t>(std::min<std::int64_t>(x, DrawnAt::kFarthest)), static_cast<std::int32_t>(std::min<std::int64_t>(y, DrawnAt::kFarthest))};
            placed[nodes[copy][k]] = true;
        }
    }
    const Neighbours neighbours = neighboursOf(graph);
    putAbove(levelsOf(graph, neighbours), placed, {static_cast<std::int32_t>((std::min(inRow, plans.size()) * static_cast<std::size_t>(across) - 2 * kPitch) / 2), 0}, places);
    return places;
}

std::vector<DrawnAt> plan(const GraphText& graph, int depth)
{
    constexpr int kDeepest = 8; // Levels of names.
    const std::vector<PartCopies> named = depth < kDeepest ? copiesByName(graph) : std::vector<PartCopies>();
    if (named.size() == 1)
        return planOfCopies(graph, named.front(), depth);
    const Neighbours neighbours = neighboursOf(graph);
    const std::vector<int> level = levelsOf(graph, neighbours);
    const std::vector<PlanBlock> blocks = planBlocks(graph, neighbours, level);
    std::size_t wide = 1;
    std::size_t high = 1;
    for (const PlanBlock& block : blocks) {
        const std::size_t side = sideOf(block.npus.size());
        wide = std::max({wide, side, block.own.size()});
        high = std::max(high, (block.npus.size() + side - 1) / side + (block.own.empty() ? 0 : 1));
    }
    const auto across = static_cast<std::int32_t>(wide) * kPitch + kPitch / 2;
    const auto down = static_cast<std::int32_t>(high) * kTight + kPitch;
    std::vector<DrawnAt> places(graph.nodes.size());
    std::vector<bool> placed(graph.nodes.size(), false);
    const std::size_t inRow = sideOf(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const DrawnAt corner{static_cast<std::int32_t>(b % inRow) * across, static_cast<std::int32_t>(b / inRow) * down};
        const auto put = [&](const std::vector<std::size_t>& parts, std::size_t side, std::int32_t y) {
            for (std::size_t k = 0; k < parts.size(); ++k) {
                places[parts[k]] = {corner.x + static_cast<std::int32_t>((wide - std::min(side, wide)) * kPitch / 2 + k % side * kPitch), corner.y + y + static_cast<std::int32_t>(k / side) * kTight};
                placed[parts[k]] = true;
            }
        };
        put(blocks[b].own, std::max<std::size_t>(blocks[b].own.size(), 1), 0);
        put(blocks[b].npus, sideOf(blocks[b].npus.size()), blocks[b].own.empty() ? 0 : kTight);
    }
    const std::int32_t middle = (static_cast<std::int32_t>(std::min(inRow, blocks.size())) * across - kPitch * 3 / 2) / 2;
    putAbove(level, placed, {middle, 0}, places);
    return places;
}

} // namespace

std::vector<DrawnAt> layOut(const GraphText& graph, GraphLayout layout)
{
    switch (layout) {
    case GraphLayout::Ring: return ring(graph.nodes.size());
    case GraphLayout::Grid: return grid(graph.nodes.size());
    case GraphLayout::Plan: return plan(graph);
    case GraphLayout::Levels: break;
    }
    return levels(graph);
}

} // namespace fabricscope
