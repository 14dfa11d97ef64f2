#pragma once

#include "core/base/seededhash.h"
#include "tests/unit/support/oracles/wayoracle.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

/// The graph and policies of the oracle of ways (wayoracle.h), as far as nothing on the way decides.
namespace fabricscope::test::wayoracle {

inline constexpr int kFar = 1 << 20;
using Way = std::vector<int>;

/// Graph and policy.
class Ways {
public:
    explicit Ways(const WayCase& given) : m_given(given), down(given.links.size(), false) {}

    const WayCase& m_given;
    std::vector<bool> down;

    bool isSwitch(int node) const { return m_given.isSwitch[static_cast<std::size_t>(node)]; }
    const WayCase::Link& link(int number) const { return m_given.links[static_cast<std::size_t>(number)]; }
    bool anyDown() const { return std::find(down.begin(), down.end(), true) != down.end(); }
    bool usable(int number, bool up) const { return !up || !down[static_cast<std::size_t>(number)]; }

    /// How nodes pass on: all as they like; an NPU what comes from an NPU to an NPU; up and then down.
    enum class Rule { All, Direct, UpDown };
    /// Links left by (node, passing on; under UpDown: gone down).
    struct Left {
        Rule rule = Rule::Direct;
        std::map<std::pair<int, bool>, int> of{};
        int at(int node, bool passing) const
        {
            const auto found = of.find({node, passing});
            return found == of.end() ? kFar : found->second;
        }
    };

    /// Up is to a node farther from NPUs, of two as far to the lower number.
    bool goesUp(int number) const
    {
        const int here = link(number).from;
        const int next = link(number).to;
        return toNpus(next) != toNpus(here) ? toNpus(next) > toNpus(here) : next < here;
    }

    /// May what is at `node`, passing or not, take the link on its way to `to`?
    bool allowed(int number, bool passing, int to, Rule rule) const
    {
        const int here = link(number).from;
        const int next = link(number).to;
        if (rule == Rule::UpDown)
            return (next == to || isSwitch(next) || !hasSwitches()) && !(passing && goesUp(number));
        const bool direct = rule == Rule::Direct;
        if (!direct || next == to)
            return !direct || !passing || isSwitch(here) || !isSwitch(next);
        return isSwitch(next) || (!isSwitch(here) && !isSwitch(next)) ? !(passing && !isSwitch(here) && isSwitch(next)) : false;
    }
    /// What is passing behind the link.
    bool passes(int number, bool passing, Rule rule) const { return rule != Rule::UpDown || passing || !goesUp(number); }

    const Left& leftTo(int to, bool up, Rule rule) const
    {
        const auto key = std::tuple(to, up, rule);
        if (const auto known = m_left.find(key); known != m_left.end())
            return known->second;
        Left left{rule, {}};
        left.of[{to, false}] = left.of[{to, true}] = 0;
        for (bool shorter = true; shorter;) {
            shorter = false;
            for (int number = 0; number < static_cast<int>(m_given.links.size()); ++number) {
                for (const bool passing : {false, true}) {
                    if (link(number).from == to || !usable(number, up) || !allowed(number, passing, to, rule))
                        continue;
                    const int length = left.at(link(number).to, passes(number, passing, rule)) + 1;
                    int& known = left.of.try_emplace({link(number).from, passing}, kFar).first->second;
                    if (length < known) {
                        known = length;
                        shorter = true;
                    }
                }
            }
        }
        return m_left.emplace(key, std::move(left)).first->second;
    }
    const Left& leftFrom(int from, int to, bool up, bool passing = false) const
    {
        if (m_given.policy == RoutePolicy::UpDown) {
            if (const Left& tree = leftTo(to, up, Rule::UpDown); tree.at(from, passing) < kFar)
                return tree;
        }
        const Left& direct = leftTo(to, up, Rule::Direct);
        return direct.at(from, passing) < kFar ? direct : leftTo(to, up, Rule::All);
    }
    void forget() { m_left.clear(); }

