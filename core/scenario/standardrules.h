#pragma once

#include "core/platform/balancedways.h"
#include "core/scenario/groupshape.h"

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

namespace fabricscope {

/// What `standard` runs (manual: collectives 5.5 and 5.7): by what joins the members along an axis, and from kBandwidthRules on by the bytes on the fullest link where shapes do not tell.
/// Of one platform and placement; not for several threads.
class StandardRules {
public:
    /// `rules`: rulesNumber() of the version that is followed.
    explicit StandardRules(std::int32_t rules) : m_rules(rules) {}

    Algorithm along(const Platform& platform, const Placement& placement, const GroupShape& shape, std::size_t axis, CollectiveOp op, std::int32_t chunks) const;
    /// The group is one closed ring along which a collective goes both ways, half of its chunks each.
    bool goesBothWays(const Platform& platform, const Placement& placement, const GroupShape& shape, CollectiveOp op) const;

    /// Groups of more NPUs than this on an irregular graph are not weighed: they run a ring.
    static constexpr std::int32_t kMostWeighed = 64;

private:
    Algorithm lightest(const Platform& platform, const Placement& placement, const GroupShape& shape, CollectiveOp op, std::int32_t chunks) const;

    std::int32_t m_rules;
    mutable std::unique_ptr<const BalancedWays> m_ways;
    mutable std::map<std::tuple<std::shared_ptr<const GroupLevels>, CollectiveOp, std::int32_t>, Algorithm> m_weighed;
};

/// By shape alone, as before kBandwidthRules.
Algorithm usualAlgorithm(const Platform& platform, const GroupShape& shape, std::size_t axis, CollectiveOp op);

} // namespace fabricscope
