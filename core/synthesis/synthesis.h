#pragma once

#include "core/base/result.h"
#include "core/platform/platform.h"
#include "core/program/program.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Directed links between ranks, and switches that pass data on: what synthesisers work on. Made from a platform and a group.
struct SynthesisGraph {
    struct Link {
        std::int32_t from = 0;          ///< Vertex.
        std::int32_t to = 0;
        std::int64_t bytesPerSecond = 0;
        std::int64_t latencyPs = 0;
        std::vector<std::int64_t> route; ///< Links (LinkId) of the platform behind it; empty for a graph of its own.
    };
    std::int32_t ranks = 0;             ///< Vertices 0..ranks-1 hold data.
    std::int32_t vertices = 0;          ///< The others are switches.
    std::vector<Link> links;
};

/// Members of a group on a platform. Vertex i < members.size() is member i; NPUs that are no members and switches follow as switches.
/// Errors: a platform with more than 2^20 links; a group of less than 2.
Result<SynthesisGraph> synthesisGraph(const Platform& platform, std::span<const NodeId> members);
/// The same without switches: every pair of ranks whose route leads over switches only becomes a link of its own (shared capacity is divided
/// evenly among the links of one rank).
SynthesisGraph unwound(const SynthesisGraph& graph);

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
