#include "core/bounds/cutset.h"

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

std::int64_t product(std::int64_t rate, std::int64_t count)
{
    return static_cast<std::int64_t>(std::min<WideFlow>(WideFlow{rate} * count, CutLinks::kMostRate));
}

} // namespace

void CutLinks::add(std::int64_t rate, std::int64_t latencyPs)
{
    if (rate <= 0)
        return;
    rate = std::min(rate, kMostRate - m_rate);
    m_rate += rate;
    m_mostLatencyPs = std::max(m_mostLatencyPs, latencyPs);
    if (!m_links.empty() && m_links.back().latencyPs == latencyPs)
        m_links.back().rate += rate;
    else
        m_links.push_back({latencyPs, rate});
}

void CutLinks::add(const CutLinks& more)
{
    if (more.m_limit < more.m_rate) {
        const auto first = std::min_element(more.m_links.begin(), more.m_links.end(), [](const Link& a, const Link& b) { return a.latencyPs < b.latencyPs; });
        add(more.m_limit, first->latencyPs);
        return;
    }
    for (const Link& link : more.m_links)
        add(link.rate, link.latencyPs);
}

CutLinks CutLinks::times(std::int64_t count) const
{
    CutLinks all;
    for (const Link& link : m_links)
        all.add(product(link.rate, count), link.latencyPs);
    all.limit(product(m_limit, count));
    return all;
}

std::int64_t CutLinks::timePs(WideFlow work) const
{
    std::vector<Link> links = m_links;
    std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.latencyPs < b.latencyPs; });
    // With the links of least latency: their rates times (T - latency) add up to the work. More of them as long as they come before T.
    WideFlow sum = work;
    WideFlow rate = 0;
    WideFlow time = 0;
    for (const Link& link : links) {
        if (rate > 0 && time < link.latencyPs)
            break;
        sum += WideFlow{link.rate} * std::min(link.latencyPs, kLongest);
        rate += link.rate;
        time = sum / rate;
    }
    if (m_limit < m_rate)
        time = std::max(time, links.front().latencyPs + work / m_limit);
    return static_cast<std::int64_t>(std::min<WideFlow>(time, kLongest));
}

CutCollector::CutCollector(CollectiveOp op, std::int64_t members, std::int64_t bytes)
    : m_op(op), m_members(members), m_shard(isWhole(op) ? bytes : bytes / members)
{
}

void CutCollector::considerLatency(std::int64_t ps)
{
    m_bound.latencyPs = std::max(m_bound.latencyPs, ps);
    m_bound.timePs = std::max(m_bound.timePs, ps);
}

void CutCollector::considerCut(std::int64_t shards, const CutLinks& links, const Name& name)
{
    const std::int64_t rate = links.rate();
    if (shards <= 0 || rate <= 0 || m_shard <= 0)
        return;
    const std::int64_t bandwidth = timeOf(m_shard, shards, rate);
    m_bound.bandwidthPs = std::max(m_bound.bandwidthPs, bandwidth);
    if (bandwidth + std::min(links.mostLatencyPs(), kLongest) >= m_bound.timePs) // Else it cannot be more.
        m_bound.timePs = std::max(m_bound.timePs, links.timePs(WideFlow{m_shard} * kPsPerSecond * shards));
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
    const auto leaves = [&](std::int64_t shards) { considerCut(shards, set.out, name); };
    const auto enters = [&](std::int64_t shards) { considerCut(shards, set.in, name); };
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

void CutCollector::considerPartition(std::int64_t parts, const CutLinks& links, const Name& name)
{
    if (m_op == CollectiveOp::AllReduce)
        considerCut(2 * (parts - 1), links, name);
}

} // namespace fabricscope