    std::vector<int> choices(const Left& left, int node, int to, bool passing, bool up) const
    {
        std::vector<int> out;
        for (int number = 0; number < static_cast<int>(m_given.links.size()); ++number) {
            if (link(number).from == node && usable(number, up) && allowed(number, passing, to, left.rule) && left.at(node, passing) < kFar && left.at(link(number).to, passes(number, passing, left.rule)) + 1 == left.at(node, passing))
                out.push_back(number);
        }
        if (isSwitch(node))
            return out;
        // Those that are down count, but carry nothing.
        std::vector<int> kept;
        for (const int number : carryingMost(leading(left, node, to, passing))) {
            if (usable(number, up))
                kept.push_back(number);
        }
        return kept.empty() ? carryingMost(out) : kept;
    }

    /// Links that lead closer, up or down.
    std::vector<int> leading(const Left& left, int node, int to, bool passing) const
    {
        std::vector<int> out;
        for (int number = 0; number < static_cast<int>(m_given.links.size()); ++number) {
            if (link(number).from == node && allowed(number, passing, to, left.rule) && left.at(node, passing) < kFar && left.at(link(number).to, passes(number, passing, left.rule)) + 1 == left.at(node, passing))
                out.push_back(number);
        }
        return out;
    }

    /// Of links of one NPU the fastest, as many as make number times slowest rate greatest; of two as great the more.
    std::vector<int> carryingMost(const std::vector<int>& links) const
    {
        std::vector<int> best;
        for (const int slowest : links) {
            std::vector<int> kept;
            for (const int one : links) {
                if (link(one).rate >= link(slowest).rate)
                    kept.push_back(one);
            }
            const auto carried = [&](const std::vector<int>& all, int least) { return static_cast<std::int64_t>(all.size()) * link(least).rate; };
            const auto least = [&](const std::vector<int>& all) { return *std::min_element(all.begin(), all.end(), [&](int a, int b) { return link(a).rate < link(b).rate; }); };
            if (best.empty() || std::pair(carried(kept, slowest), kept.size()) > std::pair(carried(best, least(best)), best.size()))
                best = kept;
        }
        return best;
    }

    std::set<int> neighbours(int node) const
    {
        std::set<int> found;
        for (const auto& l : m_given.links) {
            if (l.from == node)
                found.insert(l.to);
        }
        return found;
    }

    /// Links to the nearest NPU.
    int toNpus(int node) const
    {
        if (m_toNpus.empty()) {
            for (int one = 0; one < static_cast<int>(m_given.isSwitch.size()); ++one)
                m_toNpus.push_back(findToNpus(one));
        }
        return m_toNpus[static_cast<std::size_t>(node)];
    }
    int findToNpus(int node) const
    {
        std::set<int> reached{node};
        for (int left = 0; left <= static_cast<int>(m_given.isSwitch.size()); ++left) {
            std::set<int> next = reached;
            for (const int one : reached) {
                if (!isSwitch(one))
                    return left;
                next.merge(neighbours(one));
            }
            reached = next;
        }
        return kFar;
    }

    /// Of a switch with two neighbours, the one nearer to NPUs than itself, where the other is a switch that is not. -1: no card.
    int hostOf(int node) const
    {
        if (m_hosts.empty()) {
            for (int one = 0; one < static_cast<int>(m_given.isSwitch.size()); ++one)
                m_hosts.push_back(findHost(one));
        }
        return m_hosts[static_cast<std::size_t>(node)];
    }
    int findHost(int node) const
    {
        const std::set<int> beside = neighbours(node);
        std::vector<int> nearer;
        for (const int one : beside) {
            if (toNpus(one) < toNpus(node))
                nearer.push_back(one);
        }
        return isSwitch(node) && beside.size() == 2 && nearer.size() == 1 && isSwitch(nearer[0] == *beside.begin() ? *beside.rbegin() : *beside.begin()) ? nearer[0] : -1;
    }

