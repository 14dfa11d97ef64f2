#pragma once

#include <cstddef>
#include <cstdint>

namespace fabricscope {

/// An interval of a track.
struct TimelineSelection {
    std::size_t track = 0;
    std::int32_t index = 0;
    friend bool operator==(const TimelineSelection&, const TimelineSelection&) = default;
};

} // namespace fabricscope
