#include "core/sim/symmetry/graphclasses.h"

#include "core/base/axes.h"
#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/scenario/networkparams.h"
#include "core/sim/symmetry/alike.h"
#include "core/sim/symmetry/grouptraffic.h"
#include "core/sim/symmetry/refinedclasses.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

namespace {

class ClassFinder {
public:
    ClassFinder(const Scenario& scenario, GroupTraffic traffic, const std::stop_token& stop)
        : m_scenario(scenario)
        , m_stop(stop)
        , m_structure(*scenario.structure)
        , m_platform(m_structure.platform)
        , m_traffic(std::move(traffic))
        , m_ranks(m_structure.workload->rankCount)
    {
        m_folding.targets = std::move(m_traffic.targets);
        m_folding.nodeOf = [placement = m_structure.placement](std::int32_t rank) { return placement.nodeOf(rank); };
        m_folding.route = [platform = m_platform, network = scenario.params->network](NodeId source, NodeId target, std::vector<LinkId>& links) {
            if (network && network->ways)
                network->ways->route(source, target, links);
            else
                platform.route(source, target, links);
        };
        m_linkStamp.assign(at(m_platform.linkCount()), 0);
        m_rankStamp.assign(at(m_ranks), 0);
        m_images.assign(at(m_ranks), {0, 0});
    }

    /// Throws StopRequested, as all below.
    Result<Folding> run();

private:
    void setClasses();
    void setMembers();
    bool isSymmetric();
    bool isSymmetricByClasses();
    bool refine();
    bool fitsAlongAxes();
    bool groupsMatch(const std::vector<std::int32_t>& groups);
    bool pairsMatch();
    bool pairsOfRankMatch(std::int32_t rank);
    bool sendsMatch(std::size_t kind, std::int32_t rank);
    bool linkMatches(std::int32_t base, std::int32_t link, std::int32_t copy, bool fresh);
    void finish();
    void addCopies(std::size_t kind, std::int32_t rank);

    const Scenario& m_scenario;
    const std::stop_token& m_stop;
    const Structure& m_structure;
    const Platform& m_platform;
    GroupTraffic m_traffic; ///< Its targets are in m_folding.
    const std::int32_t m_ranks;
    std::vector<std::int32_t> m_period; ///< By axis.
    Folding m_folding;
    std::vector<std::int32_t> m_simulated;
    std::vector<std::int32_t> m_linkStamp;
    std::vector<std::int32_t> m_rankStamp;
    std::vector<std::pair<std::int32_t, std::int32_t>> m_images; ///< By rank that tasks send to: stamp, and whom those of a copy send to instead.
    std::int32_t m_stamp = 0;
    std::vector<LinkId> m_scratch;
    std::vector<LinkId> m_copied; ///< Links of all copies of one way, one after another.
};

/// Who stands for whom under m_period: the rank whose places along the axes are those modulo the periods.
void ClassFinder::setClasses()
{
    m_folding.rankFor.assign(at(m_ranks), 0);
    m_folding.copies = 1;
    for (std::size_t axis = 0; axis < m_period.size(); ++axis)
        m_folding.copies *= m_traffic.axes[axis] / m_period[axis];
    const std::vector<std::int32_t> strides = stridesOf(m_traffic.axes);
    for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
        std::int32_t standsFor = 0;
        for (std::size_t axis = 0; axis < m_period.size(); ++axis)
            standsFor += rank / strides[axis] % m_traffic.axes[axis] % m_period[axis] * strides[axis];
        m_folding.rankFor[at(rank)] = standsFor;
    }
    setMembers();
}

