// Layout of explicit graphs: NPUs in blocks below the switch they hang on, other switches in rows above.
#include "core/base/index.h"
#include "core/draw/platformlayout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace fabricscope {

namespace {

/// Undirected neighbours, each once, in ascending order.
std::vector<std::vector<NodeId>> neighbours(const PlatformSpec& spec)
{
    std::vector<std::vector<NodeId>> lists(spec.nodes.size());
    for (std::size_t link = 0; link < spec.links.size(); ++link) {
        lists[at(spec.links.from(link))].push_back(spec.links.to(link));
        lists[at(spec.links.to(link))].push_back(spec.links.from(link));
    }
    for (auto& list : lists) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return lists;
}

/// Hops to the nearest NPU.
std::vector<int> heights(const PlatformSpec& spec, const std::vector<std::vector<NodeId>>& adjacent)
{
    std::vector<int> height(spec.nodes.size(), -1);
    std::vector<NodeId> front;
    for (std::size_t i = 0; i < spec.nodes.size(); ++i)
        if (spec.nodes.kind(i) == NodeKind::Npu) {
            height[i] = 0;
            front.push_back(static_cast<NodeId>(i));
        }
    while (!front.empty()) {
        std::vector<NodeId> next;
        for (const NodeId node : front)
            for (const NodeId other : adjacent[at(node)])
                if (height[at(other)] < 0) {
                    height[at(other)] = height[at(node)] + 1;
                    next.push_back(other);
                }
        front = std::move(next);
    }
    for (int& value : height)
        value = std::max(value, 0);
    return height;
}

} // namespace

void PlatformLayout::layoutExplicit()
{
    const PlatformSpec& spec = m_platform.spec();
    const auto adjacent = neighbours(spec);
    const std::vector<int> height = heights(spec, adjacent);
    const int top = height.empty() ? 0 : *std::max_element(height.begin(), height.end());
    m_positions.assign(spec.nodes.size(), {});

    // Blocks of NPUs by the first switch they hang on; without switches all in one.
    std::map<NodeId, std::vector<NodeId>> blocks;
    for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
        if (height[i] > 0)
            continue;
        NodeId parent = -1;
        for (const NodeId other : adjacent[i])
            if (height[at(other)] == 1) {
                parent = other;
                break;
            }
        blocks[parent].push_back(static_cast<NodeId>(i));
    }
    constexpr double kPlace = 28;
    if (top == 0) {
        const auto& all = blocks.begin()->second;
        const auto n = static_cast<double>(all.size());
        if (all.size() <= 64) {
            const double radius = std::max(60.0, n * kPlace / (2 * std::numbers::pi));
            for (std::size_t i = 0; i < all.size(); ++i) {
                const double angle = (static_cast<double>(i) + 0.5) * 2 * std::numbers::pi / n - std::numbers::pi / 2;
                m_positions[at(all[i])] = {radius + 20 + radius * std::cos(angle), radius + 20 + radius * std::sin(angle)};
            }
            m_size = SizeF(2 * radius + 40, 2 * radius + 40);
            return;
        }
        const int columns = static_cast<int>(std::ceil(std::sqrt(n * 1.6)));
        for (std::size_t i = 0; i < all.size(); ++i)
            m_positions[at(all[i])] = {20 + kPlace * (static_cast<int>(i) % columns), 20 + kPlace * (static_cast<int>(i) / columns)};
        m_size = SizeF(40 + kPlace * (columns - 1), 40 + kPlace * ((static_cast<int>(all.size()) - 1) / columns));
        return;
    }

    // Blocks side by side, several rows of them when there are many.
    std::size_t largest = 1;
    for (const auto& [parent, members] : blocks)
        largest = std::max(largest, members.size());
    const int inner = largest <= 8 ? static_cast<int>(largest) : static_cast<int>(std::ceil(std::sqrt(static_cast<double>(largest) * 1.4)));
    const double blockWidth = std::max(inner * kPlace, 60.0) + 28;
    const double blockHeight = std::ceil(static_cast<double>(largest) / inner) * kPlace + 64;
    const double above = 40 + (top - 1) * 84.0;
    int columns = static_cast<int>(blocks.size());
    while (columns > 1 && columns * blockWidth > 4.0 * (above + std::ceil(static_cast<double>(blocks.size()) / columns) * blockHeight))
        --columns;
    int number = 0;
    double width = 0;
    double bottom = 0;
    for (const auto& [parent, members] : blocks) {
        const double left = 20 + (number % columns) * blockWidth;
        const double topEdge = above + (number / columns) * blockHeight;
        ++number;
        if (parent >= 0)
            m_positions[at(parent)] = {left + (blockWidth - 28) / 2, topEdge};
        for (std::size_t i = 0; i < members.size(); ++i)
            m_positions[at(members[i])] = {left + kPlace * (static_cast<int>(i) % inner) + kPlace / 2,
                                                                  topEdge + 48 + kPlace * (static_cast<int>(i) / inner)};
        width = std::max(width, left + blockWidth - 8);
        bottom = std::max(bottom, topEdge + blockHeight);
    }

    // Switches without NPUs of their own, level by level, ordered by the middle of what lies below.
    for (int level = 1; level <= top; ++level) {
        std::vector<std::pair<double, NodeId>> row;
        for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
            if (height[i] != level || blocks.contains(static_cast<NodeId>(i)))
                continue;
            double sum = 0;
            int below = 0;
            for (const NodeId other : adjacent[i])
                if (height[at(other)] == level - 1) {
                    sum += m_positions[at(other)].x();
                    ++below;
                }
            row.emplace_back(below > 0 ? sum / below : width / 2, static_cast<NodeId>(i));
        }
        std::sort(row.begin(), row.end());
        const double step = width / (static_cast<double>(row.size()) + 1);
        for (std::size_t i = 0; i < row.size(); ++i)
            m_positions[at(row[i].second)] = {step * (static_cast<double>(i) + 1), 24 + (top - level) * 84.0};
    }
    m_size = SizeF(width + 12, bottom);
}

} // namespace fabricscope
