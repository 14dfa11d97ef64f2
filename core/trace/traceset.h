#pragma once

#include "core/base/index.h"
#include "core/base/result.h"
#include "core/trace/ranktrace.h"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

struct TraceLoadOptions {
    std::int64_t rankCount = 0; ///< How many ranks are needed, as the network has NPUs; 0: as many as there are files.
    int threads = 1;            ///< Files read at once; the result and the error do not depend on it.
    std::stop_token stop = {};  ///< Looked at every few milliseconds; then the error is Cancelled.
};

/// The traces of all ranks: PREFIX.RANK.et, or PREFIX.RANK.json, or PREFIX.RANK.et.gz where no .et exists. Immutable; copies are cheap.
/// No file stays open. Ranks whose files are equal share one RankTrace.
class TraceSet {
public:
    /// Reads every rank. Errors name the file, the rank (the lowest that fails) and the byte or node.
    static Result<TraceSet> load(const std::string& prefix, const TraceLoadOptions& options = {});
    /// From traces in memory; `prefix` only names them.
    static TraceSet fromRanks(std::vector<std::shared_ptr<const RankTrace>> ranks, std::string prefix);

    std::int64_t rankCount() const { return static_cast<std::int64_t>(m_ranks.size()); }
    const RankTrace& rank(std::int64_t rank) const { return *m_ranks[at(rank)]; }
    const std::shared_ptr<const RankTrace>& shared(std::int64_t rank) const { return m_ranks[at(rank)]; }
    const std::string& prefix() const { return m_prefix; }
    /// File of a rank, for messages; empty when the traces came from memory.
    std::string file(std::int64_t rank) const;
    /// Rank files beyond the ranks that were asked for.
    std::int64_t surplusFiles() const { return m_surplus; }
    std::int64_t nodeCount() const;
    /// Everything about one node, decoded from its file.
    Result<EtNode> node(std::int64_t rank, std::uint32_t index) const;
    /// Place of a node for messages.
    Place place(std::int64_t rank, std::uint32_t index) const;

private:
    std::string m_prefix;
    bool m_inMemory = false;
    std::int64_t m_surplus = 0;
    std::vector<std::shared_ptr<const RankTrace>> m_ranks;
    std::vector<std::uint8_t> m_suffix; // per rank: which of the file name endings
};

} // namespace fabricscope