/// Who is simulated, and for whom each stands. \pre rankFor and copies are those of classes of one size, each with its first rank
void ClassFinder::setMembers()
{
    m_simulated.clear();
    m_folding.firstMember.assign(at(m_ranks), 0);
    m_folding.members.assign(at(m_ranks), 0);
    std::vector<std::int32_t> filled(at(m_ranks), 0);
    for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
        const std::int32_t standsFor = m_folding.rankFor[at(rank)];
        if (standsFor == rank) {
            m_folding.firstMember[at(rank)] = static_cast<std::int32_t>(m_simulated.size()) * m_folding.copies;
            m_simulated.push_back(rank);
        }
        m_folding.members[at(m_folding.firstMember[at(standsFor)] + filled[at(standsFor)]++)] = rank;
    }
}

/// Does every group hold members of the same classes as the group of one that stands for a member, and the group of a simulated rank all that stand for its own?
bool ClassFinder::groupsMatch(const std::vector<std::int32_t>& groups)
{
    const auto count = at(*std::max_element(groups.begin(), groups.end()) + 1);
    std::vector<std::vector<std::int32_t>> classes(count);
    for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
        if (groups[at(rank)] >= 0)
            classes[at(groups[at(rank)])].push_back(m_folding.rankFor[at(rank)]);
    }
    for (std::vector<std::int32_t>& each : classes) {
        checkStop(m_stop);
        std::sort(each.begin(), each.end());
        each.erase(std::unique(each.begin(), each.end()), each.end());
    }
    for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
        if (groups[at(rank)] < 0) // Nor has the other, whose role is the same.
            continue;
        const auto own = at(groups[at(rank)]);
        const auto other = at(groups[at(m_folding.rankFor[at(rank)])]);
        if (own != other && classes[own] != classes[other])
            return false;
    }
    // A group with a simulated member: all who stand for its members are in it.
    for (const std::int32_t rank : m_simulated) {
        const auto own = groups[at(rank)];
        if (own < 0)
            continue;
        const auto& all = classes[at(own)];
        if (std::any_of(all.begin(), all.end(), [&](std::int32_t one) { return groups[at(one)] != own; }))
            return false;
    }
    return true;
}

/// Do all copies of a rank send to as many as it does, and what it sends to one rank goes to one rank at every copy? Keeps the pairs that stand for theirs.
bool ClassFinder::pairsOfRankMatch(std::int32_t rank)
{
    for (std::int32_t number = 0; number < m_folding.copies; ++number) {
        const std::int32_t copy = m_folding.copyOf(rank, number);
        ++m_stamp;
        for (const std::size_t kind : m_traffic.taskKinds) {
            checkStop(m_stop);
            const std::int32_t first = m_folding.targets[kind][at(rank)];
            const std::int32_t second = m_folding.targets[kind][at(copy)];
            if ((first < 0) != (second < 0))
                return false;
            if (first < 0)
                continue;
            auto& [stamp, image] = m_images[at(first)];
            if (stamp == m_stamp) {
                if (image != second)
                    return false;
                continue;
            }
            if (m_rankStamp[at(second)] == m_stamp)
                return false;
            stamp = m_stamp;
            image = second;
            m_rankStamp[at(second)] = m_stamp;
            m_folding.pairs[Folding::pairKey(copy, second)] = {rank, first};
        }
    }
    return true;
}

/// The same of all, and does what copies of a rank receive with one task come from pairs that one stands for?
bool ClassFinder::pairsMatch()
{
    m_folding.pairs.clear();
    if (!std::all_of(m_simulated.begin(), m_simulated.end(), [this](std::int32_t rank) { return pairsOfRankMatch(rank); }))
        return false;
    for (const std::vector<std::int32_t>& sources : m_traffic.sources) {
        for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
            checkStop(m_stop);
            const std::int32_t source = sources[at(rank)];
            const std::int32_t standsFor = m_folding.rankFor[at(rank)];
            if ((source < 0) != (sources[at(standsFor)] < 0))
                return false;
            if (source < 0)
                continue;
            const auto own = m_folding.pairs.find(Folding::pairKey(source, rank));
            const auto first = m_folding.pairs.find(Folding::pairKey(sources[at(standsFor)], standsFor));
            if (own == m_folding.pairs.end() || first == m_folding.pairs.end() || own->second != first->second) // Or nobody sends it.
                return false;
        }
    }
    return true;
}

