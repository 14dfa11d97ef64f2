#pragma once

#include "core/base/result.h"
#include "core/base/units.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fabricscope {

/// What a quantity measures.
enum class Measure : std::uint8_t { Time, Size, Bandwidth, Operations, ComputeRate, Count };

/// A unit as written. All known ones have at most 14 bytes ("Gibytes/sec" has 11), so that a Quantity is 24 bytes without memory of its own: graphs have
/// two for every link. What is longer is cut and stays unknown.
class UnitText {
public:
    constexpr UnitText() = default;
    constexpr UnitText(std::string_view text)
    {
        for (std::size_t i = 0; i < m_text.size() && i < text.size(); ++i)
            m_text[i] = text[i];
    }
    constexpr UnitText(const char* text) : UnitText(std::string_view(text)) {}
    UnitText(const std::string& text) : UnitText(std::string_view(text)) {}

    constexpr bool empty() const { return m_text.front() == 0; }
    constexpr operator std::string_view() const
    {
        std::size_t size = 0;
        while (size < m_text.size() && m_text[size] != 0)
            ++size;
        return {m_text.data(), size};
    }
    operator std::string() const { return text(); }
    std::string text() const { return std::string(std::string_view(*this)); }
    friend bool operator==(const UnitText&, const UnitText&) = default;

private:
    std::array<char, 14> m_text{}; ///< Zeroes behind the unit.
};

/// A number with its unit, kept as the user wrote it. GB = 10^9 B, GiB = 2^30 B.
struct Quantity {
    double value = 0;
    UnitText unit{};    ///< As written: "GB/s", "us", "MiB", "TFLOP/s"; empty only for Measure::Count.
    Measure measure = Measure::Count;

    /// Number and unit, shortest decimal form that reads back: "2.5 us".
    std::string text() const;
    /// In the base unit of the measure (seconds, bytes, bytes/s, FLOP, FLOP/s) as a double.
    double base() const;
    friend bool operator==(const Quantity&, const Quantity&) = default;
};

// The conversions to integers take the shortest decimal text of the value as exact, so "0.1 GB" is 100000000 B and not one off;
// halves go up. Parsed quantities always fit; others (built by hand) stop at 0 and at INT64_MAX.

/// Reads "50 GB/s", "400 Gbit/s", "400 Gbps", "0.5us", "64MiB", "989 TFLOP/s". A unit is required (except Measure::Count);
/// refuses NaN, infinities, negative numbers, unknown units, units of another measure, and values whose integer form leaves int64, saying
/// what was expected. B is byte, b is bit; K and k are both 10^3.
Result<Quantity> parseQuantity(std::string_view text, Measure measure);

/// A quantity of an ASTRA-sim file: bandwidth in GiB/s ("50 GiB/s" is shown), time in ns.
Quantity astraBandwidth(double gibPerSecond);
Quantity astraLatency(double ns);
/// The way back, unrounded: exactly the number of the file when the quantity came from one.
double inGibPerSecond(const Quantity& bandwidth);
double inNanoseconds(const Quantity& time);

/// Whole picoseconds, nearest. \pre measure == Time.
SimTime toSimTime(const Quantity& quantity);
/// Whole bytes, nearest.
Bytes toBytes(const Quantity& quantity);
/// Whole bytes per second, nearest (manual: models 1); at least 1 for a positive quantity.
Bandwidth toBandwidth(const Quantity& quantity);
ComputeRate toComputeRate(const Quantity& quantity);
/// Whole operations, nearest.
std::int64_t toOperations(const Quantity& quantity);

/// Shows a time for people: "1.234 us"; always the same digits for the same value. In quantityshown.cpp, as all of these.
std::string showTime(SimTime time);
/// Shows a size: "64 MiB" when it is a whole number of a binary unit below 10000, else decimal "1.5 GB".
std::string showBytes(Bytes bytes);
std::string showBandwidth(Bandwidth bandwidth);
/// Nanoseconds with up to three decimals, no trailing zeros: the JSON and text form of a time ("41179.698").
std::string nsText(SimTime time);

} // namespace fabricscope
