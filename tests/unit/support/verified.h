#pragma once

#include "core/program/program.h"

#include <string>

namespace fabricscope::test {

/// What the verifier has against a program, in a line; empty: it is valid, its postcondition holds, it works in the modes its flags claim, and
/// finishes with 1, 2 and 8 slots per connection.
std::string verifierObjects(const Program& program);

} // namespace fabricscope::test
