#pragma once

#include "core/base/index.h"

#include <cstdint>
#include <vector>

namespace fabricscope::generate {

/// Who exchanges with whom in Swing (manual: collectives 4.4) on a torus whose axes are powers of two.
class SwingPeers {
public:
    /// Steps take the axes in turn from `firstAxis` on, each with its own count of steps; `mirrored`: all directions the other way.
    SwingPeers(std::vector<std::int32_t> axes, std::int32_t firstAxis = 0, bool mirrored = false);

    /// log2 of the number of ranks.
    std::int32_t steps() const { return static_cast<std::int32_t>(m_steps.size()); }
    std::int32_t axis(std::int32_t step) const { return m_steps[at(step)].axis; }
    /// rho_t = (1 - (-2)^(t+1)) / 3 positions on along the axis from even positions, back from odd ones.
    std::int32_t peer(std::int32_t rank, std::int32_t step) const;

private:
    struct Step {
        std::int32_t axis;
        std::int32_t distance;
    };
    std::vector<std::int32_t> m_axes;
    std::vector<std::int32_t> m_strides;
    std::vector<Step> m_steps;
    bool m_mirrored;
};

} // namespace fabricscope::generate
