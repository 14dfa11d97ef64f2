#include "core/draw/numbertext.h"

#include "core/base/decimal.h"

#include <algorithm>
#include <array>

namespace fabricscope::numbertext {

namespace {

__extension__ using Wide = __int128;

constexpr std::string_view kThin = "\xE2\x80\xAF";
constexpr std::string_view kMinus = "\xE2\x88\x92";
constexpr std::string_view kDash = "\xE2\x80\x93";

struct Unit {
    std::string_view name;
    std::int64_t size;
};
constexpr std::array<Unit, 5> kTimes{{{"s", kPsPerSecond}, {"ms", 1'000'000'000}, {"\xC2\xB5s", kPsPerUs}, {"ns", kPsPerNs}, {"ps", 1}}};
constexpr std::array<Unit, 6> kSizes{{{"PB", 1'000'000'000'000'000}, {"TB", kPsPerSecond}, {"GB", 1'000'000'000}, {"MB", 1'000'000}, {"kB", 1'000}, {"B", 1}}};

std::string grouped(const std::string& digits)
{
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0)
            out += kThin;
        out += digits[i];
    }
    return out;
}

std::string decimal(Wide part, Wide whole, int decimals)
{
    const bool negative = part < 0;
    if (negative)
        part = -part;
    std::int64_t scale = 1;
    for (int i = 0; i < decimals; ++i)
        scale *= 10;
    const Wide scaled = (part * scale + whole / 2) / whole;
    const std::string text = fixedDecimal(static_cast<std::int64_t>(scaled), decimals);
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string out = grouped(text.substr(0, point)) + text.substr(point);
    return negative && scaled != 0 ? std::string(kMinus) + out : out;
}

/// The largest unit of which there is at least one, after rounding to three decimals.
template <std::size_t N>
const Unit& unitFor(std::int64_t value, const std::array<Unit, N>& units)
{
    const Wide size = value < 0 ? -Wide{value} : Wide{value};
    for (const Unit& unit : units) {
        if (size * 2000 + unit.size >= Wide{unit.size} * 2000)
            return unit;
    }
    return units.back();
}

std::string scaled(std::int64_t value, std::string_view suffix)
{
    const Unit& unit = unitFor(value, kSizes);
    const bool whole = value % unit.size == 0;
    return decimal(value, unit.size, whole ? 0 : 1) + std::string(kThin) + std::string(unit.name) + std::string(suffix);
}

} // namespace

std::string ratio(std::int64_t part, std::int64_t whole, int decimals)
{
    return decimal(part, whole, decimals);
}

std::string time(SimTime time, int decimals)
{
    const Unit& unit = unitFor(time.ps, kTimes);
    return decimal(time.ps, unit.size, unit.size == 1 ? 0 : decimals) + std::string(kThin) + std::string(unit.name);
}

std::int64_t timeUnitPs(SimTime scale)
{
    return unitFor(scale.ps, kTimes).size;
}

std::string timeUnit(SimTime scale)
{
    return std::string(unitFor(scale.ps, kTimes).name);
}

std::string timeIn(SimTime time, SimTime scale, int decimals)
{
    const Unit& unit = unitFor(scale.ps, kTimes);
    return decimal(time.ps, unit.size, unit.size == 1 ? 0 : decimals);
}

std::string rate(std::int64_t bytesPerSecond)
{
    return scaled(bytesPerSecond, "/s");
}

std::string bytes(std::int64_t bytes)
{
    return scaled(bytes, "");
}

std::string percent(std::int64_t part, std::int64_t count, std::int64_t whole, int decimals)
{
    const Wide total = Wide{count} * whole;
    return (total <= 0 ? decimal(0, 1, decimals) : decimal(Wide{part} * 100, total, decimals)) + std::string(kThin) + '%';
}

std::string count(std::int64_t value)
{
    return decimal(value, 1, 0);
}

std::string range(std::int64_t first, std::int64_t count)
{
    return count == 1 ? std::to_string(first) : std::to_string(first) + std::string(kDash) + std::to_string(first + count - 1);
}

} // namespace fabricscope::numbertext
