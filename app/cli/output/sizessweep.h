#pragma once

#include "app/cli/collectiveflags.h"
#include "app/cli/runflags.h"

#include <string>

namespace fabricscope::cli {

/// Simulates the collective of `flags` at each of `sizes` ("1KiB..1GiB" or a list, as parseSizes() reads it) and prints the columns of nccl-tests, or rows
/// as JSON. Sets the exit code.
void runSizes(const CollectiveFlags& flags, const std::string& sizes, const RunRequest& request, Session& session);

} // namespace fabricscope::cli
