#pragma once

#include "core/base/result.h"
#include "core/trace/traceset.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A communicator group: the name that nodes use in pg_name, and its members in ring order.
struct CommGroup {
    std::string id;
    std::vector<std::int64_t> ranks;
    int line = 0; ///< In the group file; 0: from a trace.
};

/// A group file: {"1": [0, 1], "2": [2, 3]}.
struct CommGroups {
    std::string file; ///< Empty: none was given.
    std::vector<CommGroup> groups;

    const CommGroup* find(std::string_view id) const;
};

/// Reads a group file. Errors (no JSON, another form, a name twice, a rank that is no whole number) name the line.
Result<CommGroups> readCommGroups(const std::string& path);
Result<CommGroups> parseCommGroups(std::string_view text, const std::string& file = {});

/// What is wrong with the groups on a machine of `rankCount` ranks: empty groups, repeated members and absent ranks are errors
/// (rules group-empty, group-member-twice, group-absent-rank); the name "0", which ASTRA-sim keeps for all ranks, is a warning.
Diagnostics checkCommGroups(const CommGroups& groups, std::int64_t rankCount);

} // namespace fabricscope
