#include "core/platform/router.h"

#include "core/base/seededhash.h"
#include "core/platform/handedon.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

namespace {

/// Distances beyond this many bytes are forgotten and found again.
constexpr std::size_t kCacheBytes = std::size_t{256} << 20;

constexpr std::size_t index(std::int64_t number)
{
    return static_cast<std::size_t>(number);
}

} // namespace

LinkId mostGraphLinks(const Platform& platform)
{
    return platform.isExplicit() && platform.spec().generated.form ? kMaxGeneratedLinks : kMaxGraphLinks;
}

std::shared_ptr<const ExplicitGraph> makeFabricGraph(const Platform& platform)
{
    assert(platform.linkCount() <= mostGraphLinks(platform));
    if (auto listed = platform.graph())
        return listed;
    std::vector<NodeKind> kinds(static_cast<std::size_t>(platform.npuCount()), NodeKind::Npu);
    std::vector<NodeId> firstSwitch(platform.dimensions().size(), 0);
    for (std::size_t d = 0; d < firstSwitch.size(); ++d) {
        const Dimension& dimension = platform.dimensions()[d];
        firstSwitch[d] = static_cast<NodeId>(kinds.size());
        if (dimension.shape == Shape::Switch && dimension.size > 1)
            kinds.resize(kinds.size() + static_cast<std::size_t>(platform.npuCount() / dimension.size), NodeKind::Switch);
    }
    const auto switchOf = [&](const LinkInfo& info) {
        const auto d = static_cast<std::size_t>(info.dimension);
        const std::int64_t stride = platform.stride(d);
        const std::int64_t line = info.owner / (stride * platform.dimensions()[d].size) * stride + info.owner % stride;
        return firstSwitch[d] + static_cast<NodeId>(line);
    };
    std::vector<NodeId> from;
    std::vector<NodeId> to;
    std::vector<bool> gone;
    for (LinkId link = 0; link < platform.linkCount(); ++link) {
        const LinkInfo info = platform.linkInfo(link);
        from.push_back(info.from >= 0 ? info.from : switchOf(info));
        to.push_back(info.to >= 0 ? info.to : switchOf(info));
        gone.push_back(platform.hasRemovals() && platform.isRemoved(link));
    }
    const std::size_t nodes = kinds.size();
    auto graph = std::make_shared<ExplicitGraph>(std::move(kinds), std::move(from), std::move(to));
    if (platform.hasRemovals())
        graph->remove(std::move(gone), std::vector<bool>(nodes, false));
    return graph;
}

Router::Router(const Platform& platform, const RoutingRules& rules, std::shared_ptr<const ExplicitGraph> graph, std::uint64_t seed)
    : m_platform(platform)
    , m_rules(rules)
    , m_graph(std::move(graph))
    , m_seed(seed)
    , m_fastest(platform)
{
}

void Router::setDown(LinkId link, bool down)
{
    if (m_down.empty())
        m_down.resize(static_cast<std::size_t>(m_platform.linkCount()), false);
    if (m_down[static_cast<std::size_t>(link)] == down)
        return;
    m_down[static_cast<std::size_t>(link)] = down;
    m_downLinks += down ? 1 : -1;
    m_distances.clear();
    m_distanceBytes = 0;
    if (m_groups)
        m_groups->forget();
}

const DeclaredNodes& Router::declared()
{
    if (!m_declared)
        m_declared = DeclaredNodes::of(m_platform.spec());
    return *m_declared;
}

const Cards& Router::cards()
{
    if (!m_cards)
        m_cards.emplace(*m_graph);
    return *m_cards;
}

/// Null: nobody says which they are.
const Rails* Router::rails()
{
    if (m_rules.rails)
        return m_rules.rails.get();
    if (!m_rails && declared().hasRails())
        m_rails = Rails::of(declared(), m_platform.npuCount());
    return m_rails ? &*m_rails : nullptr;
}

/// Null: the graph has none.
GroupWays* Router::groups()
{
    if (!m_groups && declared().hasGroups())
        m_groups.emplace(*m_graph, declared());
    return m_groups ? &*m_groups : nullptr;
}

