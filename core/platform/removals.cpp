// Platforms with removed links and NPUs: what is still reachable, and by which way.
#include "core/base/stop.h"
#include "core/base/index.h"
#include "core/platform/platform.h"
#include "core/platform/platformderived.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>
#include <unordered_map>

namespace fabricscope {

namespace {

template <typename T>
bool contains(const std::vector<T>& sorted, T value)
{
    return std::binary_search(sorted.begin(), sorted.end(), value);
}

/// Hops that can be made from every place of a ring before one that is missing; at most places - 1.
std::vector<std::int32_t> reach(const std::vector<bool>& hops, bool plus)
{
    const auto size = static_cast<std::int32_t>(hops.size());
    std::vector<std::int32_t> steps(hops.size(), 0);
    // Twice round, against the direction of travel: the second time knows what is behind the seam.
    for (std::int32_t i = 2 * size - 1; i >= 0; --i) {
        const std::int32_t place = plus ? i % size : (2 * size - 1 - i) % size;
        const std::int32_t next = plus ? (place + 1) % size : (place + size - 1) % size;
        steps[at(place)] = hops[at(place)] ? std::min(size - 1, steps[at(next)] + 1) : 0;
    }
    return steps;
}

} // namespace

bool Platform::isNpuRemoved(NodeId npu) const
{
    return m_hasRemovals && contains(m_derived->removedNpus, npu);
}

bool Platform::isRemoved(LinkId link) const
{
    if (!m_hasRemovals)
        return false;
    if (contains(m_derived->removedLinks, link))
        return true;
    if (m_derived->removedNpus.empty())
        return false;
    const LinkInfo info = linkInfo(link);
    return isNpuRemoved(info.from) || isNpuRemoved(info.to);
}

bool Platform::lineWay(std::size_t dimension, NodeId from, NodeId to, RingDirection rings, std::vector<LinkId>& links) const
{
    const Derived::Axis& axis = m_derived->axes[dimension];
    const auto link = [&](NodeId owner, std::int32_t port) { return axis.firstLink + LinkId{owner} * axis.ports + port; };
    const std::int32_t start = coordinate(from, dimension);
    const std::int32_t ahead = (coordinate(to, dimension) - start + axis.size) % axis.size;
    switch (axis.shape) {
    case Shape::FullyConnected:
        if (!isRemoved(link(from, ahead - 1))) {
            links.push_back(link(from, ahead - 1));
            return true;
        }
        for (std::int32_t over = 1; over < axis.size; ++over) {
            if (over == ahead)
                continue;
            const NodeId middle = withCoordinate(from, dimension, (start + over) % axis.size);
            const LinkId first = link(from, over - 1);
            const LinkId second = link(middle, (ahead - over + axis.size) % axis.size - 1);
            if (isRemoved(first) || isRemoved(second))
                continue;
            links.insert(links.end(), {first, second});
            return true;
        }
        return false;
    case Shape::Switch:
        if (isRemoved(link(from, 0)) || isRemoved(link(to, 1)))
            return false;
        links.insert(links.end(), {link(from, 0), link(to, 1)});
        return true;
    case Shape::Ring:
        break;
    }
    const bool wantsPlus = rings == RingDirection::Plus || (rings == RingDirection::Shorter && ahead <= axis.size - ahead);
    const std::size_t before = links.size();
    for (const bool plus : {wantsPlus, !wantsPlus}) {
        const std::int32_t step = plus ? 1 : axis.size - 1;
        const std::int32_t port = plus ? 0 : axis.ports - 1;
        NodeId hop = from;
        while (hop != to && !isRemoved(link(hop, port))) {
            links.push_back(link(hop, port));
            hop = withCoordinate(hop, dimension, (coordinate(hop, dimension) + step) % axis.size);
        }
        if (hop == to)
            return true;
        links.resize(before);
    }
    return false;
}

void Platform::routeAround(NodeId src, NodeId dst, std::vector<LinkId>& links, RingDirection rings) const
{
    std::vector<std::size_t> differing;
    for (std::size_t d = 0; d < m_derived->axes.size(); ++d) {
        if (coordinate(src, d) != coordinate(dst, d))
            differing.push_back(d);
    }
    // Every dimension once, in the first order whose turning points are there. At most 20 dimensions are larger than 1.
    std::set<std::uint32_t> failed; // dimensions left to cross; they say where the message is
    const auto cross = [&](const auto& self, NodeId here, std::uint32_t left) -> bool {
        if (left == 0)
            return true;
        if (failed.contains(left))
            return false;
        for (std::size_t i = 0; i < differing.size(); ++i) {
            if ((left >> i & 1U) == 0)
                continue;
            const NodeId next = withCoordinate(here, differing[i], coordinate(dst, differing[i]));
            const std::size_t before = links.size();
            if (isNpuRemoved(next) || !lineWay(differing[i], here, next, rings, links))
                continue;
            if (self(self, next, left & ~(1U << i)))
                return true;
            links.resize(before);
        }
        failed.insert(left);
        return false;
    };
    if (cross(cross, src, (1U << differing.size()) - 1))
        return;

    std::unordered_map<NodeId, std::pair<NodeId, std::size_t>> from{{dst, {dst, 0}}}; // the next NPU towards dst, and the dimension
    std::vector<NodeId> queue{dst};
    for (std::size_t head = 0; head < queue.size() && !from.contains(src); ++head) {
        const NodeId here = queue[head];
        for (std::size_t d = 0; d < m_derived->axes.size(); ++d) {
            const std::int32_t size = m_derived->axes[d].size;
            for (std::int32_t ahead = 1; ahead < size; ++ahead) {
                const NodeId other = withCoordinate(here, d, (coordinate(here, d) + ahead) % size);
                if (!isNpuRemoved(other) && from.emplace(other, std::pair{here, d}).second)
                    queue.push_back(other);
            }
        }
    }
    assert(from.contains(src) && "create() checked that the NPUs left reach each other");
    for (NodeId here = src; here != dst && from.contains(here);) {
        const auto [next, dimension] = from.at(here);
        lineWay(dimension, here, next, rings, links);
        here = next;
    }
}

Error Platform::noWay(NodeId from, NodeId to, std::size_t dimension, LinkId missing) const
{
    const auto numberOf = [](const auto& list, auto wanted) {
        const auto found = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.removed && wanted(entry); });
        return std::to_string(found - list.begin());
    };
    Place place;
    std::string what;
    if (contains(m_derived->removedLinks, missing)) {
        what = linkName(missing);
        place.field = "platform.link_overrides[" + numberOf(m_spec->linkOverrides, [&](const LinkOverride& c) { return c.link == missing; }) + "].removed";
    } else {
        const LinkInfo info = linkInfo(missing);
        const NodeId gone = isNpuRemoved(info.to) ? info.to : info.from;
        what = "NPU " + std::to_string(gone);
        place.field = "platform.npu_overrides[" + numberOf(m_spec->npuOverrides, [&](const NpuOverride& c) { return c.node == gone; }) + "].removed";
    }
    return invalidInput("NPU " + std::to_string(from) + " has no way to NPU " + std::to_string(to) + " in dimension " + std::to_string(dimension) + " once "
                            + what + " is removed",
                        std::move(place), "a way between all NPUs that are left");
}

