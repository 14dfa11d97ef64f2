#pragma once

#include "core/base/index.h"
#include "core/platform/platform.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fabricscope {

/// Which ranks of a run are simulated, and for whom they and their links stand (core/sim/symmetry/graphrun.h says why that is exact).
/// Every rank that is simulated, and every link that is used, stands for `copies` of them, itself included. Plain value, but for what it remembers.
class Folding {
public:
    /// A way that messages of ranks which are simulated take. Those of the ranks they stand for are asked for when somebody needs them.
    struct Way {
        NodeId source = 0;
        NodeId target = 0;
        std::int64_t begin = 0;    ///< Its first link in `links`.
        std::int32_t hops = 0;
        std::int32_t kind = 0;     ///< Of the messages that first asked for it.
        std::int32_t rank = 0;     ///< Who sends them.
        bool sameCopies = true;    ///< All kinds of messages that take it stand for the same ways.
    };
    /// Messages of one kind that a rank which is simulated sends.
    struct Send {
        std::int32_t kind = 0;
        std::int32_t rank = 0;
        std::int32_t way = 0;
    };
    /// A place on the way of a rank that is simulated: the link after so many hops; after all of them the end.
    struct Stop {
        std::int32_t way = 0; ///< Index into `ways`.
        std::int32_t hop = 0;
        friend auto operator<=>(const Stop&, const Stop&) = default;
    };

    std::int32_t copies = 1;
    std::vector<std::int32_t> rankFor;  ///< By rank: who stands for it.
    std::vector<NodeId> nodeFor;        ///< By NPU: likewise.
    std::vector<std::int32_t> copyOfNode; ///< By NPU: its number among those that one stands for.
    std::vector<std::int32_t> linkFor;  ///< By link: which link stands for it; -1: no message crosses it.
    std::vector<std::int32_t> copyOfLink; ///< By link that is crossed: its number among those that one stands for.
    std::vector<std::int32_t> linksFor; ///< The links that one stands for, by linkFor, copyOfLink.
    std::vector<std::int32_t> firstOf;  ///< By link that stands for others: where they begin in `linksFor`; else -1.
    std::vector<std::int32_t> members;  ///< The ranks that one stands for, by firstMember, in the order of their numbers.
    std::vector<std::int32_t> firstMember; ///< By rank that is simulated: where they begin in `members`.
    std::vector<std::vector<std::int32_t>> targets; ///< By kind of message and rank: whom it sends to; -1: it sends none.
    std::vector<Way> ways;              ///< Each pair of ends once.
    std::vector<std::int32_t> links;    ///< Of all ways.
    std::vector<Send> sends;
    std::map<std::pair<NodeId, NodeId>, std::int32_t> byEnds; ///< Index into `ways`.
    std::unordered_map<std::uint64_t, std::pair<std::int32_t, std::int32_t>> pairs; ///< By pairKey() of two ranks with messages from task to task: those of the pair that stands for it.
    std::function<NodeId(std::int32_t)> nodeOf; ///< Of a rank.
    std::function<void(NodeId, NodeId, std::vector<LinkId>&)> route; ///< Appends the links between two nodes, always the same.

    std::span<const std::int32_t> linksOf(const Way& way) const { return std::span(links).subspan(static_cast<std::size_t>(way.begin), static_cast<std::size_t>(way.hops)); }
    static std::uint64_t pairKey(std::int32_t source, std::int32_t target) { return std::uint64_t{static_cast<std::uint32_t>(source)} << 32 | static_cast<std::uint32_t>(target); }
    /// Who sends, and to whom, the message that stands for one from task to task. The sender is simulated; the other is the one it names itself. \pre there is one
    std::pair<std::int32_t, std::int32_t> pairFor(std::int32_t source, std::int32_t target) const { return pairs.at(pairKey(source, target)); }
    std::int32_t copyOf(std::int32_t rank, std::int32_t number) const { return members[at(firstMember[at(rank)] + number)]; }
    /// The links of what a copy of the rank sends of that kind, and the node it goes to. \pre the rank is simulated and sends some
    NodeId copiedWay(std::int32_t kind, std::int32_t rank, std::int32_t number, std::vector<LinkId>& way) const;
    /// The links that this one stands for, itself included. \pre it does
    std::span<const std::int32_t> copiesOfLink(LinkId link) const
    {
        return std::span(linksFor).subspan(static_cast<std::size_t>(firstOf[at(link)]), static_cast<std::size_t>(copies));
    }
    /// How the input ports of two messages compare that meet: < 0, 0, > 0; absent: not alike at all copies of the link or NPU where they meet.
    /// O(ways of all copies) the first time two places are asked for.
    std::optional<int> comparePorts(const Platform& platform, const Stop& a, const Stop& b) const;

private:
    std::vector<std::int32_t> portsAt(const Platform& platform, const Stop& stop) const;

    mutable std::map<std::pair<Stop, Stop>, std::optional<int>> m_compared;
};

} // namespace fabricscope
