#pragma once

#include "core/program/program.h"
#include "core/synthesis/synthesisgraph.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace fabricscope {

/// How far a search has come. Called from the searching threads, one call at a time.
struct SynthesisProgress {
    double share = 0;             ///< 0..1, of the work or of the time limit.
    std::string best;             ///< "258 steps, 5.17 ms"; empty: nothing yet.
};

struct SynthesisOptions {
    CollectiveOp op = CollectiveOp::AllGather;
    std::int64_t bytes = std::int64_t{1} << 20; ///< Large side.
    std::int32_t chunks = 1;                    ///< Per rank and shard.
    std::int32_t root = 0;
    std::uint64_t seed = 1;
    std::int32_t tries = 1;                     ///< Seeds seed, seed+1, ...; the best is kept, the lowest seed of equals.
    int threads = 1;
    std::int64_t switchDelayPs = 0;             ///< Trees over direct links and switches: what turning to the switches costs once (T_dpa of Blink).
    std::int32_t treesPerRoot = 0;              ///< ForestColl: so many, with the best rate they can have; 0: as many as the optimum needs.
    double timeLimitSeconds = 0;                ///< 0: none. What is best then is given.
    std::function<void(const SynthesisProgress&)> progress;
    std::stop_token stop{};
};

/// What a synthesiser found. The program has passed verify().
struct Synthesis {
    ProgramPtr program;
    std::int64_t plannedPs = 0;     ///< Finish by the synthesiser's own cost model.
    std::int64_t boundPs = 0;       ///< Lower bound by the same model; 0: unknown.
    std::int32_t steps = 0;         ///< Where the model has steps.
    std::uint64_t seed = 0;         ///< That gave it.
    bool optimal = false;           ///< Proven.
    bool cutShort = false;          ///< Time limit or cancel; it is the best so far.
    std::string note;               ///< For people: trees and weights, rates.
};

} // namespace fabricscope
