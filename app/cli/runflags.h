#pragma once

#include "app/cli/session.h"
#include "core/design/design.h"
#include "core/platform/valueranges.h"
#include "core/report/runjson.h"
#include "core/sim/simulate.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::cli {

/// The options that every simulating command has (manual: json 4), as written.
struct RunFlags {
    std::string model;       ///< Empty: the design's.
    std::string engine = "auto";
    std::uint64_t seed = 0;  ///< 0: the design's.
    std::int32_t seeds = 1;
    int threads = 0;         ///< 0: one per core.
    std::string ranks = "classes";
    std::string memoryLimit; ///< Empty: 60 % of RAM or control group.
    std::string save;
    std::string timeline;
    std::string traces;      ///< PREFIX.
    std::string report;
    bool json = false;
    bool strict = false;
};

/// Refuses what cannot be meant (valueranges.h), naming the option.
Status checkOption(const Quantity& value, Meaning meaning, const std::string& option);

/// An option for the seed of what is drawn at random; refuses negative numbers.
Option* addSeed(Command& command, std::uint64_t& seed, const std::string& description);

/// The option --memory-limit of a command; its text is for applyMemoryLimit().
void addMemoryLimit(Command& command, std::string& text, const std::string& group);
/// Lets the limit hold for the process of the session from now on and returns it in bytes, 0: none; an empty text: the default rule. Of a process that others share
/// nothing is limited but the run. Error: Usage.
Result<std::int64_t> applyMemoryLimit(const std::string& text, const Session& session);
void addRunFlags(Command& command, RunFlags& flags);
/// Names of the options that addRunFlags() adds, and of `more`.
std::vector<std::string_view> withRunFlags(std::vector<std::string_view> more);

/// The same, understood.
struct RunRequest {
    std::optional<Model> model;
    EngineChoice engine = EngineChoice::Auto;
    std::uint64_t seed = 0;
    int threads = 1;
    RankRows rows = RankRows::Classes;
    std::int64_t memoryLimit = 0;
    bool taskTimes = false; ///< Keep the times of every task although no output asks for them.
    RunFlags flags;
};

/// Errors name the option and what it may be; also for output names that cannot be written in the form they ask for.
Result<RunRequest> understand(const RunFlags& flags, const Session& session);

/// A run and what it was made of.
struct FinishedRun {
    ScenarioPtr scenario;
    RunSummary summary;
    RunCost cost;
    std::optional<SeedSummary> seeds{}; ///< With --seeds.
};

/// Checks, prepares and simulates the design. Nothing when that fails: then the exit code and the message are out. In runwithflags.cpp, as the next.
std::optional<FinishedRun> computeRun(Session& session, LoadedDesign loaded, const RunRequest& request);

/// Simulates the design and writes all that was asked for; sets the exit code.
void runDesign(Session& session, LoadedDesign loaded, const RunRequest& request);

/// Refusals of a run whose engine was chosen name the option.
Error withEngineNamed(Error error, EngineChoice engine);

/// Says so where a seed was given and nothing is drawn.
void noteUnusedSeed(Session& session, const RunRequest& request, const Scenario& scenario);

/// One error about an option.
Error usageError(std::string message, std::string option, std::string expected = {});

/// Position of `text` in the list; -1: not there.
int indexOf(std::string_view text, std::initializer_list<std::string_view> list);

} // namespace fabricscope::cli
