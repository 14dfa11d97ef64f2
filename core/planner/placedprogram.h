#pragma once

#include "core/planner/ratioprogram.h"
#include "core/planner/theory.h"

#include <string>
#include <vector>

namespace fabricscope {

/// One instruction of a placed program.
struct PlacedStep {
    enum class Kind : std::uint8_t { Compute, Collective, Slice };
    Kind kind = Kind::Compute;
    int op = -1;            ///< Of Compute; else the op it is done for.
    int tensor = -1;        ///< What is made, or whose gradient is.
    bool ofGradient = false;
    Property from;          ///< Of collectives and slices.
    Property makes;
    RuleWord word = RuleWord::Replicated;
    ShareCollective collective = ShareCollective::AllGather; ///< The forward one.
    /// What it costs: of a collective on an activation forward and its mirror backward.
    std::vector<RatioTerm> terms;
    bool behind = false;    ///< Of collectives: follows the op's backward computation, beside the rest of it.
};

/// What memory is for.
enum class HeldKind : std::uint8_t { Inputs, Parameters, Gradients, Optimizer, Results, Gathered };
inline constexpr KeyTable<HeldKind, 6> kHeldKinds{{{"inputs", HeldKind::Inputs}, {"parameters", HeldKind::Parameters}, {"gradients", HeldKind::Gradients},
    {"optimizer", HeldKind::Optimizer}, {"activations", HeldKind::Results}, {"gathered", HeldKind::Gathered}}};

/// A program in the order of its instructions.
struct PlacedProgram {
    std::vector<PlacedStep> steps;

    std::vector<RatioTerm> terms() const;
    /// Bytes the devices hold: every form in which a tensor is held once, with a parameter its gradient and states of its optimiser (TheoryOptions); of parameters that
    /// are gathered where they are used one at a time.
    HeldBytes held(const PlacedGraph& graph, const TheoryOptions& options, int segments) const;
    /// The same by what it is. The sum of all is held().
    std::vector<std::pair<HeldKind, HeldBytes>> heldByKind(const PlacedGraph& graph, const TheoryOptions& options, int segments) const;
};

/// "batch", "all_gather", ...: the word of a step.
std::string_view wordOf(const PlacedStep& step);
/// "y1", "y1 as identity", "grad w1": what a step makes.
std::string madeBy(const PlacedGraph& graph, const PlacedStep& step);

} // namespace fabricscope
