#pragma once

#include "core/transform/rewrites.h"
#include "core/transform/tensorfile.h"

#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace fabricscope::test {

/// A file of `transform`: `body` are the lines from `tensors:` on, each indented by two; the platform is one switch of 100 GB/s.
std::string transformText(int ranks, const std::string& body, int groups = 1);
/// The same read; fails the test where it is refused.
transform::TransformFile transformCase(int ranks, const std::string& body, int groups = 1);
/// The program after the steps; fails the test where one is refused.
transform::TensorProgram afterSteps(const transform::TensorProgram& program, const std::vector<std::string>& steps);
/// Why the last of the steps is refused; fails the test where it is not.
transform::Refusal refusalOf(const transform::TensorProgram& program, const std::vector<std::string>& steps);

/// A random program with layouts: data-parallel gradients, products, normalisations, updates, sends.
transform::TensorProgram randomProgram(std::mt19937_64& random);
/// A random step, more often than not one that could be legal.
transform::ScheduleStep randomStep(const transform::TensorProgram& program, std::mt19937_64& random);

} // namespace fabricscope::test
