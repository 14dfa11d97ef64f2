#pragma once

#include "app/cli/session.h"
#include "core/base/files/outputcheck.h"

#include <vector>

namespace fabricscope::cli {

/// checkOutputs() for a command; standard output counts as an output of it. An output that is "-" or /dev/stdout takes the place of the printed result; `json`: that
/// was asked for as well, which is refused.
Status claimOutputs(Session& session, std::vector<NamedFile> outputs, const std::vector<NamedFile>& inputs, bool json);

/// Refuses "-" where it would begin the names of several files. Error: Usage, of this option.
Status checkPrefix(const std::string& option, const std::string& prefix);

/// Opens standard input, output and error where they are closed, so that no file of ours gets their numbers, and makes writes into a closed pipe or past a
/// limit fail instead of ending the program. At the very start.
void guardStreams();

} // namespace fabricscope::cli
