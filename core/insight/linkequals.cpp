#include "core/insight/linkequals.h"

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::int64_t kFewestEquals = 3; ///< With the link itself; of two nobody knows which one is unusual.
constexpr std::size_t kPassesOn = 2;      ///< A switch with so many neighbours only passes on (a network card), it does not spread.

/// Steps from the nearest NPU; NPUs have 0.
std::vector<std::int32_t> levelsOf(const PlatformSpec& spec, const std::vector<std::vector<NodeId>>& neighbours)
{
    std::vector<std::int32_t> level(spec.nodes.size(), -1);
    std::deque<NodeId> open;
    for (std::size_t node = 0; node < spec.nodes.size(); ++node) {
        if (spec.nodes.kind(node) != NodeKind::Npu)
            continue;
        level[node] = 0;
        open.push_back(static_cast<NodeId>(node));
    }
    for (; !open.empty(); open.pop_front()) {
        for (const NodeId next : neighbours[static_cast<std::size_t>(open.front())]) {
            if (level[static_cast<std::size_t>(next)] >= 0)
                continue;
            level[static_cast<std::size_t>(next)] = level[static_cast<std::size_t>(open.front())] + 1;
            open.push_back(next);
        }
    }
    return level;
}

} // namespace

LinkEquals::LinkEquals(const Platform& platform) : m_platform(platform)
{
    if (platform.isExplicit())
        countGraph();
    else
        countDimensions();
}

std::int64_t LinkEquals::figureOf(LinkId link, Figure figure) const
{
    return figure == Rate ? m_platform.bandwidth(link).bytesPerSecond : m_platform.latency(link).ps;
}

/// Only classes with an override can hold a link that is unlike the others.
void LinkEquals::countDimensions()
{
    for (const LinkOverride& override : m_platform.spec().linkOverrides) {
        const Class name = classOf(override.link);
        const auto [entry, added] = m_classes.try_emplace(name);
        const Dimension& dimension = m_platform.dimensions()[static_cast<std::size_t>(name[0])];
        const std::int64_t usual[] = {dimension.linkBandwidth().bytesPerSecond, dimension.linkLatency().ps};
        for (const Figure figure : {Rate, Latency}) {
            Counts& counts = entry->second[figure];
            if (added)
                counts[usual[figure]] = m_platform.npuCount(); // A port per NPU.
            --counts[usual[figure]];
            if (!m_platform.isRemoved(override.link))
                ++counts[figureOf(override.link, figure)];
        }
    }
}

void LinkEquals::countGraph()
{
    const PlatformSpec& spec = m_platform.spec();
    std::vector<std::vector<NodeId>> neighbours(spec.nodes.size());
    for (std::size_t link = 0; link < spec.links.size(); ++link) {
        neighbours[static_cast<std::size_t>(spec.links.from(link))].push_back(spec.links.to(link));
        neighbours[static_cast<std::size_t>(spec.links.to(link))].push_back(spec.links.from(link));
    }
    for (std::vector<NodeId>& of : neighbours) {
        std::sort(of.begin(), of.end());
        of.erase(std::unique(of.begin(), of.end()), of.end());
    }
    const std::vector<std::int32_t> level = levelsOf(spec, neighbours);
    const auto roleOf = [&](NodeId node) {
        const auto at = static_cast<std::size_t>(node);
        const bool passesOn = spec.nodes.kind(at) == NodeKind::Switch && neighbours[at].size() <= kPassesOn;
        return std::tuple(spec.nodes.kind(at), level[at], passesOn);
    };
    std::map<std::pair<std::tuple<NodeKind, std::int32_t, bool>, std::tuple<NodeKind, std::int32_t, bool>>, std::int32_t> keys;
    std::set<std::tuple<std::int64_t, std::int64_t, NodeId>> seen[2];
    std::set<std::pair<std::int64_t, NodeId>> senders;
    m_key.reserve(spec.links.size());
    for (std::size_t link = 0; link < spec.links.size(); ++link) {
        const ExplicitLink one = spec.links[link];
        const std::int32_t key = keys.try_emplace({roleOf(one.from), roleOf(one.to)}, static_cast<std::int32_t>(keys.size())).first->second;
        m_key.push_back(key);
        if (m_platform.isRemoved(static_cast<LinkId>(link)))
            continue;
        if (senders.emplace(key, one.from).second)
            ++m_sendersOfKey[key];
        for (const Figure figure : {Rate, Latency}) {
            const std::int64_t value = figureOf(static_cast<LinkId>(link), figure);
            ++m_classes[{key, 0, 0}][figure][value];
            ++m_into[{key, one.to}][figure][value];
            ++m_outOf[{key, one.from}][figure][value];
            if (seen[figure].emplace(key, value, one.from).second)
                ++m_senders[figure][{key, value}];
        }
    }
}

