#include "core/bounds/cutset.h"

#include "core/bounds/maxflow.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace fabricscope {

namespace {

constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max() / 4;

bool isWhole(CollectiveOp op)
{
    return op == CollectiveOp::AllReduce || op == CollectiveOp::Broadcast || op == CollectiveOp::Reduce;
}

/// floor(bytes * shards / rate) in ps; kLongest if that is less.
std::int64_t timeOf(std::int64_t bytes, std::int64_t shards, std::int64_t rate)
{
    const WideFlow work = WideFlow{bytes} * kPsPerSecond;
    const WideFlow whole = work / rate;
    if (whole > kLongest / std::max<std::int64_t>(shards, 1))
        return kLongest;
    return static_cast<std::int64_t>(whole * shards + work % rate * shards / rate);
}

} // namespace

CutCollector::CutCollector(CollectiveOp op, std::int64_t members, std::int64_t bytes)
    : m_op(op), m_members(members), m_shard(isWhole(op) ? bytes : bytes / members)
{
}

void CutCollector::considerLatency(std::int64_t ps)
{
    m_bound.latencyPs = std::max(m_bound.latencyPs, ps);
    m_bound.timePs = std::max(m_bound.timePs, ps);
}

void CutCollector::considerCut(std::int64_t shards, std::int64_t rate, std::int64_t latencyPs, const Name& name)
{
    if (shards <= 0 || rate <= 0 || m_shard <= 0)
        return;
    const std::int64_t bandwidth = timeOf(m_shard, shards, rate);
    m_bound.timePs = std::max(m_bound.timePs, std::min(bandwidth, kLongest - latencyPs) + latencyPs);
    m_bound.bandwidthPs = std::max(m_bound.bandwidthPs, bandwidth);
    const bool first = m_bound.shardRateNumerator == 0;
    if (first || WideFlow{rate} * m_bound.shardRateDenominator < WideFlow{m_bound.shardRateNumerator} * shards) {
        const std::int64_t common = std::gcd(rate, shards);
        m_bound.shardRateNumerator = rate / common;
        m_bound.shardRateDenominator = shards / common;
        m_bound.cut = name();
    }
}

void CutCollector::consider(const CutSet& set, const Name& name)
{
    const std::int64_t inside = set.members;
    const std::int64_t outside = m_members - inside;
    if (inside <= 0 || outside <= 0)
        return;
    const auto leaves = [&](std::int64_t shards) { considerCut(shards, set.out, set.latencyPs, name); };
    const auto enters = [&](std::int64_t shards) { considerCut(shards, set.in, set.latencyPs, name); };
    switch (m_op) {
    case CollectiveOp::AllGather:
        leaves(inside);
        enters(outside);
        break;
    case CollectiveOp::ReduceScatter:
        leaves(outside);
        enters(inside);
        break;
    case CollectiveOp::Broadcast:
        set.rootInside ? leaves(1) : enters(1);
        break;
    case CollectiveOp::Reduce:
        set.rootInside ? enters(1) : leaves(1);
        break;
    case CollectiveOp::Gather:
        set.rootInside ? enters(outside) : leaves(inside);
        break;
    case CollectiveOp::Scatter:
        set.rootInside ? leaves(outside) : enters(inside);
        break;
    case CollectiveOp::AllReduce:
        leaves(1);
        enters(1);
        break;
    case CollectiveOp::AllToAll:
        leaves(inside * outside);
        enters(inside * outside);
        break;
    case CollectiveOp::Barrier:
    case CollectiveOp::Custom:
        break;
    }
}

void CutCollector::considerPartition(std::int64_t parts, std::int64_t rate, std::int64_t latencyPs, const Name& name)
{
    if (m_op == CollectiveOp::AllReduce)
        considerCut(2 * (parts - 1), rate, latencyPs, name);
}

} // namespace fabricscope
