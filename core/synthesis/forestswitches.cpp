#include "core/base/index.h"
#include "core/synthesis/forestcapacities.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

using Flow = MaxFlow<std::int64_t>;

/// Removes one switch.
class SwitchSplitter {
public:
    SwitchSplitter(ForestCapacities& capacities, ForestWays& ways, std::int32_t which, const std::stop_token& stop)
        : m_capacities(capacities), m_ways(ways), m_switch(which), m_stop(stop)
    {
        for (std::int32_t v = 0; v < capacities.vertices(); ++v) {
            if (v != which && capacities.at(v, which) > 0)
                m_sources.push_back(v);
            if (v != which && capacities.at(which, v) > 0)
                m_targets.push_back(v);
        }
    }

    bool split();

private:
    struct Part {
        std::int32_t from = 0;
        std::int32_t to = 0;
        std::int64_t amount = 0;
    };
    using Targets = std::vector<std::vector<std::int32_t>>;
    std::vector<Part> spread(const Targets& targetsOf, std::int64_t port) const;
    bool keepsAll(const std::vector<Part>& parts, bool drops) const;
    bool whole(const Targets& targetsOf);
    bool asMuchAsPossible(const Targets& targetsOf);
    bool onePair(std::int32_t from, std::int32_t to, std::int64_t most);
    bool pairByPair();
    /// Groups of neighbours that are joined without any switch.
    std::vector<std::int32_t> components() const;
    std::int64_t possible(std::int32_t from, std::int32_t to, std::int64_t most) const;
    void move(const Part& part);
    void drop();

    ForestCapacities& m_capacities;
    ForestWays& m_ways;
    std::int32_t m_switch;
    const std::stop_token& m_stop;
    std::vector<std::int32_t> m_sources;
    std::vector<std::int32_t> m_targets;
};

/// Takes `amount` out of the ways of an arc, from the front.
std::vector<ForestWay> take(std::vector<ForestWay>& ways, std::int64_t amount)
{
    std::vector<ForestWay> taken;
    while (amount > 0) {
        ForestWay& first = ways.front();
        const std::int64_t part = std::min(amount, first.amount);
        taken.push_back({part, first.links});
        amount -= part;
        first.amount -= part;
        if (first.amount == 0)
            ways.erase(ways.begin());
    }
    return taken;
}

void SwitchSplitter::move(const Part& part)
{
    m_capacities.at(part.from, m_switch) -= part.amount;
    m_capacities.at(m_switch, part.to) -= part.amount;
    std::vector<ForestWay> in = take(m_ways[{part.from, m_switch}], part.amount);
    std::vector<ForestWay> out = take(m_ways[{m_switch, part.to}], part.amount);
    if (part.from == part.to)
        return; // a way back to where it came from is of no use
    m_capacities.at(part.from, part.to) += part.amount;
    std::vector<ForestWay>& joined = m_ways[{part.from, part.to}];
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < in.size() && j < out.size()) {
        const std::int64_t amount = std::min(in[i].amount, out[j].amount);
        std::vector<std::int32_t> links = in[i].links;
        links.insert(links.end(), out[j].links.begin(), out[j].links.end());
        const auto same = std::find_if(joined.begin(), joined.end(), [&](const ForestWay& way) { return way.links == links; });
        if (same != joined.end())
            same->amount += amount;
        else
            joined.push_back({amount, std::move(links)});
        in[i].amount -= amount;
        out[j].amount -= amount;
        i += in[i].amount == 0 ? 1 : 0;
        j += out[j].amount == 0 ? 1 : 0;
    }
}

void SwitchSplitter::drop()
{
    for (std::int32_t v = 0; v < m_capacities.vertices(); ++v) {
        m_capacities.at(v, m_switch) = 0;
        m_capacities.at(m_switch, v) = 0;
        m_ways.erase({v, m_switch});
        m_ways.erase({m_switch, v});
    }
}

