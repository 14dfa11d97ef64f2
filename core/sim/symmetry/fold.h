#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/explicitplan.h"

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

namespace fabricscope {

class FoldedPrograms; // foldprogram.h

// Why that is exact: symmetricrun.h.

/// A scenario of one rank that stands for all ranks of the original.
struct FoldedScenario {
    Scenario scenario;                       ///< The platform is the original one; rank 0 is the only rank, member 0 of every group.
    std::int32_t ranks = 0;                  ///< Of the original.
    std::vector<bool> exclusiveOr;           ///< By dimension: FullyConnected links are found by r xor m instead of r + m.
    std::vector<std::int32_t> instances;     ///< Original number of each instance.
    std::map<const Program*, std::shared_ptr<const events::ExplicitPlan>> operations; ///< Of explicit programs (foldprogram.h), which are those of one rank.
};

/// Folds a scenario, when one rank can stand for all: rank r on node r of all of a platform of dimensions, no link or NPU with
/// figures of its own, one task graph without point-to-point messages and shared memories, template programs over whole dimensions that
/// cut into equal blocks, explicit programs over one whole dimension that foldProgram() folds, in equal chunks.
/// Errors: Unsupported, naming the first thing that stands in the way; Cancelled. O(ranks + collectives of all groups + operations of all programs).
/// `programs`: keeps folded explicit programs for other scenarios; null: nobody does.
Result<FoldedScenario> foldScenario(const Scenario& scenario, const std::stop_token& stop = {}, FoldedPrograms* programs = nullptr);

} // namespace fabricscope
