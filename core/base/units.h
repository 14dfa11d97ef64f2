#pragma once

#include <compare>
#include <cstdint>

namespace fabricscope {

/// Simulated time in picoseconds since the start of the run; also used for durations.
/// Integer on purpose: equal inputs give bit-equal schedules on every machine. Range +-106 days.
struct SimTime {
    std::int64_t ps = 0;

    friend constexpr auto operator<=>(SimTime, SimTime) = default;
    friend constexpr SimTime operator+(SimTime a, SimTime b) { return {a.ps + b.ps}; }
    friend constexpr SimTime operator-(SimTime a, SimTime b) { return {a.ps - b.ps}; }
    constexpr SimTime& operator+=(SimTime other)
    {
        ps += other.ps;
        return *this;
    }
};

constexpr std::int64_t kPsPerNs = 1'000;
constexpr std::int64_t kPsPerUs = 1'000'000;
constexpr std::int64_t kPsPerSecond = 1'000'000'000'000;

constexpr SimTime nanoseconds(std::int64_t ns) { return {ns * kPsPerNs}; }
constexpr SimTime microseconds(std::int64_t us) { return {us * kPsPerUs}; }

/// A number of bytes, never negative once validated.
struct Bytes {
    std::int64_t value = 0;

    friend constexpr auto operator<=>(Bytes, Bytes) = default;
    friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.value + b.value}; }
    friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.value - b.value}; }
};

/// Link or memory rate in bytes per second, what an engine sees; a design keeps number and unit as written (Quantity).
struct Bandwidth {
    std::int64_t bytesPerSecond = 0;

    friend constexpr auto operator<=>(Bandwidth, Bandwidth) = default;
};

/// Compute rate in floating-point operations per second.
struct ComputeRate {
    std::int64_t flopsPerSecond = 0;

    friend constexpr auto operator<=>(ComputeRate, ComputeRate) = default;
};

/// ceil(a * b / c) without overflow of the product.
/// \pre a >= 0, b >= 0, c > 0, and the quotient fits in 63 bits.
constexpr std::int64_t mulDivCeil(std::int64_t a, std::int64_t b, std::int64_t c)
{
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>((Wide{a} * b + c - 1) / c);
}

/// Time to move `size` at `rate`, rounded up to a whole picosecond (manual: models 1).
/// \pre rate > 0, size >= 0.
constexpr SimTime serialisationDelay(Bytes size, Bandwidth rate)
{
    return {mulDivCeil(size.value, kPsPerSecond, rate.bytesPerSecond)};
}

} // namespace fabricscope
