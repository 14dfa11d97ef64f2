#pragma once

#include "core/sim/symmetry/grouptraffic.h"

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// What colours of ranks and links are refined by.
struct RefinedTraffic {
    const GroupTraffic& traffic;
    std::span<const std::vector<std::int32_t>> targets; ///< By kind of message and rank (GroupTraffic::targets).
    std::vector<std::uint64_t> links;                   ///< By link: equal for links that are alike.
    /// Appends the links of a way from a rank to a rank.
    std::function<void(std::int32_t, std::int32_t, std::vector<std::int32_t>&)> way;
    /// The input port by which what came over the first link meets the second; the second may be -1: the end of the way.
    std::function<std::int32_t(std::int32_t, std::int32_t)> port;
};

/// Classes of ranks by port-labelled colour refinement, whatever the numbers of the ranks: by rank the first of its class. Colours begin as roles and likeness of
/// links. A rank is then told apart by the colours of its groups, and for every kind of message of whom it sends to and hears from and of the links between;
/// a link by who crosses it at which hop. What crosses a link alike is numbered by the port it came by, so that at the end each link of a class is crossed
/// once by each class, and classes that have to do with each other are of one size. Nothing where sizes differ, a rank is alone, there are more than
/// kMostRefinedLinks links on all ways, or it takes more than kMostRefinedWork. `groups` of the traffic may leave ranks out. A candidate only: hashes stand for colours, and whoever uses the classes checks them. Throws StopRequested.
/// O(links of all ways, log), a few dozen times.
std::vector<std::int32_t> refinedClasses(const RefinedTraffic& input, const std::stop_token& stop = {});

constexpr std::int64_t kMostRefinedLinks = std::int64_t{1} << 20;
/// Links of all ways times rounds: beyond it the search costs more than most runs it would save.
constexpr std::int64_t kMostRefinedWork = std::int64_t{1} << 23;

} // namespace fabricscope
