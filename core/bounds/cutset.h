#pragma once

#include "core/bounds/bounds.h"
#include "core/bounds/maxflow.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fabricscope {

/// The links over a cut: their rates, and for each the least latency from where data are at the start over this link to where they are wanted.
class CutLinks {
public:
    /// Sums of rates are counted below this; cuts of more bind nothing.
    static constexpr std::int64_t kMostRate = std::int64_t{1} << 62;

    /// `rate` bytes/s; 0 or less adds nothing.
    void add(std::int64_t rate, std::int64_t latencyPs);
    /// What both can carry.
    void add(const CutLinks& more);
    /// All together carry no more than this (a budget in front of them).
    void limit(std::int64_t rate) { m_limit = std::min(m_limit, rate); }
    /// So many cuts like this one.
    CutLinks times(std::int64_t count) const;

    /// Bytes/s of all; 0: none, or too many to count.
    std::int64_t rate() const { return m_rate >= kMostRate ? 0 : std::min(m_rate, m_limit); }
    std::int64_t mostLatencyPs() const { return m_mostLatencyPs; }
    /// Least time T for `work` = bytes * kPsPerSecond, rounded down: link i is used for no longer than T - latency_i, so
    /// sum of rate_i max(0, T - latency_i) >= bytes. At most 2^61, and mostLatencyPs() + work / rate(). O(n log n). \pre rate() > 0, work < 2^125.
    std::int64_t timePs(WideFlow work) const;

private:
    struct Link {
        std::int64_t latencyPs = 0;
        std::int64_t rate = 0;
    };
    std::vector<Link> m_links;
    std::int64_t m_rate = 0;  ///< Sum; kMostRate: that or more.
    std::int64_t m_limit = kMostRate;
    std::int64_t m_mostLatencyPs = 0;
};

/// A set of vertices as a cut sees it.
struct CutSet {
    std::int64_t members = 0; ///< Of the group, inside.
    bool rootInside = false;
    CutLinks out;             ///< What can leave.
    CutLinks in;              ///< What can enter.
};

/// Collects bounds of one collective and keeps the largest. Private to core/bounds.
class CutCollector {
public:
    using Name = std::function<std::string()>;

    CutCollector(CollectiveOp op, std::int64_t members, std::int64_t bytes);

    std::int64_t members() const { return m_members; }
    /// Bytes of what CollectiveBound calls a shard.
    std::int64_t shard() const { return m_shard; }
    /// What must leave and enter the set (table in bounds.h). Sets with all members or none bind nothing.
    void consider(const CutSet& set, const Name& name);
    /// All-reduce without switches that reduce or copy, by a partition: what can leave all parts together, or enter them.
    void considerPartition(std::int64_t parts, const CutLinks& links, const Name& name);
    /// `shards` over a cut (of rate 0: binds nothing).
    void considerCut(std::int64_t shards, const CutLinks& links, const Name& name);
    void considerLatency(std::int64_t ps);
    CollectiveBound& bound() { return m_bound; }

private:
    CollectiveOp m_op;
    std::int64_t m_members;
    std::int64_t m_shard;
    CollectiveBound m_bound;
};

} // namespace fabricscope
