#pragma once

#include "core/base/fraction.h"
#include "core/base/keytable.h"
#include "core/design/design.h"
#include "core/plan/analysis.h"
#include "core/record/runrecord.h"
#include "core/report/jsonwriter.h"
#include "core/report/placementfigures.h"
#include "core/scenario/scenario.h"

#include <array>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// What communication of a plan is for, and waiting in its pipeline; where several are under way at once the first of this order has the time (manual: plans 9).
enum class PlanTraffic : std::uint8_t {
    Tensor,
    Context,
    Expert,
    Pipeline,
    Data,
    Transfer, ///< Keys and values from ranks that prefill to ranks that decode.
    Bubble    ///< Only receives are in flight, and nobody has sent what they wait for.
};
inline constexpr KeyTable<PlanTraffic, 7> kPlanTraffic{{{"tensor", PlanTraffic::Tensor},
                                                        {"context", PlanTraffic::Context},
                                                        {"expert", PlanTraffic::Expert},
                                                        {"pipeline", PlanTraffic::Pipeline},
                                                        {"data", PlanTraffic::Data},
                                                        {"transfer", PlanTraffic::Transfer},
                                                        {"bubble", PlanTraffic::Bubble}}};

/// Time of a rank without computation, in picoseconds by what was in flight; the sum is its exposed communication.
using ExposedTimes = std::array<std::int64_t, 7>;

/// Of inference; times in picoseconds.
struct ServedFigures {
    std::int64_t firstToken = 0;          ///< From the start to the first token of the last micro-batch.
    std::optional<std::int64_t> perToken; ///< Mean of the steps that were simulated; absent: there is none.
    std::int64_t steps = 0;               ///< Simulated ...
    std::int64_t allSteps = 0;            ///< ... of these.
};

/// What people quote of a run whose workload is a plan. A plain value.
struct PlanFigures {
    bool hasModel = false;                ///< Else the next four and `memory` are empty.
    WideCount stepFlops = 0;              ///< As PlanAnalysis.
    WideCount modelFlops = 0;
    std::optional<double> mfu, hfu;       ///< Shares of the peak of all NPUs in the simulated time.
    std::optional<double> tokensPerSecond;
    std::int64_t ranks = 1;
    std::optional<double> bubbleShare;    ///< Mean over ranks: no computation and nothing under way, as a share of the run.
    std::optional<ExposedTimes> exposed;  ///< Of the ranks that end last; absent: task times were not kept, or the model counts exposed communication differently.
    RankSet exposedRanks;
    std::vector<PlanMemory> memory;
    std::optional<std::int64_t> npuMemory; ///< Bytes of an NPU.
    std::optional<ServedFigures> served;
    Diagnostics findings;                 ///< Too little memory, as warnings.
    std::shared_ptr<const PlacementFigures> placement; ///< Of a plan with `placement: hap`, of which nothing else is said; else null.
};

/// Figures of a finished run; nothing where the workload is no plan or the run did not end. Told to stop: throws StopRequested.
/// O(tasks of all classes x log).
std::optional<PlanFigures> planFigures(const Design& design, const Scenario& scenario, const RunRecord& record, const std::stop_token& stop);
/// Are task times kept for them? Where the tasks are not too many.
bool wantsTaskTimes(const Design& design, const Workload& workload);

/// As one object (manual: json 3), and as lines. \pre no placement, which has its own
void writePlanFigures(JsonWriter& json, const PlanFigures& figures);
std::string planFiguresText(const PlanFigures& figures);

} // namespace fabricscope
