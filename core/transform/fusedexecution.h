#pragma once

#include "core/transform/executeprogram.h"
#include "core/transform/stagegraph.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace fabricscope::transform {

/// Executes reduce-scatter, computations and all-gathers of one kernel as its communication does: every chunk is reduced, computed on and sent on before
/// the next one. Norms are barriers: their scalar all-reduce ends before anything that depends on it begins, all-gathers included.
class FusedExecution {
public:
    /// \param execution outlives this
    FusedExecution(Execution& execution, const Kernel& kernel);
    void run();

private:
    /// Stages between two barriers.
    struct Level {
        std::vector<const Stage*> chunked; ///< Go chunk by chunk, in their order.
        std::vector<const Stage*> whole;   ///< Need all chunks.
        std::vector<const Stage*> scalars; ///< All-reduces of single numbers that end the level before.
    };
    void runLevel(const Level& level);

    Execution& m_execution;
    std::vector<Level> m_levels;
};

} // namespace fabricscope::transform
