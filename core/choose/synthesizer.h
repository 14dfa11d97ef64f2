#pragma once

#include "core/platform/platform.h"
#include "core/synthesis/synthesis.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A way to make a program for a platform.
struct SynthesisMethod {
    std::string_view key;   ///< "greedy".
    std::string_view title; ///< "Greedy matching", for people.
    std::string_view note;  ///< What it is good for, one sentence.
    bool automatic = true;  ///< Part of "auto": its time grows slowly with the platform.
};

/// greedy, trees, forest, exact.
std::span<const SynthesisMethod> synthesisMethods();
/// "greedy, trees, forest, exact, auto".
std::string synthesisMethodNames();
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

/// Larger programs are not simulated by default: that would take much longer than making them.
constexpr std::uint32_t kMostSimulatedOperations = 4'000'000;

/// Time of the program, run alone under `links` by `members` (rank r on members[r]; empty: by all NPUs that are left): endpoint delay 0,
/// reductions at the platform's memory bandwidth.
Result<SimTime> simulatedTime(const PlatformSpec& platform, const ProgramPtr& program, std::int64_t bytes, int threads, const std::stop_token& stop,
                              std::span<const NodeId> members = {});

/// Least time under `links` of any program that gives every member of `members` what this one does (core/bounds); never above what
/// simulatedTime() says. 0: none known. Errors: Cancelled.
Result<SimTime> leastTime(const Platform& platform, std::span<const NodeId> members, const Program& program, std::int64_t bytes, const std::stop_token& stop);

} // namespace fabricscope
