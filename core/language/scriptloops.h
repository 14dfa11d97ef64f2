#pragma once

#include <string_view>
#include <vector>

namespace fabricscope {

/// Lines of the loops of a Lua text.
struct ScriptLoop {
    int begin = 0; ///< Line of `for`, `while` or `repeat`.
    int end = 0;   ///< Line of its `end` or `until`.
};

/// All loops that are closed, inner ones before the ones around them. O(text). Meant for texts that Lua has accepted; any other text is fine too.
std::vector<ScriptLoop> findLoops(std::string_view text);

/// First line with `...`; 0: none. Lists of any length would let one instruction move them all, so scripts do not have them.
int findVarargs(std::string_view text);

/// First line of the innermost loop around `line`; 0: none.
int loopAround(const std::vector<ScriptLoop>& loops, int line);

} // namespace fabricscope