const Distances& Router::distances(const Asked& asked)
{
    if (const auto known = m_distances.find(asked); known != m_distances.end())
        return known->second;
    const auto open = [&](LinkId link) { return asked.up ? isOpen(link) : !m_graph->isGone(link); };
    const Distances& found = m_distances.emplace(asked, Distances(*m_graph, asked.destination, asked.forwarding, open)).first->second;
    m_distanceBytes += found.bytes();
    return found;
}

const Distances* Router::distancesOverSwitches(NodeId from, NodeId to)
{
    if (!m_asked && SwitchRows::appliesTo(*m_graph))
        m_rows.emplace();
    m_asked = true;
    if (!m_rows || m_downLinks > 0 || from == to || m_graph->kind(from) != NodeKind::Npu || m_graph->kind(to) != NodeKind::Npu)
        return nullptr;
    if (m_rows->bytes() > kCacheBytes)
        m_rows->forget();
    m_overSwitches.findOverSwitches(*m_graph, to, from, *m_rows);
    return m_overSwitches.from(from, false) != Distances::kFar ? &m_overSwitches : nullptr;
}

const Distances* Router::nearDistances(NodeId from, NodeId to)
{
    if (m_downLinks > 0 || m_distances.contains({to, false, Forwarding::Direct}))
        return nullptr;
    m_nearLooked.resize(index(m_graph->nodeCount()), 0);
    std::int64_t& looked = m_nearLooked[index(to)];
    if (looked > m_graph->linkCount())
        return nullptr;
    looked += m_near.findNear(*m_graph, to, from);
    return m_near.from(from, false) != Distances::kFar ? &m_near : nullptr;
}

const Distances& Router::distancesFrom(NodeId from, NodeId to, bool up, const RoutePolicyRow& row)
{
    if (row.upDown) {
        const Distances& tree = distances({to, up, Forwarding::UpDown});
        if (tree.from(from, false) != Distances::kFar)
            return tree;
    }
    if (m_rules.version >= 2 || row.siblings) {
        if (const Distances* const shared = distancesOverSwitches(from, to))
            return *shared;
        if (const Distances* const near = nearDistances(from, to))
            return *near;
        const Distances& direct = distances({to, up, Forwarding::Direct});
        if (direct.from(from, false) != Distances::kFar)
            return direct;
    }
    return distances({to, up, Forwarding::All});
}

/// The link a policy chooses among m_choices. `mirrored`: on the way down a tree, the link that went up between the same levels, `digits` what that was
/// chosen by.
LinkId Router::chosen(RouteChoice& at, const RoutePolicyRow& row, LinkId mirrored, std::uint64_t digits)
{
    at.count = m_choices.size();
    if (at.count == 1)
        return m_choices.front();
    const auto sameEnd = [&](LinkId link) { return m_graph->to(link) == m_graph->to(m_choices.front()); };
    if (row.places && mirrored >= 0 && std::all_of(m_choices.begin(), m_choices.end(), sameEnd)) {
        const auto beside = m_graph->outgoing(m_graph->from(mirrored));
        const auto alike = std::count_if(beside.begin(), beside.end(), [&](LinkId link) { return m_graph->to(link) == m_graph->to(mirrored); });
        // Where fewer or more went up, the source cannot stand for the destination.
        const bool mirrors = static_cast<std::size_t>(alike) == m_choices.size();
        return m_choices[mirrors ? index(m_graph->parallelNumber(mirrored) - 1) : digits % m_choices.size()];
    }
    if (row.places && mirrored >= 0) {
        if (const LinkId own = cards().linkToCard(m_choices, at.place); own >= 0)
            return own;
    }
    const std::uint64_t choice = row.choose(at);
    at.digits /= at.count;
    return m_choices[choice];
}

