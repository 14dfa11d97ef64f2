#pragma once

#include "core/design/design.h"
#include "core/plan/plansearchspec.h"
#include "core/planner/best/searchedplans.h"
#include "core/yaml/tree.h"

namespace fabricscope {

/// Puts a plan of a search into the text of a design, with its micro-batch, and where it runs if that is a part of the machine: what it says differently is changed, all else, remarks in the plan among it, stays. `design`: as the text reads.
/// Errors: a design without a model and a plan; a plan that is an alias of another part of the text.
Status usePlan(YamlDocument& yaml, const Design& design, const SearchedPlan& plan);

/// Puts what is searched into the text of a design, as its section `search`: what it says differently is changed, all else stays as it is written.
Status keepSearch(YamlDocument& yaml, const PlanSearchSpec& spec);

} // namespace fabricscope
