#pragma once

#include "core/program/program.h"

#include <random>

namespace fabricscope::test {

/// A program of random operations of every kind, written in an order in which it can be done; values are whatever comes out.
ProgramPtr anyProgram(std::mt19937_64& random);

} // namespace fabricscope::test