/// Are two links as fast, and is this one the link that stands for `base` at a copy, crossed once?
bool ClassFinder::linkMatches(std::int32_t base, std::int32_t link, std::int32_t copy, bool fresh)
{
    const ResourceClass first = m_structure.classOf(base);
    const ResourceClass second = m_structure.classOf(link);
    const Params& params = *m_scenario.params;
    if (!m_platform.isExplicit() && m_platform.linkInfo(base).dimension != m_platform.linkInfo(link).dimension)
        return false; // Counted apart.
    if (params.linkRate[at(first)] != params.linkRate[at(second)] || m_scenario.costs->latency(first) != m_scenario.costs->latency(second))
        return false;
    std::int32_t& known = m_folding.linkFor[at(link)];
    if (fresh) {
        if (copy > 0 && known >= 0)
            return false;
        known = base;
        m_folding.copyOfLink[at(link)] = copy;
        return true;
    }
    if (known != m_folding.linkFor[at(base)] || m_linkStamp[at(link)] == m_stamp)
        return false;
    m_linkStamp[at(link)] = m_stamp;
    return true;
}

/// Does what all copies of a rank send of a kind go over each link of a class once per hop, and to each NPU of a class once?
bool ClassFinder::sendsMatch(std::size_t kind, std::int32_t rank)
{
    const std::vector<std::int32_t>& targets = m_folding.targets[kind];
    const std::int32_t target = targets[at(rank)];
    if (target < 0) {
        for (std::int32_t number = 1; number < m_folding.copies; ++number) {
            if (targets[at(m_folding.copyOf(rank, number))] >= 0)
                return false;
        }
        return true;
    }
    ++m_stamp;
    std::size_t hops = 0;
    m_copied.clear();
    for (std::int32_t number = 0; number < m_folding.copies; ++number) {
        checkStop(m_stop);
        const std::int32_t other = targets[at(m_folding.copyOf(rank, number))];
        if (other < 0 || m_folding.rankFor[at(other)] != m_folding.rankFor[at(target)] || m_rankStamp[at(other)] == m_stamp)
            return false;
        m_rankStamp[at(other)] = m_stamp;
        m_folding.copiedWay(static_cast<std::int32_t>(kind), rank, number, m_scratch);
        if (number == 0)
            hops = m_scratch.size();
        else if (m_scratch.size() != hops)
            return false;
        m_copied.insert(m_copied.end(), m_scratch.begin(), m_scratch.end());
    }
    for (std::size_t hop = 0; hop < hops; ++hop) {
        ++m_stamp;
        const auto base = static_cast<std::int32_t>(m_copied[hop]);
        const bool fresh = m_folding.linkFor[at(base)] < 0;
        for (std::int32_t number = 0; number < m_folding.copies; ++number) {
            if (!linkMatches(base, static_cast<std::int32_t>(m_copied[at(number) * hops + hop]), number, fresh))
                return false;
        }
    }
    return true;
}

/// Can the ranks under m_period stand for all?
bool ClassFinder::isSymmetric()
{
    setClasses();
    return isSymmetricByClasses();
}

/// The same of the classes that are set.
bool ClassFinder::isSymmetricByClasses()
{
    for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
        if (m_traffic.roles[at(rank)] != m_traffic.roles[at(m_folding.rankFor[at(rank)])])
            return false;
    }
    if (!pairsMatch())
        return false;
    if (!std::all_of(m_traffic.groups.begin(), m_traffic.groups.end(), [this](const auto& groups) { return groupsMatch(groups); }))
        return false;
    m_folding.linkFor.assign(at(m_platform.linkCount()), -1);
    m_folding.copyOfLink.assign(at(m_platform.linkCount()), -1);
    for (std::size_t kind = 0; kind < m_folding.targets.size(); ++kind) {
        checkStop(m_stop);
        if (!std::all_of(m_simulated.begin(), m_simulated.end(), [&](std::int32_t rank) { return sendsMatch(kind, rank); }))
            return false;
    }
    return true;
}