std::vector<std::int32_t> SwitchSplitter::components() const
{
    std::vector<std::int32_t> leader(static_cast<std::size_t>(m_capacities.vertices()));
    std::iota(leader.begin(), leader.end(), 0);
    const auto find = [&](std::int32_t v) {
        while (leader[at(v)] != v)
            v = leader[at(v)];
        return v;
    };
    for (std::int32_t a = 0; a < m_capacities.ranks(); ++a) {
        for (std::int32_t b = 0; b < m_capacities.ranks(); ++b) {
            if (a != b && m_capacities.at(a, b) > 0)
                leader[at(std::max(find(a), find(b)))] = std::min(find(a), find(b));
        }
    }
    for (std::int32_t v = 0; v < m_capacities.vertices(); ++v)
        leader[at(v)] = find(v);
    return leader;
}

/// `port` units of every source, spread evenly over its targets. All ports have the same capacity.
std::vector<SwitchSplitter::Part> SwitchSplitter::spread(const Targets& targetsOf, std::int64_t port) const
{
    std::map<std::int32_t, std::int64_t> room;
    for (const std::int32_t target : m_targets)
        room[target] = m_capacities.at(m_switch, target);
    std::vector<Part> parts;
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
        const auto count = static_cast<std::int64_t>(targetsOf[i].size());
        for (std::int64_t j = 0; j < count; ++j) {
            const std::int32_t target = targetsOf[i][at(j)];
            const std::int64_t amount = std::min(port / count + (j < port % count ? 1 : 0), room[target]);
            room[target] -= amount;
            if (amount > 0)
                parts.push_back({m_sources[i], target, amount});
        }
    }
    return parts;
}

/// Are all trees still possible with these parts split off, and what is left of the switch dropped or kept?
bool SwitchSplitter::keepsAll(const std::vector<Part>& parts, bool drops) const
{
    ForestCapacities after = m_capacities;
    for (const Part& part : parts) {
        after.at(part.from, part.to) += part.amount;
        after.at(part.from, m_switch) -= part.amount;
        after.at(m_switch, part.to) -= part.amount;
    }
    for (std::int32_t v = 0; drops && v < after.vertices(); ++v)
        after.at(v, m_switch) = after.at(m_switch, v) = 0;
    return after.isPossible(m_stop);
}

bool SwitchSplitter::whole(const Targets& targetsOf)
{
    const std::vector<Part> parts = spread(targetsOf, m_capacities.at(m_sources.front(), m_switch));
    if (parts.empty() || !keepsAll(parts, true))
        return false;
    for (const Part& part : parts)
        move(part);
    drop();
    return true;
}

/// The same amount of every port, the largest that keeps all trees possible.
bool SwitchSplitter::asMuchAsPossible(const Targets& targetsOf)
{
    std::int64_t low = 0;
    std::int64_t high = m_capacities.at(m_sources.front(), m_switch);
    while (low < high) {
        const std::int64_t middle = high - (high - low) / 2;
        if (keepsAll(spread(targetsOf, middle), false))
            low = middle;
        else
            high = middle - 1;
    }
    for (const Part& part : spread(targetsOf, low))
        move(part);
    return low > 0;
}

/// As much of (from, switch) and (switch, to) as may become (from, to). Only two kinds of cuts lose by it: those with both ends on the source's
/// side and the switch on the other, and the reverse.
std::int64_t SwitchSplitter::possible(std::int32_t from, std::int32_t to, std::int64_t most) const
{
    const std::int32_t source = m_capacities.vertices();
    const std::int32_t sink = source + 1;
    const std::int64_t needed = m_capacities.allDemand();
    const std::int32_t ranks = m_capacities.ranks();
    std::int64_t least = most;
    for (const bool switchOnSource : {false, true}) {
        Flow flow(source + 2);
        const std::int32_t firstDemand = m_capacities.addTo(flow);
        const auto toSource = [&](std::int32_t v) { flow.addArc(source, v, Flow::kUnlimited); };
        const auto toSink = [&](std::int32_t v) { flow.addArc(v, sink, Flow::kUnlimited); };
        switchOnSource ? toSource(m_switch) : toSink(m_switch);
        for (const std::int32_t end : {from, to})
            switchOnSource ? toSink(end) : toSource(end);
        const auto lower = [&] { least = std::min(least, flow.run(source, sink, needed + least) - needed); };
        if (switchOnSource && (from < ranks || to < ranks)) {
            lower(); // a rank is on the sink's side already
        } else {
            const std::int32_t firstSink = flow.arcs();
            for (std::int32_t rank = 0; rank < ranks; ++rank)
                flow.addArc(rank, sink, 0);
            for (std::int32_t rank = 0; rank < ranks && least > 0 && !m_stop.stop_requested(); ++rank) {
                if (!switchOnSource && (rank == from || rank == to))
                    continue;
                flow.setCapacity(firstSink + rank, Flow::kUnlimited);
                lower();
                flow.setCapacity(firstSink + rank, 0);
                flow.setCapacity(firstDemand + rank, Flow::kUnlimited);
            }
        }
        if (least <= 0)
            return 0;
    }
    return least;
}

