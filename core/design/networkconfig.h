#pragma once

#include "core/base/keytable.h"
#include "core/base/quantity.h"
#include "core/design/protocolconfig.h"
#include "core/platform/router.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

struct Design;

inline constexpr auto kRoutePolicies = [] {
    KeyTable<RoutePolicy, kRoutePolicyRows.size()> words;
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = {kRoutePolicyRows[i].word, kRoutePolicyRows[i].policy};
    return words;
}();

/// How messages find their way, with names as in the file.
struct RoutingConfig {
    struct Way {
        std::string from;
        std::string to;
        std::vector<std::string> via;   ///< Nodes between; of parallel links the first.
        std::vector<std::string> links; ///< Names of links instead.
        friend bool operator==(const Way&, const Way&) = default;
    };
    struct Next {
        std::string to;
        std::string link;
        friend bool operator==(const Next&, const Next&) = default;
    };
    RoutePolicy policy = RoutePolicy::Shortest;
    bool perMessage = false;
    std::vector<std::int32_t> order;
    std::vector<Way> routes;
    std::vector<Next> nextHops;
    friend bool operator==(const RoutingConfig&, const RoutingConfig&) = default;
};

/// Something that happens to a link, or to all links of an NPU, during the run.
struct FaultConfig {
    std::string link;                  ///< Name as Platform::linkName writes it; empty: `npu` counts.
    std::int32_t npu = -1;
    Quantity at{0, "ns", Measure::Time};
    std::optional<Quantity> until;     ///< Absent: for ever.
    bool failed = false;
    std::optional<Quantity> bandwidth; ///< Of the link from then on.
    std::optional<std::pair<std::int64_t, std::int64_t>> factor; ///< The same as a share of its bandwidth, "1/2".
    friend bool operator==(const FaultConfig&, const FaultConfig&) = default;
};

enum class JitterShape : std::uint8_t { None, Uniform, Normal, Lognormal, Exponential };

/// Times are multiplied by a factor of mean 1 and this standard deviation.
struct JitterConfig {
    JitterShape shape = JitterShape::None;
    double deviation = 0;
    friend bool operator==(const JitterConfig&, const JitterConfig&) = default;
};

/// Section `network`: how messages find their way and what a transfer costs besides bytes. Plain value, shared and immutable once read.
struct NetworkConfig {
    std::uint64_t seed = 0;
    Quantity launch{0, "ns", Measure::Time}; ///< From the issue of a collective to its begin, whatever its steps.
    std::optional<RoutingConfig> routing;
    std::vector<ProtocolConfig> protocols; ///< First that fits.
    std::vector<FaultConfig> faults;
    JitterConfig compute;                  ///< Of computations.
    JitterConfig latency;                  ///< Of links, per message.
    JitterConfig occupancy;                ///< Of links, per message.
    friend bool operator==(const NetworkConfig&, const NetworkConfig&) = default;
};

/// "1/2", "120/128": numerator and denominator, both at least 1. In file/networksection.cpp, as jitterKey().
std::optional<std::pair<std::int64_t, std::int64_t>> parseFraction(std::string_view text);
/// Largest deviation for which no factor of the shape is negative. In networkchecks.cpp, as what is resolved below.
double largestDeviation(JitterShape shape);
std::string_view jitterKey(JitterShape shape);

/// A fault with numbers for names: link by link, `rate` 0: failed.
struct LinkFault {
    LinkId link = 0;
    SimTime at;
    std::optional<SimTime> until;
    std::int64_t rate = 0;
    std::size_t fault = 0; ///< Index into NetworkConfig::faults.
};

/// The routing of a design by numbers; checked. \pre design.network has a routing. Errors name the field.
Result<RoutingRules> resolveRouting(const Design& design, const Platform& platform);
/// All faults of a design, link by link in the order of the file; checked: known links, ends after begins, no two rates of one link at a time.
Result<std::vector<LinkFault>> resolveFaults(const Design& design, const Platform& platform);

} // namespace fabricscope
