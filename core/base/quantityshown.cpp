// How times, sizes and rates are shown: integer arithmetic only, so a value has one text on every machine.
#include "core/base/quantity.h"

#include "core/base/decimal.h"

#include <array>
#include <cstdint>
#include <span>

namespace fabricscope {

namespace {

__extension__ using Wide = unsigned __int128;

struct Scale {
    std::uint64_t factor;
    std::string_view name;
};

constexpr std::array<Scale, 5> kTimes{{{1, "ps"}, {1'000, "ns"}, {1'000'000, "us"}, {1'000'000'000, "ms"}, {1'000'000'000'000, "s"}}};
constexpr std::array<Scale, 7> kDecimalBytes{{{1, "B"}, {1'000, "kB"}, {1'000'000, "MB"}, {1'000'000'000, "GB"}, {1'000'000'000'000, "TB"},
                                              {1'000'000'000'000'000, "PB"}, {1'000'000'000'000'000'000, "EB"}}};
constexpr std::array<Scale, 5> kBinaryBytes{{{1ull << 50, "PiB"}, {1ull << 40, "TiB"}, {1ull << 30, "GiB"}, {1ull << 20, "MiB"}, {1ull << 10, "KiB"}}};

std::string sign(std::int64_t value)
{
    return value < 0 ? "-" : "";
}

std::uint64_t magnitude(std::int64_t value)
{
    return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

/// The largest unit in which the value is at least 1, with up to three decimals, halves up.
std::string decimalText(std::uint64_t value, std::span<const Scale> scales)
{
    std::size_t i = scales.size() - 1;
    while (i > 0 && value < scales[i].factor)
        --i;
    const auto thousandths = [&] { return static_cast<std::int64_t>((Wide{value} * 1000 + scales[i].factor / 2) / scales[i].factor); };
    if (i + 1 < scales.size() && thousandths() >= 1'000'000) // 999.9996 us is 1 ms
        ++i;
    return shortDecimal(thousandths(), 3) + ' ' + std::string(scales[i].name);
}

std::string bytesText(std::int64_t value)
{
    const std::uint64_t size = magnitude(value);
    for (const Scale& scale : kBinaryBytes) {
        if (size != 0 && size % scale.factor == 0 && size / scale.factor < 10'000)
            return sign(value) + std::to_string(size / scale.factor) + ' ' + std::string(scale.name);
    }
    return sign(value) + decimalText(size, kDecimalBytes);
}

} // namespace

std::string showTime(SimTime time)
{
    return sign(time.ps) + decimalText(magnitude(time.ps), kTimes);
}

std::string showBytes(Bytes bytes)
{
    return bytesText(bytes.value);
}

std::string showBandwidth(Bandwidth bandwidth)
{
    return bytesText(bandwidth.bytesPerSecond) + "/s";
}

std::string nsText(SimTime time)
{
    return shortDecimal(time.ps, 3);
}

} // namespace fabricscope
