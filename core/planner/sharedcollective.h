#pragma once

#include "core/base/units.h"
#include "core/planner/unequalplacement.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace fabricscope {

/// How the parts of a collective are moved (manual: placement 6).
enum class ShareForm : std::uint8_t {
    Padded, ///< As equal parts of the largest one's size.
    Exact,  ///< Every part as long as it is.
    Grouped ///< A broadcast from each owner, one after the other (of a reduce-scatter likewise, backwards).
};
inline constexpr KeyTable<ShareForm, 3> kShareForms{{{"padded", ShareForm::Padded}, {"exact", ShareForm::Exact}, {"grouped", ShareForm::Grouped}}};

/// A collective of a placed program with a size for each device.
struct SharedCollective {
    ShareCollective kind = ShareCollective::AllReduce; ///< AllGather, ReduceScatter, AllToAll or AllReduce: the form says the rest.
    double bytes = 0;                                  ///< Of the whole tensor.
    std::vector<std::int64_t> parts;                   ///< Elements of each device along the split dimension, sum at least 1; empty: all-reduce.

    /// Bytes of device j's part.
    double partBytes(std::size_t device) const;
    double largestPart() const;
    bool hasEqualParts() const;
    /// The forms it may have, in the order in which equal times prefer them.
    std::vector<ShareForm> forms() const;
    friend auto operator<=>(const SharedCollective&, const SharedCollective&) = default;
};

/// The form of a collective, with what every form takes alone.
struct ChosenForm {
    ShareForm form = ShareForm::Padded;
    std::vector<std::pair<ShareForm, SimTime>> alone; ///< In the order of SharedCollective::forms().

    SimTime time() const; ///< Of the form.
};

/// The forms chosen, by collective; what is not in it is padded.
using ChosenForms = std::map<SharedCollective, ChosenForm>;

/// The collective of a term of a step: its parts are whole elements by the ratios of its segment.
SharedCollective collectiveOf(const PlacementProblem& problem, const PlacedStep& step, const RatioTerm& term, const std::vector<DeviceRatios>& ratios);

/// Calls `visit(step, term)` for the collectives that a program does at these ratios.
template <typename Visit>
void forCollectives(const PlacedProgram& program, const std::vector<DeviceRatios>& ratios, Visit visit)
{
    for (const PlacedStep& step : program.steps) {
        if (step.kind != PlacedStep::Kind::Collective || isIdle(step, ratios))
            continue;
        for (const RatioTerm& term : step.terms)
            visit(step, term);
    }
}

} // namespace fabricscope