    /// Does a way go over a card out of a host?
    bool leavesHost(const Way& way) const
    {
        return std::any_of(way.begin(), way.end(), [&](int l) { return hostOf(link(l).from) >= 0 && hostOf(link(l).from) != link(l).to; });
    }

    /// Place of an NPU in the order of leaves.
    std::uint64_t placeOf(int npu, int from) const
    {
        const auto has = [&](int a, int b) { return std::any_of(m_given.links.begin(), m_given.links.end(), [&](const auto& l) { return l.from == a && l.to == b; }); };
        const auto leadsOn = [&](int node) { return std::any_of(m_given.links.begin(), m_given.links.end(), [&](const auto& l) { return l.from == node && isSwitch(l.to); }); };
        std::optional<std::pair<int, int>> leaf; // How good, which.
        for (const auto& l : m_given.links) {
            if (l.to == npu && isSwitch(l.from)) {
                const std::pair<int, int> now{has(from, l.from) ? 0 : leadsOn(l.from) ? 1 : 2, l.from};
                leaf = leaf ? std::min(*leaf, now) : now;
            }
        }
        if (!leaf)
            return static_cast<std::uint64_t>(npu);
        const auto npusBelow = [&](int node) {
            std::vector<int> out;
            for (const auto& l : m_given.links) {
                if (l.from == node && !isSwitch(l.to) && std::find(out.begin(), out.end(), l.to) == out.end())
                    out.push_back(l.to);
            }
            return out;
        };
        // An NPU counts at each switch, but of its own cards at the first alone.
        std::uint64_t place = 0;
        std::set<int> hosts;
        for (int node = 0; node < leaf->second; ++node) {
            if (isSwitch(node) && leadsOn(node) == leadsOn(leaf->second)) {
                const int host = hostOf(node);
                place += host >= 0 && !isSwitch(host) && !hosts.insert(host).second ? 0 : npusBelow(node).size();
            }
        }
        const std::vector<int> mates = npusBelow(leaf->second);
        return place + static_cast<std::uint64_t>(std::find(mates.begin(), mates.end(), npu) - mates.begin());
    }

    /// What one way is chosen by.
    struct Numbers {
        std::uint64_t stream = 0;
        std::uint64_t number = 0;
    };

