#pragma once

#include "core/platform/router.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace fabricscope {

/// Ways of a platform by the rules of physical/2 and flow/2, where a design does not say how messages go: `balanced`, for the first stream between
/// two nodes, over all links that are there. Safe to share between threads.
class BalancedWays {
public:
    /// \pre an explicit platform of at most mostGraphLinks() links, whose own ways are not balanced
    explicit BalancedWays(const Platform& platform);
    BalancedWays(const BalancedWays&) = delete;
    BalancedWays& operator=(const BalancedWays&) = delete;

    /// The rules of ways of a platform, by the number of the rules of models: dimensions, also of unequal groups, keep those of 1.
    static std::int32_t rulesFor(const Platform& platform, std::int32_t number);
    /// The rules these ways follow.
    static RoutingRules rules();
    /// Appends the way; false, and nothing appended, when there is none.
    bool route(NodeId from, NodeId to, std::vector<LinkId>& links) const;

private:
    Platform m_platform;
    RoutingRules m_rules;
    mutable std::mutex m_mutex;               ///< Of the router, which remembers distances.
    mutable std::unique_ptr<Router> m_router; ///< Made when it is first asked.
};

} // namespace fabricscope