/// The line of a Ring or Switch dimension through an NPU with coordinate 0.
Status Platform::checkLine(std::size_t dimension, NodeId start) const
{
    const Derived::Axis& axis = m_derived->axes[dimension];
    const std::int32_t size = axis.size;
    const auto node = [&](std::int32_t place) { return withCoordinate(start, dimension, place % size); };
    const auto link = [&](std::int32_t place, std::int32_t port) { return axis.firstLink + LinkId{node(place)} * axis.ports + port; };
    std::vector<std::int32_t> left;
    for (std::int32_t place = 0; place < size; ++place) {
        if (!isNpuRemoved(node(place)))
            left.push_back(place);
    }
    if (left.size() < 2)
        return {};
    if (axis.shape == Shape::Switch) {
        for (const std::int32_t place : left) {
            const NodeId other = node(place == left[0] ? left[1] : left[0]);
            if (isRemoved(link(place, 0)))
                return noWay(node(place), other, dimension, link(place, 0));
            if (isRemoved(link(place, 1)))
                return noWay(other, node(place), dimension, link(place, 1));
        }
        return {};
    }
    std::vector<bool> plusHops;
    std::vector<bool> minusHops;
    for (std::int32_t place = 0; place < size; ++place) {
        plusHops.push_back(!isRemoved(link(place, 0)));
        minusHops.push_back(!isRemoved(link(place, axis.ports - 1)));
    }
    const std::vector<std::int32_t> plus = reach(plusHops, true);
    const std::vector<std::int32_t> minus = reach(minusHops, false);
    for (const std::int32_t place : left) {
        // The places that neither way reaches; the first of them with an NPU decides.
        const std::int32_t first = place + plus[at(place)] + 1;
        const std::int32_t last = place + size - 1 - minus[at(place)];
        auto next = std::lower_bound(left.begin(), left.end(), first);
        const std::int32_t target = next != left.end() ? *next : *std::lower_bound(left.begin(), left.end(), first - size) + size;
        if (target <= last)
            return noWay(node(place), node(target), dimension, link(place + plus[at(place)], 0));
    }
    return {};
}