    bool walk(int from, int to, const Numbers& numbers, Way& way) const
    {
        const Left& up = leftFrom(from, to, true);
        if (up.at(from, false) >= kFar)
            return false;
        const Left& all = leftFrom(from, to, false);
        const int length = up.at(from, false);
        std::uint64_t digits = m_given.policy == RoutePolicy::Spray ? numbers.number : 0;
        if (m_given.policy == RoutePolicy::Balanced)
            digits = (isSwitch(to) ? 0 : placeOf(to, from));
        Way made;
        std::vector<std::uint64_t> digitsAt;
        bool passing = false;
        for (int node = from; node != to;) {
            const int hop = static_cast<int>(made.size());
            const int other = length - 1 - hop; // The link that went up where this one goes down.
            digitsAt.push_back(digits);
            const auto choose = [&](const std::vector<int>& among, std::uint64_t& left) {
                const std::uint64_t count = among.size();
                if (count == 1)
                    return among[0];
                if (m_given.policy == RoutePolicy::Balanced && isSwitch(node) && other < hop
                    && std::all_of(among.begin(), among.end(), [&](int l) { return link(l).to == link(among[0]).to; })) {
                    const std::size_t back = static_cast<std::size_t>(std::max(other, 0));
                    std::vector<int> beside;
                    for (int l = 0; l < static_cast<int>(m_given.links.size()); ++l) {
                        if (link(l).from == link(made[back]).from && link(l).to == link(made[back]).to)
                            beside.push_back(l);
                    }
                    if (beside.size() == count)
                        return among[static_cast<std::size_t>(std::find(beside.begin(), beside.end(), made[back]) - beside.begin())];
                    return among[digitsAt[back] % count];
                }
                if (m_given.policy == RoutePolicy::Balanced && isSwitch(node) && other < hop) {
                    std::set<int> hosts;
                    for (const int l : among)
                        hosts.insert(hostOf(link(l).to));
                    if (hosts.size() == 1 && !hosts.contains(-1) && !hosts.contains(node)) {
                        std::vector<int> cards;
                        for (const auto& l : m_given.links) {
                            if (l.from == *hosts.begin() && hostOf(l.to) == l.from && std::find(cards.begin(), cards.end(), l.to) == cards.end())
                                cards.push_back(l.to);
                        }
                        const std::uint64_t place = placeOf(to, from);
                        for (const int l : among) {
                            if (!cards.empty() && link(l).to == cards[place % cards.size()])
                                return l;
                        }
                        return among[place % count];
                    }
                }
                std::uint64_t at = 0;
                const std::uint64_t hash = seededHash(m_given.seed, {from, to, static_cast<std::int64_t>(numbers.stream), node});
                if (m_given.policy == RoutePolicy::Ecmp)
                    at = hash % count;
                else if (m_given.policy == RoutePolicy::Spray)
                    at = (hash % count + left % count) % count;
                else if (m_given.policy == RoutePolicy::Balanced)
                    at = left % count;
                left /= count;
                return among[at];
            };
            const std::vector<int> open = choices(up, node, to, passing, true);
            const std::vector<int> listed = choices(all, node, to, passing, false);
            std::uint64_t before = digits;
            int next = choose(listed.empty() ? open : listed, digits);
            if (std::find(open.begin(), open.end(), next) == open.end())
                next = choose(open, before);
            made.push_back(next);
            passing = passes(next, passing, up.rule);
            node = link(next).to;
        }
        way.insert(way.end(), made.begin(), made.end());
        return true;
    }

    int middleOf(int from, int to, const Numbers& numbers) const
    {
        std::vector<int> middles;
        for (int node = 0; node < static_cast<int>(m_given.isSwitch.size()); ++node) {
            if (isSwitch(node) || !hasSwitches())
                middles.push_back(node);
        }
        const int middle = middles[seededHash(m_given.seed, {from, to, static_cast<std::int64_t>(numbers.stream), static_cast<std::int64_t>(numbers.number), -1}) % middles.size()];
        return middle == from || middle == to || isSwitch(from) ? -1 : middle;
    }

    bool over(int start, int middle, int to, const Numbers& numbers, Way& way) const
    {
        Way found;
        if (middle < 0 || !walk(start, middle, numbers, found) || !walk(middle, to, numbers, found))
            return false;
        way.insert(way.end(), found.begin(), found.end());
        return true;
    }

    int groupOf(int node) const { return m_given.group.empty() ? 0 : m_given.group[static_cast<std::size_t>(node)]; }

