#include "core/hierarchy/hostlevels.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace fabricscope {

namespace {

/// Sets of nodes that are joined step by step; counts those with members of a group.
class Components {
public:
    Components(NodeId nodes, std::span<const NodeId> members)
        : m_parent(at(nodes))
        , m_members(at(nodes), 0)
        , m_with(static_cast<std::int64_t>(members.size()))
    {
        std::iota(m_parent.begin(), m_parent.end(), 0);
        for (const NodeId member : members)
            m_members[at(member)] = 1;
    }

    NodeId rootOf(NodeId node)
    {
        while (m_parent[at(node)] != node)
            node = m_parent[at(node)] = m_parent[at(m_parent[at(node)])];
        return node;
    }
    void join(NodeId a, NodeId b)
    {
        a = rootOf(a);
        b = rootOf(b);
        if (a == b)
            return;
        if (m_members[at(a)] > 0 && m_members[at(b)] > 0)
            --m_with;
        m_parent[at(b)] = a;
        m_members[at(a)] += m_members[at(b)];
    }
    /// Sets with members.
    std::int64_t parts() const { return m_with; }

private:
    std::vector<NodeId> m_parent;
    std::vector<std::int32_t> m_members;
    std::int64_t m_with;
};

/// The members by the components they are in, in the order of their first ones.
std::vector<std::vector<std::int32_t>> partsOf(Components& components, std::span<const NodeId> members)
{
    std::vector<std::vector<std::int32_t>> rows;
    std::map<NodeId, std::size_t> row;
    for (std::size_t place = 0; place < members.size(); ++place) {
        const auto [entry, isNew] = row.try_emplace(components.rootOf(members[place]), rows.size());
        if (isNew)
            rows.emplace_back();
        rows[entry->second].push_back(static_cast<std::int32_t>(place));
    }
    return rows;
}

/// Partners of the NPUs of the first host in another.
class Partners {
public:
    Partners(const LevelDistances& distances, std::span<const NodeId> members, const std::vector<std::int32_t>& first)
        : m_distances(distances)
        , m_members(members)
    {
        for (const std::int32_t place : first) {
            const std::int32_t cls = distances.classOf(members[at(place)]);
            m_classOfRail.push_back(cls);
            if (!m_from.contains(cls))
                m_from.emplace(cls, distances.from(cls));
        }
    }

    /// By rail the place in the row; empty: not one to one. `alike`: all are equally near.
    std::vector<std::int32_t> in(const std::vector<std::int32_t>& row, bool& alike) const
    {
        std::vector<std::int32_t> out;
        std::set<std::int32_t> taken;
        std::int32_t least = LevelDistances::kFar;
        std::int32_t most = 0;
        bool unique = true;
        for (const std::int32_t cls : m_classOfRail) {
            const std::vector<std::int32_t>& distance = m_from.at(cls);
            std::int32_t nearest = LevelDistances::kFar;
            std::int32_t partner = -1;
            for (const std::int32_t place : row) {
                const std::int32_t one = distance[at(m_distances.classOf(m_members[at(place)]))];
                least = std::min(least, one);
                most = std::max(most, one);
                if (one < nearest)
                    partner = place;
                else if (one == nearest)
                    partner = -1;
                nearest = std::min(nearest, one);
            }
            unique = unique && partner >= 0 && taken.insert(partner).second;
            out.push_back(partner);
        }
        alike = least == most;
        if (!unique)
            out.clear();
        return out;
    }

private:
    const LevelDistances& m_distances;
    std::span<const NodeId> m_members;
    std::vector<std::int32_t> m_classOfRail;
    std::map<std::int32_t, std::vector<std::int32_t>> m_from;
};

void joinRails(const LevelGraph& graph, std::span<const NodeId> members, HostRows& hosts)
{
    const LevelDistances& distances = graph.distances(hosts.hostRate);
    for (std::vector<std::int32_t>& row : hosts.rows)
        std::sort(row.begin(), row.end(), [&](std::int32_t a, std::int32_t b) { return members[at(a)] < members[at(b)]; });
    // The first host, and of those as near to it with all their NPUs (in other units) the first again, which others there are partners of.
    std::vector<Partners> firsts;
    firsts.emplace_back(distances, members, hosts.rows.front());
    std::vector<std::vector<std::int32_t>> rows{hosts.rows.front()};
    for (std::size_t h = 1; h < hosts.rows.size() && !hosts.noRails; ++h) {
        checkStop(graph.stop());
        std::vector<std::int32_t> row;
        bool allAlike = true;
        for (std::size_t i = 0; i < firsts.size() && row.empty() && allAlike; ++i)
            row = firsts[i].in(hosts.rows[h], allAlike);
        if (row.empty() && allAlike)
            firsts.emplace_back(distances, members, row = hosts.rows[h]);
        else
            hosts.hasRails = hosts.hasRails || !row.empty();
        hosts.noRails = row.empty();
        rows.push_back(std::move(row));
    }
    if (!hosts.noRails)
        hosts.rows = std::move(rows);
}

using KnownDistances = std::map<std::int32_t, std::vector<std::int32_t>>; ///< From a class to all.

/// Distances along one rail, between classes of NPUs.
class Rail {
public:
    Rail(const LevelDistances& distances, std::span<const NodeId> members, const HostRows& hosts, std::size_t rail, KnownDistances& known)
        : m_stop(distances.stop())
    {
        std::map<std::int32_t, std::int32_t> number;
        std::vector<std::int32_t> classes;
        for (const std::vector<std::int32_t>& row : hosts.rows) {
            const std::int32_t cls = distances.classOf(members[at(row[rail])]);
            const auto [entry, isNew] = number.try_emplace(cls, static_cast<std::int32_t>(classes.size()));
            if (isNew)
                classes.push_back(cls);
            m_ofHost.push_back(entry->second);
        }
        m_hosts.assign(classes.size(), 0);
        for (const std::int32_t own : m_ofHost)
            ++m_hosts[at(own)];
        for (const std::int32_t a : classes) {
            checkStop(distances.stop());
            auto from = known.find(a);
            if (from == known.end())
                from = known.emplace(a, distances.from(a)).first;
            for (const std::int32_t b : classes)
                m_distance.push_back(from->second[at(b)]);
        }
    }

