#include "core/hierarchy/unevenlevels.h"

#include "core/base/index.h"
#include "core/base/integers.h"
#include "core/hierarchy/hostlevels.h"
#include "core/hierarchy/levelgraph.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace fabricscope {

namespace {

__extension__ using WideRate = __int128;

constexpr std::int64_t kMostSlots = 1 << 30;

/// Members by digits: which block of each level they are in.
struct Box {
    std::vector<std::string> names; ///< By level, from below.
    std::vector<std::int32_t> extents;
    std::vector<std::vector<std::int32_t>> digits; ///< By level, by place among the members.

    std::size_t levels() const { return extents.size(); }
    /// By place: the slot, with the digits of the levels from `level` on only; that of the highest is the fastest.
    std::vector<std::int32_t> slots(std::size_t level = 0) const
    {
        std::vector<std::int32_t> out(digits.front().size(), 0);
        for (std::size_t one = level; one < levels(); ++one) {
            for (std::size_t place = 0; place < out.size(); ++place)
                out[place] = out[place] * extents[one] + digits[one][place];
        }
        return out;
    }
    std::int64_t size() const
    {
        std::int64_t size = 1;
        for (const std::int32_t extent : extents)
            size = std::min(size * extent, kMostSlots + 1);
        return size;
    }
    /// More than three quarters of the slots are taken, none twice.
    bool isNearlyFull() const
    {
        if (levels() == 0 || size() > kMostSlots || static_cast<std::int64_t>(digits.front().size()) * 4 <= size() * 3)
            return false;
        std::vector<std::int32_t> taken = slots();
        std::sort(taken.begin(), taken.end());
        return std::adjacent_find(taken.begin(), taken.end()) == taken.end();
    }
    /// The places of the members of a largest block of the levels below `level`, the first of them.
    std::vector<std::int32_t> largest(std::size_t level) const
    {
        const std::vector<std::int32_t> block = slots(level);
        std::map<std::int32_t, std::int32_t> count;
        for (const std::int32_t one : block)
            ++count[one];
        const auto most = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        std::vector<std::int32_t> out;
        for (std::size_t place = 0; place < block.size(); ++place) {
            if (block[place] == most->first)
                out.push_back(static_cast<std::int32_t>(place));
        }
        return out;
    }
    /// A level becomes one with the one above.
    void mergeUp(std::size_t level)
    {
        for (std::size_t place = 0; place < digits[level].size(); ++place)
            digits[level + 1][place] = digits[level][place] + digits[level + 1][place] * extents[level];
        extents[level + 1] *= extents[level];
        names.erase(names.begin() + static_cast<std::ptrdiff_t>(level));
        extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(level));
        digits.erase(digits.begin() + static_cast<std::ptrdiff_t>(level));
    }
};

Box boxOfAxes(std::span<const NpuAxis> axes, std::span<const NodeId> members)
{
    Box box;
    std::int64_t stride = 1;
    for (const NpuAxis& axis : axes) {
        std::vector<std::int32_t> rank(at(axis.size), -1); // of the coordinates in use
        for (const NodeId npu : members)
            rank[at(npu / stride % axis.size)] = 0;
        std::int32_t used = 0;
        for (std::int32_t& one : rank)
            one = one < 0 ? -1 : used++;
        if (used > 1) {
            box.names.push_back(axis.name);
            box.extents.push_back(used);
            box.digits.emplace_back();
            for (const NodeId npu : members)
                box.digits.back().push_back(rank[at(npu / stride % axis.size)]);
        }
        stride *= axis.size;
    }
    return box;
}

/// Columns of a host: where the NPUs of the first largest one have a partner in it, that one's, nearest first come; what is left by index.
std::vector<std::int32_t> columnsOf(const LevelDistances& distances, std::span<const NodeId> members, const std::vector<std::int32_t>& first, const std::vector<std::int32_t>& row,
                                    std::map<std::int32_t, std::vector<std::int32_t>>& known)
{
    std::vector<std::int32_t> column(row.size(), -1);
    std::vector<bool> taken(first.size(), false);
    for (std::size_t rail = 0; rail < first.size(); ++rail) {
        const std::int32_t cls = distances.classOf(members[at(first[rail])]);
        if (!known.contains(cls))
            known.emplace(cls, distances.from(cls));
        const std::vector<std::int32_t>& distance = known.at(cls);
        std::int32_t nearest = LevelDistances::kFar;
        std::size_t partner = row.size();
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::int32_t one = distance[at(distances.classOf(members[at(row[i])]))];
            partner = one < nearest ? i : one == nearest ? row.size() : partner;
            nearest = std::min(nearest, one);
        }
        // In a host with a gap others may be the only nearest one of several: the first has it.
        if (partner < row.size() && column[partner] < 0) {
            column[partner] = static_cast<std::int32_t>(rail);
            taken[rail] = true;
        }
    }
    std::size_t next = 0;
    for (std::int32_t& one : column) {
        for (; one < 0 && taken[next];)
            ++next;
        if (one < 0) {
            one = static_cast<std::int32_t>(next);
            taken[next] = true;
        }
    }
    return column;
}

