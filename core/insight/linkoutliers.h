#pragma once

#include "core/platform/platform.h"
#include "core/record/runrecord.h"

#include <cstdint>
#include <optional>

namespace fabricscope {

/// A directed link that stands out among its equals.
///
/// Equals are links that could stand in for each other: of one dimension and one port (one way round a ring, one distance, up or down);
/// in an explicit graph those between the same kinds of nodes on the same levels, level 0 being the NPUs. Where half of them is one way
/// and half another, none stands out: only what is unlike the majority does.
struct LinkOutlier {
    enum class Kind : std::uint8_t {
        Rate,    ///< Slower than its equals are, and that costs time.
        Latency, ///< The same with its latency.
        Load,    ///< As fast as its equals, but busy for longer.
    };
    Kind kind = Kind::Rate;
    LinkId link = -1;
    std::int64_t busyPs = 0;
    std::int64_t messages = 0;
    std::int64_t equals = 0;           ///< The others it was compared with; Load: those in use.
    std::int64_t alike = 0;            ///< Further equals that are as slow; Rate and Latency.
    std::optional<std::int64_t> usualBusyPs; ///< Median of the equals in use; absent: it is the only one in use.
    Bandwidth usualRate;               ///< Of most equals.
    SimTime usualLatency;
    std::int64_t costPs = 0;           ///< How much longer it is busy, or its messages under way in all, than at the usual figure.
};

/// The link that stands out most:
/// one whose rate, or latency, is worse than that of most of its equals, and costs a twentieth of the run or more by it, however
/// busy others are; else one busy for half of the run or more, 1.3 times as long as most of at least three equals in use.
/// Nothing for runs without links that can be busy (model ideal) and for runs that did not end.
/// O(links of explicit graphs + used links * log + overrides).
std::optional<LinkOutlier> findLinkOutlier(const Platform& platform, const RunRecord& record);

} // namespace fabricscope
