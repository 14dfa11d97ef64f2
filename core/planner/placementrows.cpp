#include "core/planner/placementrows.h"

#include "core/base/index.h"
#include "core/base/rankset.h"

namespace fabricscope {

std::string ownersOfStep(const PlacementProblem& problem, const PlacedStep& step, const UnequalPlacement& placement)
{
    const DeviceRatios& ratios = placement.ratios[at(segmentOfStep(problem, step))];
    RankSet owners;
    for (std::int64_t j = 0; j < ratios.devices(); ++j) {
        if (!(step.makes.isGather() || step.from.isGather()) || ratios.ratios()[at(j)] > 0)
            owners.add(j);
    }
    return owners.text();
}

bool isShownStep(const PlacedStep& step, const UnequalPlacement& placement)
{
    return !isIdle(step, placement.ratios) && (step.kind != PlacedStep::Kind::Compute || step.op >= 0);
}

const ChosenForm* simulatedFormOf(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times, const PlacedStep& step)
{
    if (!times.program || step.kind != PlacedStep::Kind::Collective || step.terms.empty() || step.terms.front().collective == ShareCollective::AllReduce)
        return nullptr;
    const auto form = times.program->forms.find(collectiveOf(problem, step, step.terms.front(), placement.ratios));
    return form == times.program->forms.end() ? nullptr : &form->second;
}

std::string_view shownKindOf(const PlacedStep& step, const ChosenForm* form)
{
    if (!form || step.collective == ShareCollective::AllToAll)
        return wordOf(step);
    const bool gathers = step.collective == ShareCollective::AllGather || step.collective == ShareCollective::GroupedAllGather;
    const bool grouped = form->form == ShareForm::Grouped;
    return keyOf(kShareCollectiveWords, gathers ? grouped ? ShareCollective::GroupedAllGather : ShareCollective::AllGather
                                                : grouped ? ShareCollective::GroupedReduceScatter : ShareCollective::ReduceScatter);
}

std::string_view causeText(DifferenceCause cause)
{
    switch (cause) {
    case DifferenceCause::WholeElements:
        return "whole elements instead of ratios";
    case DifferenceCause::Collectives:
        return "collectives with their true sizes";
    case DifferenceCause::Entry:
        return "devices reach collectives at different times";
    case DifferenceCause::Overlap:
        return "gradients beside the backward pass";
    }
    return {};
}

std::vector<PlacedMemoryRow> placedMemoryRows(const PlacementProblem& problem, const UnequalPlacement& placement)
{
    std::vector<PlacedMemoryRow> rows;
    const auto kinds = placement.program.heldByKind(problem.graph, problem.theory, problem.segments);
    std::int64_t first = 0;
    for (const DeviceType& type : problem.cluster.types) {
        PlacedMemoryRow row{RankSet::range(first, first + type.count).text(), type.name, {}, 0, type.memory};
        for (std::int64_t device = first; device < first + type.count; ++device) {
            std::array<double, kHeldKinds.size()> own{};
            double sum = 0;
            for (const auto& [kind, held] : kinds) {
                double& bytes = own.at(static_cast<std::size_t>(kind));
                bytes = held.whole;
                for (std::size_t s = 0; s < held.shared.size(); ++s)
                    bytes += held.shared[s] * placement.ratios[s].ratios()[at(device)];
                sum += bytes;
            }
            if (sum >= row.peak) {
                row.peak = sum;
                row.bytes = own;
            }
        }
        first += type.count;
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace fabricscope