Box boxOfHosts(const LevelGraph& graph, std::span<const NodeId> members)
{
    Box box;
    HostRows hosts = findHosts(graph, members);
    if (hosts.equal)
        return box;
    for (std::vector<std::int32_t>& row : hosts.rows)
        std::sort(row.begin(), row.end(), [&](std::int32_t a, std::int32_t b) { return members[at(a)] < members[at(b)]; });
    const auto first = std::max_element(hosts.rows.begin(), hosts.rows.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    box.names = {"host", "all"};
    box.extents = {static_cast<std::int32_t>(first->size()), static_cast<std::int32_t>(hosts.rows.size())};
    box.digits.assign(2, std::vector<std::int32_t>(members.size(), 0));
    if (static_cast<std::int64_t>(members.size()) * 4 <= box.size() * 3)
        return box; // too many gaps
    const LevelDistances& distances = graph.distances(hosts.hostRate);
    std::map<std::int32_t, std::vector<std::int32_t>> known;
    for (std::size_t host = 0; host < hosts.rows.size(); ++host) {
        const std::vector<std::int32_t> columns = columnsOf(distances, members, *first, hosts.rows[host], known);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            box.digits[0][at(hosts.rows[host][i])] = columns[i];
            box.digits[1][at(hosts.rows[host][i])] = static_cast<std::int32_t>(host);
        }
    }
    return box;
}

/// Step 4 of the rule, by largest blocks: levels without a border that stays are one with the one above.
void keepBorders(const LevelGraph& graph, std::span<const NodeId> members, Box& box)
{
    const auto cutOf = [&](const std::vector<std::int32_t>& places) {
        std::vector<NodeId> inside;
        std::vector<NodeId> rest;
        std::size_t next = 0;
        for (std::size_t place = 0; place < members.size(); ++place) {
            const bool isIn = next < places.size() && at(places[next]) == place;
            (isIn ? inside : rest).push_back(members[place]);
            next += isIn ? 1 : 0;
        }
        return graph.cut(inside, rest);
    };
    std::vector<bool> stays;
    std::int64_t cut = cutOf({0});
    std::int64_t size = 1;
    for (std::size_t level = 1; level < box.levels(); ++level) {
        const std::vector<std::int32_t> block = box.largest(level);
        const std::int64_t larger = cutOf(block);
        const auto count = static_cast<std::int64_t>(block.size());
        stays.push_back(WideRate{larger} * size < WideRate{cut} * count);
        cut = larger;
        size = count;
    }
    for (std::size_t level = stays.size(); level-- > 0;) {
        if (!stays[level])
            box.mergeUp(level);
    }
}

/// A longest line of a level: members that agree in all other digits, the first such.
std::vector<NodeId> lineOf(const Box& box, std::span<const NodeId> members, std::size_t level)
{
    std::map<std::vector<std::int32_t>, std::vector<std::pair<std::int32_t, NodeId>>> lines;
    for (std::size_t place = 0; place < members.size(); ++place) {
        std::vector<std::int32_t> others;
        for (std::size_t one = 0; one < box.levels(); ++one) {
            if (one != level)
                others.push_back(box.digits[one][place]);
        }
        lines[std::move(others)].emplace_back(box.digits[level][place], members[place]);
    }
    auto longest = std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    std::sort(longest->second.begin(), longest->second.end());
    std::vector<NodeId> line;
    for (const auto& [digit, npu] : longest->second)
        line.push_back(npu);
    return line;
}

void findSmall(const Box& box, UnevenLevels& levels)
{
    for (std::size_t level = 0; level < box.levels(); ++level) {
        const std::vector<std::int32_t> block = box.slots(level + 1);
        std::map<std::int32_t, std::pair<std::int32_t, std::set<std::int32_t>>> below; // by block: its first place, blocks below in it
        for (std::size_t place = 0; place < block.size(); ++place) {
            const auto entry = below.try_emplace(block[place], static_cast<std::int32_t>(place), std::set<std::int32_t>{}).first;
            entry->second.second.insert(box.digits[level][place]);
        }
        const std::size_t first = levels.small.size();
        for (const auto& [number, one] : below) {
            if (const auto size = static_cast<std::int32_t>(one.second.size()); size < box.extents[level])
                levels.small.push_back({box.names[level], size, box.extents[level], one.first});
        }
        std::sort(levels.small.begin() + static_cast<std::ptrdiff_t>(first), levels.small.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
}

} // namespace

std::string UnevenLevels::text() const
{
    std::string sizes;
    std::string names;
    for (const GroupLevels::Used& level : used) {
        std::int32_t least = level.extent;
        for (const Small& block : small)
            least = block.level == level.name ? std::min(least, block.size) : least;
        sizes += (sizes.empty() ? "" : " x ") + (least < level.extent ? std::to_string(least) + " to " : "") + std::to_string(level.extent);
        names += (names.empty() ? "" : ", ") + level.name;
    }
    return sizes + " (" + names + ')';
}

std::shared_ptr<const UnevenLevels> findUnevenLevels(const LevelGraph& graph, std::span<const NpuAxis> axes, std::span<const NodeId> members, bool tiers)
{
    if (graph.nodes() == graph.npus())
        return nullptr;
    Box box = boxOfAxes(axes, members);
    if (!box.isNearlyFull())
        box = boxOfHosts(graph, members);
    if (!box.isNearlyFull())
        return nullptr;
    box.names.back() = "all";
    keepBorders(graph, members, box);
    if (box.levels() < 2 && !(tiers && isPowerOfTwo(box.extents.front())))
        return nullptr;
    auto levels = std::make_shared<UnevenLevels>();
    for (std::size_t level = 0; level < box.levels(); ++level)
        levels->used.push_back({box.names[level], box.extents[level], graph.shapeOf(lineOf(box, members, level))});
    const std::vector<std::int32_t> slots = box.slots();
    levels->order.resize(members.size());
    std::iota(levels->order.begin(), levels->order.end(), 0);
    std::sort(levels->order.begin(), levels->order.end(), [&](std::int32_t a, std::int32_t b) { return slots[at(a)] < slots[at(b)]; });
    for (const std::int32_t place : levels->order)
        levels->places.push_back(slots[at(place)]);
    findSmall(box, *levels);
    return levels;
}

} // namespace fabricscope