/// The shortest way that is up, by the policy's choice at every node with several links that lead closer.
bool Router::walk(NodeId from, NodeId to, const RouteFlow& flow, const RoutePolicyRow& row, std::vector<LinkId>& links)
{
    if (m_distanceBytes > kCacheBytes) {
        m_distances.clear();
        m_distanceBytes = 0;
    }
    const Distances& up = distancesFrom(from, to, m_downLinks > 0, row);
    const std::int32_t length = up.from(from, false);
    if (length == Distances::kFar)
        return false;
    const Distances* all = m_downLinks > 0 && keepsChoices() ? &distancesFrom(from, to, false, row) : nullptr;
    RouteChoice at{m_seed, from, to, from, flow.id, 0, 0};
    if (row.numbers)
        at.digits = flow.number;
    if (row.places && to < m_platform.npuCount()) {
        if (!m_leaves)
            m_leaves.emplace(*m_graph, cards());
        at.place = m_leaves->placeOf(to, from);
        at.digits += at.place;
    }
    const std::size_t begin = links.size();
    bool passing = false;
    m_digits.clear();
    while (at.node != to) {
        const auto gather = [&](const Distances& distances, bool open) {
            m_choices.clear();
            const Distances::Candidates candidates = distances.candidates(*m_graph, at.node, passing);
            if (candidates.all) {
                m_choices.assign(candidates.links.begin(), candidates.links.end());
            } else {
                for (const std::int32_t link : candidates.links) {
                    if (m_graph->from(link) == at.node && (open ? isOpen(link) : !m_graph->isGone(link)) && distances.leadsCloser(*m_graph, link, passing))
                        m_choices.push_back(link);
                }
            }
            if (row.axes && m_choices.size() > 1)
                keepFirstAxis();
            if (m_rules.version >= 2 && m_graph->kind(at.node) == NodeKind::Npu)
                m_fastest.keep(m_choices);
        };
        const auto collect = [&](const Distances& distances, bool open) {
            // Which are fast enough is a matter of all that are there: what goes by another link than the one that is down stays there.
            const bool someDown = open && m_downLinks > 0;
            gather(distances, open && !someDown);
            if (someDown && std::erase_if(m_choices, [this](LinkId link) { return isDown(link); }) > 0 && m_choices.empty())
                gather(distances, true);
        };
        const std::size_t hop = links.size() - begin;
        const std::size_t other = index(length) - 1 - std::min(hop, index(length) - 1);
        const bool down = m_graph->kind(at.node) == NodeKind::Switch && other < hop;
        const LinkId mirrored = down ? links[begin + other] : -1;
        const std::uint64_t digits = down ? m_digits[other] : 0;
        m_digits.push_back(at.digits);
        const RouteChoice before = at;
        LinkId next = -1;
        if (all) {
            collect(*all, false);
            if (!m_choices.empty())
                next = chosen(at, row, mirrored, digits);
        }
        collect(up, true);
        if (next < 0) {
            next = chosen(at, row, mirrored, digits);
        } else if (std::find(m_choices.begin(), m_choices.end(), next) == m_choices.end()) {
            RouteChoice again = before;
            next = chosen(again, row, mirrored, digits);
        }
        links.push_back(next);
        passing = up.passes(*m_graph, next, passing);
        at.node = m_graph->to(next);
    }
    return true;
}

NodeId Router::middleOf(NodeId from, NodeId to, const RouteFlow& flow)
{
    if (m_middles.empty()) {
        const auto collect = [this](NodeKind kind) {
            for (NodeId node = 0; node < m_graph->nodeCount(); ++node) {
                if (m_graph->kind(node) == kind)
                    m_middles.push_back(node);
            }
        };
        collect(NodeKind::Switch);
        if (m_middles.empty())
            collect(NodeKind::Npu);
    }
    const std::uint64_t draw = seededHash(m_seed, {from, to, static_cast<std::int64_t>(flow.id), static_cast<std::int64_t>(flow.number), -1});
    const NodeId middle = m_middles[draw % m_middles.size()];
    // What is turned away before a failed link goes straight on.
    return middle == from || middle == to || m_graph->kind(from) != NodeKind::Npu ? -1 : middle;
}

std::int32_t Router::middleGroup(std::int32_t from, std::int32_t to, const RouteChoice& at) const
{
    const std::int32_t others = m_groups->count() - (from == to ? 1 : 2);
    if (others < 1)
        return -1;
    const std::uint64_t draw = seededHash(m_seed, {at.from, at.to, static_cast<std::int64_t>(at.id), static_cast<std::int64_t>(at.digits), -1});
    const std::int32_t low = std::min(from, to);
    const std::int32_t high = std::max(from, to);
    auto middle = static_cast<std::int32_t>(draw % static_cast<std::uint64_t>(others));
    if (middle >= low)
        ++middle;
    return high != low && middle >= high ? middle + 1 : middle;
}

