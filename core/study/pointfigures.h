#pragma once

#include "core/base/quantity.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fabricscope {

/// What is measured of a design of a study. Their words are those of study files, tables and JSON.
enum class PointFigure : std::uint8_t {
    StepTime,
    ExposedCommunication,
    ComputeTime,
    CommunicationTime,
    TokensPerSecond,
    Mfu,
    MemoryPeak,
    Npus,
    Switches,
    Cables,
    Cost,
    CostPerYear,
    CostPerToken,
    Power,
    Mtbf,
    Goodput
};
constexpr std::size_t kPointFigures = 16;

/// When a figure is known.
enum class FigureNeeds : std::uint8_t {
    Platform,   ///< Of the platform alone.
    Parts,      ///< Of the bill of its parts.
    Plan,       ///< Of a plan without simulating it, else of a run.
    Run,        ///< Of a run.
    PlanRun,    ///< Of a run of a plan.
    RunAndParts ///< Of both.
};

struct FigureRow {
    std::string_view key;
    std::string_view meaning; ///< With its unit.
    Measure measure = Measure::Count;
    FigureNeeds needs = FigureNeeds::Run;
};

std::span<const FigureRow, kPointFigures> figureRows();
const FigureRow& rowOf(PointFigure figure);
std::optional<PointFigure> pointFigureNamed(std::string_view key);
/// Is it in proportion to a time of a run, or to one over it, and so as far off as the times of its fabric are?
bool followsTime(PointFigure figure);
/// Can it be known before anything is simulated?
bool isKnownBefore(PointFigure figure);
bool needsParts(PointFigure figure);

/// Of one design, absent what it has not. Times in picoseconds, sizes in bytes, shares of one, money in US$, power in W, MTBF in hours.
class PointFigures {
public:
    std::optional<double>& operator[](PointFigure figure) { return m_values[static_cast<std::size_t>(figure)]; }
    const std::optional<double>& operator[](PointFigure figure) const { return m_values[static_cast<std::size_t>(figure)]; }
    friend bool operator==(const PointFigures&, const PointFigures&) = default;

private:
    std::array<std::optional<double>, kPointFigures> m_values{};
};

/// As in tables and JSON: times in ns with up to three decimals, all else as the shortest number that reads back.
std::string figureText(PointFigure figure, double value);

} // namespace fabricscope