void ClassFinder::addCopies(std::size_t kind, std::int32_t rank)
{
    const std::vector<std::int32_t>& targets = m_folding.targets[kind];
    const NodeId source = m_folding.nodeOf(rank);
    const NodeId target = m_folding.nodeOf(targets[at(rank)]);
    const auto [entry, added] = m_folding.byEnds.try_emplace({source, target}, static_cast<std::int32_t>(m_folding.ways.size()));
    m_folding.sends.push_back({static_cast<std::int32_t>(kind), rank, entry->second});
    if (added) {
        m_scratch.clear();
        m_folding.route(source, target, m_scratch);
        m_folding.ways.push_back({source, target, static_cast<std::int64_t>(m_folding.links.size()), static_cast<std::int32_t>(m_scratch.size()), static_cast<std::int32_t>(kind), rank, true});
        m_folding.links.insert(m_folding.links.end(), m_scratch.begin(), m_scratch.end());
        return;
    }
    Folding::Way& known = m_folding.ways[at(entry->second)];
    const std::vector<std::int32_t>& before = m_folding.targets[at(known.kind)];
    for (std::int32_t number = 0; number < m_folding.copies && known.sameCopies; ++number) {
        const auto copy = at(m_folding.copyOf(rank, number));
        known.sameCopies = before[copy] == targets[copy];
    }
}

void ClassFinder::finish()
{
    const auto npus = at(m_platform.npuCount());
    m_folding.nodeFor.resize(npus);
    m_folding.copyOfNode.assign(npus, 0);
    for (std::size_t node = 0; node < npus; ++node)
        m_folding.nodeFor[node] = static_cast<NodeId>(node);
    for (const std::int32_t rank : m_simulated) {
        for (std::int32_t number = 0; number < m_folding.copies; ++number) {
            const NodeId node = m_structure.placement.nodeOf(m_folding.copyOf(rank, number));
            m_folding.nodeFor[at(node)] = m_structure.placement.nodeOf(rank);
            m_folding.copyOfNode[at(node)] = number;
        }
    }
    m_folding.firstOf.assign(m_folding.linkFor.size(), -1);
    std::int32_t used = 0;
    for (std::size_t link = 0; link < m_folding.linkFor.size(); ++link) {
        if (m_folding.linkFor[link] != static_cast<std::int32_t>(link))
            continue;
        m_folding.firstOf[link] = used;
        used += m_folding.copies;
    }
    m_folding.linksFor.resize(at(used));
    for (std::size_t link = 0; link < m_folding.linkFor.size(); ++link) {
        if (const std::int32_t other = m_folding.linkFor[link]; other >= 0)
            m_folding.linksFor[at(m_folding.firstOf[at(other)] + m_folding.copyOfLink[link])] = static_cast<std::int32_t>(link);
    }
    for (std::size_t kind = 0; kind < m_folding.targets.size(); ++kind) {
        checkStop(m_stop);
        for (const std::int32_t rank : m_simulated) {
            if (m_folding.targets[kind][at(rank)] >= 0)
                addCopies(kind, rank);
        }
    }
}

/// Classes along the axes of the collectives: one for all, else along every axis the shortest run that repeats itself.
bool ClassFinder::fitsAlongAxes()
{
    m_period = m_traffic.axes;
    std::vector<std::int32_t> tried; // The last candidate, if it was one.
    const auto fits = [&] {
        const bool symmetric = isSymmetric();
        tried = symmetric ? m_period : std::vector<std::int32_t>();
        return symmetric;
    };
    // One for all, if that can be: where ranks are many, each candidate costs the ways of all of them.
    std::fill(m_period.begin(), m_period.end(), 1);
    if (m_traffic.axes == m_period || !fits()) {
        m_period = m_traffic.axes;
        for (std::size_t axis = m_period.size(); axis-- > 0;) {
            const std::int32_t extent = m_traffic.axes[axis];
            std::int32_t period = 1;
            for (; period < extent; ++period) {
                checkStop(m_stop);
                if (extent % period != 0)
                    continue;
                m_period[axis] = period;
                if (fits())
                    break;
            }
            m_period[axis] = period;
        }
    }
    if (m_period == m_traffic.axes)
        return false;
    const bool symmetric = tried == m_period || isSymmetric(); // The last candidate may have been another one.
    assert(symmetric);
    static_cast<void>(symmetric);
    return true;
}

