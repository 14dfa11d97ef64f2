#pragma once

#include "core/base/keytable.h"
#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// Collectives among all devices of a cluster with unequal shares (manual: placement 3).
enum class ShareCollective : std::uint8_t { AllGather, GroupedAllGather, ReduceScatter, GroupedReduceScatter, AllReduce, AllToAll };
constexpr std::size_t kShareCollectives = 6;

inline constexpr KeyTable<ShareCollective, kShareCollectives> kShareCollectiveWords{{{"all_gather", ShareCollective::AllGather},
    {"grouped_all_gather", ShareCollective::GroupedAllGather}, {"reduce_scatter", ShareCollective::ReduceScatter},
    {"grouped_reduce_scatter", ShareCollective::GroupedReduceScatter}, {"all_reduce", ShareCollective::AllReduce}, {"all_to_all", ShareCollective::AllToAll}}};

/// What a collective takes for the bytes of the whole tensor.
struct CollectiveTime {
    bool available = false;
    double latency = 0;   ///< Seconds; of grouped forms: of each device that owns a part.
    double perByte = 0;   ///< Seconds per byte of the whole tensor.
    /// Instead of the two: (bytes, seconds) by simulation, bytes ascending, at least two; between them and past the last a straight line, below the first its seconds.
    std::vector<std::pair<double, double>> samples;

    double seconds(double bytes) const;
    /// The line through the curve at `bytes`: seconds at 0, and per byte.
    std::pair<double, double> line(double bytes) const;
};

/// Devices that are alike.
struct DeviceType {
    std::string name;
    double speed = 1;     ///< FLOP/s, above 0.
    std::int64_t count = 1;
    double memory = 0;    ///< Bytes of each; 0: as much as needed.
};

/// Devices of different speed that share the work of one program. Device numbers follow the types in their order.
struct UnequalCluster {
    static constexpr std::int64_t kMostDevices = 4096;

    std::vector<DeviceType> types;
    std::array<CollectiveTime, kShareCollectives> times;

    std::int64_t devices() const;
    double speedOfAll() const;
    const CollectiveTime& time(ShareCollective kind) const { return times[static_cast<std::size_t>(kind)]; }
    CollectiveTime& time(ShareCollective kind) { return times[static_cast<std::size_t>(kind)]; }
};

/// How much of a split dimension each device owns, with what costs need of it. Ratios are at least 0 and sum to 1.
class DeviceRatios {
public:
    DeviceRatios() = default;
    /// \pre ratios.size() == cluster.devices(), one of them positive; they are scaled to a sum of 1.
    DeviceRatios(const UnequalCluster& cluster, std::vector<double> ratios);
    static DeviceRatios even(const UnequalCluster& cluster);
    static DeviceRatios proportional(const UnequalCluster& cluster);
    /// The same ratio for every device of a type. \pre one per type
    static DeviceRatios ofTypes(const UnequalCluster& cluster, const std::vector<double>& ratios);

    const std::vector<double>& ratios() const { return m_ratios; }
    std::int64_t devices() const { return static_cast<std::int64_t>(m_ratios.size()); }
    std::int64_t owners() const { return m_owners; }  ///< Devices with a ratio above 0.
    double largest() const { return m_largest; }
    /// Seconds of `shared` FLOP by ratios and `whole` FLOP on every device, of the slowest device. O(devices), O(1) where one of the two is 0.
    /// `units`: groups that are shared out, 0 for any number: of fewer than there are owners some own none, and whole parts count instead of ratios.
    double computeSeconds(double shared, double whole, std::int64_t units = 0) const;
    /// Seconds of a collective on a tensor of so many bytes; padded forms carry devices * largest ratio.
    double seconds(const UnequalCluster& cluster, ShareCollective kind, double bytes) const;

private:
    std::vector<double> m_ratios;
    std::vector<double> m_speeds;
    double m_largest = 0;
    double m_slowestShare = 0; ///< Largest ratio / speed.
    double m_slowest = 0;      ///< Largest 1 / speed.
    std::int64_t m_owners = 0;
};

/// True of the forms that pad every part to the largest.
constexpr bool isPadded(ShareCollective kind)
{
    return kind == ShareCollective::AllGather || kind == ShareCollective::ReduceScatter || kind == ShareCollective::AllToAll;
}
constexpr bool isGrouped(ShareCollective kind)
{
    return kind == ShareCollective::GroupedAllGather || kind == ShareCollective::GroupedReduceScatter;
}

} // namespace fabricscope
