#pragma once

#include "core/platform/platform.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricscope {

/// Which ranks of a run on a graph are simulated, and for whom they and their links stand (core/sim/symmetry/graphrun.h says why that is exact).
/// Every rank that is simulated, and every link that is used, stands for `copies` of them, itself included. Plain value, but for what it remembers.
class Folding {
public:
    /// A way that messages take.
    struct Way {
        NodeId source = 0;
        NodeId target = 0;
        std::int64_t begin = -1; ///< Its first link in `links`; -1: not asked for.
        std::int32_t hops = 0;
    };
    /// A place on the way of a rank that is simulated: the link after so many hops; after all of them the end.
    struct Stop {
        std::int32_t way = 0; ///< Index into `copiesOfWay`.
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
    std::vector<Way> ways;              ///< Of all ranks.
    std::vector<std::int32_t> links;    ///< Of all ways.
    std::vector<std::vector<std::int32_t>> copiesOfWay; ///< The ways that one stands for; empty: not the same ones for all kinds of messages.
    std::vector<std::int32_t> wayOf;    ///< As copiesOfWay: the way that stands for them.
    std::map<std::pair<NodeId, NodeId>, std::int32_t> byEnds; ///< Of simulated ranks: index into copiesOfWay.

    std::span<const std::int32_t> linksOf(const Way& way) const { return std::span(links).subspan(static_cast<std::size_t>(way.begin), static_cast<std::size_t>(way.hops)); }
    /// The links that this one stands for, itself included. \pre it does
    std::span<const std::int32_t> copiesOfLink(LinkId link) const
    {
        return std::span(linksFor).subspan(static_cast<std::size_t>(firstOf[static_cast<std::size_t>(link)]), static_cast<std::size_t>(copies));
    }
    /// How the input ports of two messages compare that meet: < 0, 0, > 0; absent: not alike at all copies of the link or NPU where they meet.
    /// O(copies) the first time two places are asked for.
    std::optional<int> comparePorts(const Platform& platform, const Stop& a, const Stop& b) const;

private:
    std::vector<std::int32_t> portsAt(const Platform& platform, const Stop& stop) const;

    mutable std::map<std::pair<Stop, Stop>, std::optional<int>> m_compared;
};

} // namespace fabricscope