bool Router::straight(NodeId from, NodeId to, const RouteFlow& flow, const RoutePolicyRow& row, std::vector<LinkId>& links)
{
    GroupWays* const groups = this->groups();
    if (groups && groups->groupOf(from) >= 0 && groups->groupOf(from) != groups->groupOf(to)) {
        const std::size_t begin = links.size();
        NodeId node = from;
        if (groups->append(node, groups->groupOf(to), [this](LinkId link) { return isOpen(link); }, links) && walk(node, to, flow, row, links))
            return true;
        links.resize(begin);
    }
    return walk(from, to, flow, row, links);
}

bool Router::drawnWay(NodeId node, NodeId from, NodeId to, RouteFlow flow, std::vector<LinkId>& links)
{
    const RoutePolicyRow& row = rowOf(m_rules.policy);
    const std::size_t begin = links.size();
    // What is turned away before a failed link goes straight on.
    if (from >= m_platform.npuCount())
        return false;
    if (GroupWays* const groups = this->groups()) {
        const std::int32_t middle = middleGroup(groups->groupOf(from), groups->groupOf(to), {m_seed, from, to, from, flow.id, flow.number, 0});
        if (middle >= 0 && groups->append(node, middle, [this](LinkId link) { return isOpen(link); }, links) && straight(node, to, flow, row, links))
            return true;
    } else if (const NodeId middle = middleOf(from, to, flow); middle >= 0 && walk(node, middle, flow, row, links) && walk(middle, to, flow, row, links)) {
        return true;
    }
    links.resize(begin);
    return false;
}

void Router::closerLinks(NodeId node, NodeId to, bool passing, std::vector<LinkId>& links)
{
    const RoutePolicyRow& row = rowOf(m_rules.policy);
    const std::size_t begin = links.size();
    if (m_distanceBytes > kCacheBytes) {
        m_distances.clear();
        m_distanceBytes = 0;
    }
    if (GroupWays* const groups = row.settles ? this->groups() : nullptr; groups && groups->groupOf(node) >= 0 && groups->groupOf(node) != groups->groupOf(to))
        groups->choices(node, groups->groupOf(to), [this](LinkId link) { return isOpen(link); }, links);
    // Where links are down, a group may be entered at a router from which nothing leads on.
    if (m_downLinks > 0) {
        const auto endsThere = [&](LinkId link) { return m_graph->to(link) != to && distancesFrom(m_graph->to(link), to, true, row).from(m_graph->to(link), false) == Distances::kFar; };
        links.erase(std::remove_if(links.begin() + static_cast<std::ptrdiff_t>(begin), links.end(), endsThere), links.end());
    }
    if (links.size() > begin) {
        if (m_rules.version >= 2 && m_graph->kind(node) == NodeKind::Npu)
            m_fastest.keep(links, begin);
        return;
    }
    const bool up = m_downLinks > 0;
    const Distances* left = nullptr;
    if (passing && m_graph->kind(node) == NodeKind::Npu) { // One that passes on may do less than where messages begin.
        const Forwarding forwarding = m_rules.version >= 2 ? Forwarding::Direct : Forwarding::All;
        left = &distances({to, up, forwarding});
        if (left->from(node, true) == Distances::kFar)
            left = &distances({to, up, Forwarding::All});
    } else {
        left = &distancesFrom(node, to, up, row);
    }
    const auto gather = [&](bool open) {
        for (const std::int32_t link : m_graph->outgoing(node)) {
            if ((open ? isOpen(link) : !m_graph->isGone(link)) && left->leadsCloser(*m_graph, link, passing))
                links.push_back(link);
        }
        if (m_rules.version >= 2 && m_graph->kind(node) == NodeKind::Npu)
            m_fastest.keep(links, begin);
    };
    gather(false);
    links.erase(std::remove_if(links.begin() + static_cast<std::ptrdiff_t>(begin), links.end(), [this](LinkId link) { return isDown(link); }), links.end());
    if (links.size() == begin)
        gather(true);
}

