#pragma once

#include "core/base/digest.h"
#include "core/platform/platform.h"

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace fabricscope {

/// One delivered message, as every engine must report it. Only its digest is kept.
struct MessageRecord {
    std::int64_t instance = -1; ///< Structure::instances index; -1: point to point.
    std::int32_t source = 0;    ///< Rank.
    std::int32_t target = 0;    ///< Rank.
    std::int32_t chunk = 0;     ///< Point to point: running number of (source, target, tag).
    std::int32_t phase = 0;     ///< Point to point: tag.
    std::int32_t step = 0;
    std::int32_t slot = 0;
    std::int64_t bytes = 0;
    std::int64_t readyPs = 0;   ///< When it joined the FIFO of its own link (endpoint overhead paid).
    std::int64_t leftPs = 0;    ///< When its last piece left its own link.
    std::int64_t donePs = 0;    ///< Delivered and, where it reduces, reduced.

    std::array<std::int64_t, 11> words() const
    {
        return {instance, source, target, chunk, phase, step, slot, bytes, readyPs, leftPs, donePs};
    }
};

/// The links that some bytes of a message crossed, one after the other. The ways of a message cover its bytes in order.
struct TakenWay {
    std::int64_t end = 0;       ///< Behind the last of these bytes, which begin where the way before ends.
    std::vector<LinkId> links;  ///< With those crossed before the way failed and another one was found.

    friend auto operator<=>(const TakenWay&, const TakenWay&) = default;
};

} // namespace fabricscope
