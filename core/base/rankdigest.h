#pragma once

#include "core/base/digest.h"

#include <cstdint>
#include <span>

namespace fabricscope {

/// Sum modulo 2^128 of the digests of the records {0, rest...}, {1, rest...}, .., {count - 1, rest...}, as CommutativeDigest gives it.
/// \pre rest.size() <= 7. O(count), a few ns each.
Digest digestOfNumbered(std::int64_t count, std::span<const std::int64_t> rest);

/// a + b modulo 2^128.
Digest sumOf(Digest a, Digest b);

} // namespace fabricscope
