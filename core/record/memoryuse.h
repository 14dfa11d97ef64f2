#pragma once

#include "core/base/rankset.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// Live bytes of ranks over the run. A tensor is live from the issue of its producer (or the start) to the end of its last user (or of the run).
struct MemoryUse {
    struct Tensor {
        std::string name;
        std::int64_t bytes = 0; ///< Of all of them.
        std::int64_t count = 1; ///< Tensors of this name.
        friend bool operator==(const Tensor&, const Tensor&) = default;
    };
    /// From `ps` on, up to the next point: the most that is live at once.
    struct Point {
        std::int64_t ps = 0;
        std::int64_t bytes = 0;
        friend bool operator==(const Point&, const Point&) = default;
    };
    /// Ranks whose memory holds the same at the same time and is of the same size.
    struct Class {
        RankSet ranks;
        std::int64_t residentBytes = 0;      ///< There all the time; part of all other figures.
        std::int64_t peakBytes = 0;
        std::int64_t peakPs = 0;             ///< First instant of the peak.
        std::optional<std::int64_t> capacity; ///< Bytes; absent: unknown.
        std::int64_t overPs = -1;            ///< First instant with more than the capacity; -1: never.
        std::int64_t overBytes = 0;          ///< What is live then.
        std::vector<Tensor> tensors;         ///< What is live at the first instant over capacity, else at the peak, largest first; at most kMaxTensors names.
        std::int64_t otherTensors = 0;       ///< Tensors of further names, and their bytes.
        std::int64_t otherBytes = 0;
        std::vector<Point> timeline;         ///< Ascending, the first at 0; at most kMaxPoints + 1: of more, the largest of equal stretches.
        friend bool operator==(const Class&, const Class&) = default;
    };
    std::vector<Class> classes;              ///< In the order of their first rank.

    static constexpr std::size_t kMaxTensors = 16;
    static constexpr std::size_t kMaxPoints = 1024;
    friend bool operator==(const MemoryUse&, const MemoryUse&) = default;
};

} // namespace fabricscope
