#pragma once

#include <atomic>
#include <cstdint>

namespace fabricscope {

/// How far a placement is, for another thread to look at.
struct PlacementWatch {
    enum class Stage : std::uint8_t { Collectives, Searching, Simulating };
    std::atomic<Stage> stage{Stage::Collectives};
    std::atomic<std::int32_t> searches{0}; ///< For programs, begun.
    std::atomic<std::int64_t> states{0};   ///< Of searches that have ended.
};

} // namespace fabricscope
