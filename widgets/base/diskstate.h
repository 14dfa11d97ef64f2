#pragma once

#include <QString>

#include <string>

namespace fabricscope {

/// What became of a file since it was read, or written, here.
enum class DiskState {
    Same,       ///< The same bytes, whatever its times say.
    Changed,    ///< Other bytes.
    Gone,       ///< Deleted, moved, or its folder is.
    Unreadable, ///< There, but it can no longer be read.
    NotAFile,   ///< A folder, pipe or device has taken its place.
};

/// Compares the bytes on disk with `known`. Opens regular files only, so it waits for nobody. O(bytes), less when the length differs.
DiskState diskState(const QString& path, const std::string& known);

} // namespace fabricscope
