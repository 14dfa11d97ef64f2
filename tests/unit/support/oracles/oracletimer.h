#pragma once

#include <cstdint>

namespace fabricscope::test {

/// Something that happens at a known time of the brute-force run.
struct Timer {
    enum class Kind { TaskEnd, MessageReady, ReplayEnd, OpEnd, Look } kind = Kind::TaskEnd;
    std::int32_t id = 0;    ///< Rank, message or member.
    std::int32_t part = 0;  ///< Task or operation.
};

} // namespace fabricscope::test
