#include "core/hierarchy/grouplevels.h"

#include "core/base/index.h"
#include "core/hierarchy/hostlevels.h"
#include "core/hierarchy/levelgraph.h"
#include "core/hierarchy/products.h"
#include "core/hierarchy/unevenlevels.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

__extension__ using WideRate = __int128;

/// One level, in the order of the members.
GroupLevels flat(std::size_t members)
{
    GroupLevels levels;
    levels.found.push_back({"all", static_cast<std::int32_t>(members), 1, 0, true});
    levels.used.push_back({"all", static_cast<std::int32_t>(members), {}});
    levels.order.resize(members);
    std::iota(levels.order.begin(), levels.order.end(), 0);
    return levels;
}

/// Members by position, from one on.
std::vector<NodeId> part(std::span<const NodeId> members, const GroupLevels& levels, std::int64_t first, std::int64_t end, std::int64_t stride = 1)
{
    std::vector<NodeId> out;
    for (std::int64_t position = first; position < end; position += stride)
        out.push_back(members[at(levels.order[at(position)])]);
    return out;
}

} // namespace

std::string GroupLevels::text() const
{
    std::string sizes;
    std::string names;
    for (const Used& level : used) {
        sizes += (sizes.empty() ? "" : " x ") + std::to_string(level.extent);
        names += (names.empty() ? "" : ", ") + level.name;
    }
    return sizes + " (" + names + ')';
}

LevelFinder::LevelFinder(const Platform& platform, std::stop_token stop)
    : m_axes(platform.spec().generated.axes)
    , m_graph(std::make_unique<LevelGraph>(platform, std::move(stop)))
{
    m_hasTiers = m_graph->hasTiers();
    if (ProductAxes product = productAxes(*m_graph); !product.axes.empty()) {
        // A generator that joins products may count a whole host as one axis; where it does not, its names say more.
        std::erase_if(m_axes, [](const NpuAxis& axis) { return axis.size == 1; });
        if (!std::ranges::equal(product.axes, m_axes, {}, &NpuAxis::size, &NpuAxis::size))
            m_axes = std::move(product.axes);
        m_isProduct = !product.open;
    }
}

LevelFinder::~LevelFinder() = default;

std::shared_ptr<const GroupLevels> LevelFinder::find(std::span<const NodeId> members) const
{
    const std::vector<NodeId> key(members.begin(), members.end());
    {
        const std::scoped_lock lock(m_mutex);
        if (const auto known = m_known.find(key); known != m_known.end())
            return known->second;
    }
    auto levels = std::make_shared<GroupLevels>(flat(members.size()));
    if (byCoordinates(members, *levels))
        use(members, *levels);
    else
        *levels = byRuleOrUneven(members);
    levels->evenTiers = m_hasTiers && levels->isFlat() && (levels->found.size() > 1 || !m_graph->joinsSwitches());
    const std::scoped_lock lock(m_mutex);
    return m_known.try_emplace(key, std::move(levels)).first->second;
}

bool LevelFinder::byCoordinates(std::span<const NodeId> members, GroupLevels& levels) const
{
    if (m_axes.empty() || members.size() < 2)
        return false;
    const auto count = static_cast<std::int64_t>(members.size());
    levels.found.clear();
    std::vector<std::int64_t> position(members.size(), 0);
    std::int64_t stride = 1;
    std::int64_t step = 1; // of positions
    for (const NpuAxis& axis : m_axes) {
        const auto coordinate = [&](NodeId npu) { return npu / stride % axis.size; };
        std::vector<std::int32_t> rank(at(axis.size), -1); // of the coordinates in use
        for (const NodeId npu : members)
            rank[at(coordinate(npu))] = 0;
        std::int32_t used = 0;
        for (std::int32_t& one : rank)
            one = one < 0 ? -1 : used++;
        for (std::size_t place = 0; place < members.size(); ++place)
            position[place] += rank[at(coordinate(members[place]))] * step;
        if (used > 1)
            levels.found.push_back({axis.name, used, step, 0, true});
        stride *= axis.size;
        step *= used;
        if (step > count)
            return false;
    }
    if (step != count)
        return false;
    for (std::size_t place = 0; place < members.size(); ++place)
        levels.order[at(position[place])] = static_cast<std::int32_t>(place);
    levels.found.back().name = "all";
    levels.declared = true;
    return true;
}

GroupLevels LevelFinder::byRuleOrUneven(std::span<const NodeId> members) const
{
    GroupLevels levels = byRule(members);
    if (members.size() < 2)
        return levels;
    auto uneven = findUnevenLevels(*m_graph, m_axes, members, m_hasTiers);
    if (!uneven || !levels.isFlat()) // Equal hosts keep their levels: all algorithms go along those.
        return levels;
    levels = flat(members.size());
    use(members, levels);
    levels.uneven = std::move(uneven);
    return levels;
}

GroupLevels LevelFinder::byRule(std::span<const NodeId> members) const
{
    GroupLevels levels = flat(members.size());
    if (members.size() > 1) {
        HostRows hosts = findHosts(*m_graph, members);
        if (hosts.equal) {
            const std::vector<std::int32_t> units = findUnits(*m_graph, members, hosts);
            levels.found.clear();
            std::int64_t block = 1;
            const auto add = [&](std::string name, std::int64_t upTo) {
                levels.found.push_back({std::move(name), static_cast<std::int32_t>(upTo / block), block, 0, true});
                block = upTo;
            };
            if (hosts.size() > 1)
                add("host", hosts.size());
            for (std::size_t i = 0; i < units.size(); ++i)
                add(i == 0 ? "unit" : "unit " + std::to_string(i + 1), std::int64_t{hosts.size()} * units[i]);
            add("all", static_cast<std::int64_t>(members.size()));
            levels.order.clear();
            for (const std::vector<std::int32_t>& row : hosts.rows)
                levels.order.insert(levels.order.end(), row.begin(), row.end());
            levels.noRails = hosts.noRails;
        }
    }
    use(members, levels);
    return levels;
}

void LevelFinder::use(std::span<const NodeId> members, GroupLevels& levels) const
{
    const auto count = static_cast<std::int64_t>(members.size());
    if (levels.found.size() > 1) {
        for (GroupLevels::Found& level : levels.found)
            level.cut = m_graph->cut(part(members, levels, 0, level.block), part(members, levels, level.block, count));
    }
    levels.used.clear();
    for (std::size_t i = 0; i < levels.found.size(); ++i) {
        GroupLevels::Found& level = levels.found[i];
        if (i > 0) {
            const GroupLevels::Found& below = levels.found[i - 1];
            level.kept = WideRate{level.cut} * below.block < WideRate{below.cut} * level.block;
        }
        if (level.kept)
            levels.used.push_back({level.name, level.extent, {}});
        else
            levels.used.back() = {level.name, levels.used.back().extent * level.extent, {}};
    }
    std::int64_t stride = 1;
    for (GroupLevels::Used& level : levels.used) {
        level.shape = m_graph->shapeOf(part(members, levels, 0, stride * level.extent, stride));
        stride *= level.extent;
    }
    if (levels.used.size() == 1 && !levels.used.front().shape)
        std::iota(levels.order.begin(), levels.order.end(), 0);
}

std::int64_t LevelFinder::rate(const GroupLevels& levels, std::span<const NodeId> members, std::size_t used) const
{
    std::int64_t block = 1;
    for (std::size_t below = 0; below < used; ++below)
        block *= levels.used[below].extent;
    return m_graph->cut(part(members, levels, 0, block), part(members, levels, block, block * levels.used[used].extent)) / block;
}

} // namespace fabricscope
