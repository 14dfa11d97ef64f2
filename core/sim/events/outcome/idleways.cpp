#include "core/sim/events/outcome/idleways.h"

#include "core/base/index.h"
#include "core/platform/distances.h"
#include "core/platform/npulinks.h"
#include "core/platform/unequalgroups.h"
#include "core/scenario/networkparams.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace fabricscope::events {

namespace {

constexpr std::int64_t kMostIdleSteps = std::int64_t{1} << 24;
constexpr std::size_t kMostNames = 3;
constexpr std::int64_t kLeastBlock = 64; ///< Bytes for every rank and chunk from which on no block is empty, however often it is cut.

/// Of one node: a link that several pairs share, and those that stayed idle beside it.
struct Idle {
    NodeId node = 0;
    LinkId shared = 0;
    std::int64_t pairs = 0;
    std::vector<LinkId> links;
};

class Search {
public:
    Search(const Scenario& scenario, const Routes& routes, std::span<const LinkId> used)
        : m_platform(scenario.structure->platform)
        , m_network(scenario.params->network.get())
        , m_routes(routes)
        , m_fastest(m_platform)
        , m_onlyParallel(m_network && m_network->routing && !rowOf(m_network->routing->policy).fewest)
        , m_busy(at(m_platform.linkCount()), false)
    {
        for (const LinkId link : used) {
            m_busy[at(link)] = true;
            for (const std::int32_t copy : routes.folding() ? routes.folding()->copiesOfLink(link) : std::span<const std::int32_t>())
                m_busy[at(copy)] = true;
        }
        if (!m_network)
            return;
        for (const LinkChange& change : m_network->changes) { // What has failed is not idle by choice.
            if (change.kind == LinkChange::Kind::Failed)
                m_busy[at(change.link)] = true;
        }
    }

    std::vector<Idle> run()
    {
        collect();
        std::vector<Idle> found;
        for (const auto& [link, ends] : m_ends) {
            const NodeId node = m_platform.linkInfo(link).from;
            Idle idle{node, link, static_cast<std::int64_t>(ends.size()), {}};
            for (const LinkId other : m_idle.at(node)) {
                if (ends.size() > 1 && leadsAsClose(other, link, ends))
                    idle.links.push_back(other);
            }
            if (!idle.links.empty())
                found.push_back(std::move(idle));
        }
        return found;
    }

private:
    /// Every way with its ends, link by link, until there are too many. Where some ranks stand for others, `folded` says whether the ways of those are
    /// shown too.
    template <class Take>
    void forEachLink(const Take& take, bool folded)
    {
        if (m_routes.folding()) {
            forEachFoldedLink(*m_routes.folding(), take, folded);
            return;
        }
        std::vector<LinkId> links;
        for (std::size_t number = 0; number < m_routes.count() && m_steps <= kMostIdleSteps; ++number) {
            const auto route = static_cast<std::int32_t>(number);
            if (!m_routes.isChosen(route))
                continue;
            links.clear();
            m_routes.appendLinks(route, links);
            m_steps += static_cast<std::int64_t>(links.size());
            for (const LinkId link : links)
                take(link, m_routes[route].source, m_routes[route].target);
        }
        if (!m_routes.others())
            return;
        m_routes.others()->forEach([&](NodeId source, NodeId target, std::span<const std::int32_t> way) {
            if (m_steps > kMostIdleSteps)
                return false;
            m_steps += static_cast<std::int64_t>(way.size());
            for (const std::int32_t link : way)
                take(m_routes.linkIds()[at(link)], source, target);
            return true;
        });
    }

    template <class Take>
    void forEachFoldedLink(const Folding& folding, const Take& take, bool folded)
    {
        std::vector<LinkId> links;
        for (const Folding::Send& send : folding.sends) {
            const Folding::Way& way = folding.ways[at(send.way)];
            m_steps += std::int64_t{way.hops} * folding.copies;
            for (const std::int32_t link : folding.linksOf(way)) {
                if (!folded)
                    take(link, way.source, way.target);
            }
            for (std::int32_t copy = 0; folded && copy < folding.copies; ++copy) {
                links.clear();
                const NodeId target = folding.copiedWay(send.kind, send.rank, copy, links);
                for (const LinkId link : links)
                    take(link, folding.nodeOf(folding.copyOf(send.rank, copy)), target);
            }
        }
    }

