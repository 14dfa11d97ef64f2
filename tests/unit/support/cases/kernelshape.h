#pragma once

#include "core/transform/tensorprogram.h"

#include <string>

namespace fabricscope::test {

/// What is wrong with the kernels and chains of a program, looked at as they are and not at the steps that made them: stages a kernel cannot hold, operands that come as another
/// slice than the kernel goes through, what leaves a communication kernel ungathered, chains whose kernels have nothing to hand on chunk by chunk. Empty: nothing.
std::string wrongKernel(const transform::TensorProgram& program);

} // namespace fabricscope::test