void Router::straightOver(LinkId first, NodeId to, RouteFlow flow, std::vector<LinkId>& links)
{
    links.push_back(first);
    const bool found = straight(m_graph->to(first), to, flow, rowOf(m_rules.policy), links);
    assert(found); // Else the link would not lead there.
    static_cast<void>(found);
}

bool Router::hasSwitches() const
{
    if (!m_hasSwitches) {
        m_hasSwitches = false;
        for (NodeId node = m_graph->nodeCount() - 1; node >= 0 && !*m_hasSwitches; --node)
            m_hasSwitches = m_graph->kind(node) == NodeKind::Switch;
    }
    return *m_hasSwitches;
}

bool Router::settlesAt(NodeId node, const std::vector<LinkId>& on)
{
    if (!rowOf(m_rules.policy).settles || (m_graph->kind(node) != NodeKind::Switch && hasSwitches()))
        return false;
    return !cards().leavesHost(on);
}

std::int64_t Router::switchLinks(const std::vector<LinkId>& links) const
{
    if (!hasSwitches())
        return static_cast<std::int64_t>(links.size());
    return std::count_if(links.begin(), links.end(), [this](LinkId link) { return m_graph->kind(m_graph->from(link)) == NodeKind::Switch && m_graph->kind(m_graph->to(link)) == NodeKind::Switch; });
}

/// Appends a way that changes rails inside of a host: between rails, and on one rail where nothing else leads there; false, and nothing appended: there is none, or
/// none is needed.
bool Router::bySibling(NodeId from, NodeId to, const RouteFlow& flow, const RoutePolicyRow& row, std::vector<LinkId>& links)
{
    const NodeId npus = m_platform.npuCount();
    const Rails* const rails = to < npus ? this->rails() : nullptr;
    if (!rails)
        return false;
    const std::size_t begin = links.size();
    const auto inside = [&](NodeId start, NodeId end) {
        const std::size_t first = links.size();
        const auto leaves = [&](LinkId link) { return !rails->isInside(m_graph->to(link), rails->hostOf(start)); };
        return walk(start, end, flow, row, links) && std::none_of(links.begin() + static_cast<std::ptrdiff_t>(first), links.end(), leaves);
    };
    // From `from` to an NPU of the own host, to one of the other host, and there to the end; each may be the one before.
    const auto by = [&](NodeId own, NodeId other) {
        links.resize(begin);
        return (own == from || inside(from, own)) && walk(own, other, flow, row, links) && (other == to || inside(other, to));
    };
    const bool begins = from < npus && rails->hostOf(from) != rails->hostOf(to);
    const auto ownOf = [&](std::int32_t rail) { return begins ? rails->npu(rails->hostOf(from), rail) : from; };
    const auto otherOf = [&](std::int32_t rail) { return rails->npu(rails->hostOf(to), rail); };
    const std::int32_t last = rails->railOf(to);
    if (begins && rails->railOf(from) != last && (by(ownOf(last), to) || by(from, otherOf(rails->railOf(from)))))
        return true;
    links.resize(begin);
    if (m_downLinks == 0)
        return false;
    // Not even a way through the network: the other rails in turn, so that what fails on several rails does not all come to one. Siblings in the own host first.
    if (walk(from, to, flow, row, links))
        return true;
    const bool apart = from >= npus || begins;
    for (const auto& [changesFirst, changesLast] : {std::pair{true, false}, {false, true}, {true, true}}) {
        for (std::int32_t step = 1; step < rails->count && apart && (begins || !changesFirst); ++step) {
            const std::int32_t rail = (last + step) % rails->count;
            if (by(changesFirst ? ownOf(rail) : from, changesLast ? otherOf(rail) : to))
                return true;
        }
    }
    links.resize(begin);
    return appendHandedOn(*m_graph, from, to, [this](LinkId link) { return isOpen(link); }, links);
}

void Router::keepFirstAxis()
{
    const DeclaredNodes& nodes = declared();
    if (!nodes.hasAxes())
        return;
    if (m_rankOfAxis.empty()) {
        for (std::size_t axis = 0; axis < nodes.sizes.size(); ++axis)
            m_rankOfAxis.push_back(axis);
        for (std::size_t rank = 0; rank < m_rules.order.size(); ++rank)
            m_rankOfAxis[index(m_rules.order[rank])] = rank;
    }
    // What is along no axis leads into the grid or out of it, and has nothing beside it that is.
    const auto rankOf = [&](LinkId link) {
        const std::int32_t axis = nodes.axisBetween(m_graph->from(link), m_graph->to(link));
        return axis < 0 ? m_rankOfAxis.size() : m_rankOfAxis[index(axis)];
    };
    std::size_t first = m_rankOfAxis.size();
    for (const LinkId link : m_choices)
        first = std::min(first, rankOf(link));
    std::erase_if(m_choices, [&](LinkId link) { return rankOf(link) != first; });
}

