#pragma once

#include "core/run/rundesign.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// What one rule is worth between two models: the finish before and after it is switched.
struct ReconcileItem {
    std::string rule;        ///< Stable and short, for filters and tests: "endpoint-delay".
    std::string name;        ///< For people: "endpoint delay".
    std::string explanation; ///< One sentence: what the rule says and which model has it.
    SimTime from;
    SimTime to;
    bool apart = true;       ///< False: could not be switched by itself here; the next item that could be contains it.

    SimTime delta() const { return to - from; }
};

/// One design under two models, and why their answers differ. The items stand in the order in which the rules were switched, from A to B;
/// each starts where the one before ends, so their deltas add up to B - A exactly. Items of zero are listed, but for "the rest".
struct Reconciliation {
    Model modelA = Model::Links;
    Model modelB = Model::Links;
    RunResultPtr a;
    RunResultPtr b;
    std::vector<ReconcileItem> items;

    SimTime difference() const { return b->record().finish - a->record().finish; }
};

struct ReconcileOptions {
    EngineChoice engine = EngineChoice::Auto;
    std::uint64_t seed = 0;
    int threads = 1;
    std::int64_t memoryLimit = 0;                  ///< Bytes, of each run; 0: none.
    bool taskTimes = false;                        ///< Keep task times of the two results.
    std::function<void(int done, int of)> progress; ///< Runs done, on the calling thread. May be empty.
};

/// The order in which rules are switched between two models, without running anything: rules and names as in Reconciliation::items.
std::vector<ReconcileItem> reconcileOrder(Model a, Model b);

/// Runs the design under both models and, from A to B, with one rule after the other switched; each step is a run of its own, about ten
/// in all; runs that would repeat the one before are not made again. `noticed`: what reading the design reported.
/// Errors: those of runDesign() with the model named that refuses the design, Stuck when a model cannot finish, Cancelled.
Result<Reconciliation> reconcile(const std::shared_ptr<const Design>& design, const Diagnostics& noticed, Model a, Model b,
                                 const ReconcileOptions& options, std::stop_token stop = {});

} // namespace fabricscope
