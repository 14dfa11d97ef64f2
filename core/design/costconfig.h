#pragma once

#include "core/base/keytable.h"
#include "core/base/quantity.h"

#include <optional>
#include <string>

namespace fabricscope {

/// How the cables of a fabric are priced.
enum class CablePricing : std::uint8_t {
    ByLength, ///< Ends and fibre by what reaches that far.
    Plain     ///< One price for a cable with both ends.
};
inline constexpr KeyTable<CablePricing, 2> kCablePricings{{{"by_length", CablePricing::ByLength}, {"plain", CablePricing::Plain}}};

/// What a design says of one kind of part instead of the price table (core/cost). Absent: as the table says.
struct PartFigures {
    std::optional<double> price; ///< US$.
    std::optional<double> power; ///< W.
    std::optional<double> mtbf;  ///< Hours between failures of one.
    std::string source{};
    friend bool operator==(const PartFigures&, const PartFigures&) = default;
};

/// How often the state of a run is kept, and what a failure costs.
struct CheckpointConfig {
    std::optional<Quantity> time;    ///< That a checkpoint stops the step.
    std::optional<Quantity> bytes;   ///< Instead of `time`: what is written ...
    std::optional<Quantity> rate;    ///< ... and how fast.
    std::optional<Quantity> restart; ///< To detect, to start again and to read.
    std::optional<Quantity> interval; ///< Useful time between checkpoints; absent: the best.
    friend bool operator==(const CheckpointConfig&, const CheckpointConfig&) = default;
};

/// Section `costs` of a design (manual: costs). Decides no time, so it is not part of the hash.
struct CostConfig {
    PartFigures host;
    PartFigures npu; ///< Of one NPU that is in no host, or whose host has no price.
    PartFigures networkSwitch;
    PartFigures cable; ///< With both ends.
    CablePricing cables = CablePricing::ByLength;
    std::optional<double> length; ///< Metres of every cable outside enclosures; absent: 20 below the second tier of switches, 50 above.
    std::optional<double> facility; ///< US$ for each host, once.
    std::optional<double> pue;
    std::optional<double> electricity; ///< US$ per kWh.
    std::optional<double> life;        ///< Years.
    std::optional<double> repair;      ///< Share of the capital a year.
    std::optional<double> softwareMtbf; ///< Hours of a whole job between failures of its software.
    bool reroute = false;              ///< A failed cable or switch does not stop the job.
    CheckpointConfig checkpoint;
    friend bool operator==(const CostConfig&, const CostConfig&) = default;
};

} // namespace fabricscope
