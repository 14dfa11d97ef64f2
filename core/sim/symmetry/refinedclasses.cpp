#include "core/sim/symmetry/refinedclasses.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <tuple>

namespace fabricscope {

namespace {

constexpr int kMostRefinements = 48;

/// A word of a colour joined to those before it.
std::uint64_t joinedColour(std::uint64_t colour, std::uint64_t word)
{
    colour ^= word + 0x9e3779b97f4a7c15ULL + (colour << 6) + (colour >> 2);
    colour = (colour ^ (colour >> 30)) * 0xbf58476d1ce4e5b9ULL;
    colour = (colour ^ (colour >> 27)) * 0x94d049bb133111ebULL;
    return colour ^ (colour >> 31);
}

class Refinement {
public:
    Refinement(const RefinedTraffic& input, const std::stop_token& stop) : m_input(input), m_stop(stop), m_ranks(input.traffic.roles.size()) {}

    std::vector<std::int32_t> run()
    {
        if (!readWays())
            return {};
        for (const std::int32_t role : m_input.traffic.roles)
            m_colour.push_back(joinedColour(1, static_cast<std::uint64_t>(role)));
        m_linkColour = m_input.links;
        // First what differs by itself; only where nothing more does, one class of links is taken whose members are crossed alike by several, and these are told apart by port.
        // Classes only get smaller, and in the end are of one size: where one rank is alone, all would be.
        std::size_t count = countColours();
        std::int64_t work = 0;
        for (int round = 0; !m_oneAlone && round < kMostRefinements && work < kMostRefinedWork; ++round) {
            work += static_cast<std::int64_t>(m_links.size());
            const std::size_t before = count;
            m_labelled = 0;
            refineLinks();
            refineRanks();
            count = countColours();
            if (count > before)
                continue;
            if (m_crossedAlike == 0)
                return classes();
            m_labelled = m_crossedAlike;
            refineRanks();
            count = countColours();
            if (count == before)
                return {};
        }
        return {};
    }

private:
    /// Messages of a kind from a rank.
    struct Sender {
        std::size_t kind = 0;
        std::int32_t rank = 0;
        std::int32_t target = 0;
        std::size_t begin = 0; ///< Its links in m_links.
        std::size_t end = 0;
    };
    /// A link on the way of a sender, or at its end the rank that hears it.
    struct Crossing {
        std::size_t place = 0;  ///< The link; of ends the rank.
        std::uint64_t colour = 0; ///< Kind, hop and colour of the sender.
        std::int32_t port = 0;
        std::size_t sender = 0;
        std::size_t index = 0;  ///< Into m_links and m_among; of ends the sender.
    };

    bool readWays()
    {
        std::vector<std::int32_t> way;
        for (std::size_t kind = 0; kind < m_input.targets.size(); ++kind) {
            checkStop(m_stop);
            for (std::size_t rank = 0; rank < m_ranks; ++rank) {
                const std::int32_t target = m_input.targets[kind][rank];
                if (target < 0)
                    continue;
                way.clear();
                m_input.way(static_cast<std::int32_t>(rank), target, way);
                m_senders.push_back({kind, static_cast<std::int32_t>(rank), target, m_links.size(), m_links.size() + way.size()});
                m_links.insert(m_links.end(), way.begin(), way.end());
                if (static_cast<std::int64_t>(m_links.size()) > kMostRefinedLinks)
                    return false;
            }
        }
        m_among.resize(m_links.size());
        m_amongHeard.resize(m_senders.size());
        return !m_senders.empty();
    }

    /// Crossings of each place by their colours; those alike numbered by port in `among`. `say` is told each place, the colours of all that cross it, and whether some are alike.
    template <typename Say>
    void refine(std::vector<Crossing>& crossings, std::vector<std::uint64_t>& among, const Say& say)
    {
        checkStop(m_stop);
        std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
            return std::tie(a.place, a.colour, a.port, a.sender) < std::tie(b.place, b.colour, b.port, b.sender);
        });
        for (std::size_t first = 0; first < crossings.size();) {
            std::uint64_t all = 0;
            std::uint64_t number = 0;
            bool alike = false;
            std::size_t i = first;
            for (; i < crossings.size() && crossings[i].place == crossings[first].place; ++i) {
                number = i > first && crossings[i].colour == crossings[i - 1].colour ? number + 1 : 0;
                alike = alike || number > 0;
                among[crossings[i].index] = number;
                all = joinedColour(all, crossings[i].colour);
            }
            say(crossings[first].place, all, alike);
            first = i;
        }
    }

    void refineLinks()
    {
        std::vector<Crossing> crossings;
        crossings.reserve(m_links.size());
        for (std::size_t number = 0; number < m_senders.size(); ++number) {
            const Sender& sender = m_senders[number];
            for (std::size_t i = sender.begin; i < sender.end; ++i) {
                const std::uint64_t colour = joinedColour(joinedColour(m_colour[at(sender.rank)], sender.kind), i - sender.begin);
                crossings.push_back({at(m_links[i]), colour, i > sender.begin ? m_input.port(m_links[i - 1], m_links[i]) : -1, number, i});
            }
        }
        m_crossedAlike = 0;
        refine(crossings, m_among, [this](std::size_t link, std::uint64_t all, bool alike) {
            m_linkColour[link] = joinedColour(m_linkColour[link], all);
            if (alike && m_crossedAlike == 0)
                m_crossedAlike = m_linkColour[link];
        });
    }

