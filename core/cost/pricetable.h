#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fabricscope {

/// How well a figure is known.
enum class Confidence : std::uint8_t {
    High,   ///< A document of the vendor, or a paper.
    Medium, ///< One public page, with its date.
    Low     ///< Estimated or recalled.
};

/// "high", "medium", "low".
std::string_view confidenceWord(Confidence confidence);

/// A part one can buy: what it costs and takes where a design says nothing. None of the prices is an offer; US$ without tax.
struct PricedPart {
    std::string_view key;
    std::string_view title;
    double price = 0;
    double least = 0; ///< What is asked for it, from
    double most = 0;  ///< ... to.
    double watts = 0;
    std::string_view source;
    std::string_view date;
    Confidence confidence = Confidence::Low;
    bool estimated = false;
};

/// All, in the order of the manual.
std::span<const PricedPart> pricedParts();
/// \pre `key` is one of theirs.
const PricedPart& pricedPart(std::string_view key);

/// The machine that a preset or a platform of this name is made of, and how many NPUs one has; none: not in the table.
struct KnownMachine {
    const PricedPart* part = nullptr;
    std::int32_t npus = 1;
};
std::optional<KnownMachine> knownHost(std::string_view name);
/// The NPU alone.
const PricedPart* knownNpu(std::string_view name);

/// A switch with its ports; rates other than 400 and 800 Gbit/s lie on the straight line between the two, or are in proportion outside of it.
struct SwitchPrice {
    double price = 0;
    double watts = 0; ///< With all ports in use.
    bool estimated = false;
};
SwitchPrice switchPrice(std::int64_t radix, double gbit);
/// Of a switch with `used` of `radix` ports in use: six tenths are there without any.
double switchPower(double watts, std::int64_t used, std::int64_t radix);

/// A cable with both ends.
struct CablePrice {
    std::string_view title;    ///< "DAC", "SR": what reaches that far.
    double price = 0;
    double npuEnd = 0;         ///< W.
    double switchEnd = 0;
    bool passive = false;      ///< Copper without electronics (DAC): fails less often.
    bool estimated = false;
};
/// Nothing: nothing reaches so far.
std::optional<CablePrice> cablePrice(double gbit, double metres);
/// One price for any length.
CablePrice plainCable(double gbit);

/// Of the site (manual: costs 1).
constexpr double kUsualPue = 1.25;
constexpr double kUsualElectricity = 0.08; ///< US$ per kWh.
constexpr double kUsualFacility = 50'000;  ///< US$ a host.
constexpr double kUsualLife = 4;           ///< Years.
constexpr double kUsualRepair = 0.02;      ///< Of the capital a year.

/// Hours between failures of one (manual: costs 2).
constexpr double kNpuMtbf = 79'230;
constexpr double kHostMtbf = 126'391;
constexpr double kCableMtbf = 600'000;
constexpr double kPassiveMtbf = 3'000'000;
constexpr double kSwitchMtbf = 500'000;
constexpr double kSoftwareMtbf = 1'000'000; ///< Of one NPU's share of the software.

} // namespace fabricscope
