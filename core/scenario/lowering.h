#pragma once

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/design/schedulingconfig.h"
#include "core/scenario/scenario.h"

#include <stop_token>

namespace fabricscope {

class CollectiveChooser; // collectivechooser.h
struct GroupShape;       // groupshape.h
class StandardRules;     // standardrules.h
struct GroupLevels;      // core/hierarchy/grouplevels.h
class LevelFinder;

/// Makes a design ready to run: validates, loads the workload, plans every collective, derives parameters and costs.
/// Errors: what validate() and the workload's checks find, Cancelled. Assumptions and warnings are in Scenario::diagnostics.
/// `chooser` decides where the design says `algorithm: auto`; null: the standard algorithms run there (prepareChosen() has one).
Result<ScenarioPtr> prepare(const Design& design, int threads = 1, const std::stop_token& stop = {}, CollectiveChooser* chooser = nullptr);

/// The same with a workload that is already loaded (tests, the editor).
Result<ScenarioPtr> lower(const Design& design, const Platform& platform, WorkloadPtr workload, const std::stop_token& stop = {}, CollectiveChooser* chooser = nullptr,
                          int threads = 1);

/// The program a group runs: phases over the axes the group spans (manual: models 4).
/// `layout` receives how positions map to ranks. A group that is a product of coordinate sets is run axis by axis;
/// any other (and with `flat` every group) is one axis in listed order; on an explicit graph level by level with `finder`. `scheduler`: the order of the
/// axes (chunkorders.h). `standard`: what runs where the setting says nothing; null: by shape. In collectiveplan.cpp.
struct PlannedCollective {
    ProgramPtr program; ///< Null: nothing to do (one member or no bytes).
    GroupLayout layout;
    std::shared_ptr<const GroupLevels> levels{}; ///< Of a group on a graph; null: none were asked for.
    std::string whyFlat{}; ///< Why it does not go by levels of different size that the group has; empty: it does, or has none.
};
Result<PlannedCollective> planCollective(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group,
                                         CollectiveOp op, std::int64_t bytes, const CollectiveSetting& setting, bool flat = false,
                                         DimensionScheduler scheduler = DimensionScheduler::Baseline, const LevelFinder* finder = nullptr,
                                         const StandardRules* standard = nullptr);

} // namespace fabricscope
