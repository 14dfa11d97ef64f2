#include "core/study/pointfigures.h"

#include "core/base/decimal.h"

#include <cmath>

namespace fabricscope {

namespace {

/// In the order of PointFigure.
constexpr std::array<FigureRow, kPointFigures> kFigureRows{{
    {"step_time", "time of the run, ns", Measure::Time, FigureNeeds::Run},
    {"exposed_communication", "communication in flight and no compute, of the rank with the most, ns", Measure::Time, FigureNeeds::Run},
    {"compute_time", "of the rank with the most, ns", Measure::Time, FigureNeeds::Run},
    {"communication_time", "of the rank with the most, ns", Measure::Time, FigureNeeds::Run},
    {"tokens_per_s", "tokens a second", Measure::Count, FigureNeeds::PlanRun},
    {"mfu", "share of the peak of all NPUs", Measure::Count, FigureNeeds::PlanRun},
    {"memory_peak", "of the fullest NPU, bytes", Measure::Size, FigureNeeds::Plan},
    {"npus", "NPUs of the platform", Measure::Count, FigureNeeds::Platform},
    {"switches", "outside of hosts", Measure::Count, FigureNeeds::Parts},
    {"cables", "outside of enclosures", Measure::Count, FigureNeeds::Parts},
    {"cost", "capital, US$", Measure::Count, FigureNeeds::Parts},
    {"cost_per_year", "capital over its life, energy and repair, US$ a year", Measure::Count, FigureNeeds::Parts},
    {"cost_per_token", "of a useful token, US$", Measure::Count, FigureNeeds::RunAndParts},
    {"power", "with the site, W", Measure::Count, FigureNeeds::Parts},
    {"mtbf", "of a job on all NPUs, hours", Measure::Count, FigureNeeds::Parts},
    {"goodput", "share of the time that failures and checkpoints leave", Measure::Count, FigureNeeds::Parts},
}};

} // namespace

std::span<const FigureRow, kPointFigures> figureRows() { return kFigureRows; }

const FigureRow& rowOf(PointFigure figure) { return kFigureRows[static_cast<std::size_t>(figure)]; }

std::optional<PointFigure> pointFigureNamed(std::string_view key)
{
    for (std::size_t i = 0; i < kFigureRows.size(); ++i) {
        if (kFigureRows[i].key == key)
            return static_cast<PointFigure>(i);
    }
    return std::nullopt;
}

bool followsTime(PointFigure figure)
{
    switch (figure) {
    case PointFigure::StepTime:
    case PointFigure::ExposedCommunication:
    case PointFigure::CommunicationTime:
    case PointFigure::TokensPerSecond:
    case PointFigure::Mfu:
    case PointFigure::CostPerToken:
        return true;
    default:
        return false;
    }
}

bool isKnownBefore(PointFigure figure)
{
    const FigureNeeds needs = rowOf(figure).needs;
    return needs == FigureNeeds::Platform || needs == FigureNeeds::Parts || needs == FigureNeeds::Plan;
}

bool needsParts(PointFigure figure)
{
    const FigureNeeds needs = rowOf(figure).needs;
    return needs == FigureNeeds::Parts || needs == FigureNeeds::RunAndParts;
}

std::string figureText(PointFigure figure, double value)
{
    if (rowOf(figure).measure == Measure::Time)
        return nsText(SimTime{std::llround(value)});
    return decimal(value);
}

} // namespace fabricscope
