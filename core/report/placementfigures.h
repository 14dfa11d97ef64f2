#pragma once

#include "core/base/units.h"
#include "core/record/activity.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

class JsonWriter;

/// Devices that are alike and own alike of everything.
struct PlacedDevices {
    std::string name;           ///< "NPU 0-1".
    std::int64_t count = 1;
    double speed = 1;           ///< FLOP/s of each.
    double ratio = 0;           ///< Of each.
    std::int64_t held = 0;      ///< Bytes of each.
    std::int64_t memory = 0;    ///< Bytes; 0: as much as needed.
};

/// One instruction of a placed program.
struct PlacedInstruction {
    /// What of a stage it belongs to: collectives that computations wait for, these, and gradients that are reduced beside the rest of the backward pass.
    enum class Part : std::uint8_t { Entering, Computing, Gradients };
    std::int32_t stage = 1;
    Part part = Part::Computing;
    Activity activity = Activity::Compute;
    std::string kind;           ///< "compute", "all_gather".
    std::string makes;
    std::string how;            ///< Rule of a computation, form of a collective; may be empty.
    std::string property;       ///< "gather 0".
    std::int64_t bytes = 0;     ///< Of the whole tensor.
    std::string owners;         ///< "0-7".
    SimTime time;               ///< Estimated, forward and backward.
};

/// A program that was looked at.
struct PlacedTimes {
    std::string name;           ///< "Found", "Even ratios", "DP-EV", "DP-CP".
    SimTime estimate;
    std::optional<SimTime> simulated;
};

/// Program and ratios for unequal devices as reports and views show them (manual: placement). A plain value.
struct PlacementFigures {
    std::vector<PlacedDevices> devices;
    std::vector<PlacedInstruction> program;
    std::vector<PlacedTimes> times;                  ///< What was found first, then what it is compared with.
    std::vector<std::pair<std::string, SimTime>> way; ///< From the estimate of what was found to its simulated time; the sum is the difference.
    std::string note;                                ///< May be empty.
    std::int64_t states = 0;
    bool proved = true;

    std::int64_t deviceCount() const;
    double speedOfAll() const;
};

/// Computations between two points at which all devices wait for each other, with the collectives before them and the gradients reduced beside them.
struct PlacedStage {
    std::int32_t number = 1;
    SimTime entering, computing, gradients;
    std::vector<std::size_t> instructions;           ///< Of PlacementFigures::program, ascending.

    SimTime all() const { return {entering.ps + computing.ps + gradients.ps}; }
};

/// "3.859 TFLOP/s": four digits.
std::string placedSpeedText(double flopsPerSecond);
/// In their order.
std::vector<PlacedStage> stagesOf(const PlacementFigures& figures);
/// "reduce_scatter y1, all_gather w2": what a stage waits for; "nothing". At most four are named.
std::string enteringText(const PlacementFigures& figures, const PlacedStage& stage);
/// "qkv to out, 7 ops".
std::string computingText(const PlacementFigures& figures, const PlacedStage& stage);

void writePlacementFigures(JsonWriter& json, const PlacementFigures& figures); ///< As one object (manual: json 3).
std::string placementFiguresText(const PlacementFigures& figures);             ///< Tables.

} // namespace fabricscope
