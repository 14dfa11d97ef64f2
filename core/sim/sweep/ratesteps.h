#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace fabricscope::sweep {

/// The rate of a link that changes at instants known before the run. A piece takes the rate of the instant in which the link takes it.
class RateSteps {
public:
    explicit RateSteps(ResourceClass first) : m_first(first) {}

    /// From `at` on. \pre no earlier than those added before
    void add(std::int64_t at, ResourceClass resource) { m_steps.emplace_back(at, resource); }
    /// End of a message that the link begins to serve at `start`, piece by piece. O(pieces * steps).
    std::int64_t endOf(const CostTable& costs, std::int64_t start, std::int64_t bytes, std::int64_t pieceBytes) const;
    /// What a message takes at the highest of the rates.
    std::int64_t least(const CostTable& costs, std::int64_t bytes) const;

private:
    ResourceClass m_first;
    std::vector<std::pair<std::int64_t, ResourceClass>> m_steps;
};

} // namespace fabricscope::sweep
