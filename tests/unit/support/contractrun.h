#pragma once

#include "core/program/program.h"

#include <string>

namespace fabricscope::test {

/// Executes an explicit program of sends and receives in place, by its dependencies and connections alone, with multisets of
/// contributions, and compares with the contract of its collective. Empty: all is as required; else what is not. Independent of core/verify.
std::string problemOfRun(const Program& program);

} // namespace fabricscope::test