    /// Links that are up and lead from a node to a cable of its own group to another group by as few links as there are, or over it.
    std::vector<int> towardsGroup(int node, int group) const
    {
        const auto enters = [&](int l) { return usable(l, true) && isSwitch(link(l).from) && isSwitch(link(l).to) && groupOf(link(l).to) == group; };
        const auto within = [&](int l, int own) { return usable(l, true) && isSwitch(link(l).to) && groupOf(link(l).to) == own; };
        std::map<int, int> left; // By node of the group.
        const int own = groupOf(node);
        for (bool shorter = true; shorter;) {
            shorter = false;
            for (int l = 0; l < static_cast<int>(m_given.links.size()); ++l) {
                const auto& one = link(l);
                if (groupOf(one.from) != own)
                    continue;
                const int length = enters(l) ? 1 : within(l, own) && left.contains(one.to) ? left[one.to] + 1 : kFar;
                if (length < kFar && (!left.contains(one.from) || length < left[one.from])) {
                    left[one.from] = length;
                    shorter = true;
                }
            }
        }
        std::vector<int> found;
        for (int l = 0; l < static_cast<int>(m_given.links.size()); ++l) {
            if (link(l).from == node && left.contains(node)
                && (left[node] == 1 ? enters(l) : within(l, own) && left.contains(link(l).to) && left[link(l).to] + 1 == left[node]))
                found.push_back(l);
        }
        return found;
    }
    /// To where the first listed of these ways lands; false: there is none.
    bool intoGroup(int& node, int group, Way& way) const
    {
        Way made;
        int here = node;
        while (groupOf(here) != group) {
            const std::vector<int> links = towardsGroup(here, group);
            if (links.empty())
                return false;
            made.push_back(links.front());
            here = link(links.front()).to;
        }
        node = here;
        way.insert(way.end(), made.begin(), made.end());
        return true;
    }
    /// On a dragonfly over no third group, where that can be; else as walk().
    bool straight(int from, int to, const Numbers& numbers, Way& way) const
    {
        Way made;
        int node = from;
        if (groupOf(from) != groupOf(to) && intoGroup(node, groupOf(to), made) && walk(node, to, numbers, made)) {
            way.insert(way.end(), made.begin(), made.end());
            return true;
        }
        return walk(from, to, numbers, way);
    }
    /// From `node` by what Valiant draws for a message between two NPUs.
    bool drawn(int node, int from, int to, const Numbers& numbers, Way& way) const
    {
        if (m_given.group.empty())
            return over(node, middleOf(from, to, numbers), to, numbers, way);
        std::vector<int> others;
        for (int group = 0; group <= *std::max_element(m_given.group.begin(), m_given.group.end()); ++group) {
            if (group != groupOf(from) && group != groupOf(to))
                others.push_back(group);
        }
        if (others.empty() || isSwitch(from))
            return false;
        const std::uint64_t draw = seededHash(m_given.seed, {from, to, static_cast<std::int64_t>(numbers.stream), static_cast<std::int64_t>(numbers.number), -1});
        Way made;
        int here = node;
        if (!intoGroup(here, others[draw % others.size()], made) || !straight(here, to, numbers, made))
            return false;
        way.insert(way.end(), made.begin(), made.end());
        return true;
    }

    /// The way from a node, as far as nothing on the way decides.
    bool find(int from, int to, const Numbers& numbers, Way& way) const
    {
        if (m_given.policy == RoutePolicy::Valiant && drawn(from, from, to, numbers, way))
            return true;
        return m_given.policy == RoutePolicy::Valiant || m_given.policy == RoutePolicy::Adaptive ? straight(from, to, numbers, way) : walk(from, to, numbers, way);
    }

    bool hasSwitches() const { return std::find(m_given.isSwitch.begin(), m_given.isSwitch.end(), true) != m_given.isSwitch.end(); }

    /// Links that lead closer over what is up; `passing`: the piece has not begun here.
    std::vector<int> closer(int node, int to, bool passing) const
    {
        if (m_given.policy == RoutePolicy::Adaptive && groupOf(node) != groupOf(to)) {
            std::vector<int> links = towardsGroup(node, groupOf(to));
            std::erase_if(links, [&](int l) { return leftFrom(link(l).to, to, true).at(link(l).to, false) >= kFar; });
            if (!links.empty())
                return links;
        }
        return choices(leftFrom(node, to, true, passing), node, to, passing, true);
    }
    bool byQueues() const { return m_given.policy == RoutePolicy::LeastQueued || m_given.policy == RoutePolicy::Adaptive; }
    std::int64_t weight(const Way& way) const
    {
        return std::count_if(way.begin(), way.end(), [&](int l) { return !hasSwitches() || (isSwitch(link(l).from) && isSwitch(link(l).to)); });
    }

private:
    mutable std::vector<int> m_hosts;
    mutable std::vector<int> m_toNpus;
    mutable std::map<std::tuple<int, bool, Rule>, Left> m_left;
};

} // namespace fabricscope::test::wayoracle
