#pragma once

#include <string>
#include <vector>

namespace fabricscope::cli {

class Session;

/// Runs a command line, as main() has it: the program's name first. The session is finished then, and has said what failed.
void runArguments(const std::vector<std::string>& arguments, Session& session);

} // namespace fabricscope::cli