LinkEquals::Class LinkEquals::classOf(LinkId link) const
{
    if (!m_platform.isExplicit()) {
        const LinkInfo info = m_platform.linkInfo(link);
        return {info.dimension, info.port, 0};
    }
    const std::int64_t key = m_key[static_cast<std::size_t>(link)];
    // Network cards and links inside a host are no equals: where every node has both rates, they are two roles.
    const std::int64_t rate = figureOf(link, Rate);
    const auto slow = usual(link, Rate);
    return {key, slow ? slow->figure : rate, 1};
}

bool LinkEquals::isWorse(std::int64_t figure, std::int64_t than, Figure kind)
{
    return kind == Rate ? static_cast<double>(figure) < 0.95 * static_cast<double>(than) : static_cast<double>(figure) > 1.5 * static_cast<double>(than);
}

/// Against what most of them have. Nothing where there is no such figure, or many are as bad.
std::optional<LinkEquals::Usual> LinkEquals::against(const Counts& counts, std::int64_t own, Figure kind)
{
    Usual usual;
    std::int64_t most = 0;
    for (const auto& [figure, count] : counts) {
        usual.links += count;
        if (count > most) {
            most = count;
            usual.figure = figure;
        }
    }
    if (usual.links < kFewestEquals || 2 * most <= usual.links || !isWorse(own, usual.figure, kind))
        return std::nullopt;
    for (const auto& [figure, count] : counts)
        usual.worse += isWorse(figure, usual.figure, kind) ? count : 0;
    if (usual.worse > std::max<std::int64_t>(1, usual.links / 4))
        return std::nullopt;
    return usual;
}

/// More than half of the nodes that send over such links have one with this figure.
bool LinkEquals::isRole(std::int64_t key, std::int64_t figure, Figure kind) const
{
    const auto with = m_senders[kind].find({key, figure});
    const auto all = m_sendersOfKey.find(key);
    return with != m_senders[kind].end() && all != m_sendersOfKey.end() && all->second > 1 && 2 * with->second > all->second;
}

std::optional<LinkEquals::Usual> LinkEquals::usual(LinkId link, Figure kind) const
{
    const std::int64_t own = figureOf(link, kind);
    if (!m_platform.isExplicit()) {
        const auto entry = m_classes.find(classOf(link));
        return entry == m_classes.end() ? std::nullopt : against(entry->second[kind], own, kind);
    }
    const std::int64_t key = m_key[static_cast<std::size_t>(link)];
    if (isRole(key, own, kind))
        return std::nullopt;
    const Counts& all = m_classes.at({key, 0, 0})[kind];
    // Neighbours at the same node know best; where they are too few or of several roles, the whole class.
    const ExplicitLink ends = m_platform.spec().links[static_cast<std::size_t>(link)];
    const Counts* const groups[] = {&m_into.at({key, ends.to})[kind], &m_outOf.at({key, ends.from})[kind], &all};
    for (const Counts* group : groups) {
        std::int64_t links = 0;
        std::int64_t most = 0;
        for (const auto& [figure, count] : *group) {
            links += count;
            most = std::max(most, count);
        }
        if (links < kFewestEquals || 2 * most <= links)
            continue;
        std::optional<Usual> found = against(*group, own, kind);
        if (found && group != &all) {
            // So many of them elsewhere too that they are a part of the plan.
            std::int64_t same = 0;
            std::int64_t total = 0;
            for (const auto& [figure, count] : all) {
                same += figure == own ? count : 0;
                total += count;
            }
            if (4 * same > std::max<std::int64_t>(total, 4))
                return std::nullopt;
        }
        return found;
    }
    // Several roles: worse than every one of them.
    std::optional<std::int64_t> worstRole;
    std::int64_t total = 0;
    std::int64_t worse = 0;
    for (const auto& [figure, count] : all) {
        total += count;
        if (isRole(key, figure, kind) && (!worstRole || isWorse(figure, *worstRole, kind)))
            worstRole = figure;
    }
    if (!worstRole || !isWorse(own, *worstRole, kind))
        return std::nullopt;
    for (const auto& [figure, count] : all)
        worse += isWorse(figure, *worstRole, kind) ? count : 0;
    if (worse > std::max<std::int64_t>(1, total / 8))
        return std::nullopt;
    return Usual{*worstRole, total, worse};
}

std::optional<LinkEquals::Usual> LinkEquals::slowerThan(LinkId link) const
{
    return usual(link, Rate);
}

std::optional<LinkEquals::Usual> LinkEquals::laterThan(LinkId link) const
{
    return usual(link, Latency);
}

} // namespace fabricscope
