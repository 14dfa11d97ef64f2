#pragma once

#include "core/scenario/scenario.h"
#include "core/sim/astra/systemrun.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A scenario on the way from one model to another: rules of the model are switched by what is in it.
struct Variant {
    Scenario scenario;
    AstraVariant astra;        ///< astra-* only.
    bool picoseconds = false;  ///< astra-*: 1000 times slower, so that its whole nanoseconds are picoseconds of the design.
};

/// One rule between two models.
struct RuleSwitch {
    std::string rule;
    std::string name;
    std::string explanation;
    /// Switches the rule; false: not possible here. Empty: it is what remains between the last variant on the physical side and the
    /// first on the astra-* side.
    std::function<bool(Variant&)> apply;
};

/// The switches between two models, in the order stated; the scenarios may be null when only names are asked for. Flow comes before
/// links, links before ideal, and that before astra-unaware and astra-aware. `plain`: A without compute.kernels; null: it has none. \pre a comes before b.
struct RuleChain {
    std::vector<RuleSwitch> forward;  ///< Each applied to the variant before it, starting with A.
    std::vector<RuleSwitch> backward; ///< Each applied to the variant behind it, starting with B; listed from A to B.
    bool meets = true;                ///< The last of `forward` is B itself: nothing remains, `backward` is empty.
};
RuleChain ruleChain(Model a, Model b, const Scenario* scenarioA, const Scenario* scenarioB, const Scenario* plain = nullptr);

constexpr std::string_view kRemainderRule = "rest";
/// The explanation of what cannot be switched apart between a physical and an astra-* model.
RuleSwitch remainder(Model a, Model b);

/// True when both would give the same record as far as can be seen without running.
bool sameVariant(const Variant& a, const Variant& b);

/// The scenario with every time but those of remote memory (AstraVariant::slower) 1000 times as long; false when something in it cannot be scaled.
bool slowDown(Scenario& scenario);

/// Gives every compute task of an astra-* scenario the time it takes in the physical one. Nothing to do with roofline off.
void computeAs(Scenario& scenario, const Scenario& physical);

/// Switches of collectives, one per rule; each replaces programs of the structure where they differ. `astra`: the scenario whose system file
/// decides. False: what the reference runs cannot be expressed. O(instances). In variantcollectives.cpp.
bool useAstraAlgorithms(Scenario& scenario, const Scenario& astra);
bool cutAsAstra(Scenario& scenario, const Scenario& astra);
bool limitActiveChunks(Scenario& scenario, const Scenario& astra);

} // namespace fabricscope
