#pragma once

namespace fabricscope::test {

inline constexpr int kLongMs = 120'000; ///< Patience on a loaded machine.

} // namespace fabricscope::test
