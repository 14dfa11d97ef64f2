#pragma once

#include "core/platform/fabric/fabric.h"

#include <stop_token>

namespace fabricscope {

/// How a figure is known.
enum class Known : std::uint8_t { No, Exact, Formula };

/// What a fabric is like, whatever the rates of its cables but the bisection, which weighs a cable by its rate over that of a cable from an NPU.
struct FabricFigures {
    std::optional<std::int64_t> diameter{}; ///< Links between the two NPUs farthest apart.
    std::optional<Fraction> mean{};         ///< Links between two NPUs, over ordered pairs.
    std::optional<std::int64_t> ways{};     ///< Shortest ways from NPU 0 to the first of the NPUs farthest from it; parallel cables are ways of their own.
    std::optional<Fraction> bisection{};    ///< Least cables between half of the NPUs and the others, one direction.
    Known bisectionKnown = Known::No;
    std::optional<Fraction> bisectionAtMost{};       ///< Where it is not known: the cut of the best half that was found.
    std::optional<std::int64_t> diameterAtLeast{};   ///< Where diameter and mean would take too long: the farthest of `sampled` NPUs, and
    std::optional<Fraction> meanSampled{};           ///< the mean distance from these to all others.
    std::int64_t sampled = 0;                        ///< Evenly spread over the numbers.
    std::int64_t looked = 0;                ///< Nodes and neighbours looked at for the distances.
    Diagnostics warnings{};
};

/// How much may be looked at; what would take more is absent, with a warning. The usual limits are some seconds each.
struct SearchLimits {
    std::int64_t cables = kMaxFabricCables;   ///< Written out.
    std::int64_t distances = 8'000'000'000;   ///< Nodes and neighbours, for diameter and mean distance.
    std::int64_t partings = 2'000'000'000;    ///< Neighbours and classes of NPUs over all ways to part, for the bisection; as much again for one that holds at most.
};

/// By arithmetic where the family has it, else by searches over the cables: one per NPU that is not like another, 64 at a time. What would take too long is absent, with a
/// warning. Error: Cancelled.
Result<FabricFigures> fabricFigures(const Fabric& fabric, const std::stop_token& stop = {}, const SearchLimits& limits = {});

/// The cut of a half that some searches found: in the order of the numbers and of two searches in breadth, with NPUs swapped as long as that is cheaper. Never less than the
/// bisection. Absent: more than 2^21 cables or than the limits, or rates that differ so much that sums do not fit. Looks at no more than limits.partings. Throws StopRequested.
/// O(cables), some dozen times. In halffound.cpp.
std::optional<Fraction> bisectionAtMost(const Fabric& fabric, const std::stop_token& stop = {}, const SearchLimits& limits = {});

/// The same over the cables alone, for tests: what arithmetic and likeness say must be this.
Result<FabricFigures> figuresByCables(const Fabric& fabric, const std::stop_token& stop = {});

/// Least cables between half of the NPUs and the others, by all ways to part them; absent when these are too many, or rates differ so much that sums do not fit.
/// Throws StopRequested. In bisection.cpp.
std::optional<Fraction> bisectionByCables(const Fabric& fabric, const std::stop_token& stop = {}, const SearchLimits& limits = {});

} // namespace fabricscope