/// Table: the next link from a node towards a destination, the listed one or the first of the shortest way.
LinkId Router::nextLink(NodeId at, NodeId to) const
{
    if (const auto listed = m_rules.next.find({at, to}); listed != m_rules.next.end())
        return listed->second;
    if (m_platform.isExplicit() || at < m_platform.npuCount()) {
        std::vector<LinkId> rest;
        m_platform.route(at, to, rest);
        return rest.front();
    }
    // A switch of a dimension: down to the NPU that has the coordinate of the destination, or the first one that is there.
    LinkId first = -1;
    for (const std::int32_t link : m_graph->outgoing(at)) {
        if (m_graph->isGone(link))
            continue;
        const auto dimension = static_cast<std::size_t>(m_platform.linkInfo(link).dimension);
        if (m_platform.coordinate(m_graph->to(link), dimension) == m_platform.coordinate(to, dimension))
            return link;
        first = first < 0 ? link : first;
    }
    return first;
}

void Router::policyRoute(NodeId from, NodeId to, std::vector<LinkId>& links) const
{
    switch (m_rules.policy) {
    case RoutePolicy::Shortest:
    case RoutePolicy::Ecmp:
    case RoutePolicy::Balanced:
    case RoutePolicy::Spray:
    case RoutePolicy::UpDown:
    case RoutePolicy::Valiant:
    case RoutePolicy::RailAware:
    case RoutePolicy::LeastQueued:
    case RoutePolicy::Adaptive:
        m_platform.route(from, to, links);
        break;
    case RoutePolicy::DimensionOrder: {
        if (m_platform.isExplicit()) {
            m_platform.route(from, to, links);
            break;
        }
        NodeId at = from;
        const auto cross = [&](std::size_t dimension) {
            const NodeId next = m_platform.withCoordinate(at, dimension, m_platform.coordinate(to, dimension));
            m_platform.route(at, next, links);
            at = next;
        };
        for (const std::int32_t dimension : m_rules.order)
            cross(static_cast<std::size_t>(dimension));
        for (std::size_t d = 0; m_rules.order.empty() && d < m_platform.dimensions().size(); ++d)
            cross(d);
        break;
    }
    case RoutePolicy::Table: {
        if (const auto listed = m_rules.routes.find({from, to}); listed != m_rules.routes.end()) {
            links.insert(links.end(), listed->second.begin(), listed->second.end());
            return;
        }
        // A table that has not been checked may go in a circle: it is cut there.
        NodeId at = from;
        for (std::int32_t hops = 0; at != to && hops <= m_graph->nodeCount(); ++hops) {
            links.push_back(nextLink(at, to));
            at = m_graph->to(links.back());
        }
        break;
    }
    }
}

bool Router::route(NodeId from, NodeId to, RouteFlow flow, std::vector<LinkId>& links)
{
    if (from == to)
        return true;
    const std::size_t begin = links.size();
    const RoutePolicyRow& row = rowOf(m_rules.policy);
    if (row.middle)
        return drawnWay(from, from, to, flow, links) || straight(from, to, flow, row, links);
    if (row.settles)
        return straight(from, to, flow, row, links);
    if (row.siblings && bySibling(from, to, flow, row, links))
        return true;
    if (dependsOnFlow())
        return walk(from, to, flow, row, links);
    if (from < m_platform.npuCount()) {
        policyRoute(from, to, links);
        const auto first = links.begin() + static_cast<std::ptrdiff_t>(begin);
        if (std::none_of(first, links.end(), [this](LinkId link) { return isDown(link); }))
            return true;
        links.resize(begin);
    }
    return walk(from, to, flow, rowOf(RoutePolicy::Shortest), links);
}

} // namespace fabricscope
