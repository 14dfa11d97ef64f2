#pragma once

#include "core/synthesis/synthesis.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope::test {

/// A row of tests/golden/tacos_all_gather.csv: an all-gather measured with the released TACOS synthesiser.
struct TacosCase {
    std::string name;      ///< "torus2d 8x8, 2 chunks".
    std::string kind;
    std::vector<std::int32_t> dims;
    std::vector<double> gibPerSecond; ///< Per dimension, or one.
    std::vector<double> latencyUs;
    std::int32_t npus = 0;
    std::int32_t links = 0;
    std::int32_t chunks = 1;          ///< Per NPU.
    std::int64_t chunkBytes = 0;
    double bestUs = 0;                ///< Shortest collective found there.
    double bandwidthBoundUs = 0;
    double hopBoundUs = 0;
    std::int32_t stepBound = 0;       ///< 0: links differ.
    std::int32_t bestSteps = 0;
};

std::vector<TacosCase> tacosCases();

/// The graph of a case; kinds as described in the README of the reference.
SynthesisGraph tacosGraph(const TacosCase& row);

} // namespace fabricscope::test
