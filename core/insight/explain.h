#pragma once

#include "core/insight/criticalpath.h"
#include "core/insight/limits/roofline.h"
#include "core/insight/runbound.h"
#include "core/run/rundesign.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// What a part of the time of a run went to: pieces of its critical path that agree in all of this. Times of rows add up to the time explained exactly.
struct BlameRow {
    PathCause cause = PathCause::Start;
    std::int32_t rank = 0;
    TaskIndex task = -1;
    std::optional<std::uint64_t> node; ///< Number of the task in its input.
    std::string name;                  ///< Of the task, for people; empty: none is concerned.
    LinkId link = -1;
    std::string resource;              ///< "link d0 3>4", "NPU 5", "reducer of NPU 4", "rank 3"; never empty.
    PathParameter parameter = PathParameter::None;
    ResourceClass resourceClass = -1;
    std::string parameterName;         ///< "dimension 0 bandwidth"; empty: no number of the design decides it alone.
    std::string holder;                ///< Waiting: the task that had taken it; empty: no single one.
    std::int64_t ps = 0;
};

/// By how many per cent a number may change for the finish to follow the line of its effect.
struct EffectRange {
    static constexpr std::int32_t kMost = 50; ///< More is not tried.
    std::int32_t less = 0;
    std::int32_t more = 0;
    friend bool operator==(const EffectRange&, const EffectRange&) = default;
};

/// A number of the design and how the finish hangs on it, as far as the path stays the critical one.
struct ParameterEffect {
    PathParameter parameter = PathParameter::None;
    ResourceClass resourceClass = -1;
    std::string name;          ///< "dimension 0 bandwidth".
    std::string value;         ///< "50 GB/s"; empty: many.
    bool isRate = true;        ///< More of it is faster; else it is a time, and less is.
    std::int64_t ps = 0;       ///< On the path: d(finish) / d(ln parameter), negative for rates.
    std::int64_t gainPs = 0;   ///< Twice the rate, or half the time, saves so much if the path stays the longest.
    std::string field;         ///< Path of --set that changes it; empty: none that one number changes.
    std::optional<std::int64_t> confirmedPs{}; ///< Saved when simulated so; absent: not asked for, or not possible.
    std::optional<EffectRange> range{};        ///< Likewise.

    /// What 10 % more of a rate, or a time divided by 1.1, saves on the path: ps (1 - 1 / 1.1).
    std::int64_t tenthPs() const { return ps / 11; }
};

/// One sentence of a diagnosis: what bounds the time, what shows it, what would change it.
struct DiagnosisItem {
    std::string kind;          ///< "parameter", "wait", "rank", "algorithm", "idle_switches", "idle".
    std::string text;          ///< A sentence without a stop.
    std::string evidence;      ///< Where its numbers are from.
    std::string field;         ///< Path of --set that changes it; empty: none that one field changes.
    std::string value;         ///< What it is set to: "100 GB/s".
    std::optional<std::size_t> piece{}; ///< The longest of the path that it is about.
    std::int64_t ps = 0;
    std::int64_t gainPs = 0;   ///< Predicted from the path, at most.
    std::optional<std::int64_t> confirmedPs{};
};

/// What of a run is to be explained.
struct ExplainSubject {
    std::optional<std::uint64_t> node;       ///< A task by its number in the input, from its issue to its end; on `rank`, or where it ends last.
    std::optional<std::int32_t> collective;  ///< By its number in the list of `step`, from the first issue to the last end.
    std::optional<std::int32_t> chunk{};     ///< Of that collective, from when its first message could leave to when its last was delivered.
    std::optional<std::int32_t> rank;        ///< Without a node: the rank from the start of the run to its end.
};

struct Explanation {
    RunResultPtr run;                        ///< Never null; complete.
    std::string subject;                     ///< "the run", "rank 3", "node 4 (ALL_REDUCE grad) of rank 0".
    CriticalPath path;                       ///< From the begin of the subject to its end.
    std::vector<BlameRow> blame;             ///< Longest first; together path.toPs - path.fromPs.
    std::vector<ParameterEffect> parameters; ///< Longest on the path first.
    std::vector<DiagnosisItem> diagnosis;    ///< By gain.
    std::optional<RunBound> bound;           ///< Of the whole run.
    Roofline roofline;                       ///< Likewise.
    std::vector<std::string> notes;          ///< How it was found, where that is not message by message.
};

struct ExplainOptions {
    EngineChoice engine = EngineChoice::Auto;
    std::uint64_t seed = 0;
    int threads = 1;
    std::int64_t memoryLimit = 0;
    bool confirm = false;                    ///< Simulate the changes of ParameterEffect.
    bool ranges = false;                     ///< Find their ranges too (effectrange.h); of the whole run only.
    std::size_t mostConfirmed = 5;
    /// Is `--set path=value` a change this design can take? Empty: no edits are proposed.
    std::function<bool(const std::string& path, const std::string& value)> accepts{};
    std::function<void(const RunProgress&)> progress{}; ///< Of the first run, on its thread. May be empty.
    PreparedRun prepared{};                  ///< RunDesignOptions::prepared.
};

/// Runs the design and explains its time, or that of a part of it. Errors: those of runDesign(); InvalidInput with the field --node, --collective, --chunk or --rank
/// where there is no such part; Stuck where the run cannot finish (its waits in the message).
Result<Explanation> explainDesign(const std::shared_ptr<const Design>& design, const Diagnostics& noticed, const ExplainSubject& subject, const ExplainOptions& options,
                                  const std::stop_token& stop = {});

/// Rows of a path, longest first, of equals in the order of time. O(pieces log rows). In blame.cpp.
std::vector<BlameRow> blameOf(const Scenario& scenario, const CriticalPath& path);
/// Numbers of the design that pieces of the path hang on. In parametereffects.cpp, as the next.
std::vector<ParameterEffect> parameterEffects(const Scenario& scenario, const CriticalPath& path);
/// The scenario with twice the rate, or half the time; `factor` in general: rates times, times divided by it. Nothing: not possible.
std::optional<Scenario> withParameter(const Scenario& scenario, PathParameter parameter, ResourceClass resource, double factor);
/// What was busy, or was waited for: "link d0 3>4". In blame.cpp.
std::string pathResource(const Scenario& scenario, const PathPiece& piece);
/// "dimension 0 bandwidth". In blame.cpp.
std::string parameterNameOf(const Scenario& scenario, PathParameter parameter, ResourceClass resource);
/// "ALL_REDUCE grad", of a task.
std::string taskTitle(const RankGraph& graph, TaskIndex task);
/// What bounds the time, by gain. Told to stop: throws StopRequested. In rundiagnosis.cpp, as the next.
std::vector<DiagnosisItem> diagnose(const Explanation& explanation, const std::stop_token& stop = {});
/// "--set platform.dimensions.0.bandwidth="100 GB/s""; empty: no field changes it.
std::string editText(const DiagnosisItem& item);

} // namespace fabricscope
