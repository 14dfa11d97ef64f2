#pragma once

#include "core/bounds/bounds.h"

#include <cstdint>
#include <functional>
#include <string>

namespace fabricscope {

/// A set of vertices as a cut sees it.
struct CutSet {
    std::int64_t members = 0; ///< Of the group, inside.
    bool rootInside = false;
    std::int64_t out = 0;     ///< Bytes/s that can leave.
    std::int64_t in = 0;      ///< Bytes/s that can enter.
    std::int64_t latencyPs = 0; ///< From the nearest member inside to the nearest outside, or back if that is less.
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
    /// All-reduce without switches that reduce or copy, by a partition: `rate` is what can leave all parts together, or enter them.
    void considerPartition(std::int64_t parts, std::int64_t rate, std::int64_t latencyPs, const Name& name);
    /// `shards` over a cut of `rate` (0: binds nothing), `latencyPs` after the start.
    void considerCut(std::int64_t shards, std::int64_t rate, std::int64_t latencyPs, const Name& name);
    void considerLatency(std::int64_t ps);
    CollectiveBound& bound() { return m_bound; }

private:
    CollectiveOp m_op;
    std::int64_t m_members;
    std::int64_t m_shard;
    CollectiveBound m_bound;
};

} // namespace fabricscope