    /// By link: how many ways cross it; several are 2.
    std::vector<std::int32_t> waysByLink()
    {
        std::vector<std::int32_t> ways(m_busy.size(), 0);
        forEachLink([&](LinkId link, NodeId, NodeId) { ways[at(link)] = std::min(ways[at(link)] + 1, 2); }, false);
        if (const Folding* const folding = m_routes.folding()) { // As many cross a link as cross all others that one stands for.
            std::vector<std::int32_t> crossed(ways.size(), 0);
            for (std::size_t link = 0; link < ways.size(); ++link) {
                if (ways[link] > 0) {
                    std::int32_t& all = crossed[at(folding->linkFor[link])];
                    all = std::min(all + ways[link], 2);
                }
            }
            for (std::size_t link = 0; link < ways.size(); ++link)
                ways[link] = folding->linkFor[link] >= 0 ? crossed[at(folding->linkFor[link])] : 0;
        }
        return ways;
    }

    /// Links that several ways cross, whose node has others that carried nothing, with the pairs of those ways.
    void collect()
    {
        const std::vector<std::int32_t> ways = waysByLink();
        std::vector<bool> shares(m_platform.spec().nodes.size(), false); // By node: it has a link that several ways cross.
        for (LinkId link = 0; link < m_platform.linkCount(); ++link) {
            if (ways[at(link)] > 1)
                shares[at(m_platform.linkInfo(link).from)] = true;
        }
        for (LinkId link = 0; link < m_platform.linkCount(); ++link) {
            if (!m_busy[at(link)] && !m_platform.isRemoved(link) && shares[at(m_platform.linkInfo(link).from)])
                m_idle[m_platform.linkInfo(link).from].push_back(link);
        }
        if (m_idle.empty())
            return;
        std::vector<bool> asked(ways.size(), false); // By link: several ways cross it, beside idle ones.
        for (LinkId link = 0; link < m_platform.linkCount(); ++link)
            asked[at(link)] = ways[at(link)] > 1 && m_idle.contains(m_platform.linkInfo(link).from);
        forEachLink([&](LinkId link, NodeId source, NodeId target) {
            if (asked[at(link)])
                m_ends[link].emplace_back(source, target);
        }, true);
        for (auto& [link, ends] : m_ends) {
            std::sort(ends.begin(), ends.end());
            ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        }
    }

    bool leadsAsClose(LinkId link, LinkId shared, const std::vector<std::pair<NodeId, NodeId>>& all)
    {
        const LinkInfo info = m_platform.linkInfo(link);
        if (m_onlyParallel)
            return info.to == m_platform.linkInfo(shared).to && m_platform.bandwidth(link) >= m_platform.bandwidth(shared);
        if (info.from < m_platform.npuCount() && hasNewRules())
            return isFastEnough(link, shared) && std::all_of(all.begin(), all.end(), [&](const std::pair<NodeId, NodeId>& ends) { return mayCarry(link, ends); });
        if (info.to == m_platform.linkInfo(shared).to) // Parallel.
            return true;
        return std::all_of(all.begin(), all.end(), [&](const std::pair<NodeId, NodeId>& ends) {
            const Distances* distances = distancesTo(ends.second);
            return distances && distances->leadsCloser(*m_graph, link, ends.first != info.from);
        });
    }

    bool hasNewRules() const { return m_network && (m_network->ways || (m_network->routing && m_network->routing->version >= 2)); }

    /// False: an NPU that has the other link would never send by this one, wherever they lead. Distances cost more.
    bool isFastEnough(LinkId link, LinkId other)
    {
        const auto& listed = m_platform.spec().links;
        if (m_linksOf.empty()) {
            m_linksOf.resize(at(m_platform.npuCount()), 0);
            for (const NodeId from : listed.from()) {
                if (from < m_platform.npuCount())
                    ++m_linksOf[at(from)];
            }
        }
        const auto rate = [&](LinkId number) { return static_cast<double>(toBandwidth(listed[at(number)].bandwidth).bytesPerSecond); };
        return rate(link) * m_linksOf[at(listed.from(at(link)))] >= rate(other);
    }

    /// It leads as close as any, and is among those that the NPU it leaves would send by.
    bool mayCarry(LinkId link, const std::pair<NodeId, NodeId>& ends)
    {
        const Distances* distances = distancesTo(ends.second);
        if (!distances)
            return false;
        const NodeId node = m_graph->from(link);
        m_choices.clear();
        for (const std::int32_t other : m_graph->outgoing(node)) {
            if (!m_graph->isGone(other) && distances->leadsCloser(*m_graph, other, ends.first != node))
                m_choices.push_back(other);
        }
        m_fastest.keep(m_choices);
        return std::find(m_choices.begin(), m_choices.end(), link) != m_choices.end();
    }

