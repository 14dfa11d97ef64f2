#pragma once

#include <cstdint>

namespace fabricscope::test {

/// Something that happens at a known time of the brute-force run.
struct Timer {
    enum class Kind { TaskEnd, MessageReady, ReplayEnd, OpEnd, Look, Empty } kind = Kind::TaskEnd; ///< Empty: a send of no bytes is there.
    std::int32_t id = 0;    ///< Rank, message, member or send of no bytes.
    std::int32_t part = 0;  ///< Task or operation.
};

} // namespace fabricscope::test
