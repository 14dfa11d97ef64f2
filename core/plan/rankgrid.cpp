#include "core/plan/rankgrid.h"

#include "core/platform/platform.h"

#include <algorithm>
#include <set>

namespace fabricscope {

namespace {

Error meshError(const char* key, std::string message, std::string expected = {})
{
    Place place;
    place.field = std::string("workload.plan.mesh") + key;
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

/// What could be changed so that the product is `ranks`.
std::string nearestShape(const PlanMesh& mesh, std::int64_t ranks)
{
    std::string said;
    for (std::size_t i = 0; i < mesh.shape.size(); ++i) {
        std::int64_t others = 1;
        for (std::size_t j = 0; j < mesh.shape.size(); ++j)
            others = j == i ? others : std::min(kMaxNpus + 1, others * mesh.shape[j]);
        if (others <= ranks && ranks % others == 0)
            said += (said.empty() ? "" : " or ") + mesh.axes[i] + " of " + std::to_string(ranks / others);
    }
    return said.empty() ? "a shape whose product is " + std::to_string(ranks) : said;
}

/// Indices of the axes, the slowest first.
Result<std::vector<std::size_t>> slowestFirst(const PlanMesh& mesh)
{
    std::vector<std::size_t> order;
    if (mesh.order != PlanMesh::Order::Listed) {
        for (std::size_t i = 0; i < mesh.axes.size(); ++i)
            order.push_back(mesh.order == PlanMesh::Order::RowMajor ? i : mesh.axes.size() - 1 - i);
        return order;
    }
    for (const std::string& name : mesh.slowestFirst) {
        const auto found = std::find(mesh.axes.begin(), mesh.axes.end(), name);
        const auto index = static_cast<std::size_t>(found - mesh.axes.begin());
        if (found == mesh.axes.end() || std::find(order.begin(), order.end(), index) != order.end())
            return meshError(".order", found == mesh.axes.end() ? "the mesh has no axis \"" + name + "\"" : "axis \"" + name + "\" is named twice", "every axis once");
        order.push_back(index);
    }
    if (order.size() != mesh.axes.size())
        return meshError(".order", std::to_string(order.size()) + " of " + std::to_string(mesh.axes.size()) + " axes are named", "every axis once");
    return order;
}

Status checkShape(const PlanMesh& mesh, std::int64_t ranks)
{
    constexpr std::size_t kMostAxes = 16;
    if (mesh.axes.empty() || mesh.axes.size() > kMostAxes)
        return meshError(".axes", std::to_string(mesh.axes.size()) + " axes", "1 to " + std::to_string(kMostAxes));
    if (mesh.shape.size() != mesh.axes.size())
        return meshError(".shape", std::to_string(mesh.shape.size()) + " sizes of " + std::to_string(mesh.axes.size()) + " axes", "one size for every axis");
    std::set<std::string> names;
    for (const std::string& name : mesh.axes) {
        if (name.empty() || !names.insert(name).second)
            return meshError(".axes", name.empty() ? "an axis without a name" : "two axes are called \"" + name + "\"", "a name of its own for every axis");
    }
    std::int64_t product = 1;
    for (const std::int64_t size : mesh.shape) {
        if (size < 1 || size > kMaxNpus)
            return meshError(".shape", "an axis of " + std::to_string(size) + " ranks", "1 to " + std::to_string(kMaxNpus));
        product = std::min(kMaxNpus + 1, product * size);
    }
    if (product != ranks)
        return meshError(".shape", "the mesh has " + (product > kMaxNpus ? "more than " + std::to_string(kMaxNpus) : std::to_string(product)) + " ranks and there are " + std::to_string(ranks) + " NPUs", nearestShape(mesh, ranks));
    return {};
}

} // namespace

std::int64_t PlanGroup::size() const
{
    std::int64_t product = 1;
    for (const GroupFamily::Axis& axis : axes)
        product *= axis.size;
    return product;
}

Result<PlanGrid> PlanGrid::create(const PlanMesh& mesh, std::int64_t ranks)
{
    if (Status status = checkShape(mesh, ranks); !status)
        return std::move(status).error();
    const Result<std::vector<std::size_t>> order = slowestFirst(mesh);
    if (!order)
        return order.error();
    PlanGrid grid;
    grid.m_ranks = ranks;
    for (std::size_t i = 0; i < mesh.axes.size(); ++i)
        grid.m_axes.push_back({mesh.axes[i], mesh.shape[i], 1});
    std::int64_t stride = 1;
    for (auto index = order.value().rbegin(); index != order.value().rend(); ++index) {
        grid.m_axes[*index].stride = stride;
        stride *= grid.m_axes[*index].size;
    }
    if (mesh.deviceOrder.empty())
        return grid;
    if (static_cast<std::int64_t>(mesh.deviceOrder.size()) != ranks)
        return meshError(".device_order", std::to_string(mesh.deviceOrder.size()) + " ranks are listed", "all " + std::to_string(ranks) + " of them");
    grid.m_placeOfRank.assign(mesh.deviceOrder.size(), -1);
    for (std::size_t place = 0; place < mesh.deviceOrder.size(); ++place) {
        const std::int64_t rank = mesh.deviceOrder[place];
        if (rank < 0 || rank >= ranks || grid.m_placeOfRank[static_cast<std::size_t>(rank)] >= 0)
            return meshError(".device_order", "rank " + std::to_string(rank) + (rank < 0 || rank >= ranks ? " does not exist" : " is listed twice"), "every rank from 0 to " + std::to_string(ranks - 1) + " once");
        grid.m_placeOfRank[static_cast<std::size_t>(rank)] = static_cast<std::int64_t>(place);
    }
    grid.m_rankAtPlace = mesh.deviceOrder;
    return grid;
}

std::int32_t PlanGrid::find(std::string_view name) const
{
    const auto found = std::find_if(m_axes.begin(), m_axes.end(), [&](const Axis& axis) { return axis.name == name; });
    return found == m_axes.end() ? -1 : static_cast<std::int32_t>(found - m_axes.begin());
}

std::int64_t PlanGrid::coordinate(std::int64_t rank, std::int32_t axis) const
{
    const Axis& along = m_axes[static_cast<std::size_t>(axis)];
    return placeOf(rank) / along.stride % along.size;
}

Result<GroupFamily> PlanGrid::family(const PlanGroup& group) const
{
    if (m_rankAtPlace.empty())
        return GroupFamily::strided(group.name, group.axes, m_ranks);
    const Result<GroupFamily> places = GroupFamily::strided(group.name, group.axes, m_ranks);
    if (!places)
        return places.error();
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(places.value().groupCount()));
    for (std::size_t g = 0; g < lists.size(); ++g) {
        const std::int64_t size = places.value().groupSize(static_cast<std::int64_t>(g));
        for (std::int64_t i = 0; i < size; ++i)
            lists[g].push_back(rankAt(places.value().member(static_cast<std::int64_t>(g), i)));
    }
    return GroupFamily::listed(group.name, std::move(lists), m_ranks);
}

RankSet PlanGrid::ranksWith(std::int32_t axis, const std::vector<bool>& wanted) const
{
    if (std::find(wanted.begin(), wanted.end(), false) == wanted.end())
        return RankSet::range(0, m_ranks);
    RankSet ranks;
    for (std::int64_t rank = 0; rank < m_ranks; ++rank) {
        if (wanted[static_cast<std::size_t>(axis < 0 ? 0 : coordinate(rank, axis))])
            ranks.add(rank);
    }
    return ranks;
}

PlanGroup joinedGroup(const PlanGroup& a, const PlanGroup& b)
{
    PlanGroup both{a.name + (a.name.empty() || b.name.empty() ? "" : "+") + b.name, a.axes};
    both.axes.insert(both.axes.end(), b.axes.begin(), b.axes.end());
    std::sort(both.axes.begin(), both.axes.end(), [](const GroupFamily::Axis& x, const GroupFamily::Axis& y) { return x.stride < y.stride; });
    std::vector<GroupFamily::Axis> joined;
    for (const GroupFamily::Axis& axis : both.axes) {
        if (!joined.empty() && joined.back().stride * joined.back().size == axis.stride)
            joined.back().size *= axis.size;
        else
            joined.push_back(axis);
    }
    both.axes = std::move(joined);
    return both;
}

std::optional<SplitGroup> splitGroup(const PlanGroup& group, std::int64_t size)
{
    SplitGroup split{{group.name, {}}, {group.name, {}}};
    std::int64_t left = size;
    for (const GroupFamily::Axis& axis : group.axes) {
        const std::int64_t inside = std::min(left, axis.size);
        if (inside < 1 || axis.size % inside != 0 || left % inside != 0)
            return std::nullopt;
        if (inside > 1)
            split.inner.axes.push_back({inside, axis.stride});
        if (inside < axis.size)
            split.outer.axes.push_back({axis.size / inside, axis.stride * inside});
        left /= inside;
    }
    return left == 1 ? std::optional(std::move(split)) : std::nullopt;
}

std::string nearestDivisors(std::int64_t whole, std::int64_t wanted, std::int64_t most)
{
    std::int64_t below = 0;
    std::int64_t above = 0;
    const auto look = [&](std::int64_t divisor) {
        if (divisor > most)
            return;
        if (divisor <= wanted)
            below = std::max(below, divisor);
        else if (above == 0 || divisor < above)
            above = divisor;
    };
    for (std::int64_t divisor = 1; divisor <= whole / divisor; ++divisor) {
        if (whole % divisor == 0) {
            look(divisor);
            look(whole / divisor);
        }
        if (divisor > (std::int64_t{1} << 20))
            break;
    }
    if (below == 0 || above == 0)
        return std::to_string(std::max(below, above));
    return std::to_string(below) + " or " + std::to_string(above);
}

} // namespace fabricscope
