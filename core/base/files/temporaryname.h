#pragma once

#include <string>

namespace fabricscope {

/// A pattern for mkostemps() with a suffix of kTemporaryEnding bytes, in the folder of `target`: NAME.fabricscope-PID-WHERE-XXXXXX.tmp. WHERE tells this boot and
/// container, in which PID counts, from others.
std::string temporaryName(const std::string& target);
constexpr int kTemporaryEnding = 4;

/// Removes such files in `folder` that no process writes any more: those of a process of this boot and container that is dead, and those of others (after a
/// restart, on a shared disk) a day after their last change. Returns how many. O(files in the folder).
int removeStaleTemporaries(const std::string& folder);

} // namespace fabricscope