    /// Adds all there are.
    void addDistances(std::set<std::int32_t>& all) const
    {
        for (std::size_t a = 0; a < m_hosts.size(); ++a) {
            checkStop(m_stop);
            for (std::size_t b = 0; b < m_hosts.size(); ++b) {
                if (a != b || m_hosts[a] > 1)
                    all.insert(m_distance[a * m_hosts.size() + b]);
            }
        }
    }
    /// By host the first host of its clique, those being within a distance; empty: they are no disjoint cliques of one size above 1.
    std::vector<std::int32_t> within(std::int32_t distance) const
    {
        const std::size_t n = m_hosts.size();
        std::vector<std::size_t> first(n);
        for (std::size_t a = 0; a < n; ++a) {
            checkStop(m_stop);
            if (m_hosts[a] > 1 && m_distance[a * n + a] > distance)
                return {};
            for (first[a] = 0; first[a] != a && m_distance[a * n + first[a]] > distance;)
                ++first[a];
        }
        std::vector<std::int64_t> size(n, 0);
        for (std::size_t a = 0; a < n; ++a) {
            checkStop(m_stop);
            size[first[a]] += m_hosts[a];
            for (std::size_t b = 0; b < n; ++b) {
                if (a != b && (m_distance[a * n + b] <= distance) != (first[a] == first[b]))
                    return {};
            }
        }
        for (std::size_t a = 0; a < n; ++a) {
            if (size[first[a]] != size[0] || size[0] < 2)
                return {};
        }
        std::vector<std::int32_t> lead(n, -1);
        std::vector<std::int32_t> out;
        for (std::size_t host = 0; host < m_ofHost.size(); ++host) {
            std::int32_t& one = lead[first[at(m_ofHost[host])]];
            if (one < 0)
                one = static_cast<std::int32_t>(host);
            out.push_back(one);
        }
        return out;
    }

private:
    std::stop_token m_stop;
    std::vector<std::int32_t> m_ofHost;   ///< By host.
    std::vector<std::int32_t> m_hosts;    ///< By class.
    std::vector<std::int32_t> m_distance; ///< By pair of classes.
};

/// Whether units are not ruled out by the first rail: those nearest to its first class would be a clique, each with the same ones nearest. O(nodes + links)
/// for every class that is looked at: in graphs at random a few.
bool mayHaveUnits(const LevelDistances& distances, std::span<const NodeId> members, const HostRows& hosts, KnownDistances& known)
{
    std::map<std::int32_t, std::int32_t> hostsOf; // by class
    for (const std::vector<std::int32_t>& row : hosts.rows)
        ++hostsOf[distances.classOf(members[at(row.front())])];
    if (hostsOf.size() > at(kMostUnitClasses))
        return true;
    const auto from = [&](std::int32_t cls) -> const std::vector<std::int32_t>& {
        const auto found = known.find(cls);
        return found != known.end() ? found->second : known.emplace(cls, distances.from(cls)).first->second;
    };
    const std::int32_t first = distances.classOf(members[at(hosts.rows.front().front())]);
    std::int32_t least = LevelDistances::kFar;
    for (const auto& [cls, count] : hostsOf) {
        if (cls != first || count > 1)
            least = std::min(least, from(first)[at(cls)]);
    }
    const auto near = [&](std::int32_t cls) {
        const std::vector<std::int32_t>& distance = from(cls);
        std::vector<std::int32_t> found;
        for (const auto& [other, count] : hostsOf) {
            if (other == cls || distance[at(other)] <= least)
                found.push_back(other);
        }
        return found;
    };
    // Where others are nearer to each other, the first class is alone at their distance: no unit either.
    const std::vector<std::int32_t> clique = near(first);
    return std::all_of(clique.begin(), clique.end(), [&](std::int32_t cls) {
        checkStop(distances.stop());
        return near(cls) == clique;
    });
}

/// The rails and all their distances; none: too many classes.
std::vector<Rail> railsOf(const LevelDistances& distances, std::span<const NodeId> members, const HostRows& hosts, std::set<std::int32_t>& lengths,
                          KnownDistances& known)
{
    std::vector<Rail> rails;
    std::set<std::int32_t> classes;
    for (const NodeId member : members)
        classes.insert(distances.classOf(member));
    lengths.clear();
    if (classes.size() > at(kMostUnitClasses))
        return rails;
    for (std::int32_t rail = 0; rail < hosts.size(); ++rail) {
        rails.emplace_back(distances, members, hosts, at(rail), known);
        rails.back().addDistances(lengths);
    }
    return rails;
}

} // namespace

