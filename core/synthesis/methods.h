#pragma once

#include "core/synthesis/synthesis.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A way to make a program for a graph. A new one is a row in methods.cpp: the command, designs and the window have it then.
struct SynthesisMethod {
    std::string_view key;   ///< "greedy".
    std::string_view title; ///< "Greedy matching", for people.
    std::string_view note;  ///< What it is good for, one sentence.
    bool automatic = true;  ///< Part of "auto": its time grows slowly with the graph.
    bool seeded = false;    ///< Reads SynthesisOptions::seed and tries.
    bool timed = false;     ///< Reads SynthesisOptions::timeLimitSeconds.
    Result<Synthesis> (*run)(const SynthesisGraph&, const SynthesisOptions&) = nullptr;
};

/// All that are automatic, the shortest plan of theirs: a name beside those of the methods.
constexpr std::string_view kAutomaticSynthesis = "auto";

/// greedy, trees, forest, exact.
std::span<const SynthesisMethod> synthesisMethods();
/// What may be asked for: the keys of all methods, then "auto".
std::vector<std::string_view> synthesisNames();
/// "greedy, trees, forest, exact, auto".
std::string synthesisMethodNames();
/// Does anything that runs under this name read seed and tries, or the time limit? True for a name that there is not: that is to be said first.
bool isSeededSynthesis(std::string_view name);
bool isTimedSynthesis(std::string_view name);
/// The collectives that methods make, all-gather first.
std::span<const CollectiveOp> synthesisOps();
/// Numbers of chunks that "auto" tries.
std::span<const std::int32_t> automaticChunks();

/// What a search has tried: one method with one number of chunks.
struct SynthesisTrial {
    std::string method;
    std::int32_t chunks = 1;
    Synthesis synthesis;
};

struct SynthesisSearch {
    std::string method = "greedy";        ///< Key of a method, or "auto": all that are automatic.
    std::vector<std::int32_t> chunks{1};  ///< Tried one after the other.
    SynthesisOptions options;             ///< `chunks` is not read; `timeLimitSeconds` holds for each trial; `progress` gets the share of all trials.
    /// Called with every trial that gave a program, in the order of trying, on the searching thread.
    std::function<void(const SynthesisTrial&)> tried;
};

/// The trial with the shortest planned time; the first of equals. Methods that do not make the collective are passed over while another does.
/// When the token stops it, the best so far, cut short. Errors: Usage (no such method, no chunks); those of the methods; Cancelled.
Result<SynthesisTrial> searchProgram(const SynthesisGraph& graph, const SynthesisSearch& search);

} // namespace fabricscope