/// Classes by what is sent over what, whatever the numbers of ranks and the places in groups.
bool ClassFinder::refine()
{
    if (static_cast<std::int64_t>(m_folding.targets.size()) > kMostRefinedLinks / m_ranks)
        return false; // A link each at least.
    const Params& params = *m_scenario.params;
    RefinedTraffic input{m_traffic, m_folding.targets, {}, {}, {}};
    for (LinkId link = 0; link < m_platform.linkCount(); ++link) {
        const ResourceClass figures = m_structure.classOf(link);
        const auto rate = static_cast<std::uint64_t>(params.linkRate[at(figures)].bytesPerSecond);
        const auto latency = static_cast<std::uint64_t>(m_scenario.costs->latency(figures));
        const auto dimension = m_platform.isExplicit() ? std::uint64_t{0} : static_cast<std::uint64_t>(m_platform.linkInfo(link).dimension);
        input.links.push_back((rate * 0x9e3779b97f4a7c15ULL + latency) * 31 + dimension);
    }
    std::vector<LinkId> links;
    input.way = [&](std::int32_t rank, std::int32_t target, std::vector<std::int32_t>& way) {
        links.clear();
        m_folding.route(m_folding.nodeOf(rank), m_folding.nodeOf(target), links);
        for (const LinkId link : links)
            way.push_back(static_cast<std::int32_t>(link));
    };
    input.port = [this](std::int32_t link, std::int32_t next) { return m_platform.inputPort(link, next); };
    const std::vector<std::int32_t> first = refinedClasses(input, m_stop);
    if (first.empty())
        return false;
    m_folding.rankFor = first;
    m_folding.copies = static_cast<std::int32_t>(std::count(first.begin(), first.end(), first.front()));
    setMembers();
    return isSymmetricByClasses();
}

Result<Folding> ClassFinder::run()
{
    if (!fitsAlongAxes() && !refine())
        return noSymmetry("no rank of the graph can stand for another");
    finish();
    return std::move(m_folding);
}

/// Of dimensions, which may have links between all pairs.
constexpr LinkId kMostLinks = LinkId{1} << 23;

Status checkMachine(const Scenario& scenario)
{
    const Structure& structure = *scenario.structure;
    if (!structure.platform.isExplicit() && structure.platform.linkCount() > kMostLinks)
        return noSymmetry("there are more links than are looked at");
    if (structure.placement.jobs().size() > 1)
        return noSymmetry("there are " + std::to_string(structure.placement.jobs().size()) + " jobs");
    const PlatformSpec& spec = structure.platform.spec();
    if (!spec.npuOverrides.empty())
        return noSymmetry("NPU " + std::to_string(spec.npuOverrides.front().node) + (spec.npuOverrides.front().removed ? " is removed" : " has its own figures"));
    if (structure.workload->rankCount < 2)
        return noSymmetry("there is one rank");
    return {};
}

} // namespace

Result<Folding> foldGraph(const Scenario& scenario, const std::stop_token& stop)
{
    return untilStopped([&]() -> Result<Folding> {
        if (Status status = checkMachine(scenario); !status)
            return std::move(status).error();
        Result<GroupTraffic> traffic = groupTraffic(scenario, stop);
        if (!traffic)
            return std::move(traffic).error();
        return ClassFinder(scenario, std::move(traffic).value(), stop).run();
    });
}

} // namespace fabricscope
