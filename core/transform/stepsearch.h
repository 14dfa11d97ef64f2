#pragma once

#include "core/base/result.h"
#include "core/transform/transformed.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace fabricscope::transform {

inline constexpr std::size_t kMostSearchedStages = 150;

/// A program that the search found.
struct SearchedProgram {
    std::int64_t parent = -1; ///< In the list; -1: the program as written.
    ScheduleStep step;        ///< From the parent; of the first: none.
    SimTime time;
    std::int64_t memory = 0;  ///< Of declared tensors, bytes per rank.
};

/// The fastest of the programs when collectives run so.
struct TunedSetting {
    std::string algorithm;                ///< Empty: as the file says; likewise the others.
    std::string protocol;
    std::optional<std::int32_t> channels;
    std::size_t program = 0;
    SimTime time;
};

/// Everything a search looked at.
struct StepSearch {
    std::vector<SearchedProgram> programs; ///< In the order found, the program as written first.
    std::size_t best = 0;
    bool complete = true;                  ///< No new program was left; else a limit was reached, or the search was stopped.

    std::vector<TunedSetting> settings;    ///< With `tune` in the file: every combination, and its fastest program of the 16 fastest found.
    std::size_t bestSetting = 0;           ///< Its program is `best` then.

    /// The figures of the file as the best setting has them.
    TimingSetup bestTiming(const TransformFile& file) const;
    /// Steps from the program as written to one of the list.
    Schedule scheduleOf(std::size_t program) const;
};

struct SearchLimits {
    std::size_t programs = 2000;   ///< Found at most.
    std::size_t stageSteps = 40'000; ///< Programs times stages at most, so that long programs end too.
    bool keepWhenStopped = false;    ///< What was found by then is the result, where it is at least the program as written.
};

/// Told after every program that is found, on the thread that searches.
using SearchWatch = std::function<void(const StepSearch& soFar)>;

/// Looks for the fastest schedule (manual: transform 7): pointwise stages are fused, then breadth first every legal step that leads to a new program; each is
/// timed as timesOf() does. Of equally fast ones the one with less memory, then the one found first. Deterministic. Errors: more than
/// kMostSearchedStages stages, those of timing, Cancelled.
Result<StepSearch> searchSchedules(const TransformFile& file, const std::stop_token& stop = {}, const SearchLimits& limits = {}, const SearchWatch& watch = {});

/// In stepcandidates.cpp, as pointwiseFusions(). Steps that may be legal and useful, tried by the search.
std::vector<ScheduleStep> candidateSteps(const TensorProgram& program, const std::vector<std::string>& maySlice);

/// "fuse {...}" for every maximal connected set of pointwise stages.
std::vector<ScheduleStep> pointwiseFusions(const TensorProgram& program);

} // namespace fabricscope::transform
