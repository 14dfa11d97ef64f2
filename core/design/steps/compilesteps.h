#pragma once

#include "core/design/design.h"

namespace fabricscope {

/// A step with names turned into numbers and quantities into integers.
struct CompiledStep {
    Step::Kind kind = Step::Kind::Compute;
    TaskKind task = TaskKind::Compute;
    std::uint8_t flags = 0;
    std::string name;                 ///< Of the task.
    std::int32_t label = -1;          ///< -1: nobody can wait for it.
    bool afterGiven = false;
    std::vector<std::int32_t> after;  ///< Labels.
    std::vector<std::int32_t> uses;   ///< Labels.
    std::int64_t outputBytes = 0;
    std::int64_t scratchBytes = 0;
    std::int32_t rankSet = 0;         ///< Index into CompiledSteps::rankSets.
    std::int64_t durationPs = -1;
    std::int64_t operations = 0;
    std::int64_t bytes = 0;
    CollectiveOp op = CollectiveOp::AllReduce;
    FamilyId family = 0;
    std::int32_t peer = 0;
    bool isRelative = false;
    std::uint32_t tag = 0;
    std::int32_t priority = 0;
    std::int32_t times = 1;
    std::vector<CompiledStep> steps;
};

struct CompiledSteps {
    std::vector<CompiledStep> steps;
    std::vector<RankSet> rankSets; ///< Distinct; all inside 0..ranks-1.
    std::size_t labels = 0;
    std::vector<bool> usedLabel;   ///< By label: some step uses its output.
};

/// Checks and translates. `families` are those of the workload, [0] the world, in the order of `steps.groups` behind it;
/// null: groups and peers are checked for form only. Told to stop: Cancelled.
Result<CompiledSteps> compileSteps(const StepsWorkload& steps, const std::vector<GroupFamily>* families, std::int64_t ranks, const std::stop_token& stop);

} // namespace fabricscope
