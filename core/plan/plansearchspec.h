#pragma once

#include "core/plan/planspec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

// What `plan search` tries, as a design file says it under `search` (manual: search 1). Plain values.

/// What may differ from the plan of the design. `Data` is what the others leave of the ranks; `Npus`: the plan has a part of the machine.
enum class PlanVariable : std::uint8_t { Tensor, Pipeline, Data, Expert, Context, MicroBatch, Recompute, Zero, Schedule, MeshOrder, Npus };
inline constexpr KeyTable<PlanVariable, 11> kPlanVariables{{{"tensor", PlanVariable::Tensor},
                                                            {"pipeline", PlanVariable::Pipeline},
                                                            {"data", PlanVariable::Data},
                                                            {"expert", PlanVariable::Expert},
                                                            {"context", PlanVariable::Context},
                                                            {"micro_batch", PlanVariable::MicroBatch},
                                                            {"recompute", PlanVariable::Recompute},
                                                            {"zero", PlanVariable::Zero},
                                                            {"schedule", PlanVariable::Schedule},
                                                            {"mesh_order", PlanVariable::MeshOrder},
                                                            {"npus", PlanVariable::Npus}}};

enum class PlanObjective : std::uint8_t {
    StepTime,     ///< Less is better.
    TokensPerNpu, ///< Tokens per second and NPU; more is better.
    Memory,       ///< Bytes of the fullest rank; less is better.
    Npus,         ///< How many the plan has; less is better.
    Cost,         ///< US$ per token, with what failures leave; less is better.
    Energy        ///< J per token; less is better.
};
inline constexpr KeyTable<PlanObjective, 6> kPlanObjectives{{{"step_time", PlanObjective::StepTime},
                                                             {"tokens_per_npu", PlanObjective::TokensPerNpu},
                                                             {"memory", PlanObjective::Memory},
                                                             {"npus", PlanObjective::Npus},
                                                             {"cost", PlanObjective::Cost},
                                                             {"energy", PlanObjective::Energy}}};

/// Values that are given instead of tried.
struct FixedPlan {
    std::optional<std::int64_t> tensor, pipeline, data, expert, context, microBatch, npus; ///< 1 or more.
    std::optional<std::int32_t> zero;                                               ///< 0 to 3.
    std::optional<Recompute> recompute;
    std::optional<PipelineSchedule> schedule;
    std::vector<std::string> meshOrder; ///< Axes, the slowest first; empty: not given.
    friend bool operator==(const FixedPlan&, const FixedPlan&) = default;
};

/// `search` of a design.
struct PlanSearchSpec {
    std::vector<PlanVariable> vary; ///< Distinct; empty: all of them but `Npus`.
    FixedPlan fixed;                ///< Wins over `vary`.
    std::vector<PlanObjective> objectives{PlanObjective::StepTime}; ///< Distinct, one or more; the first ranks.
    std::int64_t top = 20;          ///< Plans listed and simulated, 1 or more.

    bool varies(PlanVariable variable) const;
    friend bool operator==(const PlanSearchSpec&, const PlanSearchSpec&) = default;
};

inline constexpr std::int64_t kMostTopPlans = 10'000;

} // namespace fabricscope
