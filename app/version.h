#pragma once

namespace fabricscope {

/// "0.1.0", and the commit it was built from ("3f2a91c0b7de", "-dirty" appended, or "unknown commit").
extern const char* const kVersion;
extern const char* const kCommit;

} // namespace fabricscope
