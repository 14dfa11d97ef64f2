#include "core/planner/unequalcluster.h"

#include "core/planner/shareparts.h"

#include <algorithm>

namespace fabricscope {

std::pair<double, double> CollectiveTime::line(double bytes) const
{
    if (samples.size() < 2)
        return {latency, perByte};
    if (bytes <= samples.front().first)
        return {samples.front().second, 0};
    std::size_t upper = 1;
    while (upper + 1 < samples.size() && samples[upper].first < bytes)
        ++upper;
    const auto& [x0, y0] = samples[upper - 1];
    const auto& [x1, y1] = samples[upper];
    const double slope = (y1 - y0) / (x1 - x0);
    return {y0 - slope * x0, slope};
}

double CollectiveTime::seconds(double bytes) const
{
    const auto [base, slope] = line(bytes);
    return base + slope * bytes;
}

std::int64_t UnequalCluster::devices() const
{
    std::int64_t all = 0;
    for (const DeviceType& type : types)
        all += type.count;
    return all;
}

double UnequalCluster::speedOfAll() const
{
    double all = 0;
    for (const DeviceType& type : types)
        all += type.speed * static_cast<double>(type.count);
    return all;
}

DeviceRatios::DeviceRatios(const UnequalCluster& cluster, std::vector<double> ratios)
    : m_ratios(std::move(ratios))
{
    for (const DeviceType& type : cluster.types)
        m_speeds.insert(m_speeds.end(), static_cast<std::size_t>(type.count), type.speed);
    double sum = 0;
    for (const double ratio : m_ratios)
        sum += ratio;
    for (std::size_t j = 0; j < m_ratios.size(); ++j) {
        m_ratios[j] /= sum;
        m_largest = std::max(m_largest, m_ratios[j]);
        m_slowestShare = std::max(m_slowestShare, m_ratios[j] / m_speeds[j]);
        m_slowest = std::max(m_slowest, 1 / m_speeds[j]);
        m_owners += m_ratios[j] > 0 ? 1 : 0;
    }
}

DeviceRatios DeviceRatios::even(const UnequalCluster& cluster)
{
    return {cluster, std::vector<double>(static_cast<std::size_t>(cluster.devices()), 1)};
}

DeviceRatios DeviceRatios::proportional(const UnequalCluster& cluster)
{
    std::vector<double> speeds;
    for (const DeviceType& type : cluster.types)
        speeds.push_back(type.speed);
    return ofTypes(cluster, speeds);
}

DeviceRatios DeviceRatios::ofTypes(const UnequalCluster& cluster, const std::vector<double>& ratios)
{
    std::vector<double> all;
    for (std::size_t i = 0; i < cluster.types.size(); ++i)
        all.insert(all.end(), static_cast<std::size_t>(cluster.types[i].count), ratios[i]);
    return {cluster, std::move(all)};
}

double DeviceRatios::computeSeconds(double shared, double whole, std::int64_t units) const
{
    if (units > 0 && units < m_owners && shared > 0) {
        const std::vector<std::int64_t> parts = partsByRatios(units, m_ratios);
        double slowest = 0;
        for (std::size_t j = 0; j < parts.size(); ++j)
            slowest = std::max(slowest, (shared * static_cast<double>(parts[j]) / static_cast<double>(units) + whole) / m_speeds[j]);
        return slowest;
    }
    if (whole == 0)
        return shared * m_slowestShare;
    if (shared == 0)
        return whole * m_slowest;
    double most = 0;
    for (std::size_t j = 0; j < m_ratios.size(); ++j)
        most = std::max(most, (shared * m_ratios[j] + whole) / m_speeds[j]);
    return most;
}

double DeviceRatios::seconds(const UnequalCluster& cluster, ShareCollective kind, double bytes) const
{
    const CollectiveTime& time = cluster.time(kind);
    if (isPadded(kind))
        return time.seconds(static_cast<double>(devices()) * m_largest * bytes);
    if (isGrouped(kind) && time.samples.empty())
        return static_cast<double>(m_owners) * time.latency + time.perByte * bytes;
    return time.seconds(bytes);
}

} // namespace fabricscope
