#pragma once

#include "core/planner/placedprogram.h"

#include <optional>

namespace fabricscope {

/// A collective, or a pair of them, as it is charged.
struct ChargedMove {
    std::vector<RatioTerm> terms; ///< Forward, then backward where that counts.
    double seconds = 0;
};

/// What moving a tensor costs with the collectives a cluster has; of padded and grouped forms the cheaper one is taken for each tensor.
class MoveCosts {
public:
    MoveCosts(const UnequalCluster& cluster, const DeviceRatios& ratios, int segment) : m_cluster(cluster), m_ratios(ratios), m_segment(segment) {}

    /// From one property to another; `mirrored`: with the backward collective (all-gather and reduce-scatter mirror each other, the others themselves; the same
    /// again where the cluster does not have it). Nothing: there is no such collective.
    std::optional<ChargedMove> move(Property from, Property to, double bytes, bool mirrored) const;
    std::optional<ChargedMove> gather(double bytes) const { return cheaper(ShareCollective::AllGather, ShareCollective::GroupedAllGather, bytes); }
    std::optional<ChargedMove> allReduce(double bytes) const { return one(ShareCollective::AllReduce, bytes); }

private:
    std::optional<ChargedMove> one(ShareCollective kind, double bytes) const;
    std::optional<ChargedMove> cheaper(ShareCollective padded, ShareCollective grouped, double bytes) const;

    const UnequalCluster& m_cluster;
    const DeviceRatios& m_ratios;
    int m_segment;
};

} // namespace fabricscope