    void refineRanks()
    {
        std::vector<std::uint64_t> next = m_colour;
        std::vector<Crossing> heard;
        for (std::size_t number = 0; number < m_senders.size(); ++number) {
            const Sender& sender = m_senders[number];
            heard.push_back({at(sender.target), joinedColour(m_colour[at(sender.rank)], sender.kind),
                             sender.end > sender.begin ? m_input.port(m_links[sender.end - 1], -1) : -1, number, number});
        }
        refine(heard, m_amongHeard, [&next](std::size_t rank, std::uint64_t all, bool) { next[rank] = joinedColour(next[rank], all); });
        for (std::size_t number = 0; number < m_senders.size(); ++number) {
            const Sender& sender = m_senders[number];
            std::uint64_t colour = joinedColour(sender.kind, m_colour[at(sender.target)]);
            for (std::size_t i = sender.begin; i < sender.end; ++i)
                colour = joinedColour(joinedColour(colour, m_linkColour[at(m_links[i])]), m_linkColour[at(m_links[i])] == m_labelled ? m_among[i] + 1 : 0);
            next[at(sender.rank)] = joinedColour(next[at(sender.rank)], colour);
        }
        for (const std::vector<std::int32_t>& groups : m_input.traffic.groups)
            addGroups(groups, next);
        m_colour = std::move(next);
    }

    void addGroups(const std::vector<std::int32_t>& groups, std::vector<std::uint64_t>& next) const
    {
        std::vector<std::vector<std::uint64_t>> members(at(*std::max_element(groups.begin(), groups.end()) + 1));
        for (std::size_t rank = 0; rank < m_ranks; ++rank) {
            if (groups[rank] >= 0)
                members[at(groups[rank])].push_back(m_colour[rank]);
        }
        std::vector<std::uint64_t> colours;
        for (std::vector<std::uint64_t>& each : members) {
            std::sort(each.begin(), each.end());
            std::uint64_t colour = 0;
            for (const std::uint64_t one : each)
                colour = joinedColour(colour, one);
            colours.push_back(colour);
        }
        for (std::size_t rank = 0; rank < m_ranks; ++rank) {
            if (groups[rank] >= 0)
                next[rank] = joinedColour(next[rank], colours[at(groups[rank])]);
        }
    }

    std::size_t countColours()
    {
        std::vector<std::uint64_t> colours = m_colour;
        std::sort(colours.begin(), colours.end());
        std::size_t count = 0;
        for (auto first = colours.begin(); first != colours.end(); ++count) {
            const auto next = std::upper_bound(first, colours.end(), *first);
            m_oneAlone = m_oneAlone || next - first == 1;
            first = next;
        }
        return count;
    }

    /// By rank the first of its class; nothing where classes differ in size.
    std::vector<std::int32_t> classes() const
    {
        std::vector<std::pair<std::uint64_t, std::int32_t>> byColour;
        for (std::size_t rank = 0; rank < m_ranks; ++rank)
            byColour.emplace_back(m_colour[rank], static_cast<std::int32_t>(rank));
        std::sort(byColour.begin(), byColour.end());
        std::vector<std::int32_t> first(m_ranks);
        std::size_t size = 0;
        for (std::size_t begin = 0; begin < m_ranks;) {
            std::size_t end = begin;
            for (; end < m_ranks && byColour[end].first == byColour[begin].first; ++end)
                first[at(byColour[end].second)] = byColour[begin].second;
            if (size != 0 && end - begin != size)
                return {};
            size = end - begin;
            begin = end;
        }
        return first;
    }

    const RefinedTraffic& m_input;
    const std::stop_token& m_stop;
    const std::size_t m_ranks;
    std::vector<Sender> m_senders;
    std::vector<std::int32_t> m_links;       ///< Of all ways.
    std::vector<std::uint64_t> m_among;      ///< By place in m_links: which of those that cross the link alike.
    std::vector<std::uint64_t> m_amongHeard; ///< By sender: which of those that its target hears alike.
    bool m_oneAlone = false;                 ///< Some colour is that of one rank.
    std::uint64_t m_crossedAlike = 0;        ///< The colour of a link that several cross alike; 0: there is none.
    std::uint64_t m_labelled = 0;            ///< The colour of the links at which ports tell ranks apart; 0: none.
    std::vector<std::uint64_t> m_colour;     ///< By rank.
    std::vector<std::uint64_t> m_linkColour;
};

} // namespace

std::vector<std::int32_t> refinedClasses(const RefinedTraffic& input, const std::stop_token& stop)
{
    return Refinement(input, stop).run();
}

} // namespace fabricscope