    /// Null: that would take long.
    const Distances* distancesTo(NodeId target)
    {
        if (const auto known = m_distances.find(target); known != m_distances.end())
            return &known->second;
        if (m_steps > kMostIdleSteps)
            return nullptr;
        if (!m_graph)
            m_graph = m_network && m_network->graph ? m_network->graph : makeFabricGraph(m_platform);
        m_steps += m_graph->nodeCount() + m_graph->linkCount();
        const bool direct = hasNewRules();
        const auto isThere = [this](LinkId link) { return !m_graph->isGone(link); };
        return &m_distances.try_emplace(target, *m_graph, target, direct ? Forwarding::Direct : Forwarding::All, isThere).first->second;
    }

    const Platform& m_platform;
    const NetworkParams* m_network;
    const Routes& m_routes;
    FastestLinks m_fastest;
    bool m_onlyParallel; ///< Ways may be longer than others on purpose: only a link to the same node leads as close.
    std::vector<LinkId> m_choices;
    std::vector<std::int32_t> m_linksOf; ///< By NPU, once asked for.
    std::vector<bool> m_busy; ///< By link.
    std::map<LinkId, std::vector<std::pair<NodeId, NodeId>>> m_ends; ///< Sources and destinations.
    std::map<NodeId, std::vector<LinkId>> m_idle;
    std::shared_ptr<const ExplicitGraph> m_graph;
    std::map<NodeId, Distances> m_distances;
    std::int64_t m_steps = 0;
};

std::string policyOf(const NetworkParams* network)
{
    if (network && network->routing)
        return std::string(rowOf(network->routing->policy).word);
    return std::string(rowOf(network && network->ways ? RoutePolicy::Balanced : RoutePolicy::Shortest).word);
}

/// Blocks of some collective may be empty: engines that answer it as a whole then know ways that no message takes.
bool mayLeaveMessagesOut(const Structure& structure)
{
    return std::any_of(structure.instances.begin(), structure.instances.end(), [](const CollectiveInstance& instance) {
        return instance.program && instance.replayPs < 0 && instance.bytes < kLeastBlock * instance.program->ranks * instance.program->chunks;
    });
}

} // namespace

std::optional<Diagnostic> idleWays(const Scenario& scenario, const Routes& routes, std::span<const LinkId> used)
{
    const Platform& platform = scenario.structure->platform;
    const NetworkParams* const network = scenario.params->network.get();
    if (network && network->routing && (network->routing->policy == RoutePolicy::Table || rowOf(network->routing->policy).queues))
        return std::nullopt; // The design says which, or others were free whenever one was chosen.
    if (!platform.isExplicit() || isUnequalGroups(platform.spec()))
        return std::nullopt; // Dimensions have an order of their own.
    if (platform.linkCount() > mostGraphLinks(platform) || used.empty() || mayLeaveMessagesOut(*scenario.structure))
        return std::nullopt;
    const std::vector<Idle> found = Search(scenario, routes, used).run();
    if (found.empty())
        return std::nullopt;
    std::set<NodeId> nodes;
    for (const Idle& idle : found)
        nodes.insert(idle.node);
    const Idle& most = *std::max_element(found.begin(), found.end(), [](const Idle& a, const Idle& b) { return a.links.size() < b.links.size(); });
    std::string names;
    for (std::size_t i = 0; i < std::min(kMostNames, most.links.size()); ++i)
        names += (i > 0 ? ", " : "") + platform.linkName(most.links[i]);
    if (most.links.size() > kMostNames)
        names += " and " + std::to_string(most.links.size() - kMostNames) + " more";
    std::string text = std::to_string(most.links.size()) + (most.links.size() == 1 ? " link stays idle (" : " links stay idle (") + names + ") that "
        + (most.links.size() == 1 ? "leads" : "lead") + " as close as " + platform.linkName(most.shared) + ", which " + std::to_string(most.pairs)
        + " pairs of NPUs share, under the routing " + policyOf(network);
    if (nodes.size() > 1)
        text += "; likewise at " + std::to_string(nodes.size() - 1) + (nodes.size() == 2 ? " other node" : " other nodes");
    if (policyOf(network) == rowOf(RoutePolicy::Balanced).word)
        text += "; routing spray takes such ways by turns";
    return warning("idle-ways", std::move(text));
}

} // namespace fabricscope::events
