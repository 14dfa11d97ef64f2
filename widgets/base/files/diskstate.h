#pragma once

namespace fabricscope {

/// What became of a file since it was read, or written, here.
enum class DiskState {
    Same,       ///< The same bytes, whatever its times say.
    Changed,    ///< Other bytes.
    Gone,       ///< Deleted, moved, or its folder is.
    Unreadable, ///< There, but it can no longer be read.
    NotAFile,   ///< A folder, pipe or device has taken its place.
};

} // namespace fabricscope