HostRows findHosts(const LevelGraph& graph, std::span<const NodeId> members)
{
    HostRows hosts;
    const std::vector<std::int32_t> links = graph.byRate();
    const auto link = [&](std::size_t i) -> const LevelGraph::Link& { return graph.links()[at(links[i])]; };
    Components components(graph.nodes(), members);
    const auto all = static_cast<std::int64_t>(members.size());
    for (std::size_t i = 0; i < links.size() && components.parts() == all && link(i).rate > link(links.size() - 1).rate;) {
        for (hosts.hostRate = link(i).rate; i < links.size() && link(i).rate == hosts.hostRate; ++i)
            components.join(link(i).from, link(i).to);
    }
    const bool found = components.parts() > 1 && components.parts() < all;
    if (!found) {
        hosts.hostRate = INT64_MAX;
        for (std::int32_t place = 0; place < static_cast<std::int32_t>(members.size()); ++place)
            hosts.rows.push_back({place});
        return hosts;
    }
    hosts.rows = partsOf(components, members);
    for (const std::vector<std::int32_t>& row : hosts.rows)
        hosts.equal = hosts.equal && row.size() == hosts.rows.front().size();
    if (hosts.equal)
        joinRails(graph, members, hosts);
    return hosts;
}

std::vector<std::int32_t> findUnits(const LevelGraph& graph, std::span<const NodeId> members, HostRows& hosts)
{
    std::set<std::int32_t> lengths;
    KnownDistances known;
    if (hosts.hostRate == INT64_MAX && !mayHaveUnits(graph.distances(INT64_MAX), members, hosts, known))
        return {};
    std::vector<Rail> rails = railsOf(graph.distances(hosts.hostRate), members, hosts, lengths, known);
    // Where those links are needed to get along a rail they count.
    if (lengths.contains(LevelDistances::kFar) && hosts.hostRate != INT64_MAX) {
        known.clear();
        rails = railsOf(graph.distances(INT64_MAX), members, hosts, lengths, known);
    }
    std::vector<std::vector<std::int32_t>> units; // by size: the first host of its unit, by host
    std::vector<std::int32_t> sizes;
    for (auto length = lengths.begin(); length != lengths.end() && std::next(length) != lengths.end(); ++length) {
        std::vector<std::int32_t> first = rails.front().within(*length);
        const bool same = std::all_of(rails.begin() + 1, rails.end(), [&](const Rail& rail) { return rail.within(*length) == first; });
        if (first.empty() || !same)
            break;
        sizes.push_back(static_cast<std::int32_t>(std::count(first.begin(), first.end(), 0)));
        units.push_back(std::move(first));
    }
    std::vector<std::int32_t> order(hosts.rows.size());
    std::iota(order.begin(), order.end(), 0);
    for (const std::vector<std::int32_t>& first : units)
        std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return first[at(a)] < first[at(b)]; });
    std::vector<std::vector<std::int32_t>> rows;
    for (const std::int32_t host : order)
        rows.push_back(std::move(hosts.rows[at(host)]));
    hosts.rows = std::move(rows);
    return sizes;
}

} // namespace fabricscope
