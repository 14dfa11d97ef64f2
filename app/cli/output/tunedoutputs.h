#pragma once

#include "app/cli/session.h"
#include "core/base/result.h"
#include "core/design/design.h"
#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace fabricscope::cli {

/// Files of what is fastest at every size (tuneSizes()); an empty name: none.
struct TunedFiles {
    std::string table;    ///< NCCL's tuner table.
    std::string programs; ///< PREFIX: PREFIX.COLLECTIVE.FROM.xml for every range of sizes with one fastest program.
};

/// `choices` of each collective ascending by size. What NCCL or MSCCL XML cannot say is left out, with a note. Errors: those of writing, Cancelled.
Status writeTuned(const Design& design, const std::vector<CollectiveChoice>& choices, const TunedFiles& files, Session& session);

} // namespace fabricscope::cli