Status Platform::checkRemovals(const std::stop_token& stop) const
{
    const std::size_t dimensions = m_derived->axes.size();
    std::set<std::pair<std::size_t, NodeId>> lines;
    for (const LinkId link : m_derived->removedLinks) {
        checkStop(stop);
        const LinkInfo info = linkInfo(link);
        const auto d = at(info.dimension);
        if (m_derived->axes[d].shape != Shape::FullyConnected) {
            lines.emplace(d, withCoordinate(info.owner, d, 0));
            continue;
        }
        std::vector<LinkId> way;
        if (!isNpuRemoved(info.from) && !isNpuRemoved(info.to) && !lineWay(d, info.from, info.to, RingDirection::Shorter, way))
            return noWay(info.from, info.to, d, link);
    }
    std::int64_t neighbourLines = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
        neighbourLines += m_derived->axes[d].size - 1;
        for (const NodeId npu : m_derived->removedNpus) {
            checkStop(stop);
            if (m_derived->axes[d].shape == Shape::Ring)
                lines.emplace(d, withCoordinate(npu, d, 0));
        }
    }
    for (const auto& [dimension, start] : lines) {
        checkStop(stop);
        if (Status status = checkLine(dimension, start); !status)
            return status;
    }

    // Inside lines everything is reachable. Lines join as long as fewer NPUs are gone than one NPU has others on its lines.
    if (static_cast<std::int64_t>(m_derived->removedNpus.size()) < neighbourLines)
        return {};
    std::vector<NodeId> parent(at(m_npuCount));
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](NodeId npu) {
        while (parent[at(npu)] != npu)
            npu = parent[at(npu)] = parent[at(parent[at(npu)])];
        return npu;
    };
    NodeId first = -1;
    for (std::size_t d = 0; d < dimensions; ++d) {
        checkStop(stop);
        std::vector<NodeId> latest(at(m_npuCount), -1); // by the line's NPU with coordinate 0
        for (NodeId npu = 0; npu < m_npuCount; ++npu) {
            if (isNpuRemoved(npu))
                continue;
            first = first < 0 ? npu : first;
            NodeId& before = latest[at(withCoordinate(npu, d, 0))];
            if (before >= 0)
                parent[at(root(npu))] = root(before);
            before = npu;
        }
    }
    for (NodeId npu = 0; npu < m_npuCount; ++npu) {
        if (isNpuRemoved(npu) || root(npu) == root(first))
            continue;
        const NodeId gone = m_derived->removedNpus.back();
        const auto& list = m_spec->npuOverrides;
        const auto entry = std::find_if(list.begin(), list.end(), [&](const NpuOverride& change) { return change.node == gone; });
        Place place;
        place.field = "platform.npu_overrides[" + std::to_string(entry - list.begin()) + "].removed";
        return invalidInput("NPU " + std::to_string(first) + " has no way to NPU " + std::to_string(npu) + " once "
                                + std::to_string(m_derived->removedNpus.size()) + " NPUs are removed",
                            std::move(place), "a way between all NPUs that are left");
    }
    return {};
}

} // namespace fabricscope