bool SwitchSplitter::onePair(std::int32_t from, std::int32_t to, std::int64_t most)
{
    most = std::min({most, m_capacities.at(from, m_switch), m_capacities.at(m_switch, to)});
    if (most <= 0)
        return false;
    const std::int64_t amount = possible(from, to, most);
    if (amount > 0)
        move({from, to, amount});
    return amount > 0;
}

bool SwitchSplitter::pairByPair()
{
    // Even shares first, so that trees stay flat; then whatever is left; ways back to the same vertex last.
    const auto ways = static_cast<std::int64_t>(std::max<std::size_t>(m_targets.size(), 2)) - 1;
    for (const int round : {0, 1, 2}) {
        for (const std::int32_t from : m_sources) {
            const std::int64_t share = round == 0 ? (m_capacities.at(from, m_switch) + ways - 1) / ways : INT64_MAX;
            for (const std::int32_t to : m_targets) {
                if (m_stop.stop_requested())
                    return false;
                if ((from == to) == (round == 2))
                    onePair(from, to, share);
            }
        }
    }
    drop();
    return m_capacities.isPossible(m_stop);
}

bool SwitchSplitter::split()
{
    if (m_sources.empty() || m_targets.empty()) {
        drop();
        return true;
    }
    const std::int64_t port = m_capacities.at(m_sources.front(), m_switch);
    const bool alike = m_sources == m_targets
        && std::all_of(m_sources.begin(), m_sources.end(),
                       [&](std::int32_t v) { return m_capacities.at(v, m_switch) == port && m_capacities.at(m_switch, v) == port; });
    if (alike && m_sources.size() > 1) {
        const std::vector<std::int32_t> component = components();
        Targets others(m_sources.size());
        Targets all(m_sources.size());
        for (std::size_t i = 0; i < m_sources.size(); ++i) {
            // From the next one round, so that what cannot be divided evenly lands on different targets.
            for (std::size_t j = 1; j < m_sources.size(); ++j) {
                const std::int32_t target = m_sources[(i + j) % m_sources.size()];
                all[i].push_back(target);
                if (component[at(target)] != component[at(m_sources[i])])
                    others[i].push_back(target);
            }
        }
        if (whole(others) || (others != all && whole(all)))
            return true;
        if (others != all)
            asMuchAsPossible(others);
    }
    return !m_stop.stop_requested() && pairByPair();
}

} // namespace

bool removeSwitches(ForestCapacities& capacities, ForestWays& ways, const std::stop_token& stop)
{
    std::vector<std::pair<std::int32_t, std::int32_t>> order; // (ports, switch): those that leave no choice first
    for (std::int32_t v = capacities.ranks(); v < capacities.vertices(); ++v) {
        std::int32_t ports = 0;
        for (std::int32_t u = 0; u < capacities.vertices(); ++u)
            ports += capacities.at(u, v) > 0 ? 1 : 0;
        order.emplace_back(ports, v);
    }
    std::sort(order.begin(), order.end());
    for (const auto& entry : order) {
        if (!SwitchSplitter(capacities, ways, entry.second, stop).split())
            return false;
    }
    return true;
}

} // namespace fabricscope
