#pragma once

#include "core/base/quantity.h"
#include "core/base/units.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace fabricscope {

enum class Shape : std::uint8_t { Ring, FullyConnected, Switch };

/// "Ring", "FullyConnected", "Switch" (ASTRA-sim spelling) and "ring", "fully_connected", "switch" (our files).
std::string_view shapeName(Shape shape);
std::string_view shapeKey(Shape shape);

/// What a switch does to data that pass through it (innetwork.h): sums of the members' data, and copies to all of them.
struct SwitchOffload {
    std::optional<Quantity> reduction{}; ///< Rate at which sums leave the switch; absent: it cannot reduce.
    std::optional<Quantity> multicast{}; ///< Rate at which it takes in data to be copied; absent: no limit of its own.
    std::optional<Quantity> buffer{};    ///< Bytes of collectives that may be under way through it; absent: any number. At least kMinOffloadBuffer.
    Quantity latency{0, "ns", Measure::Time}; ///< Of the first byte, on top of the links.
    bool shares = false; ///< Of n members every one fetches the sum of its share and hands it back: links carry 1/n more.
    std::optional<std::pair<std::int64_t, std::int64_t>> efficiency{}; ///< Of the bytes on the links of such a collective so many are payload, "69/100"; absent: all.
    friend bool operator==(const SwitchOffload&, const SwitchOffload&) = default;
};

constexpr std::int64_t kMinOffloadBuffer = 4096;

/// One dimension of a multi-dimensional fabric: a generator of links, never a list of them.
struct Dimension {
    Shape shape = Shape::Ring;
    std::int32_t size = 1;       ///< NPUs along this dimension; 1 is allowed and has no links.
    Quantity bandwidth{0, "B/s", Measure::Bandwidth}; ///< Per link and direction, or per NPU, as `bandwidthIsPerNpu` says.
    bool bandwidthIsPerNpu = false;
    Quantity latency{0, "ns", Measure::Time}; ///< Per link.
    std::optional<SwitchOffload> offload{}; ///< Switch only: of each of its switches; absent: they only pass data on.
    std::optional<Quantity> crossbar{}; ///< Switch only: bytes that may pass through each of its switches per second, all ports together (manual: models 3.4); absent: any number.

    /// Links that leave one NPU in this dimension: Ring 2 (size 2: 1, size 1: 0), FullyConnected size-1, Switch 1.
    std::int32_t linksPerNpu() const;
    /// Rate of one link (manual: models 2): as given, or npu bandwidth divided by linksPerNpu, rounded down.
    Bandwidth linkBandwidth() const;
    /// Rate of all links of one NPU together: as given, or linkBandwidth * linksPerNpu.
    Bandwidth npuBandwidth() const;
    /// Latency of one link, at least 1 ps.
    SimTime linkLatency() const;
    /// Link bandwidth in GiB/s as ASTRA-sim's files count it, unrounded.
    double linkGibPerSecond() const;
    /// Latency in ns, unrounded.
    double latencyNs() const;

    friend bool operator==(const Dimension&, const Dimension&) = default;
};

} // namespace fabricscope
