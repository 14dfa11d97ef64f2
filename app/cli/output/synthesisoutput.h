#pragma once

#include "core/design/design.h"
#include "core/synthesis/synthesis.h"

#include <optional>
#include <string>

namespace fabricscope::cli {

/// A synthesised program and what is known of it, for output.
struct SynthesisReport {
    std::string method;
    CollectiveOp op = CollectiveOp::AllGather;
    std::int64_t bytes = 0;
    std::int32_t chunks = 1;
    std::int32_t ranks = 0;
    std::size_t links = 0;
    Synthesis synthesis;
    std::optional<SimTime> simulated{}; ///< Absent: not simulated.
    SimTime bound{};                    ///< Under `links`, of any program for the collective; 0: none known.
    std::string file;                   ///< Written; empty: none.
    std::int32_t root = 0;              ///< Of a collective that has one.
};

std::string synthesisText(const SynthesisReport& report);
std::string synthesisJson(const SynthesisReport& report);

} // namespace fabricscope::cli
